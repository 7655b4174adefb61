//! `root [DIR]`: the project root, the marker that decided, and the Git root.
//!
//! Makes the calls that every session start makes up to the root search, and looks for the Git
//! root where that search does not tell it. The probes of `--explain` cost nothing.

use std::collections::HashSet;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use codex_config::{MarkersSource, RootReason, UsableMarkers, ValueOrigin};
use codex_file_system::error::kind_name;
use codex_file_system::{Environment, FileSystemError, FindUpErrorPolicy, Severity};
use codex_path_uri::PathUri;
use serde::Serialize;

use crate::environments::Arity;
use crate::exit::Failure;
use crate::git_root::git_root;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::Facts;
use crate::output::table::{Cell, Column, Table};
use crate::output::text::{Keep, Style};
use crate::output::words::{self, native};
use crate::run::{CommandContext, CommandOutput, StartPoint};
use crate::session::{Located, SessionStart};

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
    let place = StartPoint::new(
        context,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::One,
    )?;
    let start = place.session();
    let environment = place.bound.only()?;
    let (located, git_root) = context.load(locate(&start, environment))??;
    let mut found = place.settings.diagnostics()?;
    found.extend(diagnostics(&located)?);
    answer(
        arguments,
        context,
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
    context: &CommandContext,
    environment: &Environment,
    located: &Located,
    git_root: Option<&PathUri>,
    found: Vec<Diagnostic>,
) -> Result<CommandOutput, Failure> {
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
        diagnostics: &found,
    };
    let output = match (context.display.format, &probes) {
        (Format::Tsv, Some(probes)) => probe_table(probes).tab_separated(),
        (Format::Tsv, None) => summary_row(&document).tab_separated(),
        (Format::Table, _) => shown(&document, located, context),
        (format, _) => json::document(format, "root", &document, &JSON_LISTS)?,
    };
    Ok(CommandOutput {
        output,
        diagnostics: found,
    })
}

/// The lists that become lines of their own in `--format jsonl`.
const JSON_LISTS: [(&str, &str); 2] = [("probes", "probe"), ("diagnostics", "diagnostic")];

fn diagnostics(located: &Located) -> Result<Vec<Diagnostic>, Failure> {
    let base = located.base.diagnostics.iter().map(Diagnostic::of_config);
    let mut found: Vec<Diagnostic> = base.collect::<Result<_, _>>()?;
    found.extend(root_diagnostics(located)?);
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

fn shown(document: &Document<'_>, located: &Located, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
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

/// One probe of the search that counted.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Probe {
    number: usize,
    path: PathUri,
    /// `absent`, `found` or the kind of the failure.
    outcome: &'static str,
}

/// The probes up to the one that decided, in the order of the search.
fn probes(located: &Located, cwd: &PathUri) -> Vec<Probe> {
    let failed = located.search.as_ref().err();
    let failed_at = failed
        .and_then(|error| FileSystemError::find(error))
        .map(|error| &error.path);
    let decided = match located.search.as_ref().map(|search| &search.reason) {
        Ok(RootReason::Marker { probe, .. }) => *probe,
        _ => usize::MAX,
    };
    let mut asked = HashSet::new();
    let mut probes = Vec::new();
    let markers = &located.markers.markers;
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

/// The code of a root search that a failed probe ended.
const MARKER_PROBE_FAILED: &str = "marker_probe_failed";

/// The project root and why it is this one.
pub(crate) fn root_facts(cwd: &PathUri, located: &Located) -> Facts {
    let mut facts = Facts::default();
    facts.push_path("directory", cwd.inferred_native_path_string(), Style::Plain);
    match &located.search {
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
    } = &located.markers;
    let source = markers_source(source);
    facts.push("markers", format!("{}, {source}", quoted(markers)));
    facts
}

/// What the root search had to say: markers that were dropped, and the failure that ended it.
pub(crate) fn root_diagnostics(located: &Located) -> serde_json::Result<Vec<Diagnostic>> {
    #[derive(Serialize)]
    struct Fields<'a> {
        path: Option<&'a PathUri>,
        kind: &'static str,
    }
    let of_markers = match &located.search {
        Ok(search) => search.diagnostics(),
        Err(_) => located.markers.diagnostics(),
    };
    let mut found: Vec<Diagnostic> = of_markers
        .iter()
        .map(Diagnostic::of_config)
        .collect::<Result<_, _>>()?;
    if let Err(error) = &located.search {
        let path = FileSystemError::find(error).map(|error| &error.path);
        let fields = Fields {
            path,
            kind: kind_name(error.kind()),
        };
        let sentence = format!("cannot find the project root: {error}");
        found.push(Diagnostic::new(
            Severity::Error,
            MARKER_PROBE_FAILED,
            sentence,
            &fields,
        )?);
    }
    Ok(found)
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
