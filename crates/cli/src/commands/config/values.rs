//! The values in use: merged, with their origins, the defaults filled in. Pure.

use std::collections::BTreeMap;

use codex_config::{
    ConfigLayerStack, DEFAULT_PROJECT_DOC_MAX_BYTES, TomlValue, ValueOrigin,
    default_project_root_markers,
};
use serde::Serialize;
use serde_json::Value;

use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style};

/// Keys that project layers cannot set: the boundary of a project and the trust in it.
const NOT_FROM_PROJECTS: [&str; 2] = ["project_root_markers", "projects"];

/// One value in use.
#[derive(Serialize)]
pub(super) struct ValueRow {
    /// As it would be written in TOML.
    key: String,
    /// The key's parts.
    segments: Vec<String>,
    value: Value,
    #[serde(skip)]
    toml: String,
    origin: ValueOrigin,
}

/// The values in use, sorted by key; those with a default are always among them.
pub(super) fn values(all: &ConfigLayerStack, base: &ConfigLayerStack) -> Vec<ValueRow> {
    let mut rows = BTreeMap::new();
    for (stack, is_base) in [(all, false), (base, true)] {
        let effective = stack.effective_config();
        for (segments, origin) in stack.origins() {
            let key = segments.first().map_or("", String::as_str);
            if NOT_FROM_PROJECTS.contains(&key) != is_base {
                continue;
            }
            if let Some(value) = lookup(&effective, &segments) {
                rows.insert(segments.clone(), row(segments, value, origin));
            }
        }
    }
    for (key, value) in defaults() {
        let segments = vec![key.to_owned()];
        let row = || row(segments.clone(), &value, ValueOrigin::Default);
        rows.entry(segments.clone()).or_insert_with(row);
    }
    rows.into_values().collect()
}

fn defaults() -> [(&'static str, TomlValue); 3] {
    let max_bytes = i64::try_from(DEFAULT_PROJECT_DOC_MAX_BYTES).unwrap_or(i64::MAX);
    let markers = default_project_root_markers()
        .into_iter()
        .map(TomlValue::String)
        .collect();
    [
        (
            "project_doc_fallback_filenames",
            TomlValue::Array(Vec::new()),
        ),
        ("project_doc_max_bytes", TomlValue::Integer(max_bytes)),
        ("project_root_markers", TomlValue::Array(markers)),
    ]
}

fn lookup<'a>(table: &'a TomlValue, segments: &[String]) -> Option<&'a TomlValue> {
    segments
        .iter()
        .try_fold(table, |value, segment| value.get(segment.as_str()))
}

fn row(segments: Vec<String>, value: &TomlValue, origin: ValueOrigin) -> ValueRow {
    let parts: Vec<String> = segments.iter().map(|segment| toml_key(segment)).collect();
    let (key, toml) = (parts.join("."), value.to_string());
    ValueRow {
        key,
        segments,
        value: json_of(value),
        toml,
        origin,
    }
}

fn toml_key(segment: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    if !segment.is_empty() && segment.bytes().all(is_bare) {
        segment.to_owned()
    } else {
        TomlValue::String(segment.to_owned()).to_string()
    }
}

/// TOML as JSON; dates, and numbers that JSON does not have, as text.
fn json_of(value: &TomlValue) -> Value {
    match value {
        TomlValue::String(text) => Value::from(text.as_str()),
        TomlValue::Integer(number) => Value::from(*number),
        TomlValue::Float(number) if number.is_finite() => Value::from(*number),
        TomlValue::Float(number) => Value::from(number.to_string()),
        TomlValue::Boolean(flag) => Value::from(*flag),
        TomlValue::Datetime(time) => Value::from(time.to_string()),
        TomlValue::Array(items) => items.iter().map(json_of).collect(),
        TomlValue::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), json_of(value)))
            .collect(),
    }
}

/// One row for each value.
pub(super) fn value_table(rows: &[ValueRow]) -> Table {
    let mut table = Table::new([
        Column::Text("KEY", Keep::End),
        Column::Text("VALUE", Keep::Start),
        Column::Word("LAYER"),
        Column::Text("PLACE", Keep::End),
    ]);
    for row in rows {
        let (layer, place) = match &row.origin {
            ValueOrigin::Default => ("default".to_owned(), String::new()),
            ValueOrigin::Layer {
                source,
                position: Some(_),
            } => (source.to_string(), row.origin.to_string()),
            ValueOrigin::Layer {
                source,
                position: None,
            } => (source.to_string(), String::new()),
        };
        let style = if row.origin == ValueOrigin::Default {
            Style::Dim
        } else {
            Style::Plain
        };
        let cells = [row.key.clone(), row.toml.clone(), layer, place];
        table.push(cells.map(|text| Cell::new(text).styled(style)));
    }
    table
}
