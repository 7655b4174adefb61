//! Results as JSON: one object, or one object a line.
//!
//! The libraries serialize paths as URIs. Here the native spelling is put beside each of them: a
//! key `cwd` with a URI is followed by `cwdNative`, a list `sources` by `sourcesNative`. What a
//! terminal would act on is written as `\\u` escapes, so the text is exact for whoever parses it
//! and harmless for whoever looks at it.

use std::fmt::Write as _;

use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::escape::needs_escape;
use crate::options::Format;

/// The version of every JSON document that the command prints.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// The keys under which the libraries and the commands put URIs of paths.
const PATH_KEYS: [&str; 23] = [
    "ancestors",
    "composerIcon",
    "cwd",
    "directory",
    "document",
    "dotCodexFolder",
    "earlierPath",
    "entrypoint",
    "file",
    "gitRoot",
    "iconLarge",
    "iconSmall",
    "logo",
    "logoDark",
    "manifest",
    "others",
    "path",
    "paths",
    "root",
    "screenshots",
    "source",
    "sources",
    "uri",
];

/// The key under which a value of configuration stands, which is shown as it was written.
const USER_VALUE_KEY: &str = "value";

/// `value` as JSON, the native spelling beside every path.
///
/// # Errors
/// When the value cannot be serialized: a programming error of the type, reported like any other.
pub(crate) fn to_json(value: &impl Serialize) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(value)?;
    add_native(&mut value);
    Ok(value)
}

fn add_native(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(add_native),
        Value::Object(map) => {
            for key in PATH_KEYS {
                let position = map.keys().position(|other| other == key);
                let native = map.get(key).and_then(native);
                if let (Some(position), Some(native)) = (position, native) {
                    map.shift_insert(position + 1, format!("{key}Native"), native);
                }
            }
            let ours = map.iter_mut().filter(|(key, _)| *key != USER_VALUE_KEY);
            ours.for_each(|(_, value)| add_native(value));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The native spelling of a URI, of each one in a list, or null for null.
fn native(value: &Value) -> Option<Value> {
    match value {
        Value::Null => Some(Value::Null),
        Value::String(text) => {
            let path = PathUri::parse(text).ok()?;
            Some(Value::String(path.inferred_native_path_string()))
        }
        Value::Array(items) => items.iter().map(native).collect(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

/// A whole document as JSON: one object, or with `--format jsonl` its records, of which the first has
/// the type `name` and the items of each list the type given with its key.
///
/// # Errors
/// As [`to_json`].
pub(crate) fn document(
    format: Format,
    name: &str,
    document: &impl Serialize,
    lists: &[(&str, &str)],
) -> serde_json::Result<String> {
    let document = to_json(document)?;
    match format {
        Format::Jsonl => lines(split(name, document, lists)),
        _ => object(&document),
    }
}

/// One object over several lines, for `--format json`.
///
/// # Errors
/// As [`to_json`].
pub(crate) fn object(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(inert(serde_json::to_string_pretty(value)?) + "\n")
}

/// One object a line, for `--format jsonl`: each record tells its `type` and the schema version.
///
/// # Errors
/// As [`to_json`].
pub(crate) fn lines<'a>(
    records: impl IntoIterator<Item = (&'a str, Value)>,
) -> serde_json::Result<String> {
    let mut shown = String::new();
    for (name, record) in records {
        let mut line = Map::new();
        line.insert("schemaVersion".to_owned(), json!(SCHEMA_VERSION));
        line.insert("type".to_owned(), json!(name));
        match record {
            Value::Object(fields) => line.extend(fields),
            other => drop(line.insert("value".to_owned(), other)),
        }
        shown.push_str(&inert(serde_json::to_string(&line)?));
        shown.push('\n');
    }
    Ok(shown)
}

/// The same JSON, with `\\u` escapes for characters that repaint a terminal or reorder its text.
fn inert(json: String) -> String {
    // Line ends are layout here: within a string JSON escapes them.
    let is_active = |character: char| character != '\n' && needs_escape(character);
    if !json.contains(is_active) {
        return json;
    }
    let mut shown = String::with_capacity(json.len() + 64);
    for character in json.chars() {
        if is_active(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` cannot fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Takes a document apart for [`lines`]: first the document without its `lists`, then every item
/// of those, in order. Each list is given as its key and the type of its items.
pub(crate) fn split<'a>(
    name: &'a str,
    document: Value,
    lists: &[(&str, &'a str)],
) -> Vec<(&'a str, Value)> {
    let mut document = document;
    let mut items = Vec::new();
    for (key, item) in lists {
        if let Some(Value::Array(list)) = document
            .as_object_mut()
            .and_then(|map| map.shift_remove(*key))
        {
            items.extend(list.into_iter().map(|value| (*item, value)));
        }
    }
    let mut records = vec![(name, document)];
    records.append(&mut items);
    records
}
