//! The module against an independent engine, on documents that both should read alike.
//!
//! The oracle is `serde_yaml`, another parser in another language underneath. Where both accept a
//! document, every scalar, list and mapping must agree. What only one of them accepts is counted: the
//! two differ on repeated keys, on tags and on a few spellings of YAML 1.1, and on nothing else that
//! these documents hold.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_yaml::Value as Oracle;

use super::{Document, Shape, Value, parse_frontmatter};

fn key() -> impl Strategy<Value = String> {
    select(vec![
        "name",
        "description",
        "metadata",
        "a",
        "b c",
        "'q'",
        "\"e\\tf\"",
    ])
    .prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec![
            "plain",
            "two words",
            "~",
            "null",
            "",
            "true",
            "False",
            "42",
            "-1",
            "1.5",
            "0x1F",
            "1e3",
            ".inf",
            "2024-01-02",
            "a#b",
            "a # comment",
            "http://x/y",
            "it's",
            "é 技",
            "- ",
            "-x",
            "*x",
            "x: y",
            "[",
            "@x",
            "%x",
            "`x`",
            "a:b",
            "!t x",
        ])
        .prop_map(str::to_owned),
        "[a-z ]{0,8}".prop_map(|text| format!("'{text}'")),
        "[a-z\\\\n ]{0,8}".prop_map(|text| format!("\"{text}\"")),
    ]
}

fn value(depth: u32) -> BoxedStrategy<Vec<String>> {
    let leaf = prop_oneof![
        6 => scalar().prop_map(|text| vec![format!(" {text}")]),
        1 => (select(vec![" |", " >", " |-", " >+"]), proptest::collection::vec("[a-z# :]{0,6}", 1..4))
            .prop_map(|(header, lines)| {
                let lines = lines.into_iter().map(|line| format!("  x{line}"));
                std::iter::once(header.to_owned()).chain(lines).collect()
            }),
        1 => proptest::collection::vec(scalar(), 0..3).prop_map(|items| vec![format!(" [{}]", items.join(", "))]),
    ];
    leaf.prop_recursive(depth, 24, 3, |inner| {
        let nested = |lines: Vec<String>| {
            let indented = lines.into_iter().map(|line| format!("  {line}"));
            std::iter::once(String::new())
                .chain(indented)
                .collect::<Vec<_>>()
        };
        prop_oneof![
            mapping(inner.clone()).prop_map(nested),
            proptest::collection::vec(inner, 1..3).prop_map(move |items| {
                nested(
                    items
                        .into_iter()
                        .flat_map(|item| prefixed("-", item))
                        .collect(),
                )
            }),
        ]
    })
    .boxed()
}

fn mapping(value: impl Strategy<Value = Vec<String>>) -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec((key(), value), 0..4).prop_map(|entries| {
        entries
            .into_iter()
            .flat_map(|(key, value)| prefixed(&format!("{key}:"), value))
            .collect()
    })
}

/// The lines of a value with something before the first.
fn prefixed(head: &str, mut lines: Vec<String>) -> Vec<String> {
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, head);
    }
    lines
}

/// Compares a value of ours with the oracle's.
fn agree(ours: Value<'_>, oracle: &Oracle, kept: usize) -> Result<(), String> {
    let differ = || {
        Err(format!(
            "{:?} {:?} against {oracle:?}",
            ours.shape(),
            ours.text()
        ))
    };
    match oracle {
        Oracle::Null if ours.shape() == Shape::Null => Ok(()),
        Oracle::Bool(truth) if ours.boolean() == Some(*truth) => Ok(()),
        Oracle::Number(_) if ours.shape() == Shape::Scalar && !ours.is_string() => Ok(()),
        Oracle::String(text) if ours.is_string() && ours.text() == Some(text) => Ok(()),
        // Of what lies deeper nothing is kept.
        Oracle::Sequence(_) if ours.shape() == Shape::Sequence && kept == 0 => Ok(()),
        Oracle::Mapping(_) if ours.shape() == Shape::Mapping && kept == 0 => Ok(()),
        Oracle::Sequence(items) if ours.shape() == Shape::Sequence => {
            if ours.items().count() != items.len() {
                return differ();
            }
            ours.items()
                .zip(items)
                .try_for_each(|(ours, oracle)| agree(ours, oracle, kept - 1))
        }
        Oracle::Mapping(entries) if ours.shape() == Shape::Mapping => {
            if ours.entries().count() != entries.len() {
                return differ();
            }
            ours.entries()
                .zip(entries)
                .try_for_each(|((key, value), (oracle_key, oracle))| {
                    agree(key, oracle_key, 0)?;
                    agree(value, oracle, kept - 1)
                })
        }
        // A tag does not change what these documents hold.
        Oracle::Tagged(tagged) => agree(ours, &tagged.value, kept),
        _ => differ(),
    }
}

fn compare(text: &str) -> Result<Option<bool>, String> {
    let oracle = serde_yaml::from_str::<Oracle>(text);
    let ours: Result<Document<'_>, _> = parse_frontmatter(text);
    match (ours, oracle) {
        (Ok(ours), Ok(oracle)) => agree(ours.root(), &oracle, 4).map(|()| Some(true)),
        (Err(_), Err(_)) => Ok(Some(false)),
        (Ok(_), Err(error)) if error.to_string().contains("duplicate entry") => Ok(None),
        (Ok(_), Err(error)) => Err(format!("only the oracle refuses: {error}")),
        (Err(super::YamlProblem::WrongType { .. }), Ok(_)) => Ok(None),
        (Err(problem), Ok(_)) => Err(format!("only this module refuses: {problem}")),
    }
}

#[test]
fn both_engines_read_the_same() {
    let config = ProptestConfig {
        cases: 512,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let (read, refused) = (Cell::new(0), Cell::new(0));
    let run = TestRunner::new(config).run(&mapping(value(3)), |lines| {
        let text = lines.join("\n") + "\n";
        match compare(&text).map_err(|problem| TestCaseError::fail(format!("{problem}\n{text}")))? {
            Some(true) => read.set(read.get() + 1),
            Some(false) => refused.set(refused.get() + 1),
            None => {}
        }
        Ok(())
    });
    run.unwrap();
    assert!(
        read.get() > 100 && refused.get() > 20,
        "{} read, {} refused",
        read.get(),
        refused.get()
    );
}
