//! Which layer decides a value, and that looking it up equals merging first.

use std::collections::BTreeMap;

use codex_config::{
    ConfigLayerEntry, ConfigLayerStack, ConfigLayerStackOrdering, DisabledReason, MarkersSource,
    TomlValue, ValueOrigin, project_root_markers_from_config,
};
use codex_path_uri::PathConvention;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::{managed, origin, profile, project, session, stack, system, table, user};

#[test]
fn a_leaf_comes_from_the_highest_layer_that_sets_it() {
    let stack = stack([(user(), "a = 1\nb = 1"), (project("/r"), "x = 0\na = 2")]);
    assert_eq!(stack.origin(&["a"]), origin(project("/r"), Some((2, 5))));
    assert_eq!(stack.origin(&["b"]), origin(user(), Some((2, 5))));
}

#[test]
fn a_table_comes_from_the_highest_layer_that_sets_a_key_in_it() {
    let stack = stack([
        (user(), "[t]\na = 1"),
        (session(), "t.b = 1"),
        (managed(), "[t]"),
    ]);
    assert_eq!(stack.origin(&["t"]), origin(session(), Some((1, 1))));
}

#[test]
fn an_absent_key_has_the_origin_default() {
    let stack = stack([(user(), "[t]\na = 1\nb = 2")]);
    for key in [&["x"][..], &["t", "x"], &["t", "a", "x"]] {
        assert_eq!(stack.origin(key), ValueOrigin::Default);
    }
}

#[test]
fn a_key_below_a_value_that_replaced_its_table_is_absent() {
    let stack = stack([
        (user(), "[t]\na = 1"),
        (profile("p"), "t = 5"),
        (session(), "[t]\nb = 1"),
    ]);
    assert_eq!(stack.origin(&["t", "a"]), ValueOrigin::Default);
    assert_eq!(stack.origin(&["t", "b"]), origin(session(), Some((2, 5))));
}

#[test]
fn an_empty_table_decides_only_where_nothing_is_joined_to_it() {
    let over_a_scalar = stack([(user(), "t = 1"), (session(), "t = {}")]);
    assert_eq!(
        over_a_scalar.origin(&["t"]),
        origin(session(), Some((1, 5)))
    );
    let over_another = stack([(user(), "t = {}"), (session(), "\nt = {}")]);
    assert_eq!(over_another.origin(&["t"]), origin(session(), Some((2, 5))));
    let over_entries = stack([(user(), "[t]\na = 1"), (session(), "t = {}")]);
    assert_eq!(over_entries.origin(&["t"]), origin(user(), Some((1, 1))));
    let over_a_scalar_over_entries = stack([
        (user(), "[t]\na = 1"),
        (profile("p"), "t = 1"),
        (session(), "t = {}"),
    ]);
    assert_eq!(
        over_a_scalar_over_entries.origin(&["t"]),
        origin(session(), Some((1, 5)))
    );
}

#[test]
fn layers_that_a_host_builds_have_no_positions() {
    let layers = vec![ConfigLayerEntry::new(session(), table("a = 1"))];
    assert_eq!(
        ConfigLayerStack::new(layers).unwrap().origin(&["a"]),
        origin(session(), None)
    );
}

#[test]
fn every_leaf_has_its_origin() {
    let stack = stack([
        (user(), "a = [1]\n[t]\nb = 1\nc = {}"),
        (session(), "t.b = 2"),
    ]);
    let key = |segments: &[&str]| {
        segments
            .iter()
            .map(|segment| (*segment).to_owned())
            .collect()
    };
    let expected = BTreeMap::from([
        (key(&["a"]), origin(user(), Some((1, 5)))),
        (key(&["t", "b"]), origin(session(), Some((1, 7)))),
        (key(&["t", "c"]), origin(user(), Some((4, 5)))),
    ]);
    assert_eq!(stack.origins(), expected);
}

#[test]
fn markers_come_from_the_highest_layer_outside_the_project() {
    let markers = "project_root_markers = ['.u', '.u', ' ']";
    let stack = stack([
        (user(), markers),
        (project("/r"), "project_root_markers = 5"),
    ]);
    let (configured, from) = stack.project_root_markers();
    assert_eq!(configured.unwrap().unwrap(), [".u", ".u", " "]);
    assert_eq!(from, origin(user(), Some((1, 24))));
}

#[test]
fn markers_of_the_wrong_type_are_invalid_data_and_the_tolerant_rule_gives_the_defaults() {
    for text in [
        "project_root_markers = '.git'",
        "project_root_markers = ['.git', 1]",
    ] {
        let stack = stack([(user(), text)]);
        let (configured, from) = stack.project_root_markers();
        let error = configured.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidData);
        assert_eq!(
            error.to_string(),
            "project_root_markers must be an array of strings"
        );
        let usable = stack.usable_project_root_markers(PathConvention::Posix);
        assert_eq!(usable.markers, [".git"]);
        assert_eq!(usable.source, MarkersSource::DefaultAfterInvalid(from));
    }
}

#[test]
fn usable_markers_are_those_of_the_configured_list() {
    let stack = stack([(user(), "project_root_markers = ['a/./b', 'a/b']")]);
    let usable = stack.usable_project_root_markers(PathConvention::Posix);
    assert_eq!(usable.markers, ["a/b"]);
    assert_eq!(
        usable.source,
        MarkersSource::Configured(origin(user(), Some((1, 24))))
    );
}

fn leaves() -> impl Strategy<Value = TomlValue> {
    let strings = prop::collection::vec("[.][a-c]".prop_map(TomlValue::String), 0..3);
    prop_oneof![
        (0..3_i64).prop_map(TomlValue::Integer),
        "[a-c]".prop_map(TomlValue::String),
        strings.prop_map(TomlValue::Array),
        Just(TomlValue::Array(vec![TomlValue::Boolean(true)])),
        Just(TomlValue::Table(toml::Table::new())),
    ]
}

/// Tables in which any key may hold anything, the markers among them.
fn tables() -> impl Strategy<Value = TomlValue> {
    let values = leaves().prop_recursive(3, 16, 3, |values| {
        prop::collection::btree_map("[a-b]", values, 0..3)
            .prop_map(|entries| TomlValue::Table(entries.into_iter().collect()))
    });
    let key = prop_oneof![Just("project_root_markers".to_owned()), "[a-b]"];
    prop::collection::btree_map(key, values, 0..4)
        .prop_map(|entries| TomlValue::Table(entries.into_iter().collect()))
}

fn stacks() -> impl Strategy<Value = ConfigLayerStack> {
    let layer = (tables(), prop::bool::weighted(0.2));
    prop::collection::vec(layer, 7).prop_map(|layers| {
        let sources = [
            system(),
            user(),
            profile("p"),
            project("/r"),
            project("/r/a"),
            session(),
            managed(),
        ];
        let entries = sources
            .into_iter()
            .zip(layers)
            .map(|(source, (config, is_disabled))| {
                let entry = ConfigLayerEntry::new(source, config);
                if is_disabled {
                    entry.disabled(DisabledReason::NotTrusted)
                } else {
                    entry
                }
            });
        ConfigLayerStack::new(entries.collect()).unwrap()
    })
}

fn value_at<'a>(config: &'a TomlValue, key: &[String]) -> Option<&'a TomlValue> {
    key.iter()
        .try_fold(config, |here, segment| here.as_table()?.get(segment))
}

fn leaf_keys(value: &TomlValue, key: &mut Vec<String>, keys: &mut Vec<Vec<String>>) {
    match value.as_table() {
        Some(entries) if !entries.is_empty() => {
            for (segment, value) in entries {
                key.push(segment.clone());
                leaf_keys(value, key, keys);
                key.pop();
            }
        }
        _ => keys.push(key.clone()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn looking_markers_up_equals_merging_first(stack in stacks()) {
        let (found, from) = stack.project_root_markers();
        let merged = project_root_markers_from_config(&stack.effective_config_without_project());
        match (&found, &merged) {
            (Ok(found), Ok(merged)) => prop_assert_eq!(found, merged),
            (Err(found), Err(merged)) => {
                prop_assert_eq!(found.kind(), merged.kind());
                prop_assert_eq!(found.to_string(), merged.to_string());
            }
            _ => prop_assert!(false, "{:?} but {:?}", found, merged),
        }
        prop_assert_eq!(from == ValueOrigin::Default, matches!(found, Ok(None)));
    }

    #[test]
    fn every_leaf_has_an_origin_whose_layer_holds_exactly_that_value(stack in stacks()) {
        let effective = stack.effective_config();
        let mut keys = Vec::new();
        leaf_keys(&effective, &mut Vec::new(), &mut keys);
        keys.retain(|key| !key.is_empty());
        let origins = stack.origins();
        prop_assert_eq!(origins.keys().cloned().collect::<Vec<_>>(), keys);

        let layers = stack.get_layers(ConfigLayerStackOrdering::HighestPrecedenceFirst, false);
        for (key, origin) in origins {
            let ValueOrigin::Layer { source, .. } = origin else {
                return Err(TestCaseError::fail(format!("{key:?} has no layer")));
            };
            let deciding = layers.iter().find(|layer| layer.name == source).unwrap();
            prop_assert_eq!(value_at(&deciding.config, &key), value_at(&effective, &key));
        }
    }
}
