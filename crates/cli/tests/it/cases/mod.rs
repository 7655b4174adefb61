//! Every case of the libraries whose tree a disk of this machine can hold, through the command.
//!
//! What is no tree, or is said by a host and not by a person (text that mentions skills, faults of
//! a filesystem), is tested in the libraries.

mod commands;
mod instructions;
mod plugins;
mod roots;
mod skills;
mod uris;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// All cases that differ, told together.
#[derive(Default)]
struct Comparison {
    ran: usize,
    differences: Vec<String>,
}

impl Comparison {
    fn compare(&mut self, name: &str, expected: &Value, found: &Value) {
        if expected != found {
            let difference = format!("{name}\n  expected {expected}\n  found    {found}");
            self.differences.push(difference);
        }
    }

    /// That this many cases ran and none differs.
    #[track_caller]
    fn end(self, ran: usize) {
        let Self {
            ran: found,
            differences,
        } = self;
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        pretty_assertions::assert_eq!(found, ran);
    }
}

/// The cases of a file.
fn cases(file: &str) -> Vec<Value> {
    match parsed(file)["cases"].take() {
        Value::Array(cases) => cases,
        other => panic!("no list of cases: {other}"),
    }
}

/// A JSON value of any depth.
fn parsed(text: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    Value::deserialize(&mut deserializer).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The items of a list; none where there is no list.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The entries of an object; none where there is no object.
fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A value with its repeated text written out.
fn whole(value: &Value) -> Value {
    match value["repeat"].as_array() {
        Some(parts) => json!(repeated(parts)),
        None => value.clone(),
    }
}

/// A prefix, a unit, how often it is repeated, and a suffix.
fn repeated(parts: &[Value]) -> String {
    let unit = text(&parts[1]).repeat(number(&parts[2]));
    format!("{}{unit}{}", text(&parts[0]), text(&parts[3]))
}

/// What of `object` says something: no null, no empty list.
fn said(object: &Value) -> Map<String, Value> {
    let says = |value: &Value| !value.is_null() && *value != json!([]);
    let said = entries(object).filter(|(_, value)| says(value));
    said.map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn decode_base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}

fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
