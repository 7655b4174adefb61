//! Texts that are no manifest: which problem, and where.

use codex_plugin::{ManifestError, parse_plugin_manifest};
use pretty_assertions::assert_eq;

use crate::support::uri;

fn refusal(text: &str) -> ManifestError {
    parse_plugin_manifest(&uri("file:///p"), text).expect_err(text)
}

/// Checks problem, line and column of each text; problems of syntax name no field.
fn refused_as(problem: &str, rows: &[(&str, usize, usize)]) {
    for (text, line, column) in rows {
        let error = refusal(text);
        let found = (error.problem().code(), error.line(), error.column());
        assert_eq!(found, (problem, *line, *column), "{text}");
        assert_eq!(error.field(), "", "{text}");
    }
}

fn accepted(texts: &[&str]) {
    for text in texts {
        parse_plugin_manifest(&uri("file:///p"), text).expect(text);
    }
}

#[test]
fn an_object_with_white_space_around_it_is_accepted() {
    accepted(&[
        "{}",
        " \t\r\n{ \t\r\n}\n",
        "{\"name\" : \"a\" , \"zzz\" : [ 1 , 2 ] }",
    ]);
}

#[test]
fn a_byte_order_mark_is_named() {
    refused_as(
        "byte_order_mark",
        &[
            ("\u{FEFF}{}", 1, 1),
            ("\u{FEFF}", 1, 1),
            ("\u{FEFF}nope", 1, 1),
        ],
    );
}

#[test]
fn a_comment_is_named_where_a_token_is_due() {
    refused_as(
        "comment",
        &[
            ("// c\n{}", 1, 1),
            ("/* c */{}", 1, 1),
            ("# c", 1, 1),
            ("{ // c\n}", 1, 3),
            ("{\"a\" /* c */: 1}", 1, 6),
            ("{\"a\": # c\n1}", 1, 7),
            ("{\"a\": 1 // c\n}", 1, 9),
            ("{\"a\": 1, // c\n}", 1, 10),
            ("{\"a\": [1, // c\n2]}", 1, 11),
        ],
    );
}

#[test]
fn a_comma_before_an_end_is_named() {
    refused_as(
        "trailing_comma",
        &[
            ("{\"a\":1,}", 1, 7),
            ("{\"a\":[1, ]}", 1, 8),
            ("{\"a\":1 ,\n\t}", 1, 8),
            ("{\"a\":[[],]}", 1, 9),
            ("{,}", 1, 2),
            ("{\"a\":[,]}", 1, 7),
            ("{\"é\":\"😀\",}", 1, 9),
        ],
    );
}

#[test]
fn text_behind_the_value_is_named() {
    refused_as(
        "trailing_text",
        &[
            ("{} x", 1, 4),
            ("{}{}", 1, 3),
            ("{}\n}", 2, 1),
            ("{} // c", 1, 4),
            ("{},", 1, 3),
        ],
    );
}

#[test]
fn a_text_that_stops_early_ends_one_past_its_last_character() {
    refused_as(
        "unexpected_end",
        &[
            ("", 1, 1),
            ("  ", 1, 3),
            ("\n", 2, 1),
            ("{", 1, 2),
            ("{\"a", 1, 4),
            ("{\"a\"", 1, 5),
            ("{\"a\":", 1, 6),
            ("{\"a\":1", 1, 7),
            ("{\"a\":1,", 1, 8),
            ("{\"a\":tru", 1, 9),
            ("{\"a\":\"\\", 1, 8),
            ("{\"a\":\"\\u00", 1, 11),
            ("{\"a\":\"\\ud83d", 1, 13),
            ("{\"a\":\"\\ud83d\\udc", 1, 17),
            ("{\"a\":\"é", 1, 8),
            ("[1", 1, 3),
        ],
    );
}

#[test]
fn other_bad_syntax_is_placed_at_the_offending_character() {
    refused_as(
        "syntax",
        &[
            ("nope", 1, 2),
            ("{not-json", 1, 2),
            ("{\"a\":NaN}", 1, 6),
            ("{\"a\":+1}", 1, 6),
            ("{\"a\":.5}", 1, 6),
            ("{\"a\":01}", 1, 7),
            ("{\"a\":1.}", 1, 8),
            ("{\"a\":-x}", 1, 7),
            ("{\"a\":truth}", 1, 9),
            ("{\"a\" 1}", 1, 6),
            ("{\"a\":}", 1, 6),
            ("{\"a\":1]", 1, 7),
            ("{\"a\":[1}", 1, 8),
            ("{\"a\":1 \"b\":2}", 1, 8),
            ("{'a':1}", 1, 2),
            ("{a:1}", 1, 2),
            ("{\"a\":,1}", 1, 6),
            ("{\"a\"::1}", 1, 6),
            ("{\"a\":\u{A0}1}", 1, 6),
            ("}", 1, 1),
        ],
    );
}

#[test]
fn a_raw_control_character_in_a_string_is_placed_exactly() {
    refused_as(
        "syntax",
        &[
            ("{\"a\":\"x\ty\"}", 1, 8),
            ("{\"a\n\":1}", 1, 4),
            ("{\"a\":\"\u{0}\"}", 1, 7),
        ],
    );
    accepted(&["{\"a\":\"\u{7f}\u{85}\u{2028}\"}"]);
}

#[test]
fn an_escape_that_yields_no_character_is_refused() {
    for text in [
        r#"{"name":"x\y"}"#,
        r#"{"name":"\u12G4"}"#,
        r#"{"zzz":"\u12"}"#,
        r#"{"name":"\ud83d"}"#,
        r#"{"name":"\ud83d\u0041"}"#,
        r#"{"skills":["ab\udc00"]}"#,
    ] {
        assert_eq!(refusal(text).problem().code(), "syntax", "{text}");
    }
}

#[test]
fn every_escape_is_decoded() {
    let text = r#"{"description":"\"\\\/\b\f\n\r\t\u0000\u00e9\uD83D\uDE00\ud83d\ude00\u2028"}"#;
    let (manifest, _) = parse_plugin_manifest(&uri("file:///p"), text).unwrap();
    let expected = "\"\\/\u{8}\u{c}\n\r\t\u{0}é😀😀\u{2028}";
    assert_eq!(manifest.description(), Some(expected));
}

#[test]
fn any_other_value_is_not_an_object() {
    refused_as(
        "not_an_object",
        &[
            ("[]", 1, 1),
            (" [{}]", 1, 2),
            ("\n7", 2, 1),
            ("\"a\"", 1, 1),
            ("null", 1, 1),
            ("true", 1, 1),
            ("-0.5e3", 1, 1),
        ],
    );
    assert_eq!(
        refusal("[]").to_string(),
        "the text is no JSON object: found an array, at line 1 column 1"
    );
}

#[test]
fn syntax_outranks_every_other_problem() {
    refused_as(
        "syntax",
        &[("[1,x]", 1, 4), ("{\"name\":7,\"name\":x}", 1, 18)],
    );
    refused_as("trailing_text", &[("[] x", 1, 4)]);
}

#[test]
fn unknown_values_are_skipped_whatever_they_are() {
    let deep = "[".repeat(400_000) + &"]".repeat(400_000);
    let objects = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
    let text = format!(
        "{{\"zzz\":{deep},\"zzz\":{objects},\"zzz\":1e999,\"interface\":{{\"zzz\":{deep},\"logo\":\"./l\"}}}}"
    );
    let (manifest, diagnostics) = parse_plugin_manifest(&uri("file:///p"), &text).unwrap();
    assert!(manifest.interface().unwrap().logo().is_some());
    assert_eq!(diagnostics, []);
}

/// Problem, field, line and column.
fn problem_of(text: &str) -> (&'static str, String, usize, usize) {
    let error = refusal(text);
    (
        error.problem().code(),
        error.field().to_owned(),
        error.line(),
        error.column(),
    )
}

#[test]
fn a_known_key_stands_once_under_all_its_names() {
    let rows = [
        (r#"{"name":"a","name":"a"}"#, "name", 13),
        (r#"{"name":"a","na\u006de":"a"}"#, "name", 13),
        (
            r#"{"interface":{"logo":"./a","logo":"./a"}}"#,
            "interface.logo",
            28,
        ),
        (
            r#"{"interface":{"websiteURL":"","websiteUrl":""}}"#,
            "interface.websiteUrl",
            31,
        ),
        (
            r#"{"interface":{"termsOfServiceUrl":"","termsOfServiceURL":""}}"#,
            "interface.termsOfServiceURL",
            38,
        ),
    ];
    for (text, field, column) in rows {
        assert_eq!(
            problem_of(text),
            ("duplicate_key", field.to_owned(), 1, column),
            "{text}"
        );
    }
}

#[test]
fn no_key_stands_twice_anywhere_inside_inline_objects() {
    let rows = [
        (
            r#"{"mcpServers":{"a":{"env":{"K":"1","K":"2"}}}}"#,
            "mcpServers.a.env.K",
            36,
        ),
        (
            r#"{"hooks":{"Stop":[{},{"x":1,"x":2}]}}"#,
            "hooks.Stop[1].x",
            29,
        ),
        (r#"{"hooks":[{"a":[]},{"b":[],"b":[]}]}"#, "hooks[1].b", 28),
        (
            r#"{"hooks":["dropped anyway",{"b":1,"b":2}]}"#,
            "hooks[1].b",
            35,
        ),
    ];
    for (text, field, column) in rows {
        assert_eq!(
            problem_of(text),
            ("duplicate_key", field.to_owned(), 1, column),
            "{text}"
        );
    }
}

fn nested(levels: usize) -> String {
    "[".repeat(levels) + &"]".repeat(levels)
}

#[test]
fn a_known_value_of_127_containers_is_accepted_and_one_more_is_not() {
    let skills = |levels| format!("{{\"skills\":{}}}", nested(levels));
    accepted(&[&skills(126)]);
    assert_eq!(
        problem_of(&skills(127)),
        ("too_deep", "skills".to_owned(), 1, 11)
    );
    let logo = |levels| format!("{{\"interface\":{{\"defaultPrompt\":{}}}}}", nested(levels));
    accepted(&[&logo(125)]);
    let field = "interface.defaultPrompt".to_owned();
    assert_eq!(problem_of(&logo(126)), ("too_deep", field, 1, 31));
}

#[test]
fn depth_outranks_the_type_of_the_same_value() {
    let text = format!("{{\"name\":{}}}", nested(200));
    assert_eq!(problem_of(&text), ("too_deep", "name".to_owned(), 1, 9));
    let text = format!("{{\"interface\":{}}}", nested(200));
    assert_eq!(
        problem_of(&text),
        ("too_deep", "interface".to_owned(), 1, 14)
    );
}

#[test]
fn the_first_problem_in_document_order_is_reported() {
    let rows = [
        (r#"{"keywords":0,"name":0}"#, ("wrong_type", "keywords", 13)),
        (
            r#"{"name":"","name":"","version":0}"#,
            ("duplicate_key", "name", 12),
        ),
        (
            r#"{"version":0,"name":"","name":""}"#,
            ("wrong_type", "version", 12),
        ),
    ];
    for (text, (problem, field, column)) in rows {
        assert_eq!(
            problem_of(text),
            (problem, field.to_owned(), 1, column),
            "{text}"
        );
    }
}

#[test]
fn a_message_names_problem_field_and_place_and_no_content() {
    let error = refusal("{\"name\":\"secret\",\n\"version\":[\"secret\"]}");
    assert_eq!(
        error.to_string(),
        "`version` has the wrong type: expected a string, found an array of a string, \
         at line 2 column 11"
    );
}
