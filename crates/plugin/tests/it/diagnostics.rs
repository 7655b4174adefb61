//! Diagnostics: their order, their number, their weight.

use codex_file_system::Severity;
use codex_plugin::parse_plugin_manifest;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{Scene, codes, uri};

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
        (cut[64].code(), cut[64].to_string()),
        (
            "diagnostics_truncated",
            "6 further findings are left out".to_owned()
        )
    );
    let named = parse(70, "a/b");
    assert_eq!((named.len(), named[0].code()), (65, "unsafe_plugin_name"));
    assert_eq!(named[63].field(), "skills[62]");
    assert_eq!(named[64].detail(), "7 further findings are left out");
}

#[test]
fn a_sentence_is_field_and_detail() {
    let (_, diagnostics) = parse_plugin_manifest(
        &uri("file:///p"),
        r#"{"skills":["a\nb"],"hooks":["./x",7]}"#,
    )
    .unwrap();
    let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "`skills[0]`: path `a\\u{a}b` holds a control character",
            "`hooks`: expected a string, an object, or an array of strings or of objects, \
             found an array of a string and a number",
        ]
    );
}

#[test]
fn a_replaced_name_says_what_stands_in_for_it() {
    let (_, diagnostics) = parse_plugin_manifest(&uri("file:///p"), r#"{"name":"../x"}"#).unwrap();
    assert_eq!(
        diagnostics[0].to_string(),
        "`name`: `../x` is unfit for a namespace, which is `p` instead"
    );
}

#[test]
fn what_was_lost_weighs_more_than_what_was_kept() {
    let text = r#"{"skill":1,"name":"my demo","skills":"x","hooks":{"Stop":[]}}"#;
    let (_, diagnostics) = parse_plugin_manifest(&uri("file:///p"), text).unwrap();
    let found: Vec<_> = diagnostics
        .iter()
        .map(|it| (it.code(), it.severity()))
        .collect();
    assert_eq!(
        found,
        [
            ("invalid_plugin_name", Severity::Info),
            ("unknown_key", Severity::Info),
            ("path_prefix", Severity::Warning),
            ("hooks_unwrapped", Severity::Info),
        ]
    );
}

#[test]
fn a_diagnostic_serializes_to_the_object_of_reports() {
    let root = uri("file:///plugins/p");
    let scene = Scene::in_memory(&root, &[(".codex-plugin/plugin.json", r#"{"skills":"x"}"#)]);
    let plugin = scene.resolve(&root).unwrap().unwrap();
    assert_eq!(
        serde_json::to_value(&plugin.diagnostics()[0]).unwrap(),
        json!({
            "code": "path_prefix",
            "severity": "warning",
            "message": "`skills`: path `x` does not begin with `./`: \
                file:///plugins/p/.codex-plugin/plugin.json in environment `env-1`",
            "environmentId": "env-1",
            "path": "file:///plugins/p/.codex-plugin/plugin.json",
            "field": "skills",
        })
    );
    assert_eq!(plugin.diagnostics()[0].advice().unwrap(), "write `./x`");
}
