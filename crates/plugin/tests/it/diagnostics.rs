//! Diagnostics: their order, their number, their weight.

use codex_file_system::Severity;
use codex_plugin::{PluginDiagnosticCode as Code, parse_plugin_manifest};
use pretty_assertions::assert_eq;

use crate::support::{codes, uri};

#[test]
fn the_name_comes_first_and_the_rest_in_document_order() {
    let text = r#"{"interface":{"logo":"x","defaultPrompt":""},"skills":"x","zzz":0,"skill":0,"name":"a/b"}"#;
    let (_, diagnostics) = parse_plugin_manifest(&uri("file:///p"), text).unwrap();
    assert_eq!(
        codes(&diagnostics),
        [
            ("unsafe_plugin_name", "name"),
            ("path_prefix", "interface.logo"),
            ("prompt_empty", "interface.defaultPrompt"),
            ("path_prefix", "skills"),
            ("unknown_key", "skill"),
        ]
    );
}

#[test]
fn sixty_four_diagnostics_are_kept_and_the_rest_is_counted() {
    let parse = |bad: usize, name: &str| {
        let skills = vec!["\"x\""; bad].join(",");
        let text = format!("{{\"name\":\"{name}\",\"skills\":[{skills}]}}");
        parse_plugin_manifest(&uri("file:///p"), &text).unwrap().1
    };
    assert_eq!(parse(64, "p").len(), 64);
    let cut = parse(70, "p");
    assert_eq!(cut.len(), 65);
    assert_eq!(cut[63].field(), "skills[63]");
    assert_eq!(
        cut[64].to_string(),
        "6 further findings are left out (diagnostics_truncated)"
    );
    let named = parse(70, "a/b");
    assert_eq!(
        (named.len(), named[0].code().as_str()),
        (65, "unsafe_plugin_name")
    );
    assert_eq!(named[63].field(), "skills[62]");
    assert_eq!(named[64].detail(), "7 further findings are left out");
}

#[test]
fn a_finding_reads_as_field_detail_and_code() {
    let (_, diagnostics) = parse_plugin_manifest(
        &uri("file:///p"),
        r#"{"skills":["a\nb"],"hooks":["./x",7]}"#,
    )
    .unwrap();
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "`skills[0]`: path `a\\u{a}b` holds a control character (path_control_character)",
            "`hooks`: expected a string, an object, or an array of strings or of objects, \
             found an array of a string and a number (wrong_type)",
        ]
    );
}

#[test]
fn a_replaced_name_says_what_stands_in_for_it() {
    let (_, diagnostics) = parse_plugin_manifest(&uri("file:///p"), r#"{"name":"../x"}"#).unwrap();
    assert_eq!(
        diagnostics[0].to_string(),
        "`name`: `../x` is unfit for a namespace, which is `p` instead (unsafe_plugin_name)"
    );
}

/// Every code, and how much it matters.
pub(crate) const SEVERITIES: [(Code, Severity); 25] = [
    (Code::WrongType, Severity::Warning),
    (Code::MixedList, Severity::Warning),
    (Code::ListTruncated, Severity::Warning),
    (Code::PathEmpty, Severity::Warning),
    (Code::PathControlCharacter, Severity::Warning),
    (Code::PathPrefix, Severity::Warning),
    (Code::PathRooted, Severity::Warning),
    (Code::PathParentComponent, Severity::Warning),
    (Code::PathDriveOrStream, Severity::Warning),
    (Code::PathIsRoot, Severity::Warning),
    (Code::PathNotPortable, Severity::Info),
    (Code::PromptEmpty, Severity::Warning),
    (Code::PromptTooLong, Severity::Warning),
    (Code::PromptLimit, Severity::Warning),
    (Code::HooksUnwrapped, Severity::Info),
    (Code::UnknownKey, Severity::Info),
    (Code::InvalidPluginName, Severity::Info),
    (Code::UnsafePluginName, Severity::Warning),
    (Code::DiagnosticsTruncated, Severity::Warning),
    (Code::McpConfigMissing, Severity::Error),
    (Code::McpConfigUnreadable, Severity::Error),
    (Code::McpConfigInvalid, Severity::Error),
    (Code::McpServerInvalid, Severity::Warning),
    (Code::McpTransportUnsupported, Severity::Warning),
    (Code::McpServerDuplicate, Severity::Warning),
];

#[test]
fn what_was_lost_weighs_more_than_what_was_kept() {
    for (code, severity) in SEVERITIES {
        assert_eq!(code.severity(), severity, "{code}");
    }
    let (_, diagnostics) = parse_plugin_manifest(&uri("file:///p"), r#"{"skill":1}"#).unwrap();
    assert_eq!(diagnostics[0].severity(), Severity::Info);
}
