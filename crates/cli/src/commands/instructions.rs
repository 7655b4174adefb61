//! `instructions [DIR]`: exactly what an agent is given, from which files, and what was lost.
//!
//! One session start, then the instructions with the root that it found; the user-level text is
//! loaded at the same time. Directories are listed afterwards, for the table and JSON only, to
//! tell which documents the chosen ones hide.

use std::error::Error;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionDiagnostic, InstructionDiagnosticKind, InstructionsOptions,
    InstructionsOutcome, LoadedAgentsMd, TurnEnvironmentSnapshot, UserInstructionsOutcome,
    add_listings, load_project_instructions_with, load_user_instructions,
};
use codex_file_system::{EnvironmentId, FindUpErrorPolicy};
use futures::future::{FutureExt as _, try_join};
use tracing::{Instrument as _, debug_span};

use super::{Answer, Place, Run};
use crate::args::{Format, InstructionsArguments};
use crate::environments::Arity;
use crate::exit::Failure;
use crate::render::escape::escaped;
use crate::render::finding::Finding;
use crate::render::json::{self, to_json};
use crate::session::{Located, Session, SessionStart};

mod document;
mod table;

use document::{document, records};

/// Everything that one run found.
struct Loaded {
    session: Session,
    user: UserInstructionsOutcome,
    outcome: InstructionsOutcome,
}

impl Loaded {
    /// What was located in an environment; in the first one, where none is named.
    fn located(&self, id: Option<&EnvironmentId>) -> &Located {
        let mut others = self.session.others.iter();
        let other = others.find(|other| Some(other.environment.id()) == id);
        other.map_or(self.session.located(), |other| &other.located)
    }
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
    let place = Place::new(
        run,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::Several,
    )?;
    let start = place.session();
    let shape = Shape::new(arguments, run);
    let loaded = run.load(load(&start, arguments, shape))??;
    let findings = findings(place.settings.findings()?, &loaded)?;
    let output = match shape {
        Shape::Text => return Answer::verbatim(fragment(&loaded), findings, run),
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
    let session = start.begin(policy);
    // The user-level text depends on nothing that the session start finds.
    let user = load_user_instructions(start.host.filesystem(), &start.settings.config_home);
    let user = user.instrument(debug_span!("user_instructions")).map(Ok);
    let (session, user) = try_join(session, user).await?;

    let found = std::iter::once(&session.first).chain(&session.others);
    let snapshot = TurnEnvironmentSnapshot {
        turn_environments: found.map(|found| found.turn()).collect(),
    };
    let options = InstructionsOptions {
        document_errors,
        window,
    };
    let (config, instructions) = (&session.config, user.instructions.clone());
    let mut outcome =
        load_project_instructions_with(config, instructions, &snapshot, &options).await;
    if matches!(shape, Shape::Formatted(_)) {
        let listings = add_listings(&mut outcome.report, &snapshot);
        listings.instrument(debug_span!("listings")).await;
    }
    Ok(Loaded {
        session,
        user,
        outcome,
    })
}

/// After those `of_settings`, what configuration, the user-level text, the documents and the
/// listings had to say.
fn findings(of_settings: Vec<Finding>, loaded: &Loaded) -> Result<Vec<Finding>, Failure> {
    let of_config = loaded.session.diagnostics().map(Finding::of_applied_config);
    let mut found = of_settings;
    found.extend(loaded.session.unreachable.iter().cloned());
    found.extend(of_config.collect::<Result<Vec<_>, _>>()?);
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
    if !matches!(
        diagnostic.kind,
        InstructionDiagnosticKind::EnvironmentFailed { .. }
    ) {
        return None;
    }
    let located = loaded.located(diagnostic.environment_id.as_ref());
    if let Err(error) = &located.search {
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
