//! `root [DIR]`: the project root, the marker that decided, and the Git root.
//!
//! Makes the calls that every session start makes up to the root search, and looks for the Git
//! root where that search does not tell it. The probes of `--explain` cost nothing.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use codex_config::{MarkersSource, ProjectRootSearch, RootReason, UsableMarkers, ValueOrigin};
use codex_context::{Parts, ProjectContext};
use codex_file_system::error::kind_name;
use codex_file_system::{
    FileSystemError, FindUpErrorPolicy, FindUpOptions, Lookahead, find_up_with,
};
use codex_path_uri::PathUri;
use serde::Serialize;
use tracing::{Instrument as _, debug_span};

use crate::environments::Arity;
use crate::exit::Failure;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::{Cell, Column, Facts, Table};
use crate::output::text::{Keep, Style};
use crate::output::words::{self, native};
use crate::run::{CommandContext, CommandOutput, StartPoint, found_in, shown_diagnostics};

/// `root [DIR]`
#[derive(Debug, Args)]
pub(crate) struct RootArguments {
    /// The directory to start in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// List every probe up to the one that decided, with its outcome
    #[arg(long)]
    pub(crate) explain: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

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
    diagnostics: &'a [Diagnostic],
}

/// Searches once and shows what was found.
///
/// # Errors
/// When the directory is none or the base layers of configuration cannot be used.
pub(crate) fn run(
    arguments: &RootArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let mut start = StartPoint::new(
        context,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::One,
    )?;
    start.request.parts = Parts::NONE;
    let (session, mut found) = start.load(context)?;
    let (environment, project) = start.first(&session)?;
    let search = project.search.as_ref().ok();
    let lookahead = Lookahead::new(&*environment.filesystem, start.request.window);
    let git_root = git_root(&lookahead, &environment.cwd, search);
    let git_root = context.load(lookahead.drive(git_root))?;
    found.extend(shown_diagnostics(found_in(&session))?);
    answer(
        arguments,
        context,
        &environment.cwd,
        project,
        git_root.as_ref(),
        found,
    )
}

fn answer(
    arguments: &RootArguments,
    context: &CommandContext,
    cwd: &PathUri,
    project: &ProjectContext,
    git_root: Option<&PathUri>,
    found: Vec<Diagnostic>,
) -> Result<CommandOutput, Failure> {
    let probes = arguments.explain.then(|| probes(project, cwd));
    let search = project.search.as_ref().ok();
    let document = Document {
        schema_version: SCHEMA_VERSION,
        cwd,
        root: search.and_then(|search| search.root.as_ref()),
        reason: search.map(|search| &search.reason),
        markers: &project.markers.markers,
        markers_source: &project.markers.source,
        git_root,
        probes: probes.as_deref(),
        diagnostics: &found,
    };
    let output = match (context.display.format, &probes) {
        (Format::Tsv, Some(probes)) => probe_table(probes).tab_separated(),
        (Format::Tsv, None) => summary_row(&document).tab_separated(),
        (Format::Table, _) => shown(&document, project, context),
        (format, _) => json::document(format, "root", &document, &JSON_LISTS)?,
    };
    Ok(CommandOutput {
        output,
        diagnostics: found,
    })
}

/// The lists that become lines of their own in `--format jsonl`.
const JSON_LISTS: [(&str, &str); 2] = [("probes", "probe"), ("diagnostics", "diagnostic")];

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

fn shown(document: &Document<'_>, project: &ProjectContext, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let mut facts = root_facts(document.cwd, project);
    let git_root = native(document.git_root).unwrap_or_else(|| "none".to_owned());
    facts.push_path("Git root", git_root, Style::Plain);
    let mut text = facts.shown(width, painter);
    if let Some(probes) = document.probes {
        text.push('\n');
        text.push_str(&probe_table(probes).aligned(width, painter));
    }
    text
}

/// One probe of the search that counted.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Probe {
    number: usize,
    path: PathUri,
    /// `absent`, `found` or the kind of the failure.
    outcome: &'static str,
}

/// The probes up to the one that decided, in the order of the search.
fn probes(project: &ProjectContext, cwd: &PathUri) -> Vec<Probe> {
    let failed = project.search.as_ref().err();
    let failed_at = failed
        .and_then(|error| FileSystemError::find(error))
        .map(|error| &error.path);
    let decided = match project.search.as_ref().map(|search| &search.reason) {
        Ok(RootReason::Marker { probe, .. }) => *probe,
        _ => usize::MAX,
    };
    let mut asked = HashSet::new();
    let mut probes = Vec::new();
    let markers = &project.markers.markers;
    let paths = cwd.ancestors().flat_map(|directory| {
        markers
            .iter()
            .filter_map(move |marker| directory.join(marker).ok())
    });
    // The search asks no path twice, and a repeated one takes no number.
    for path in paths.filter(|path| asked.insert(path.clone())) {
        let number = probes.len() + 1;
        let failure = failed.filter(|_| failed_at == Some(&path));
        let outcome = match failure {
            Some(error) => kind_name(error.kind()),
            None if number == decided => "found",
            None => "absent",
        };
        probes.push(Probe {
            number,
            path,
            outcome,
        });
        if failure.is_some() || number == decided {
            break;
        }
    }
    probes
}

/// One row for each probe.
fn probe_table(probes: &[Probe]) -> Table {
    let columns = [
        Column::Number("#"),
        Column::Word("OUTCOME"),
        Column::Text("PROBE", Keep::End),
    ];
    let mut table = Table::new(columns);
    for probe in probes {
        let style = match probe.outcome {
            "absent" => Style::Dim,
            "found" => Style::Good,
            _ => Style::Bad,
        };
        table.push([
            Cell::new(probe.number.to_string()),
            Cell::new(probe.outcome).styled(style),
            Cell::new(probe.path.inferred_native_path_string()),
        ]);
    }
    table
}

const GIT_MARKER: &str = ".git";

/// The nearest ancestor of `cwd`, itself included, that holds `.git`, without asking again what the
/// project-root search has asked. That knows the Git root when its only marker is `.git`; with further
/// markers its answer still tells where no `.git` is.
///
/// # Round trips
/// None where `search` already tells; else those of a search that starts where it does not.
async fn git_root(
    lookahead: &Lookahead<'_>,
    cwd: &PathUri,
    search: Option<&ProjectRootSearch>,
) -> Option<PathUri> {
    match search.map_or_else(|| Known::UpTo(cwd.clone()), |search| known(search, cwd)) {
        Known::Wholly(git_root) => git_root,
        Known::UpTo(start) => {
            let options = FindUpOptions::new(FindUpErrorPolicy::Ignore);
            let search = find_up_with(lookahead, &start, &[GIT_MARKER], &options, None);
            let found = search.instrument(debug_span!("git root")).await;
            found.ok()?.ancestor
        }
    }
}

/// What a project-root search tells of the Git root.
#[derive(Debug, PartialEq, Eq)]
enum Known {
    /// Everything.
    Wholly(Option<PathUri>),
    /// That no directory below this one is it.
    UpTo(PathUri),
}

fn known(search: &ProjectRootSearch, cwd: &PathUri) -> Known {
    if let Some(git_root) = search.git_root() {
        return Known::Wholly(git_root);
    }
    let markers = &search.markers.markers;
    let Some(git) = markers.iter().position(|marker| marker == GIT_MARKER) else {
        return Known::UpTo(cwd.clone());
    };
    match (&search.reason, &search.root) {
        (RootReason::Marker { marker, .. }, Some(root)) => {
            let decided = markers.iter().position(|other| other == marker);
            if decided == Some(git) {
                Known::Wholly(Some(root.clone()))
            } else if decided < Some(git) {
                Known::UpTo(root.clone())
            } else {
                root.parent().map_or(Known::Wholly(None), Known::UpTo)
            }
        }
        _ => Known::Wholly(None),
    }
}

/// The project root and why it is this one.
pub(crate) fn root_facts(cwd: &PathUri, project: &ProjectContext) -> Facts {
    let mut facts = Facts::default();
    facts.push_path("directory", cwd.inferred_native_path_string(), Style::Plain);
    match &project.search {
        Err(error) => {
            let path = FileSystemError::find(error).map(|error| &error.path);
            let (kind, path) = (kind_name(error.kind()), native(path).unwrap_or_default());
            facts.push_styled("root", format!("unknown: {kind} at {path}"), Style::Bad);
        }
        Ok(search) => {
            if let Some(root) = native(search.root.as_ref()) {
                facts.push_path("root", root, Style::Bold);
            }
            let label = if search.root.is_some() {
                "because"
            } else {
                "root"
            };
            facts.push(label, root_reason(&search.reason));
        }
    }
    let UsableMarkers {
        markers, source, ..
    } = &project.markers;
    let source = markers_source(source);
    facts.push("markers", format!("{}, {source}", quoted(markers)));
    facts
}

/// Where markers come from.
fn markers_source(source: &MarkersSource) -> String {
    match source {
        MarkersSource::Configured(origin) => words::origin(origin),
        MarkersSource::Default => words::origin(&ValueOrigin::Default),
        MarkersSource::DefaultAfterInvalid(origin) => {
            format!(
                "by default, as nothing {} can be used",
                words::origin(origin)
            )
        }
    }
}

/// Why this project root, or why none.
pub(crate) fn root_reason(reason: &RootReason) -> String {
    match reason {
        RootReason::Marker { marker, probe } => format!("marker `{marker}`, probe {probe}"),
        RootReason::NoMarkerFound => "no root: no directory holds a marker, cwd only".to_owned(),
        RootReason::TraversalDisabled => {
            "no root: the list of markers is empty, cwd only".to_owned()
        }
    }
}

/// A list of names or markers.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}
