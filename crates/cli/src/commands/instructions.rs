//! `instructions [DIR]`: exactly what an agent is given, from which files, and what was lost.
//!
//! One session start, then the instructions with the root that it found; the user-level text is
//! loaded at the same time. Directories are listed afterwards, for the table and JSON only, to
//! tell which documents the chosen ones hide.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use codex_agents_md::{
    DirectoryRow, DocumentErrorPolicy, EnvironmentReport, EnvironmentStatus, InstructionDiagnostic,
    InstructionProvenance, InstructionsOutcome, InstructionsReport, LoadedAgentsMd,
    PassedOverReason, UserRow,
};
use codex_context::{
    Context, Diagnostic as SessionDiagnostic, Instructions, Parts, ProjectContext,
};
use codex_file_system::EnvironmentId;
use codex_file_system::error::kind_name;
use codex_path_uri::PathUri;
use serde::Serialize;
use serde_json::Value;

use crate::commands::root::root_facts;
use crate::environments::Arity;
use crate::exit::Failure;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::escape::escaped;
use crate::output::json::{self, SCHEMA_VERSION, to_json};
use crate::output::table::{Cell, Column, Facts, Table};
use crate::output::text::{Keep, Style, counted, grouped};
use crate::output::words;
use crate::run::{CommandContext, CommandOutput, StartPoint, found_in, shown_diagnostics};

/// `instructions [DIR]`
#[derive(Debug, Args)]
pub(crate) struct InstructionsArguments {
    /// The directory the agent starts in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Print exactly the text that the model is given, and nothing else
    #[arg(long, conflicts_with_all = ["sources", "format", "json"])]
    pub(crate) text: bool,
    /// Print the paths that the text comes from, one a line
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) sources: bool,
    /// Keep the documents that can be read when another one cannot
    #[arg(long)]
    pub(crate) keep_readable: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// The code of an environment that lost all documents.
const FAILED: &str = "environment_failed";

/// A session, and the instructions in it.
struct Loaded<'a> {
    session: &'a Context,
    instructions: &'a Instructions,
}

impl Loaded<'_> {
    /// The documents of all environments.
    fn outcome(&self) -> &InstructionsOutcome {
        &self.instructions.outcome
    }

    /// Whether several environments were chosen, however many of them were reached: the columns of
    /// a script do not depend on the network.
    fn is_about_several(&self) -> bool {
        self.session.environments().len() > 1
    }

    /// The project of an environment.
    fn project(&self, id: Option<&EnvironmentId>) -> Option<&ProjectContext> {
        let mut environments = self.session.environments().iter();
        let found = environments.find(|it| Some(&it.environment.id) == id);
        found?.project()
    }
}

/// Loads the instructions and shows them.
///
/// # Errors
/// When the directory is none or configuration cannot be used. Documents that cannot be read are
/// diagnostics.
pub(crate) fn run(
    arguments: &InstructionsArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let mut start = StartPoint::new(
        context,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::Several,
    )?;
    let is_exact = arguments.text || arguments.sources;
    start.request.parts = Parts {
        configuration: true,
        instructions: true,
        listings: !is_exact && context.display.format != Format::Tsv,
        ..Parts::NONE
    };
    start.request.document_errors = match arguments.keep_readable {
        true => DocumentErrorPolicy::KeepReadable,
        false => DocumentErrorPolicy::FailEnvironment,
    };
    let (session, mut diagnostics) = start.load(context)?;
    diagnostics.extend(found(&session)?);
    let Some(instructions) = session.instructions().get() else {
        return Err(Failure::new(
            "no instructions were loaded",
            "report this as a bug",
        ));
    };
    let loaded = Loaded {
        session: &session,
        instructions,
    };
    let output = match context.display.format {
        _ if arguments.text => {
            let text = loaded.instructions.to_string();
            return CommandOutput::verbatim(text, diagnostics, context);
        }
        _ if arguments.sources => sources(&loaded),
        Format::Tsv => rows(&loaded),
        Format::Table => shown(&loaded, context),
        Format::Jsonl => json::lines(records(to_json(&document(&loaded, &diagnostics))?))?,
        _ => json::object(&to_json(&document(&loaded, &diagnostics))?)?,
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

/// What the session found; failures of environments with what is behind them.
fn found(session: &Context) -> Result<Vec<Diagnostic>, Failure> {
    let mut shown = shown_diagnostics(found_in(session))?;
    let found = session.diagnostics().iter();
    let causes = found.filter_map(|found| match found {
        SessionDiagnostic::Instructions(found, source) if is_failure(found) => {
            Some(failure(session, found, source.as_deref()))
        }
        _ => None,
    });
    let failed = shown.iter_mut().filter(|it| it.code() == FAILED);
    for (diagnostic, cause) in failed.zip(causes) {
        if let Some(cause) = cause {
            *diagnostic = diagnostic.clone().caused_by(cause);
        }
    }
    Ok(shown)
}

fn is_failure(found: &InstructionDiagnostic) -> bool {
    found.code() == FAILED
}

/// What is behind an environment's failure: the session start's own search, or one call.
fn failure<'a>(
    session: &'a Context,
    found: &InstructionDiagnostic,
    search: Option<&'a io::Error>,
) -> Option<&'a (dyn Error + 'static)> {
    if let Some(error) = search {
        return Some(error);
    }
    let instructions = session.instructions().get()?;
    let mut environments = instructions.outcome.environments.iter();
    let id = found.environment_id.as_ref();
    let outcome = environments.find(|outcome| Some(&outcome.environment_id) == id)?;
    Some(&outcome.error.as_ref()?.source)
}

fn sources(loaded: &Loaded<'_>) -> String {
    let instructions = loaded.outcome().loaded.iter();
    let paths = instructions.flat_map(LoadedAgentsMd::sources);
    paths
        .map(|path| format!("{}\n", escaped(&path.inferred_native_path_string())))
        .collect()
}

/// Blocks for a terminal: why this root, the rows, the totals.
fn shown(loaded: &Loaded<'_>, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let mut blocks = Vec::new();
    for report in &loaded.outcome().report.environments {
        let Some(project) = loaded.project(Some(&report.environment_id)) else {
            continue;
        };
        let mut facts = root_facts(&report.cwd, project);
        if loaded.is_about_several() {
            facts.lead("environment", report.environment_id.as_str(), Style::Bold);
        }
        blocks.push(facts.shown(width, painter));
        if !report.directories.is_empty() {
            blocks.push(directories(report).aligned(width, painter));
        }
        blocks.push(totals(report, loaded).shown(width, painter));
    }
    blocks.join("\n")
}

fn directories(report: &EnvironmentReport) -> Table {
    let mut table = Table::new([
        Column::Text("DIRECTORY", Keep::End),
        Column::Text("DOCUMENT", Keep::Start),
        Column::Word("STATE"),
        Column::Number("RAW"),
        Column::Number("KEPT"),
        Column::Number("LOST"),
        Column::Number("LEFT"),
        Column::Text("NOTES", Keep::Start),
    ]);
    let top = report.directories.first().map(|row| &row.directory);
    for row in &report.directories {
        let (state, style) = words::directory_state(row.state);
        let below = top.and_then(|top| row.directory.relative_path_from(top));
        let below = below.unwrap_or_else(|| row.directory.inferred_native_path_string());
        table.push([
            Cell::new(if below.is_empty() {
                "."
            } else {
                below.as_str()
            }),
            Cell::new(document_name(row)),
            Cell::new(state).styled(style),
            Cell::new(grouped(row.raw_bytes)),
            Cell::new(grouped(row.kept_bytes)),
            Cell::new(grouped(row.lost_bytes)),
            Cell::new(grouped(row.budget_left)),
            Cell::new(notes(row)).styled(Style::Dim),
        ]);
    }
    table
}

fn document_name(row: &DirectoryRow) -> String {
    let name = row.document.as_ref().and_then(PathUri::file_name);
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What a row's numbers do not say.
fn notes(row: &DirectoryRow) -> String {
    let mut notes = Vec::new();
    if let Some(kind) = &row.error {
        notes.push(kind.clone());
    }
    for passed in &row.passed_over {
        notes.push(match passed.reason {
            PassedOverReason::NotAFile(_) => format!("{} is no file", passed.name),
            PassedOverReason::BrokenLink => format!("{} is a broken link", passed.name),
            PassedOverReason::Failure(kind) => format!("{}: {}", passed.name, kind_name(kind)),
            _ => format!("{} is passed over", passed.name),
        });
    }
    if row.splits_character {
        notes.push("cut inside a character".to_owned());
    }
    if row.replacement_characters > 0 {
        notes.push(format!(
            "{} for invalid UTF-8",
            counted(row.replacement_characters, "U+FFFD")
        ));
    }
    if let Some(names) = row.shadowed.as_ref().filter(|names| !names.is_empty()) {
        notes.push(format!("shadows {}", names.join(", ")));
    }
    for name in row.case_variants.iter().flatten() {
        notes.push(format!("{name} is no document name: case differs"));
    }
    notes.join("; ")
}

fn totals(report: &EnvironmentReport, loaded: &Loaded<'_>) -> Facts {
    let mut facts = Facts::default();
    facts.push(
        "user-level",
        match &loaded.outcome().report.user {
            Some(UserRow { source, bytes, .. }) => {
                let bytes = counted(*bytes, "byte");
                format!(
                    "{}, {bytes}, outside the budget",
                    source.inferred_native_path_string()
                )
            }
            None => "none".to_owned(),
        },
    );
    match report.status {
        EnvironmentStatus::Withheld => {
            let value = "withheld: configuration says this project is untrusted";
            facts.push_styled("documents", value, Style::Warn);
        }
        EnvironmentStatus::Disabled => {
            facts.push_styled(
                "documents",
                "switched off by a limit of 0 bytes",
                Style::Warn,
            );
        }
        EnvironmentStatus::Failed => {
            facts.push_styled("documents", "all lost to a failure, told below", Style::Bad);
        }
        _ => push_sums(&mut facts, report),
    }
    let left = grouped(report.budget_left);
    let budget = counted(report.max_bytes, "byte");
    facts.push(
        "budget",
        format!(
            "{left} left of {budget}, {}",
            words::origin(&report.max_bytes_origin)
        ),
    );
    facts
}

fn push_sums(facts: &mut Facts, report: &EnvironmentReport) {
    let kept = report
        .directories
        .iter()
        .filter(|row| row.kept_bytes > 0)
        .count();
    let considered = report.directories.len();
    let directories = if considered == 1 {
        "directory"
    } else {
        "directories"
    };
    facts.push(
        "documents",
        format!("{kept} kept, in {considered} considered {directories}"),
    );
    let [raw, kept, lost] = [report.raw_bytes, report.kept_bytes, report.lost_bytes].map(grouped);
    facts.push("bytes", format!("{raw} raw, {kept} kept, {lost} lost"));
}

/// Tab-separated rows: the user-level document first, then root to cwd. Numbers are plain. Where
/// there are several environments, the last cell names the one of a row.
fn rows(loaded: &Loaded<'_>) -> String {
    let is_about_several = loaded.is_about_several();
    let mut columns = vec![
        Column::Text("DIRECTORY", Keep::End),
        Column::Text("DOCUMENT", Keep::Start),
        Column::Word("STATE"),
        Column::Number("RAW"),
        Column::Number("KEPT"),
        Column::Number("LOST"),
        Column::Number("LEFT"),
    ];
    if is_about_several {
        columns.push(Column::Word("ENVIRONMENT"));
    }
    let mut table = Table::new(columns);
    if let Some(user) = &loaded.outcome().report.user {
        let mut cells = user_cells(user);
        if is_about_several {
            // It belongs to no environment.
            cells.push(Cell::new(""));
        }
        table.push(cells);
    }
    for report in &loaded.outcome().report.environments {
        for row in &report.directories {
            let mut cells = vec![
                Cell::new(row.directory.inferred_native_path_string()),
                Cell::new(document_name(row)),
                Cell::new(words::directory_state(row.state).0),
                Cell::new(row.raw_bytes.to_string()),
                Cell::new(row.kept_bytes.to_string()),
                Cell::new(row.lost_bytes.to_string()),
                Cell::new(row.budget_left.to_string()),
            ];
            if is_about_several {
                cells.push(Cell::new(report.environment_id.as_str()));
            }
            table.push(cells);
        }
    }
    table.tab_separated()
}

/// The row of the user-level document.
fn user_cells(user: &UserRow) -> Vec<Cell> {
    let directory = user.source.parent().unwrap_or_else(|| user.source.clone());
    let bytes = user.bytes.to_string();
    vec![
        Cell::new(directory.inferred_native_path_string()),
        Cell::new(user.source.basename().unwrap_or_default()),
        Cell::new("user"),
        Cell::new(&bytes),
        Cell::new(&bytes),
        Cell::new("0"),
        Cell::new(""),
    ]
}

/// What `--format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    text: Option<String>,
    directory: Option<&'a PathUri>,
    sources: Vec<PathUri>,
    report: &'a InstructionsReport,
    diagnostics: &'a [Diagnostic],
}

/// Everything that was found, as one document.
fn document<'a>(loaded: &'a Loaded<'_>, diagnostics: &'a [Diagnostic]) -> Document<'a> {
    let instructions = loaded.outcome().loaded.as_ref();
    Document {
        schema_version: SCHEMA_VERSION,
        text: instructions.map(LoadedAgentsMd::text),
        directory: instructions.and_then(directory),
        sources: instructions
            .iter()
            .flat_map(|loaded| loaded.sources())
            .collect(),
        report: &loaded.outcome().report,
        diagnostics,
    }
}

/// The directory in the fragment's header.
fn directory(instructions: &LoadedAgentsMd) -> Option<&PathUri> {
    instructions.contextual_user_fragment().directory?;
    instructions
        .entries()
        .iter()
        .find_map(|entry| match &entry.provenance {
            InstructionProvenance::Project { cwd, .. } => Some(cwd),
            _ => None,
        })
}

/// One line for the text, the user-level document, each environment, directory and finding.
fn records(mut document: Value) -> Vec<(&'static str, Value)> {
    let mut report = document
        .as_object_mut()
        .and_then(|map| map.shift_remove("report"));
    let mut take = |key| {
        report
            .as_mut()
            .and_then(|report| report.get_mut(key))
            .map(Value::take)
    };
    let user = take("user").filter(Value::is_object);
    let environments = take("environments");

    let mut records = json::split("instructions", document, &[("diagnostics", "diagnostic")]);
    let diagnostics = records.split_off(1);
    records.extend(user.map(|user| ("user", user)));
    for environment in environments.iter().filter_map(Value::as_array).flatten() {
        let id = environment
            .get("environmentId")
            .cloned()
            .unwrap_or_default();
        let rows = json::split(
            "environment",
            environment.clone(),
            &[("directories", "directory")],
        );
        records.extend(rows.into_iter().map(|(name, mut row)| {
            if let Some(fields) = row.as_object_mut() {
                fields.insert("environmentId".to_owned(), id.clone());
            }
            (name, row)
        }));
    }
    records.extend(diagnostics);
    records
}
