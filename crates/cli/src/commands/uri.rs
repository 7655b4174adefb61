//! `uri PATH-OR-URI...`: one canonical spelling per path, or why there is none.
//!
//! Text that begins like a `file:` URI, or holds `://`, is a URI and is parsed leniently, each
//! repair reported. Other absolute text is native, of the convention it looks like, on any host.
//! What is left is a relative path of this machine, unless it is empty. Nothing asks the filesystem.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Args;
use clap::builder::ValueHint;
use codex_file_system::Severity;
use codex_path_uri::{PathConvention, PathUri, PathUriError, Repair};
use serde::Serialize;

use crate::exit::Failure;
use crate::host;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::Facts;
use crate::output::table::{Cell, Column, Table};
use crate::output::text::{Keep, Style};
use crate::run::{CommandContext, CommandOutput};

/// `uri PATH-OR-URI...`
#[derive(Debug, Args)]
pub(crate) struct UriArguments {
    /// Native paths of either convention, relative paths of this machine, or `file:` URIs
    #[arg(value_name = "PATH-OR-URI", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<OsString>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Most parents that are shown of one path, the nearest ones: all of them together are as long as
/// the square of their number, and no path that people use has so many.
const MAX_ANCESTORS: usize = 64;

/// What one argument turned out to be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    input: String,
    uri: Option<PathUri>,
    convention: Option<PathConvention>,
    /// Parents, nearest first: up to the root, or as many as are shown.
    ancestors: Vec<PathUri>,
    /// Parents between these and the root, the root included.
    ancestors_left_out: usize,
    is_opaque: bool,
    repairs: Vec<RepairMade>,
    refusal: Option<Refusal>,
}

#[derive(Debug, Serialize)]
struct RepairMade {
    rule: &'static str,
    at: usize,
}

#[derive(Debug, Serialize)]
struct Refusal {
    rule: &'static str,
    message: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    schema_version: u32,
    paths: Vec<serde_json::Value>,
}

/// Looks at every argument, in order.
///
/// # Errors
/// When a relative path is given and the current directory cannot be told.
pub(crate) fn run(
    arguments: &UriArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let entries: Vec<Entry> = arguments
        .inputs
        .iter()
        .map(entry)
        .collect::<Result<_, _>>()?;
    let output = match context.display.format {
        Format::Tsv => table(&entries).tab_separated(),
        Format::Table => records(&entries, context),
        Format::Jsonl => {
            let paths: Vec<_> = entries
                .iter()
                .map(json::to_json)
                .collect::<Result<_, _>>()?;
            json::lines(paths.into_iter().map(|path| ("path", path)))?
        }
        _ => {
            let paths = entries
                .iter()
                .map(json::to_json)
                .collect::<Result<_, _>>()?;
            json::object(&Document {
                schema_version: SCHEMA_VERSION,
                paths,
            })?
        }
    };
    Ok(CommandOutput {
        output,
        diagnostics: diagnostics(&entries)?,
    })
}

fn entry(input: &OsString) -> Result<Entry, Failure> {
    let (uri, repairs, refusal) = match interpret(input)? {
        Ok((uri, repairs)) => (Some(uri), repairs, None),
        Err(error) => {
            let refusal = Refusal {
                rule: error.code(),
                message: error.to_string(),
            };
            (None, Vec::new(), Some(refusal))
        }
    };
    let parents = uri.iter().flat_map(PathUri::ancestors).skip(1);
    let depth = uri.as_ref().and_then(PathUri::lexical_depth).unwrap_or(0);
    Ok(Entry {
        input: input.to_string_lossy().into_owned(),
        convention: uri.as_ref().and_then(PathUri::convention),
        ancestors: parents.take(MAX_ANCESTORS).collect(),
        ancestors_left_out: depth.saturating_sub(MAX_ANCESTORS),
        is_opaque: uri.as_ref().is_some_and(PathUri::is_opaque),
        repairs: repairs
            .iter()
            .map(|repair| RepairMade {
                rule: repair.rule.code(),
                at: repair.at,
            })
            .collect(),
        refusal,
        uri,
    })
}

type Interpreted = Result<(PathUri, Vec<Repair>), PathUriError>;

fn interpret(input: &OsStr) -> Result<Interpreted, Failure> {
    if let Some(text) = input.to_str() {
        if is_uri(text) {
            return Ok(PathUri::parse_lenient(text, None));
        }
        if let Some(convention) = PathConvention::infer_absolute(text) {
            return Ok(PathUri::from_native(text, convention).map(|uri| (uri, Vec::new())));
        }
        if text.is_empty() {
            // A variable that is not set names no directory, the current one least of all.
            let refused = PathUri::from_native(text, PathConvention::native());
            return Ok(refused.map(|uri| (uri, Vec::new())));
        }
    }
    let path = host::absolute(Path::new(input))?;
    Ok(Ok((PathUri::from_abs_path(&path), Vec::new())))
}

/// Whether a person who typed this meant a URI.
fn is_uri(text: &str) -> bool {
    let text = text.trim();
    let scheme = text
        .get(..5)
        .is_some_and(|start| start.eq_ignore_ascii_case("file:"));
    scheme || text.contains("://")
}

fn diagnostics(entries: &[Entry]) -> serde_json::Result<Vec<Diagnostic>> {
    let mut found = Vec::new();
    for (entry, argument) in entries.iter().zip(1..) {
        if let Some(refusal) = &entry.refusal {
            let (rule, message) = (refusal.rule, &refusal.message);
            found.push(Diagnostic::new(Severity::Warning, rule, message, refusal)?);
        }
        if entry.ancestors_left_out > 0 {
            found.push(parents_left_out(argument, entry.ancestors_left_out)?);
        }
    }
    Ok(found)
}

fn parents_left_out(argument: usize, count: usize) -> serde_json::Result<Diagnostic> {
    #[derive(Serialize)]
    struct Fields {
        argument: usize,
        count: usize,
    }
    let sentence = format!("{count} parents of argument {argument}, up to the root, are left out");
    let fields = Fields { argument, count };
    Ok(Diagnostic::new(Severity::Info, "parents_left_out", sentence, &fields)?.told())
}

fn table(entries: &[Entry]) -> Table {
    let mut table = Table::new([
        Column::Text("INPUT", Keep::End),
        Column::Text("URI", Keep::End),
        Column::Word("CONVENTION"),
        Column::Text("NATIVE", Keep::End),
        Column::Text("PARENTS", Keep::Start),
        Column::Text("REPAIRS", Keep::Start),
        Column::Word("REFUSED"),
    ]);
    for entry in entries {
        let parents: Vec<&str> = entry.ancestors.iter().map(PathUri::as_str).collect();
        let repairs = entry
            .repairs
            .iter()
            .map(|repair| format!("{}@{}", repair.rule, repair.at));
        table.push([
            Cell::new(&entry.input),
            Cell::new(entry.uri.as_ref().map_or("", PathUri::as_str)),
            Cell::new(convention_name(entry)),
            Cell::new(native(entry)),
            Cell::new(parents.join(" ")),
            Cell::new(repairs.collect::<Vec<_>>().join(" ")),
            Cell::new(entry.refusal.as_ref().map_or("", |refusal| refusal.rule)),
        ]);
    }
    table
}

/// One block of labelled lines for each argument.
fn records(entries: &[Entry], context: &CommandContext) -> String {
    let mut blocks = Vec::new();
    for entry in entries {
        let mut facts = Facts::default();
        facts.push_path("input", &entry.input, Style::Plain);
        if let Some(uri) = &entry.uri {
            facts.push_path("uri", uri.as_str(), Style::Bold);
            facts.push_path("native", native(entry), Style::Plain);
            facts.push("convention", convention_name(entry));
            if entry.is_opaque {
                facts.push("opaque", "its parents and names cannot be told");
            }
        }
        for (index, parent) in entry.ancestors.iter().enumerate() {
            let label = if index == 0 { "parents" } else { "" };
            facts.push_path(label, parent.as_str(), Style::Plain);
        }
        for repair in &entry.repairs {
            let text = format!("{} at byte {}", repair.rule, repair.at);
            facts.push_styled("repaired", text, Style::Warn);
        }
        if let Some(refusal) = &entry.refusal {
            facts.push_styled("refused", refusal.rule, Style::Bad);
        }
        blocks.push(facts.shown(context.display.width, context.painter()));
    }
    blocks.join("\n")
}

fn native(entry: &Entry) -> String {
    entry
        .uri
        .as_ref()
        .map(PathUri::inferred_native_path_string)
        .unwrap_or_default()
}

fn convention_name(entry: &Entry) -> String {
    match (&entry.uri, entry.convention) {
        (Some(_), Some(convention)) => convention.to_string(),
        (Some(_), None) => "unknown".to_owned(),
        (None, _) => String::new(),
    }
}
