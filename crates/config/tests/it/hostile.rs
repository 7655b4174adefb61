//! Input made to exhaust stack or time.

use codex_config::{
    Config, ConfigError, ConfigLayerEntry, ConfigLayerStack, TomlValue, merge_toml_values,
    parse_overrides,
};
use proptest::prelude::*;

use crate::support::{session, user};

/// Inline tables in inline tables, each with a dotted key of 80 segments.
fn nested(depth: usize) -> String {
    let dotted = vec!["a"; 79].join(".");
    format!(
        "x = {}1{}",
        format!("{{{dotted} = ").repeat(depth),
        "}".repeat(depth)
    )
}

#[test]
fn text_that_nests_too_deep_is_refused_before_it_is_built() {
    for depth in [2, 40, 75] {
        match ConfigLayerEntry::from_toml_text(user(), &nested(depth)) {
            Err(ConfigError::InvalidToml {
                message, position, ..
            }) => {
                assert_eq!(message, "nested more than 128 levels deep");
                assert_eq!(position.line, 1);
            }
            other => panic!("{other:?}"),
        }
    }
    ConfigLayerEntry::from_toml_text(user(), &nested(1)).unwrap();
}

#[test]
fn an_argument_that_nests_too_deep_is_a_string_or_refused() {
    let table = parse_overrides(&[nested(40).replacen(' ', "", 2)]).unwrap();
    assert!(table.get("x").unwrap().is_str());
    parse_overrides(&[format!("{}=1", "a.".repeat(100_000) + "a")]).unwrap_err();
}

#[test]
fn a_very_long_line_of_values_does_not_hang() {
    // Counting each column from the start of the line would take some 10^10 steps.
    let text = format!("project_root_markers = [{}]\n", "'\u{e9}',".repeat(60_000));
    let layer = ConfigLayerEntry::from_toml_text(user(), &text).unwrap();
    Config::from_stack(ConfigLayerStack::new(vec![layer]).unwrap()).unwrap();

    let text = format!("x = [{}]\n", "{},".repeat(60_000));
    ConfigLayerEntry::from_toml_text(user(), &text).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_text_gives_a_layer_or_an_error(text in "[a-b.=\\[\\]{}\"'\\\\#,1\n\r é]{0,40}") {
        if let Ok(layer) = ConfigLayerEntry::from_toml_text(user(), &text) {
            let parsed: toml::Table = toml::from_str(&text).unwrap();
            prop_assert_eq!(&layer.config, &TomlValue::Table(parsed));
            let stack = ConfigLayerStack::new(vec![layer]).unwrap();
            prop_assert!(stack.origins().values().all(|origin| origin.to_string().contains(":")));
        } else {
            prop_assert!(toml::from_str::<toml::Table>(&text).is_err());
        }
    }

    #[test]
    fn any_argument_gives_a_table_or_an_error(argument in "\\PC{0,30}|[a.='\"{}\\[\\] ]{0,20}") {
        if let Ok(table) = parse_overrides(&[argument]) {
            let mut merged = TomlValue::Table(toml::Table::new());
            merge_toml_values(&mut merged, &table);
            prop_assert_eq!(&merged, &table);
            ConfigLayerStack::new(vec![ConfigLayerEntry::new(session(), table)]).unwrap();
        }
    }
}
