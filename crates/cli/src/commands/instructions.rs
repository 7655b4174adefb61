//! `instructions [DIR]`: exactly what an agent is given, from which files, and what was lost.
//!
//! One session start, then the instructions with the root that it found; the user-level text is
//! loaded at the same time. Directories are listed afterwards, for the table and JSON only, to
//! tell which documents the chosen ones hide.

use std::error::Error;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionDiagnostic, InstructionDiagnosticCode, InstructionProvenance,
    InstructionsOptions, InstructionsOutcome, InstructionsReport, LoadedAgentsMd, TurnEnvironment,
    TurnEnvironmentSnapshot, UserInstructionsOutcome, add_listings, load_project_instructions_with,
    load_user_instructions,
};
use codex_file_system::FindUpErrorPolicy;
use codex_path_uri::PathUri;
use futures::future::join;
use serde::Serialize;
use serde_json::Value;

use super::{Answer, Place, Run};
use crate::args::{Format, InstructionsArguments};
use crate::exit::Failure;
use crate::render::escape::escaped;
use crate::render::finding::Finding;
use crate::render::json::{self, SCHEMA_VERSION, to_json};
use crate::session::{Configured, ProjectLayers, SessionStart};

mod table;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    text: Option<String>,
    directory: Option<&'a PathUri>,
    sources: Vec<PathUri>,
    report: &'a InstructionsReport,
    diagnostics: Vec<Value>,
}

/// Everything that one run found.
struct Loaded {
    configured: Configured,
    user: UserInstructionsOutcome,
    outcome: InstructionsOutcome,
}

/// What is shown of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Text,
    Sources,
    Rows,
    Formatted(Format),
}

impl Shape {
    fn new(arguments: &InstructionsArguments, run: &Run) -> Self {
        match run.display.format {
            _ if arguments.text => Self::Text,
            _ if arguments.sources => Self::Sources,
            None => Self::Rows,
            Some(format) => Self::Formatted(format),
        }
    }
}

/// Loads the instructions and shows them.
///
/// # Errors
/// When the directory is none or configuration cannot be used. Documents that cannot be read are
/// findings.
pub(crate) fn run(arguments: &InstructionsArguments, run: &Run) -> Result<Answer, Failure> {
    let options = &arguments.common.configuration;
    let place = Place::new(run, options, arguments.directory.as_ref())?;
    let start = place.session()?;
    let shape = Shape::new(arguments, run);
    let loaded = run.load(load(&start, arguments, shape))?;
    let findings = findings(&loaded)?;
    let output = match shape {
        Shape::Text => fragment(&loaded),
        Shape::Sources => sources(&loaded),
        Shape::Rows => table::rows(&loaded),
        Shape::Formatted(Format::Table) => table::shown(&loaded, run),
        Shape::Formatted(Format::Json) => json::object(&to_json(&document(&loaded, &findings))?)?,
        Shape::Formatted(Format::Jsonl) => {
            json::lines(records(to_json(&document(&loaded, &findings))?))?
        }
    };
    Ok(Answer { output, findings })
}

async fn load(
    start: &SessionStart<'_>,
    arguments: &InstructionsArguments,
    shape: Shape,
) -> Result<Loaded, Failure> {
    let (policy, document_errors) = if arguments.keep_readable {
        (FindUpErrorPolicy::Ignore, DocumentErrorPolicy::KeepReadable)
    } else {
        (
            FindUpErrorPolicy::Propagate,
            DocumentErrorPolicy::FailEnvironment,
        )
    };
    let window = arguments.common.cost.window_or_default();
    // The user-level text depends on nothing that the session start finds.
    let (configured, user) = join(
        start.configure(policy, ProjectLayers::Enabled, window),
        load_user_instructions(start.host, &start.settings.config_home),
    )
    .await;
    let configured = configured?;

    let environment = start.environment;
    let (id, cwd) = (environment.id().clone(), environment.cwd().clone());
    let documents = configured.trust.project_documents(&cwd);
    let turn = TurnEnvironment::new(id, environment.clone(), cwd)
        .with_project_documents(documents)
        .with_project_root(configured.located.project_root());
    let snapshot = TurnEnvironmentSnapshot {
        turn_environments: vec![turn],
    };
    let options = InstructionsOptions::default()
        .with_document_errors(document_errors)
        .with_candidate_window(window)
        .with_read_window(window);
    let (config, instructions) = (&configured.config, user.instructions.clone());
    let mut outcome =
        load_project_instructions_with(config, instructions, &snapshot, &options).await;
    if matches!(shape, Shape::Formatted(_)) {
        add_listings(&mut outcome.report, &snapshot, window).await;
    }
    Ok(Loaded {
        configured,
        user,
        outcome,
    })
}

/// What configuration, the user-level text, the documents and the listings had to say.
fn findings(loaded: &Loaded) -> Result<Vec<Finding>, Failure> {
    let of_config = loaded.configured.diagnostics().map(Finding::of_config);
    let mut found: Vec<Finding> = of_config.collect::<Result<_, _>>()?;
    let listed = loaded.outcome.report.listing_diagnostics();
    let of_user = loaded.user.diagnostics.iter();
    for diagnostic in of_user.chain(&loaded.outcome.diagnostics).chain(&listed) {
        let finding = Finding::of_instructions(diagnostic)?;
        found.push(match failure(loaded, diagnostic) {
            Some(cause) => finding.caused_by(cause),
            None => finding,
        });
    }
    Ok(found)
}

/// What is behind an environment's failure: the session start's own search, or one call.
fn failure<'a>(
    loaded: &'a Loaded,
    diagnostic: &InstructionDiagnostic,
) -> Option<&'a (dyn Error + 'static)> {
    if diagnostic.code != InstructionDiagnosticCode::EnvironmentFailed {
        return None;
    }
    if let Err(error) = &loaded.configured.located.search {
        return Some(error.as_ref());
    }
    let mut environments = loaded.outcome.environments.iter();
    let outcome = environments
        .find(|outcome| Some(&outcome.environment_id) == diagnostic.environment_id.as_ref())?;
    Some(&outcome.error.as_ref()?.source)
}

/// The text as the model sees it; nothing where there is none.
fn fragment(loaded: &Loaded) -> String {
    let instructions = loaded.outcome.loaded.as_ref();
    instructions
        .map(|text| text.contextual_user_fragment().render())
        .unwrap_or_default()
}

fn sources(loaded: &Loaded) -> String {
    let instructions = loaded.outcome.loaded.iter();
    let paths = instructions.flat_map(LoadedAgentsMd::sources);
    paths
        .map(|path| format!("{}\n", escaped(&path.inferred_native_path_string())))
        .collect()
}

fn document<'a>(loaded: &'a Loaded, findings: &[Finding]) -> Document<'a> {
    let instructions = loaded.outcome.loaded.as_ref();
    Document {
        schema_version: SCHEMA_VERSION,
        text: instructions.map(LoadedAgentsMd::text),
        directory: instructions.and_then(directory),
        sources: instructions
            .iter()
            .flat_map(|loaded| loaded.sources())
            .collect(),
        report: &loaded.outcome.report,
        diagnostics: findings.iter().map(Finding::to_value).collect(),
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
    let findings = records.split_off(1);
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
    records.extend(findings);
    records
}
