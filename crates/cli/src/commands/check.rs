//! `check [DIR]`: what agents lose anywhere in a repository, for continuous integration.
//!
//! One bounded walk finds every directory that has a document or a skill root; each is the start
//! directory of one load. A loss that several of them share is reported once. Losses only: what is
//! doubtful and loses nothing is for the other commands.

use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use clap::builder::ValueHint;
use codex_context::{Context, ContextError, StartDirectory};
use codex_file_system::{FileKind, Severity, TextPosition, Walk, WalkOptions};
use codex_path_uri::PathUri;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};

use crate::environments::Arity;
use crate::exit::Failure;
use crate::host;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::{Diagnostic, Spelling};
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::{Cell, Column, Facts, Table};
use crate::output::text::{Keep, Painter, Style, grouped};
use crate::run::{CommandContext, CommandOutput, StartPoint};

mod report;

/// Folders that hold nothing an agent starts in: Git's own files, and code of others.
const SKIPPED: [&str; 2] = [".git", "node_modules"];
/// Where the skills of a project are, below a directory.
const SKILL_ROOTS: [&str; 2] = ["/.agents/skills", "/.codex/skills"];
/// Loads at the same time.
const LOADS: usize = 4;
/// Codes of warnings that lose nothing.
const NO_LOSS: [&str; 7] = [
    "config_home_missing",
    "config_home_unknown",
    "duplicate_document",
    "mention_ambiguous",
    "worktree_unknown",
    "wrapper_tag_in_directory",
    "wrapper_tag_in_document",
];
/// The code of a link without a target, which loses whatever it should lead to.
const BROKEN_LINK: &str = "broken_link";

/// `check [DIR]`
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The repository, or a part of it; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Do not count the losses in this file, which --format json wrote
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) baseline: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Something that is lost.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Loss {
    /// The first start directory that loses it.
    directory: PathUri,
    /// The file, from the project root; elsewhere its whole URI. Null where it is about no file.
    location: Option<String>,
    /// The same as people write it.
    #[serde(skip)]
    file: Option<String>,
    line: Option<u32>,
    column: Option<u32>,
    /// Whether the baseline has it.
    known: bool,
    diagnostic: Diagnostic,
}

/// What `--format json` prints, and what a baseline is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    /// What locations are relative to.
    root: &'a PathUri,
    directories_checked: usize,
    losses: &'a [Loss],
}

#[derive(Deserialize)]
struct Baseline {
    losses: Vec<KnownLoss>,
}

#[derive(Deserialize)]
struct KnownLoss {
    location: Option<String>,
    diagnostic: KnownDiagnostic,
}

#[derive(Deserialize)]
struct KnownDiagnostic {
    code: String,
}

/// Loads from every start directory and reports what is lost.
///
/// # Errors
/// When the directory is none, cannot be reached or walked, or the baseline cannot be read.
pub(crate) fn run(
    arguments: &CheckArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let common = &arguments.common;
    let directory = arguments.directory.as_ref();
    let place = StartPoint::new(context, common, directory, Arity::One)?;
    let known = match &arguments.baseline {
        Some(baseline) => context.load(known_losses(baseline, &place))??,
        None => HashSet::new(),
    };
    let (root, loads, of_walk) = context.load(load(&place))??;
    let losses = losses(&root, &loads, of_walk, &known)?;
    let fresh: Vec<&Loss> = losses.iter().filter(|loss| !loss.known).collect();
    let output = match context.display.format {
        Format::Sarif => report::sarif(&fresh)?,
        Format::Github => report::annotations(&fresh),
        Format::Tsv => table(&fresh).tab_separated(),
        Format::Table => shown(&losses, &fresh, loads.len(), context),
        format => {
            let document = Document {
                schema_version: SCHEMA_VERSION,
                root: &root,
                directories_checked: loads.len(),
                losses: &losses,
            };
            json::document(format, "check", &document, &[("losses", "loss")])?
        }
    };
    let diagnostics = fresh.iter().map(|loss| loss.diagnostic.clone());
    Ok(CommandOutput {
        output,
        diagnostics: diagnostics.map(Diagnostic::in_result).collect(),
    })
}

/// Code and location of the losses in the baseline.
async fn known_losses(path: &Path, place: &StartPoint) -> Result<Known, Failure> {
    let unusable = |error: Box<dyn Error + Send + Sync>| {
        let what = format!("cannot use the baseline {}", path.display());
        Failure::new(what, "write it with `check --format json`").caused_by(error)
    };
    let (filesystem, path) = (&place.bound.host.filesystem, host::uri(path)?);
    let text = filesystem.read_file_text(&path, None).await;
    let text = text.map_err(|error| unusable(error.into()))?;
    let baseline: Baseline = serde_json::from_str(&text).map_err(|error| unusable(error.into()))?;
    let losses = baseline.losses.into_iter();
    Ok(losses.map(|it| (it.diagnostic.code, it.location)).collect())
}

/// Code and location of losses.
type Known = HashSet<(String, Option<String>)>;
/// What a walk did not see, and where.
type Unseen = Vec<(PathUri, Diagnostic)>;
type Loads = Vec<(PathUri, Result<Context, ContextError>)>;

/// The project root, a load from every start directory, and what the walk did not see.
async fn load(place: &StartPoint) -> Result<(PathUri, Loads, Unseen), Failure> {
    let request = &place.request;
    let top = match codex_context::load(request).await {
        Ok(top) => top,
        Err(error) => return Err(place.bound.failure(error).await),
    };
    let Some((environment, project)) = top.first() else {
        return Err(Failure::new(
            "cannot start nowhere",
            "choose an environment",
        ));
    };
    let (cwd, filesystem) = (environment.cwd.clone(), Arc::clone(&environment.filesystem));
    let root = project.root().unwrap_or(&cwd).clone();
    let options = WalkOptions {
        follow_directory_symlinks: false,
        ..WalkOptions::default()
    };
    let walk = filesystem.walk(&cwd, &options, None).await;
    let walk = walk.map_err(|error| {
        let what = format!("cannot walk {}", cwd.inferred_native_path_string());
        Failure::new(what, "name a directory that can be listed").caused_by(error)
    })?;
    let of_walk = walk_diagnostics(&cwd, &walk)?;
    let mut starts = start_directories(&walk, &document_names(&top));
    starts.remove(&cwd);
    let loads = starts.into_iter().map(|directory| {
        let mut request = request.clone();
        if let Some(environment) = request.environments.first_mut() {
            environment.cwd = directory.clone();
            environment.start_directory = StartDirectory::Known;
        }
        async move { (directory, codex_context::load(&request).await) }
    });
    let others = futures::stream::iter(loads).buffered(LOADS);
    let mut loads = vec![(cwd, Ok(top))];
    loads.extend(others.collect::<Vec<_>>().await);
    Ok((root, loads, of_walk))
}

/// The names that documents have here.
fn document_names(top: &Context) -> Vec<String> {
    let instructions = top.instructions().get();
    let report = instructions.and_then(|it| it.outcome.report.environments.first());
    report.map(|it| it.names.clone()).unwrap_or_default()
}

/// Every directory with a document or a skill root.
fn start_directories(walk: &Walk, names: &[String]) -> BTreeSet<PathUri> {
    let mut starts = BTreeSet::new();
    for entry in &walk.entries {
        let path = entry.path.as_str();
        if is_skipped(path) {
            continue;
        }
        let name = entry.path.basename();
        let is_document = names.iter().any(|it| Some(it.as_str()) == name.as_deref());
        let is_skill_root = SKILL_ROOTS.iter().any(|root| path.ends_with(root));
        let parent = entry.path.parent();
        starts.extend(match entry.kind {
            FileKind::Directory if is_skill_root => parent.and_then(|folder| folder.parent()),
            FileKind::Directory => None,
            _ if is_document => parent,
            _ => None,
        });
    }
    starts
}

fn is_skipped(path: &str) -> bool {
    path.split('/').any(|name| SKIPPED.contains(&name))
}

/// What the walk did not see may lose anything.
fn walk_diagnostics(cwd: &PathUri, walk: &Walk) -> serde_json::Result<Unseen> {
    let mut found = Vec::new();
    for error in walk
        .errors
        .iter()
        .filter(|it| !is_skipped(it.path.as_str()))
    {
        let sentence = format!(
            "the directory `{}` cannot be listed: {}",
            error.path, error.error
        );
        let diagnostic = of_directory("directory_unreadable", &sentence, &error.path)?;
        found.push((error.path.clone(), diagnostic));
    }
    if walk.truncated {
        let sentence = format!("`{cwd}` has more directories or files than one walk looks at");
        let diagnostic = of_directory("walk_truncated", &sentence, cwd)?;
        found.push((cwd.clone(), diagnostic));
    }
    Ok(found)
}

fn of_directory(code: &str, sentence: &str, path: &PathUri) -> serde_json::Result<Diagnostic> {
    #[derive(Serialize)]
    struct Fields<'a> {
        path: &'a PathUri,
    }
    Diagnostic::new(Severity::Error, code, sentence, &Fields { path })
}

/// Every loss once, in the order of the start directories.
fn losses(
    root: &PathUri,
    loads: &Loads,
    of_walk: Unseen,
    known: &Known,
) -> Result<Vec<Loss>, Failure> {
    let mut losses = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |start: &PathUri,
                   path: Option<&PathUri>,
                   position: Option<TextPosition>,
                   diagnostic: Diagnostic| {
        let location = path.map(|path| relative(root, path));
        let key = (diagnostic.code().to_owned(), location.clone());
        let known = known.contains(&key);
        if seen.insert(key) {
            losses.push(Loss {
                directory: start.clone(),
                location,
                file: path.map(|path| {
                    let below = path.relative_path_from(root).filter(|it| !it.is_empty());
                    below.unwrap_or_else(|| path.inferred_native_path_string())
                }),
                line: position.map(|it| it.line),
                column: position.map(|it| it.column),
                known,
                diagnostic,
            });
        }
    };
    for (start, loaded) in loads {
        match loaded {
            Ok(loaded) => {
                for found in loaded.diagnostics().iter().filter(|it| is_loss(it)) {
                    let diagnostic = Diagnostic::of_context(found)?;
                    add(start, found.path(), found.position(), diagnostic);
                }
            }
            Err(error) => {
                let diagnostic = of_directory("start_failed", &error.to_string(), start)?;
                add(start, Some(start), None, diagnostic);
            }
        }
    }
    if let Some((start, _)) = loads.first() {
        for (path, diagnostic) in of_walk {
            add(start, Some(&path), None, diagnostic);
        }
    }
    Ok(losses)
}

fn is_loss(found: &codex_context::Diagnostic) -> bool {
    let is_serious = found.severity() >= Severity::Warning && !NO_LOSS.contains(&found.code());
    is_serious || found.code() == BROKEN_LINK
}

/// The URI of `path` from `root`; the whole one elsewhere.
fn relative(root: &PathUri, path: &PathUri) -> String {
    let base = root.as_str().trim_end_matches('/');
    let below = path.as_str().strip_prefix(base);
    match below.and_then(|below| below.strip_prefix('/')) {
        Some(below) => below.to_owned(),
        None if path == root => ".".to_owned(),
        None => path.as_str().to_owned(),
    }
}

/// How results spell what they are about: there is one environment.
const SPELLING: Spelling = Spelling {
    painter: Painter { colored: false },
    has_native_paths: true,
    names_environments: false,
};

fn table(losses: &[&Loss]) -> Table {
    let mut table = Table::new([
        Column::Text("PLACE", Keep::End),
        Column::Word("CODE"),
        Column::Text("LOSS", Keep::Start),
    ]);
    for loss in losses {
        let mut place = loss.file.clone().unwrap_or_default();
        for number in [loss.line, loss.column].into_iter().flatten() {
            place.push_str(&format!(":{number}"));
        }
        table.push([
            Cell::new(place),
            Cell::new(loss.diagnostic.code()).styled(Style::Warn),
            Cell::new(loss.diagnostic.sentence(SPELLING)),
        ]);
    }
    table
}

fn shown(losses: &[Loss], fresh: &[&Loss], directories: usize, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let mut facts = Facts::default();
    facts.push("directories checked", directories.to_string());
    let number = |count: usize| grouped(u64::try_from(count).unwrap_or(u64::MAX));
    let style = if fresh.is_empty() {
        Style::Good
    } else {
        Style::Bad
    };
    facts.push_styled("losses", number(fresh.len()), style);
    let known = losses.len() - fresh.len();
    if known > 0 {
        facts.push("known losses", number(known));
    }
    let facts = facts.shown(width, painter);
    match fresh.is_empty() {
        true => facts,
        false => format!("{}\n{facts}", table(fresh).aligned(width, painter)),
    }
}
