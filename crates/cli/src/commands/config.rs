//! `config [DIR]`: the effective values, where each comes from, and the layers.
//!
//! Makes the calls of a session start up to the judged values, and one more for each project
//! directory whose layer is disabled, so that it can be listed. Values that a project layer cannot
//! set are shown as they are in use.

use codex_config::{ConfigLayerEntry, ConfigLayerSource, ConfigLayerStackOrdering, DisabledReason};
use codex_file_system::FindUpErrorPolicy;
use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::Value;

use super::{Answer, Place, Run};
use crate::args::{ConfigArguments, Format};
use crate::environments::Arity;
use crate::exit::Failure;
use crate::render::finding::Finding;
use crate::render::json::{self, SCHEMA_VERSION, to_json};
use crate::render::project_root::root_findings;
use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style};
use crate::render::words;
use crate::session::Session;

mod values;

use values::{ValueRow, value_table, values};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    cwd: &'a PathUri,
    values: Vec<ValueRow>,
    layers: Vec<LayerRow<'a>>,
    diagnostics: Vec<Value>,
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
pub(crate) fn run(arguments: &ConfigArguments, run: &Run) -> Result<Answer, Failure> {
    let place = Place::new(
        run,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::One,
    )?;
    let start = place.session();
    let policy = FindUpErrorPolicy::Propagate;
    let session = run.load(start.begin(policy))??;
    answer(run, &session, place.settings.findings()?)
}

/// Shows it, with those `of_settings` before all other findings.
fn answer(run: &Run, session: &Session, of_settings: Vec<Finding>) -> Result<Answer, Failure> {
    let of_config = session.diagnostics().map(Finding::of_config);
    let mut found = of_settings;
    found.extend(of_config.collect::<Result<Vec<_>, _>>()?);
    found.extend(root_findings(session.located())?);
    let stack = &session.config.config_layer_stack;
    let layers = stack.get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, true);
    let document = Document {
        schema_version: SCHEMA_VERSION,
        cwd: session.first.environment.cwd(),
        values: values(stack, &session.located().base.stack),
        layers: layers.into_iter().map(layer_row).collect(),
        diagnostics: found.iter().map(Finding::to_value).collect(),
    };
    let output = match run.display.format {
        None => tagged_rows(&document),
        Some(Format::Table) => shown(&document, run),
        Some(Format::Json) => json::object(&to_json(&document)?)?,
        Some(Format::Jsonl) => {
            json::lines(json::split("config", to_json(&document)?, &JSON_LISTS))?
        }
    };
    Ok(Answer {
        output,
        findings: found,
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

fn shown(document: &Document<'_>, run: &Run) -> String {
    let (width, painter) = (run.display.width, run.painter());
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
