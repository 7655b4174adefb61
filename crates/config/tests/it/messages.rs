//! What people and programs are shown: messages, kinds, and serialized forms.

use std::error::Error;
use std::io;

use codex_config::{
    Config, ConfigError, ConfigLayerSource, DisabledReason, FailedProbe, MarkersSource,
    OverrideProblem, ProfileName, ProjectRootSearch, RootReason, TextPosition, TrustLevel,
    ValueOrigin, usable_markers,
};
use codex_path_uri::PathConvention;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{managed, origin, posix, profile, project, session, stack, system, user};

#[test]
fn a_profile_name_is_a_plain_stem() {
    for name in ["a", "Work-2_x", &"x".repeat(64)] {
        assert_eq!(ProfileName::new(name).unwrap().as_str(), name);
    }
    for name in ["", "a.b", "../x", "a b", "é", &"x".repeat(65)] {
        let error = ProfileName::new(name).unwrap_err();
        assert!(matches!(&error, ConfigError::InvalidProfileName { name: found } if found == name));
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
    }
}

#[test]
fn a_message_begins_with_the_place_or_the_layer() {
    let position = TextPosition { line: 3, column: 7 };
    let file = posix("/home/.codex/config.toml");
    let invalid = ConfigError::InvalidToml {
        source_layer: user(),
        file: file.clone(),
        position,
        message: "unclosed string".to_owned(),
    };
    assert_eq!(
        invalid.to_string(),
        "/home/.codex/config.toml:3:7: invalid TOML: unclosed string"
    );
    for (source, prefix) in [
        (system(), "system configuration: "),
        (user(), "user configuration: "),
        (profile("work"), "profile `work`: "),
        (project("/r"), "project configuration: "),
        (session(), "-c: "),
        (managed(), "managed configuration: "),
    ] {
        let error = ConfigError::InvalidValue {
            key: "k".to_owned(),
            origin: origin(source, None),
            expected: "a string",
            found: "an array".to_owned(),
        };
        assert_eq!(
            error.to_string(),
            format!("{prefix}`k`: expected a string, found an array")
        );
    }
}

#[test]
fn the_place_is_spelled_in_the_convention_of_the_file() {
    let file = crate::support::windows("C:\\me\\config.toml");
    let from = origin(
        ConfigLayerSource::User {
            file,
            profile: None,
        },
        Some((1, 2)),
    );
    assert_eq!(from.to_string(), "C:\\me\\config.toml:1:2");
}

#[test]
fn an_error_keeps_its_kind_as_an_io_error_and_its_cause() {
    let error = ConfigError::Read {
        source_layer: user(),
        file: posix("/home/.codex/config.toml"),
        source: io::Error::from(io::ErrorKind::PermissionDenied),
    };
    assert!(error.source().is_some());
    let error = io::Error::from(error);
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert!(error.get_ref().unwrap().is::<ConfigError>());
    let error = io::Error::from(ConfigError::InvalidStack {
        reason: String::new(),
    });
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
}

#[test]
fn each_error_has_the_kind_of_its_cause() {
    use io::ErrorKind::{InvalidData, InvalidInput, TimedOut};
    let text = String::new;
    let position = TextPosition { line: 1, column: 1 };
    let file = posix("/home/.codex/config.toml");
    let cases = [
        (
            ConfigError::Read {
                source_layer: user(),
                file: file.clone(),
                source: TimedOut.into(),
            },
            TimedOut,
        ),
        (
            ConfigError::InvalidToml {
                source_layer: user(),
                file,
                position,
                message: text(),
            },
            InvalidData,
        ),
        (
            ConfigError::InvalidValue {
                key: text(),
                origin: ValueOrigin::Default,
                expected: "",
                found: text(),
            },
            InvalidData,
        ),
        (
            ConfigError::InvalidOverride {
                argument: text(),
                reason: OverrideProblem::MissingEquals,
            },
            InvalidInput,
        ),
        (
            ConfigError::LegacyProfile {
                origin: ValueOrigin::Default,
                name: text(),
            },
            InvalidData,
        ),
        (
            ConfigError::InvalidProfileName { name: text() },
            InvalidInput,
        ),
        (ConfigError::InvalidStack { reason: text() }, InvalidData),
    ];
    for (error, kind) in cases {
        assert_eq!(error.kind(), kind, "{error:?}");
        let shown = error.to_string();
        let error = io::Error::from(error);
        assert_eq!((error.kind(), error.to_string()), (kind, shown));
    }
}

#[test]
fn a_diagnostic_is_one_sentence_with_foreign_text_escaped() {
    let text = "project_doc_fallback_filenames = [\"a/\\u001b\"]";
    let (_, diagnostics) = Config::from_stack(stack([(user(), text)])).unwrap();
    assert_eq!(
        diagnostics[0].to_string(),
        "/home/.codex/config.toml:1:35: fallback name \"a/\\u{1b}\" is no plain file name (separator)"
    );
    let configured = Some(vec!["..".to_owned()]);
    let usable = usable_markers(configured, origin(session(), None), PathConvention::Posix);
    let sentences: Vec<_> = usable
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        sentences,
        [
            "-c: project root marker \"..\" names nothing inside a directory (escapes)",
            "-c: no project root marker can be used, so the defaults are",
        ]
    );
}

#[test]
fn origins_serialize_with_camel_case_keys_and_snake_case_variants() {
    let value = serde_json::to_value([
        ValueOrigin::Default,
        origin(profile("work"), Some((1, 2))),
        origin(project("/r"), None),
        origin(session(), None),
        origin(managed(), None),
    ]);
    assert_eq!(
        value.unwrap(),
        json!([
            "default",
            {"layer": {
                "source": {"user": {"file": "file:///home/.codex/work.config.toml", "profile": "work"}},
                "position": {"line": 1, "column": 2},
            }},
            {"layer": {"source": {"project": {"dotCodexFolder": "file:///r/.codex"}}, "position": null}},
            {"layer": {"source": "session_flags", "position": null}},
            {"layer": {
                "source": {"legacy_managed_config_toml_from_file": {
                    "file": "file:///etc/codex/managed_config.toml",
                }},
                "position": null,
            }},
        ])
    );
}

#[test]
fn a_search_serializes_with_what_was_dropped_and_what_failed() {
    let configured = Some(vec![".hg".to_owned(), String::new()]);
    let search = ProjectRootSearch {
        root: Some(posix("/r")),
        reason: RootReason::Marker {
            marker: ".hg".to_owned(),
            probe: 2,
        },
        markers: usable_markers(configured, ValueOrigin::Default, PathConvention::Posix),
        failed_probes: vec![FailedProbe {
            path: posix("/r/a/.hg"),
            kind: io::ErrorKind::PermissionDenied,
        }],
    };
    assert_eq!(
        serde_json::to_value(search).unwrap(),
        json!({
            "root": "file:///r",
            "reason": {"marker": {"marker": ".hg", "probe": 2}},
            "markers": {
                "markers": [".hg"],
                "source": {"configured": "default"},
                "rejected": [{"marker": "", "reason": "blank"}],
            },
            "failedProbes": [{"path": "file:///r/a/.hg", "kind": "PermissionDenied"}],
        })
    );
}

#[test]
fn unit_variants_serialize_in_snake_case() {
    let reasons = [RootReason::NoMarkerFound, RootReason::TraversalDisabled];
    assert_eq!(
        serde_json::to_value(reasons).unwrap(),
        json!(["no_marker_found", "traversal_disabled"])
    );
    let reasons = [
        DisabledReason::NotTrusted,
        DisabledReason::Untrusted,
        DisabledReason::Other("x".to_owned()),
    ];
    assert_eq!(
        serde_json::to_value(reasons).unwrap(),
        json!(["not_trusted", "untrusted", {"other": "x"}])
    );
    let levels = [TrustLevel::Trusted, TrustLevel::Untrusted];
    assert_eq!(
        serde_json::to_value(levels).unwrap(),
        json!(["trusted", "untrusted"])
    );
    let sources = [
        MarkersSource::Default,
        MarkersSource::DefaultAfterInvalid(ValueOrigin::Default),
    ];
    assert_eq!(
        serde_json::to_value(sources).unwrap(),
        json!(["default", {"default_after_invalid": "default"}])
    );
}

#[test]
fn a_diagnostic_serializes_with_its_origin_and_reason() {
    let configured = Some(vec!["..".to_owned(), ".git".to_owned()]);
    let usable = usable_markers(configured, origin(session(), None), PathConvention::Posix);
    assert_eq!(
        serde_json::to_value(usable.diagnostics()).unwrap(),
        json!([{
            "code": "invalid_marker",
            "severity": "warning",
            "origin": {"layer": {"source": "session_flags", "position": null}},
            "text": "..",
            "reason": "escapes",
        }])
    );
}
