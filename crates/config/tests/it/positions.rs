//! Where values stand in their files.

use codex_config::{
    ConfigError, ConfigLayerEntry, ConfigLayerStack, OverrideProblem, TextPosition, ValueOrigin,
};
use pretty_assertions::assert_eq;

use crate::support::{layer, session, user};

/// `LINE:COLUMN` of the value at `key`.
fn place(text: &str, key: &[&str]) -> String {
    let stack = ConfigLayerStack::new(vec![layer(user(), text)]).unwrap();
    match stack.origin(key) {
        ValueOrigin::Layer {
            position: Some(position),
            ..
        } => position.to_string(),
        other => panic!("{key:?} in {text:?}: {other:?}"),
    }
}

#[test]
fn a_value_stands_where_its_text_begins() {
    let text = "a = 1\r\n  b=\"x\"\n\n[t]\nc = [ 1,\n  2 ]\nd = { e = true }\n";
    assert_eq!(place(text, &["a"]), "1:5");
    assert_eq!(place(text, &["b"]), "2:5");
    assert_eq!(place(text, &["t", "c"]), "5:5");
    assert_eq!(place(text, &["t", "d"]), "7:5");
    assert_eq!(place(text, &["t", "d", "e"]), "7:11");
}

#[test]
fn a_table_stands_at_the_bracket_of_its_header() {
    let text = "x = 1\n  [a]\nb = 1\n[c.d.e]\nf = 1\n[ 'g h' . i ]\nj = 1\n[[k]]\nl = 1\n[[m.n]]\n";
    assert_eq!(place(text, &["a"]), "2:3");
    assert_eq!(place(text, &["c", "d", "e"]), "4:1");
    assert_eq!(place(text, &["k"]), "8:1");
}

#[test]
fn a_table_that_only_a_deeper_header_names_stands_at_its_name_there() {
    let text = "x = 1\n  [a]\nb = 1\n[c.d.e]\nf = 1\n[ 'g h' . i ]\nj = 1\n[[k]]\nl = 1\n[[m.n]]\n";
    assert_eq!(place(text, &["c"]), "4:2");
    assert_eq!(place(text, &["c", "d"]), "4:4");
    assert_eq!(place(text, &["g h"]), "6:3");
    assert_eq!(place(text, &["m"]), "10:3");
}

#[test]
fn a_table_defined_after_a_deeper_one_stands_at_its_own_header() {
    assert_eq!(place("[a.b]\nx = 1\n[a]\ny = 1\n", &["a"]), "3:1");
}

#[test]
fn a_table_made_by_a_dotted_key_stands_at_its_segment() {
    assert_eq!(place("a.b.c = 1\n", &["a"]), "1:1");
    assert_eq!(place("a.b.c = 1\n", &["a", "b"]), "1:3");
    assert_eq!(
        place("x = [\n [{ a.b = 1 }]\n]\n[t]\nu.v = 1\n", &["t", "u"]),
        "5:1"
    );
}

#[test]
fn a_table_inside_brackets_is_not_taken_for_a_header() {
    let text = "t = {\n  a.b = 1 }\nx = 1\n";
    assert_eq!(place(text, &["t"]), "1:5");
    assert_eq!(place(text, &["t", "a"]), "2:3");
}

#[test]
fn columns_count_unicode_scalar_values() {
    assert_eq!(place("'é😀' = 'ü' # x\n", &["é😀"]), "1:8");
}

#[test]
fn a_byte_order_mark_is_no_column() {
    assert_eq!(place("\u{feff}a = 1\n", &["a"]), "1:5");
}

#[test]
fn many_values_on_one_long_line_have_their_places() {
    let text = format!(
        "a = [ {} ]\nb = {{ {} }}\n",
        "'é', ".repeat(5000),
        (0..5000)
            .map(|index| format!("k{index} = 'é'"))
            .collect::<Vec<_>>()
            .join(", ")
    );
    let line = text.lines().nth(1).unwrap();
    let before = &line[..line.find("k4999 = ").unwrap() + "k4999 = ".len()];
    assert_eq!(
        place(&text, &["b", "k4999"]),
        format!("2:{}", before.chars().count() + 1)
    );
}

#[test]
fn an_error_stands_at_the_first_offending_character() {
    let cases = [
        ("x = = 1\n", (1, 5)),
        ("a = 1\n\u{e9} = 1\n", (2, 1)),
        ("a = 1\na = 2\n", (2, 1)),
        ("[a]\nb = 'é' x\n", (2, 9)),
        ("a = 99999999999999999999\n", (1, 5)),
        ("a = 1e999\n", (1, 5)),
        ("[t]\n[t]\n", (2, 2)),
        ("a = [1,", (1, 8)),
    ];
    for (text, (line, column)) in cases {
        match ConfigLayerEntry::from_toml_text(user(), text) {
            Err(ConfigError::InvalidToml {
                source_layer,
                position,
                message,
                ..
            }) => {
                assert_eq!(source_layer, user());
                assert_eq!(
                    position,
                    TextPosition { line, column },
                    "{text:?}: {message}"
                );
                assert!(!message.contains('\n'), "{message}");
            }
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

#[test]
fn what_toml_allows_is_kept_as_it_is() {
    let text = "a = inf\nb = -inf\nc = 9223372036854775807\nd = 0xff\ne = 1_000\nf = 1.5\n\
        g = 1979-05-27T07:32:00.5Z\nh = 07:32:00\n";
    let config = layer(user(), text).config;
    assert_eq!(config, toml::from_str::<toml::Table>(text).unwrap().into());
}

#[test]
fn a_session_text_that_is_no_toml_has_no_file_to_name() {
    match ConfigLayerEntry::from_toml_text(session(), "x = = 1") {
        Err(ConfigError::InvalidOverride { argument, reason }) => {
            assert_eq!(
                (argument.as_str(), reason),
                ("x = = 1", OverrideProblem::NotToml)
            );
        }
        other => panic!("{other:?}"),
    }
}
