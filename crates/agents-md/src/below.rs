//! Which documents apply to one file, also where it lies below the start directory.
//!
//! A session loads the documents from the project root to its start directory. A file further down
//! may have more of them in the directories on its way; they are asked for when somebody works on
//! the file, and never become part of the session by themselves.

use codex_config::Config;
use codex_file_system::{ExecutorFileSystem, Lookahead};
use codex_path_uri::PathUri;

use crate::diagnostic::InstructionDiagnostic;
use crate::error::InstructionsError;
use crate::input::{DocumentErrorPolicy, Settings, TurnEnvironment};
use crate::load::{Earlier, read_documents, row_diagnostics};
use crate::read::DocumentReader;
use crate::report::{DirectoryRow, EnvironmentReport, InstructionCalls};

/// The documents that apply to a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct FileDocuments {
    /// The file.
    pub file: PathUri,
    /// The directories from the project root to that of the file, with what each contributes. Those
    /// that the session has considered come first, as they are there.
    pub directories: Vec<DirectoryRow>,
    /// How many of them the session has considered.
    pub known: usize,
    /// What was found in the others.
    pub diagnostics: Vec<InstructionDiagnostic>,
    /// Why the others contribute nothing, under `FailEnvironment`.
    pub error: Option<InstructionsError>,
    /// The calls that the others took.
    pub calls: InstructionCalls,
}

/// Finds the documents that apply to `file`, given what a session has loaded in its environment.
///
/// `session` is the account of `environment` in that load; its rows are used and not asked for
/// again. The other directories have a budget of their own, as large as the session's. A file
/// outside the project has no document but those of directories that the session considered.
///
/// # Round trips
/// None for a file in a directory that the session has considered; else those of the documents of
/// the other directories ([`load_project_instructions_with`](crate::load_project_instructions_with)),
/// in the window of `fs`.
///
/// # Errors
/// None: a failure is in the result.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_agents_md::{
///     DocumentErrorPolicy, TurnEnvironment, TurnEnvironmentSnapshot, documents_for,
///     load_project_instructions,
/// };
/// use codex_config::Config;
/// use codex_file_system::{Environment, EnvironmentId, Lookahead, Window};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # futures::executor::block_on(async {
/// let tree = "/repo/.git/\n/repo/AGENTS.md = root\n/repo/a/b/AGENTS.md = deep\n/repo/a/b/x.rs =";
/// let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
/// let cwd = PathUri::parse("file:///repo")?;
/// let id = EnvironmentId::new("local")?;
/// let environment = Environment::new(id.clone(), cwd.clone(), fs.clone());
/// let turn = TurnEnvironment::new(id, environment, cwd);
/// let snapshot = TurnEnvironmentSnapshot { turn_environments: vec![turn.clone()] };
/// let config = Config::default();
/// let session = load_project_instructions(&config, None, &snapshot).await;
///
/// let file = PathUri::parse("file:///repo/a/b/x.rs")?;
/// let report = &session.report.environments[0];
/// let lookahead = Lookahead::new(&*fs, Window::default());
/// let policy = DocumentErrorPolicy::default();
/// let search = documents_for(&lookahead, &config, &turn, report, &file, policy);
/// let found = lookahead.drive(search).await;
/// let texts: Vec<_> = found.directories.iter().filter_map(|row| row.text()).collect();
/// assert_eq!((texts, found.known), (vec!["root", "deep"], 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn documents_for(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    config: &Config,
    environment: &TurnEnvironment,
    session: &EnvironmentReport,
    file: &PathUri,
    policy: DocumentErrorPolicy,
) -> FileDocuments {
    let rows = session.directories.iter();
    let known: Vec<DirectoryRow> = rows
        .filter(|row| file.starts_with(&row.directory) && *file != row.directory)
        .cloned()
        .collect();
    let mut found = FileDocuments {
        file: file.clone(),
        known: known.len(),
        directories: known,
        diagnostics: Vec::new(),
        error: None,
        calls: InstructionCalls::default(),
    };
    let Some(nearest) = found.directories.last().map(|row| row.directory.clone()) else {
        return found;
    };
    let mut others: Vec<PathUri> = file
        .ancestors()
        .skip(1)
        .take_while(|directory| *directory != nearest)
        .collect();
    others.reverse();
    let settings = Settings::new(config, environment);
    let reader = DocumentReader {
        fs,
        turn: environment,
        names: &settings.names,
        max_bytes: settings.max_bytes,
        policy,
    };
    let (rows, error) = read_documents(&reader, &others, &mut found.calls).await;
    let id = &environment.environment_id;
    found.diagnostics = row_diagnostics(id, &rows, &mut Earlier::default());
    found.error = error;
    found.directories.extend(rows);
    found
}
