//! The table of the merge rule, row by row, and its laws.

use codex_config::{TomlValue, merge_toml_values};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::table;

fn merged(base: &str, overlay: &str) -> TomlValue {
    let mut base = table(base);
    merge_toml_values(&mut base, &table(overlay));
    base
}

#[test]
fn tables_are_joined_key_by_key() {
    assert_eq!(
        merged("[a]\nx = 1\ny = 1\n", "[a]\ny = 2\nz = 2\n"),
        table("a = { x = 1, y = 2, z = 2 }")
    );
}

#[test]
fn an_empty_overlay_table_changes_nothing() {
    assert_eq!(merged("[a]\nx = 1\n", "[a]\n"), table("a = { x = 1 }"));
}

#[test]
fn a_table_replaces_a_scalar_and_an_array() {
    assert_eq!(
        merged("a = 1\nb = [1]\n", "a = { x = 1 }\nb = {}\n"),
        table("a = { x = 1 }\nb = {}")
    );
}

#[test]
fn a_scalar_replaces_a_table() {
    assert_eq!(merged("[a]\nx = 1\n", "a = 'none'\n"), table("a = 'none'"));
}

#[test]
fn arrays_are_replaced_whole_also_arrays_of_tables() {
    assert_eq!(
        merged("a = [1, 2]\n[[b]]\nx = 1\n", "a = []\n[[b]]\ny = 2\n"),
        table("a = []\nb = [{ y = 2 }]")
    );
}

#[test]
fn a_datetime_replaces_anything() {
    let overlay = "a = 2020-01-01\nb = 2020-01-01T00:00:00Z\n";
    assert_eq!(merged("a = { x = 1 }\nb = 1\n", overlay), table(overlay));
}

#[test]
fn what_is_not_a_table_is_replaced_at_the_top_too() {
    let mut base = table("a = 1");
    merge_toml_values(&mut base, &TomlValue::Boolean(true));
    assert_eq!(base, TomlValue::Boolean(true));
}

/// Trees in which a key always holds a table or always holds a leaf: `t..` and `l..`.
fn consistent_tables() -> impl Strategy<Value = TomlValue> {
    let empty = Just(TomlValue::Table(toml::Table::new()));
    empty.prop_recursive(3, 24, 4, |tables| {
        let leaf = ("l[a-c]", (0..9_i64).prop_map(TomlValue::Integer));
        let below = ("t[a-c]", tables);
        prop::collection::vec(prop_oneof![leaf, below], 0..5)
            .prop_map(|entries| TomlValue::Table(entries.into_iter().collect()))
    })
}

fn fold(layers: &[TomlValue]) -> TomlValue {
    let mut merged = TomlValue::Table(toml::Table::new());
    for layer in layers {
        merge_toml_values(&mut merged, layer);
    }
    merged
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_bracketing_gives_the_same_table(
        layers in prop::collection::vec(consistent_tables(), 1..6),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    ) {
        let mut groups: Vec<TomlValue> = layers.clone();
        for cut in cuts {
            if groups.len() > 1 {
                let at = cut.index(groups.len() - 1);
                let right = groups.remove(at + 1);
                merge_toml_values(&mut groups[at], &right);
            }
        }
        prop_assert_eq!(fold(&groups), fold(&layers));
    }

    #[test]
    fn merging_a_table_twice_is_merging_it_once(base in consistent_tables(), overlay in consistent_tables()) {
        let once = fold(&[base.clone(), overlay.clone()]);
        prop_assert_eq!(fold(&[base, overlay.clone(), overlay]), once);
    }
}
