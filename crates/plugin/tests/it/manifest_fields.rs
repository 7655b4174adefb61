//! Each field of a manifest: what it takes, what it drops, what it refuses.

use codex_path_uri::PathUri;
use codex_plugin::{ComponentDeclaration, ManifestFormat, PluginManifest, parse_plugin_manifest};
use pretty_assertions::assert_eq;

use crate::support::{codes, uri};

const ROOT: &str = "file:///plugins/p";

/// The manifest, and codes and fields of its diagnostics.
fn parse(text: &str) -> (PluginManifest<PathUri>, Vec<(&'static str, String)>) {
    let (manifest, diagnostics) = parse_plugin_manifest(&uri(ROOT), text).expect(text);
    let codes = codes(&diagnostics)
        .into_iter()
        .map(|(code, field)| (code, field.to_owned()));
    (manifest, codes.collect())
}

fn findings(text: &str) -> Vec<(&'static str, String)> {
    parse(text).1
}

fn one(code: &'static str, field: &str) -> Vec<(&'static str, String)> {
    vec![(code, field.to_owned())]
}

fn refused_field(text: &str) -> (&'static str, String) {
    let error = parse_plugin_manifest(&uri(ROOT), text).expect_err(text);
    (error.problem().code(), error.field().to_owned())
}

#[test]
fn a_wrong_type_of_a_failing_field_refuses_the_manifest() {
    let rows = [
        (r#"{"name":null}"#, "name"),
        (r#"{"name":[]}"#, "name"),
        (r#"{"version":1.0}"#, "version"),
        (r#"{"description":{}}"#, "description"),
        (r#"{"keywords":null}"#, "keywords"),
        (r#"{"keywords":"a"}"#, "keywords"),
        (r#"{"keywords":["a",1]}"#, "keywords[1]"),
        (r#"{"apps":{}}"#, "apps"),
        (r#"{"interface":"x"}"#, "interface"),
        (r#"{"interface":7}"#, "interface"),
        (
            r#"{"interface":{"displayName":7}}"#,
            "interface.displayName",
        ),
        (r#"{"interface":{"websiteURL":7}}"#, "interface.websiteURL"),
        (
            r#"{"interface":{"capabilities":null}}"#,
            "interface.capabilities",
        ),
        (
            r#"{"interface":{"screenshots":null}}"#,
            "interface.screenshots",
        ),
        (
            r#"{"interface":{"screenshots":["./a",null]}}"#,
            "interface.screenshots[1]",
        ),
        (
            r#"{"interface":{"composerIcon":["./a"]}}"#,
            "interface.composerIcon",
        ),
        (r#"{"interface":{"logoDark":true}}"#, "interface.logoDark"),
    ];
    for (text, field) in rows {
        assert_eq!(
            refused_field(text),
            ("wrong_type", field.to_owned()),
            "{text}"
        );
    }
}

#[test]
fn a_wrong_type_of_a_dropping_field_drops_the_field_only() {
    let rows = [
        (r#"{"skills":7}"#, "skills"),
        (r#"{"skills":{}}"#, "skills"),
        (r#"{"skills":["./a",7]}"#, "skills"),
        (r#"{"mcpServers":true}"#, "mcpServers"),
        (r#"{"mcpServers":[null]}"#, "mcpServers"),
        (r#"{"mcpServers":[{},[]]}"#, "mcpServers"),
        (r#"{"hooks":1}"#, "hooks"),
        (r#"{"hooks":{"Stop":"./h.json"}}"#, "hooks"),
        (r#"{"hooks":{"hooks":[]}}"#, "hooks"),
        (r#"{"hooks":[{"Stop":[]},{"Stop":1}]}"#, "hooks"),
        (r#"{"interface":[]}"#, "interface"),
        (
            r#"{"interface":{"defaultPrompt":{}}}"#,
            "interface.defaultPrompt",
        ),
    ];
    for (text, field) in rows {
        let (manifest, findings) = parse(text);
        assert_eq!(findings, one("wrong_type", field), "{text}");
        assert_eq!(manifest, parse("{}").0, "{text}");
    }
}

#[test]
fn null_is_absent_where_a_field_may_be_absent() {
    let text = r#"{"version":null,"description":null,"skills":null,"mcpServers":null,"apps":null,
        "hooks":null,"interface":{"displayName":null,"logo":null,"defaultPrompt":null}}"#;
    let (manifest, findings) = parse(text);
    assert_eq!(findings, []);
    assert_eq!(manifest, parse("{}").0);
    assert_eq!(manifest.interface(), None);
    assert_eq!(manifest.format(), ManifestFormat::Plugin);
}

#[test]
fn a_list_of_strings_and_objects_is_mixed() {
    for field in ["hooks", "mcpServers"] {
        for list in [r#"["./a",{}]"#, r#"[{},"./a",7]"#] {
            let text = format!("{{\"{field}\":{list}}}");
            assert_eq!(findings(&text), one("mixed_list", field), "{text}");
        }
    }
}

#[test]
fn an_empty_list_is_absent_in_silence() {
    for field in ["hooks", "mcpServers", "skills", "keywords"] {
        let text = format!("{{\"{field}\":[]}}");
        assert_eq!(parse(&text), parse("{}"), "{text}");
    }
}

fn inline(declaration: Option<&ComponentDeclaration<PathUri>>) -> Vec<&str> {
    match declaration {
        Some(ComponentDeclaration::Inline(objects)) => {
            objects.iter().map(|it| it.as_str()).collect()
        }
        other => panic!("not inline: {other:?}"),
    }
}

#[test]
fn inline_objects_are_compact_with_their_tokens_and_key_order_kept() {
    let text = r#"{"mcpServers": { "z": {"command": "a \" { b\\"}, "a" : [ 1e999, 1.50 ], "\u0041": {} } }"#;
    let (manifest, findings) = parse(text);
    let expected = r#"{"z":{"command":"a \" { b\\"},"a":[1e999,1.50],"\u0041":{}}"#;
    assert_eq!(inline(manifest.mcp_servers()), [expected]);
    assert_eq!(findings, []);
}

#[test]
fn hooks_take_both_forms_of_an_event_map() {
    let (manifest, findings) =
        parse(r#"{"hooks":[{"Stop":[]},{"hooks":{"X":1},"y":2},{},{"A":[],"B":[]}]}"#);
    assert_eq!(
        inline(manifest.hooks()),
        [
            r#"{"hooks":{"Stop":[]}}"#,
            r#"{"hooks":{"X":1},"y":2}"#,
            r#"{"hooks":{}}"#,
            r#"{"hooks":{"A":[],"B":[]}}"#
        ]
    );
    assert_eq!(findings, one("hooks_unwrapped", "hooks"));
}

#[test]
fn a_version_is_trimmed_and_blank_ones_are_absent() {
    assert_eq!(parse(r#"{"version":" \t1.0 \n"}"#).0.version(), Some("1.0"));
    assert_eq!(parse(r#"{"version":" \u3000 "}"#).0.version(), None);
}

#[test]
fn texts_are_verbatim() {
    let text = r#"{"description":" a\u0000b ","keywords":[" k ",""],
        "interface":{"brandColor":"not a colour","websiteURL":"javascript:x","capabilities":[" c "]}}"#;
    let (manifest, findings) = parse(text);
    assert_eq!(manifest.description(), Some(" a\0b "));
    assert_eq!(manifest.keywords(), [" k ", ""]);
    let interface = manifest.interface().unwrap();
    assert_eq!(interface.brand_color(), Some("not a colour"));
    assert_eq!(interface.website_url(), Some("javascript:x"));
    assert_eq!(interface.capabilities(), [" c "]);
    assert_eq!(findings, []);
}

#[test]
fn a_display_name_for_people_is_never_blank() {
    let display = |text| parse(text).0.display_name().to_owned();
    assert_eq!(
        display(r#"{"name":"n","interface":{"displayName":" D "}}"#),
        "D"
    );
    assert_eq!(
        display(r#"{"name":"n","interface":{"displayName":"  "}}"#),
        "n"
    );
    assert_eq!(display(r#"{"name":" n "}"#), " n ");
}

#[test]
fn lists_are_judged_up_to_their_limit() {
    let list = |element: &str, count: usize| vec![element; count].join(",");
    for (field, element) in [
        ("skills", "\"./a\""),
        ("mcpServers", "\"./a\""),
        ("hooks", "{}"),
        ("keywords", "\"k\""),
    ] {
        let at_limit = format!("{{\"{field}\":[{}]}}", list(element, 256));
        assert_eq!(findings(&at_limit), [], "{field}");
        // What lies past the limit is not judged, whatever it is.
        let past = format!("{{\"{field}\":[{},7]}}", list(element, 256));
        assert_eq!(findings(&past), one("list_truncated", field), "{field}");
    }
    for (field, element) in [("capabilities", "\"k\""), ("screenshots", "\"./a\"")] {
        let past = format!(
            "{{\"interface\":{{\"{field}\":[{},7]}}}}",
            list(element, 256)
        );
        assert_eq!(
            findings(&past),
            one("list_truncated", &format!("interface.{field}"))
        );
    }
    let (manifest, _) = parse(&format!("{{\"skills\":[{}]}}", list("\"./a\"", 300)));
    assert_eq!(manifest.skills().len(), 256);
}

#[test]
fn prompts_are_folded_and_judged_one_by_one() {
    let prompts = |value: &str| {
        let (manifest, findings) =
            parse(&format!("{{\"interface\":{{\"defaultPrompt\":{value}}}}}"));
        let prompts = manifest.interface().map(|it| it.default_prompt().to_vec());
        (prompts.unwrap_or_default(), findings)
    };
    let field = "interface.defaultPrompt";
    assert_eq!(
        prompts(r#"" a\n\t b\u0085c ""#),
        (vec!["a b c".to_owned()], vec![])
    );
    assert_eq!(prompts(r#"" ""#), (vec![], one("prompt_empty", field)));
    assert_eq!(prompts("7"), (vec![], one("wrong_type", field)));
    assert_eq!(prompts("[]"), (vec![], vec![]));
    let long = format!("\"{}\"", "é".repeat(513));
    assert_eq!(prompts(&long), (vec![], one("prompt_too_long", field)));
    let folded_to_fit = format!("\"{} {}\"", "é".repeat(511), " ".repeat(600));
    assert_eq!(prompts(&folded_to_fit), (vec!["é".repeat(511)], vec![]));
    let kept = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
    assert_eq!(prompts(r#"["a","b","c"]"#), (kept.clone(), vec![]));
    assert_eq!(
        prompts(r#"["a","b","c",7,""]"#),
        (kept, one("prompt_limit", field))
    );
}

#[test]
fn misspelled_keys_are_reported_and_other_unknown_ones_are_not() {
    let reported = [
        "Name",
        "na_me",
        "names",
        "nam",
        "name ",
        "MCP-SERVERS",
        "mcp_server",
        "Skill",
        "keyword",
        "hook",
        "hoooks",
        "displayName",
        "websiteURL",
        "logo",
        "interfaces",
        "desciption",
    ];
    for key in reported {
        assert_eq!(
            findings(&format!("{{\"{key}\":1}}")),
            one("unknown_key", key),
            "{key}"
        );
    }
    let silent = [
        "author",
        "homepage",
        "repository",
        "license",
        "commands",
        "agents",
        "$schema",
        "zzz",
        "",
        "display_name",
        "nme2",
        "skl",
    ];
    for key in silent {
        assert_eq!(findings(&format!("{{\"{key}\":1}}")), [], "{key}");
    }
    let inside =
        r#"{"interface":{"display_name":1,"website_url":1,"log":1,"name":1,"logo-dark":1}}"#;
    let expected = ["display_name", "website_url", "log", "logo-dark"];
    let expected: Vec<_> = expected
        .iter()
        .map(|key| ("unknown_key", format!("interface.{key}")))
        .collect();
    assert_eq!(findings(inside), expected);
}

#[test]
fn a_suggestion_is_part_of_the_finding() {
    let detail = |text: &str| {
        let (_, diagnostics) = parse_plugin_manifest(&uri(ROOT), text).unwrap();
        diagnostics[0].detail()
    };
    assert_eq!(
        detail(r#"{"mcp_servers":1}"#),
        "`mcp_servers` is unknown; is `mcpServers` meant?"
    );
    assert_eq!(
        detail(r#"{"logo":1}"#),
        "`logo` is unknown; is `interface.logo` meant?"
    );
    let inside = detail(r#"{"interface":{"log":1}}"#);
    assert_eq!(inside, "`log` is unknown; is `interface.logo` meant?");
}

#[test]
fn resources_are_visited_in_the_order_of_the_grammar() {
    let text = r#"{"interface":{"screenshots":["./s"],"logoDark":"./d","logo":"./l","composerIcon":"./c"},
        "apps":"./a","hooks":"./h","mcpServers":["./m","bad","./n"],"skills":["./x","./y"]}"#;
    let mut visited = Vec::new();
    let (manifest, _) = parse(text);
    let mapped = manifest.clone().try_map_resources(|field, path| {
        visited.push(field.to_owned());
        Ok::<_, ()>(path)
    });
    assert_eq!(mapped, Ok(manifest.clone()));
    let expected = [
        "skills[0]",
        "skills[1]",
        "mcpServers[0]",
        "mcpServers[1]",
        "hooks[0]",
        "apps",
        "interface.screenshots[0]",
        "interface.composerIcon",
        "interface.logo",
        "interface.logoDark",
    ];
    assert_eq!(visited, expected);
    let first_error = manifest.try_map_resources(|field, path| match field {
        "hooks[0]" | "apps" => Err(field.to_owned()),
        _ => Ok(path),
    });
    assert_eq!(first_error.unwrap_err(), "hooks[0]");
}
