//! `config [DIR]`: the effective values, where each comes from, and the layers.
//!
//! Makes the calls of a session start up to the judged values, and one more for each project
//! directory whose layer is disabled, so that it can be listed. Values that a project layer cannot
//! set are shown as they are in use.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use codex_config::{
    ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ConfigLayerStackOrdering,
    DEFAULT_PROJECT_DOC_MAX_BYTES, DisabledReason, TomlValue, ValueOrigin,
    default_project_root_markers,
};
use codex_context::{Diagnostic as SessionDiagnostic, Parts};
use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::Value;

use crate::environments::Arity;
use crate::exit::Failure;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::{Cell, Column, Table};
use crate::output::text::{Keep, Style};
use crate::output::words;
use crate::run::{CommandContext, CommandOutput, StartPoint, found_in};

/// `config [DIR]`
#[derive(Debug, Args)]
pub(crate) struct ConfigArguments {
    /// The directory whose project layers count; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    cwd: &'a PathUri,
    values: Vec<ValueRow>,
    layers: Vec<LayerRow<'a>>,
    diagnostics: &'a [Diagnostic],
}

/// One layer, counted or not.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LayerRow<'a> {
    source: &'a ConfigLayerSource,
    precedence: i16,
    file: Option<PathUri>,
    is_enabled: bool,
    disabled_reason: Option<&'a DisabledReason>,
}

/// Loads all layers and shows what they amount to.
///
/// # Errors
/// When the directory is none or a layer or value cannot be used.
pub(crate) fn run(
    arguments: &ConfigArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let mut start = StartPoint::new(
        context,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::One,
    )?;
    start.request.parts = Parts {
        configuration: true,
        ..Parts::NONE
    };
    let (session, mut diagnostics) = start.load(context)?;
    for found in found_in(&session) {
        match found {
            // The table of layers shows those that do not count.
            SessionDiagnostic::Config(found) => diagnostics.push(Diagnostic::of_config(found)?),
            found => diagnostics.extend(Diagnostic::of_session(found)?),
        }
    }
    let stack = &session.config().config_layer_stack;
    let layers = stack.get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, true);
    let (environment, _) = start.first(&session)?;
    let document = Document {
        schema_version: SCHEMA_VERSION,
        cwd: &environment.cwd,
        values: values(stack, &session.base_layers().stack),
        layers: layers.into_iter().map(layer_row).collect(),
        diagnostics: &diagnostics,
    };
    let output = match context.display.format {
        Format::Tsv => tagged_rows(&document),
        Format::Table => shown(&document, context),
        format => json::document(format, "config", &document, &JSON_LISTS)?,
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

/// The lists that become lines of their own in `--format jsonl`.
const JSON_LISTS: [(&str, &str); 3] = [
    ("values", "value"),
    ("layers", "layer"),
    ("diagnostics", "diagnostic"),
];

fn layer_row(layer: &ConfigLayerEntry) -> LayerRow<'_> {
    LayerRow {
        source: &layer.name,
        precedence: layer.name.precedence(),
        file: layer.name.file(),
        is_enabled: layer.disabled_reason.is_none(),
        disabled_reason: layer.disabled_reason.as_ref(),
    }
}

fn layer_table(rows: &[LayerRow<'_>]) -> Table {
    let mut table = Table::new([
        Column::Word("LAYER"),
        Column::Word("STATE"),
        Column::Text("FILE", Keep::End),
    ]);
    for row in rows {
        let (state, style) = match row.disabled_reason {
            None => ("enabled", Style::Good),
            Some(reason) => (words::disabled_reason(reason), Style::Dim),
        };
        let file = row.file.as_ref().map(PathUri::inferred_native_path_string);
        table.push([
            Cell::new(row.source.to_string()),
            Cell::new(state).styled(style),
            Cell::new(file.unwrap_or_default()),
        ]);
    }
    table
}

fn shown(document: &Document<'_>, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let mut text = value_table(&document.values).aligned(width, painter);
    if !document.layers.is_empty() {
        text.push('\n');
        text.push_str(&layer_table(&document.layers).aligned(width, painter));
    }
    text
}

/// Values and layers in one stream: the first cell tells which.
fn tagged_rows(document: &Document<'_>) -> String {
    let tagged = |tag: &str, rows: &Table| {
        let rows = rows.tab_separated();
        rows.lines()
            .map(|row| format!("{tag}\t{row}\n"))
            .collect::<String>()
    };
    tagged("value", &value_table(&document.values))
        + &tagged("layer", &layer_table(&document.layers))
}

/// Keys that project layers cannot set: the boundary of a project and the trust in it.
const NOT_FROM_PROJECTS: [&str; 2] = ["project_root_markers", "projects"];

/// One value in use.
#[derive(Serialize)]
struct ValueRow {
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
fn values(all: &ConfigLayerStack, base: &ConfigLayerStack) -> Vec<ValueRow> {
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
fn value_table(rows: &[ValueRow]) -> Table {
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
