//! `-c` arguments: splitting, values, order, and every way to be malformed.

use codex_config::{
    ConfigError, MAX_OVERRIDE_SEGMENTS, OverrideProblem, TomlValue, parse_overrides,
};
use pretty_assertions::assert_eq;

use crate::support::table;

fn parsed(arguments: &[&str]) -> TomlValue {
    let arguments: Vec<_> = arguments
        .iter()
        .map(|argument| (*argument).to_owned())
        .collect();
    parse_overrides(&arguments).unwrap()
}

#[test]
fn the_first_equals_sign_splits_and_both_sides_are_trimmed() {
    assert_eq!(parsed(&["  k \t=  a=b  "]), table("k = 'a=b'"));
}

#[test]
fn a_value_is_toml_where_it_can_be() {
    let arguments = [
        "integer=0x10",
        "float=1.5",
        "boolean=true",
        "date=2020-01-01",
        "string='a \"b'",
        "array=[1,\n 2]",
        "table={a.b=1}",
        "commented=3 # three",
    ];
    let expected = "integer = 16\nfloat = 1.5\nboolean = true\ndate = 2020-01-01\n\
        string = 'a \"b'\narray = [1, 2]\ntable = { a.b = 1 }\ncommented = 3";
    assert_eq!(parsed(&arguments), table(expected));
}

#[test]
fn what_is_no_toml_value_is_a_string_without_the_quotes_around_it() {
    let cases = [
        ("", ""),
        (".git", ".git"),
        ("\"open", "open"),
        ("'\"both\"'x'", "both\"'x"),
        ("a 'b' c", "a 'b' c"),
        ("99999999999999999999", "99999999999999999999"),
        ("1\nother = 2", "1\nother = 2"),
        ("[a", "[a"),
    ];
    for (value, expected) in cases {
        let TomlValue::Table(table) = parsed(&[&format!("k={value}")]) else {
            panic!("no table")
        };
        assert_eq!(
            table.get("k"),
            Some(&TomlValue::String(expected.to_owned())),
            "{value:?}"
        );
    }
}

#[test]
fn a_later_argument_wins() {
    assert_eq!(parsed(&["k=1", "k=2"]), table("k = 2"));
    assert_eq!(parsed(&["t={a=1}", "t={b=2}"]), table("t = { b = 2 }"));
}

#[test]
fn dotted_keys_combine_and_a_value_in_their_way_becomes_a_table() {
    assert_eq!(parsed(&["a.b=1", "a.c=2"]), table("a = { b = 1, c = 2 }"));
    assert_eq!(parsed(&["a=1", "a.b.c=2"]), table("a = { b = { c = 2 } }"));
    assert_eq!(
        parsed(&["a.b=[1]", "a.b.c=2", "a.d=3"]),
        table("a = { b = { c = 2 }, d = 3 }")
    );
}

#[test]
fn no_arguments_make_an_empty_table() {
    assert_eq!(parsed(&[]), table(""));
}

#[test]
fn a_malformed_argument_says_what_is_wrong_with_it() {
    let deepest = format!("{}=1", vec!["a"; MAX_OVERRIDE_SEGMENTS].join("."));
    assert!(parse_overrides(&[deepest]).is_ok());
    let deep = format!("{}=1", vec!["a"; MAX_OVERRIDE_SEGMENTS + 1].join("."));
    let cases = [
        ("key", OverrideProblem::MissingEquals),
        ("", OverrideProblem::MissingEquals),
        ("=1", OverrideProblem::EmptyKey),
        ("  =1", OverrideProblem::EmptyKey),
        ("a..b=1", OverrideProblem::EmptySegment),
        (".a=1", OverrideProblem::EmptySegment),
        ("a.=1", OverrideProblem::EmptySegment),
        (".=1", OverrideProblem::EmptySegment),
        ("\"a\"=1", OverrideProblem::QuotedKey),
        ("a.'b'=1", OverrideProblem::QuotedKey),
        (
            "projects.\"..\".trust_level=\"trusted\"",
            OverrideProblem::QuotedKey,
        ),
        (&deep, OverrideProblem::TooDeep),
    ];
    for (malformed, expected) in cases {
        let arguments = ["fine=1".to_owned(), malformed.to_owned(), "=".to_owned()];
        match parse_overrides(&arguments) {
            Err(ConfigError::InvalidOverride { argument, reason }) => {
                assert_eq!((argument.as_str(), reason), (malformed, expected));
            }
            other => panic!("{malformed}: {other:?}"),
        }
    }
}

#[test]
fn the_message_about_a_quoted_key_shows_the_form_that_works() {
    let argument = "projects.\"/p\".trust_level=\"untrusted\"".to_owned();
    let message = parse_overrides(&[argument]).unwrap_err().to_string();
    assert!(
        message.contains("projects={\"/path\"={trust_level=\"trusted\"}}"),
        "{message}"
    );
}
