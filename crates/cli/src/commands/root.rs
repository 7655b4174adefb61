//! `root [DIR]`: the project root, the marker that decided, and the Git root.
//!
//! Makes the calls that every session start makes up to the root search, and looks for the Git
//! root where that search does not tell it. The probes of `--explain` cost nothing: they follow
//! from the search and its result.

use std::collections::HashSet;

use codex_config::{MarkersSource, RootReason, UsableMarkers};
use codex_file_system::error::kind_name;
use codex_file_system::{Environment, FileSystemError, FindUpErrorPolicy, Severity};
use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::Value;

use super::{Answer, Run, start_directory};
use crate::args::{Format, RootArguments};
use crate::environments;
use crate::exit::Failure;
use crate::git_root::git_root;
use crate::render::facts::Facts;
use crate::render::finding::Finding;
use crate::render::json::{self, SCHEMA_VERSION, to_json};
use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style};
use crate::render::words;
use crate::session::{Located, SessionStart, Settings};

/// The code of a root search that a failed probe ended.
const MARKER_PROBE_FAILED: &str = "marker_probe_failed";

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

/// One probe of the search that counted.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Probe {
    number: usize,
    path: PathUri,
    /// `absent`, `found` or the kind of the failure.
    outcome: &'static str,
}

/// Searches once and shows what was found.
///
/// # Errors
/// When the directory is none or the base layers of configuration cannot be used.
pub(crate) fn run(arguments: &RootArguments, run: &Run) -> Result<Answer, Failure> {
    let settings = Settings::new(&arguments.common.configuration)?;
    let directory = start_directory(arguments.directory.as_ref())?;
    let environments = environments::bind(&run.meter, directory)?;
    let environment = environments::primary(&environments)?;
    let start = SessionStart {
        environment,
        host: environment.filesystem().as_ref(),
        settings: &settings,
        is_directory_named: arguments.directory.is_some(),
    };
    let (located, git_root) = run.load(locate(&start))?;
    answer(arguments, run, environment, &located, git_root.as_ref())
}

async fn locate(start: &SessionStart<'_>) -> Result<(Located, Option<PathUri>), Failure> {
    let located = start.locate(FindUpErrorPolicy::Propagate).await?;
    let environment = start.environment;
    let filesystem = environment.filesystem().as_ref();
    let git_root = git_root(filesystem, environment.cwd(), located.search.as_ref().ok()).await;
    Ok((located, git_root))
}

fn answer(
    arguments: &RootArguments,
    run: &Run,
    environment: &Environment,
    located: &Located,
    git_root: Option<&PathUri>,
) -> Result<Answer, Failure> {
    let found = findings(located)?;
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

/// What the root search had to say: markers that were dropped, and the failure that ended it.
pub(super) fn root_findings(located: &Located) -> Result<Vec<Finding>, Failure> {
    #[derive(Serialize)]
    struct Fields<'a> {
        path: Option<&'a PathUri>,
        kind: &'static str,
    }
    let of_markers = located.markers.diagnostics();
    let mut found: Vec<Finding> = of_markers
        .iter()
        .map(Finding::of_config)
        .collect::<Result<_, _>>()?;
    if let Err(error) = &located.search {
        let path = FileSystemError::find(error).map(|error| &error.path);
        let fields = Fields {
            path,
            kind: kind_name(error.kind()),
        };
        let sentence = format!("cannot find the project root: {error}");
        found.push(Finding::new(
            Severity::Error,
            MARKER_PROBE_FAILED,
            sentence,
            &fields,
        )?);
    }
    Ok(found)
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

/// The project root and why it is this one.
pub(super) fn root_facts(cwd: &PathUri, located: &Located) -> Facts {
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
            facts.push(label, words::root_reason(&search.reason));
        }
    }
    let UsableMarkers {
        markers, source, ..
    } = &located.markers;
    let source = words::markers_source(source);
    facts.push("markers", format!("{}, {source}", words::quoted(markers)));
    facts
}

fn native(path: Option<&PathUri>) -> Option<String> {
    path.map(PathUri::inferred_native_path_string)
}
