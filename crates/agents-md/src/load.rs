//! The way through: environments at the same time, judged in input order.
//!
//! A load has no state between calls and no fallback: every call of an environment goes to that
//! environment's filesystem, and what fails there stays there.

use codex_config::Config;
use futures::stream::{FuturesOrdered, StreamExt};

use crate::answers::EnvironmentAnswers;
use crate::conclude::conclude;
use crate::environment::load_environment;
use crate::options::InstructionsOptions;
use crate::outcome::InstructionsOutcome;
use crate::snapshot::TurnEnvironmentSnapshot;
use crate::user::UserInstructions;

/// Loads the project instructions of a turn with the default options.
///
/// This is [`load_project_instructions_with`] and [`InstructionsOptions::default`].
///
/// # Round trips
/// Those of [`load_project_instructions_with`] with all windows 8.
///
/// # Errors
/// None: a failure is in the outcome of its environment.
///
/// # Cancellation
/// Dropping the future starts no further call; calls already sent may still finish remotely.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions};
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/AGENTS.md = root\n/repo/src/AGENTS.md = leaf";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo/src")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs);
/// let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
///
/// let snapshot = TurnEnvironmentSnapshot { turn_environments };
/// let outcome = load_project_instructions(&Config::default(), None, &snapshot).await;
/// assert_eq!(outcome.loaded.map(|loaded| loaded.text()).as_deref(), Some("root\n\nleaf"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn load_project_instructions(
    config: &Config,
    user_instructions: Option<UserInstructions>,
    environments: &TurnEnvironmentSnapshot,
) -> InstructionsOutcome {
    let options = InstructionsOptions::default();
    load_project_instructions_with(config, user_instructions, environments, &options).await
}

/// Loads the project instructions of a turn: for each environment at most one document per
/// directory from the project root to the working directory, within the configured budget,
/// behind the user-level text.
///
/// # Round trips
/// Per environment, with D directories, M markers, A ancestors of the working directory, k the
/// number of the probe that finds the root, c the names asked in a directory, and R documents
/// that fit; equal latencies:
///
/// | phase | calls | dependent round trips |
/// |---|---|---|
/// | markers, root found | min(A·M, 8·⌈k/8⌉) | ⌈k/8⌉ |
/// | markers, none found | A·M | ⌈A·M/8⌉ |
/// | markers disabled, root known or failed | 0 | 0 |
/// | candidates | Σ c, those of the serial algorithm | max c if the window holds all D; Σ c in window 1 |
/// | reads | R | ⌈R/window⌉, plus one per wait for a blank document's room |
/// | withheld, or a limit of 0 bytes | 0 | 0 |
///
/// At most max(8, `candidate_window`, `read_window`) calls are in flight per environment; a
/// window of 1 issues no speculative call. Environments run at the same time, up to
/// `environment_window`: calls add up, round trips are those of the slowest.
///
/// # Errors
/// None: a failure is in the outcome of its environment, the first in order (markers, then root
/// to working directory), whichever answer came first. `NotFound` is no failure.
///
/// # Cancellation
/// Dropping the future starts no further call; calls already sent may still finish remotely.
/// Nothing is spawned.
///
/// # Examples
/// One unreadable document does not hide the others under `KeepReadable`:
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{
///     DocumentErrorPolicy, InstructionsOptions, TurnEnvironment, TurnEnvironmentSnapshot,
///     load_project_instructions_with,
/// };
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/AGENTS.md !000 = root\n/repo/src/AGENTS.md = leaf";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo/src")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs);
/// let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
///
/// let snapshot = TurnEnvironmentSnapshot { turn_environments };
/// let options =
///     InstructionsOptions::default().with_document_errors(DocumentErrorPolicy::KeepReadable);
/// let config = Config::default();
/// let outcome = load_project_instructions_with(&config, None, &snapshot, &options).await;
/// assert_eq!(outcome.loaded.map(|loaded| loaded.text()).as_deref(), Some("leaf"));
/// assert_eq!(outcome.diagnostics[0].code.as_str(), "document_unreadable");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn load_project_instructions_with(
    config: &Config,
    user_instructions: Option<UserInstructions>,
    environments: &TurnEnvironmentSnapshot,
    options: &InstructionsOptions,
) -> InstructionsOutcome {
    let answers = load_environments(config, environments, options).await;
    let outcome = conclude(user_instructions, answers);
    for diagnostic in &outcome.diagnostics {
        diagnostic.emit_event();
    }
    outcome
}

async fn load_environments<'a>(
    config: &Config,
    environments: &'a TurnEnvironmentSnapshot,
    options: &InstructionsOptions,
) -> Vec<EnvironmentAnswers<'a>> {
    let mut answers = Vec::with_capacity(environments.turn_environments.len());
    let mut to_load = environments.turn_environments.iter();
    let mut loading = FuturesOrdered::new();
    loop {
        while loading.len() < options.environment_window.get()
            && let Some(turn) = to_load.next()
        {
            loading.push_back(load_environment(config, turn, options));
        }
        match loading.next().await {
            Some(answer) => answers.push(answer),
            None => return answers,
        }
    }
}
