//! `root [DIR]`: the project root, the marker that decided, and the Git root.
//!
//! Makes the calls that every session start makes up to the root search, and looks for the Git
//! root where that search does not tell it. The probes of `--explain` cost nothing.

use codex_config::{MarkersSource, RootReason};
use codex_file_system::{Environment, FindUpErrorPolicy};
use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::Value;

use super::{Answer, Place, Run};
use crate::args::{Format, RootArguments};
use crate::environments::Arity;
use crate::exit::Failure;
use crate::git_root::git_root;
use crate::render::finding::Finding;
use crate::render::json::{self, SCHEMA_VERSION, to_json};
use crate::render::project_root::{root_facts, root_findings};
use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style};
use crate::render::words::native;
use crate::session::{Located, SessionStart};

mod probes;

use probes::{Probe, probe_table, probes};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    cwd: &'a PathUri,
    root: Option<&'a PathUri>,
    /// Null when the search failed.
    reason: Option<&'a RootReason>,
    markers: &'a [String],
    markers_source: &'a MarkersSource,
    git_root: Option<&'a PathUri>,
    /// Null without `--explain`.
    probes: Option<&'a [Probe]>,
    diagnostics: Vec<Value>,
}

/// Searches once and shows what was found.
///
/// # Errors
/// When the directory is none or the base layers of configuration cannot be used.
pub(crate) fn run(arguments: &RootArguments, run: &Run) -> Result<Answer, Failure> {
    let place = Place::new(
        run,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::One,
    )?;
    let start = place.session();
    let environment = place.bound.only()?;
    let (located, git_root) = run.load(locate(&start, environment))??;
    let mut found = place.settings.findings()?;
    found.extend(findings(&located)?);
    answer(
        arguments,
        run,
        environment,
        &located,
        git_root.as_ref(),
        found,
    )
}

async fn locate(
    start: &SessionStart<'_>,
    environment: &Environment,
) -> Result<(Located, Option<PathUri>), Failure> {
    let located = start.locate(FindUpErrorPolicy::Propagate).await?;
    let filesystem = environment.filesystem().as_ref();
    let search = located.search.as_ref().ok();
    let git_root = git_root(
        filesystem,
        environment.cwd(),
        search,
        FindUpErrorPolicy::Ignore,
    )
    .await;
    Ok((located, git_root.ok().flatten()))
}

fn answer(
    arguments: &RootArguments,
    run: &Run,
    environment: &Environment,
    located: &Located,
    git_root: Option<&PathUri>,
    found: Vec<Finding>,
) -> Result<Answer, Failure> {
    let probes = arguments
        .explain
        .then(|| probes(located, environment.cwd()));
    let search = located.search.as_ref().ok();
    let document = Document {
        schema_version: SCHEMA_VERSION,
        cwd: environment.cwd(),
        root: search.and_then(|search| search.root.as_ref()),
        reason: search.map(|search| &search.reason),
        markers: &located.markers.markers,
        markers_source: &located.markers.source,
        git_root,
        probes: probes.as_deref(),
        diagnostics: found.iter().map(Finding::to_value).collect(),
    };
    let output = match (run.display.format, &probes) {
        (None, Some(probes)) => probe_table(probes).tab_separated(),
        (None, None) => summary_row(&document).tab_separated(),
        (Some(Format::Table), _) => shown(&document, located, run),
        (Some(Format::Json), _) => json::object(&to_json(&document)?)?,
        (Some(Format::Jsonl), _) => {
            json::lines(json::split("root", to_json(&document)?, &JSON_LISTS))?
        }
    };
    Ok(Answer {
        output,
        findings: found,
    })
}

/// The lists that become lines of their own in `--format jsonl`.
const JSON_LISTS: [(&str, &str); 2] = [("probes", "probe"), ("diagnostics", "diagnostic")];

fn findings(located: &Located) -> Result<Vec<Finding>, Failure> {
    let base = located.base.diagnostics.iter().map(Finding::of_config);
    let mut found: Vec<Finding> = base.collect::<Result<_, _>>()?;
    found.extend(root_findings(located)?);
    Ok(found)
}

fn summary_row(document: &Document<'_>) -> Table {
    let columns = [
        Column::Text("ROOT", Keep::End),
        Column::Word("MARKER"),
        Column::Text("GIT ROOT", Keep::End),
    ];
    let mut table = Table::new(columns);
    let marker = match document.reason {
        Some(RootReason::Marker { marker, .. }) => marker,
        _ => "",
    };
    table.push([
        Cell::new(native(document.root).unwrap_or_default()),
        Cell::new(marker),
        Cell::new(native(document.git_root).unwrap_or_default()),
    ]);
    table
}

fn shown(document: &Document<'_>, located: &Located, run: &Run) -> String {
    let (width, painter) = (run.display.width, run.painter());
    let mut facts = root_facts(document.cwd, located);
    let git_root = native(document.git_root).unwrap_or_else(|| "none".to_owned());
    facts.push_path("Git root", git_root, Style::Plain);
    let mut text = facts.shown(width, painter);
    if let Some(probes) = document.probes {
        text.push('\n');
        text.push_str(&probe_table(probes).aligned(width, painter));
    }
    text
}
