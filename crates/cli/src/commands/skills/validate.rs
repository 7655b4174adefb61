//! `skills validate PATH...`: the lint of the Agent Skills specification.
//!
//! Each argument is a directory with a `SKILL.md`, or such a file; one call each, all together. A
//! directory without one is searched for skills as loading would, one such directory after the other.
//! Loading a skill asks for less: what only the specification forbids works all the same.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{io, slice};

use clap::Args;
use clap::builder::ValueHint;
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, Severity, Window,
};
use codex_path_uri::PathUri;
use codex_skills::{
    DEFAULT_SKILL_WINDOW, SKILL_FILE_NAME, SkillDiagnostic, SkillDiagnosticCode,
    SkillDiagnosticCode as Code, SkillLoadOptions, SkillRoot, SkillScope, check_loadable,
    load_skills, validate,
};
use futures::stream::{self, StreamExt as _};
use serde::Serialize;

use crate::environments::{self, BoundEnvironments};
use crate::exit::Failure;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::{Cell, Column, Table};
use crate::output::text::{Keep, Style, counted};
use crate::run::{CommandContext, CommandOutput, bind_at};

/// `skills validate PATH...`
#[derive(Debug, Args)]
pub(crate) struct SkillsValidateArguments {
    /// Directories with a SKILL.md, such files, or directories of skills
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    skills: Vec<Entry<'a>>,
    diagnostics: &'a [Diagnostic],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    path: &'a PathUri,
    environment_id: &'a EnvironmentId,
    is_valid: bool,
    is_loadable: bool,
    codes: Vec<&'static str>,
}

/// One file and what there is to say about it.
struct Linted {
    path: PathUri,
    /// Whether loading makes a skill of it.
    is_loadable: bool,
    found: Vec<SkillDiagnostic>,
    /// Why it cannot be read.
    failure: Option<io::Error>,
}

impl Linted {
    fn diagnostics(&self) -> serde_json::Result<Vec<Diagnostic>> {
        let finding = |diagnostic| {
            let finding = Diagnostic::of_skills(diagnostic)?.asked_for();
            // A missing file needs no explanation.
            let failure = self.failure.as_ref().filter(|_| !self.is_absent());
            Ok(match failure {
                Some(cause) => finding.caused_by(cause),
                None => finding,
            })
        };
        self.found.iter().map(finding).collect()
    }

    /// The codes of what was found, each once.
    fn codes(&self) -> Vec<&'static str> {
        let mut codes: Vec<&str> = Vec::new();
        for code in self.found.iter().map(|it| it.code.as_str()) {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes
    }

    /// Whether there is no file.
    fn is_absent(&self) -> bool {
        let absent = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        let mut kinds = self.found.iter().filter_map(|it| it.io_kind);
        kinds.any(|kind| absent.contains(&kind))
    }
}

/// Everything that was found.
#[derive(Default)]
struct Lint {
    skills: Vec<Linted>,
    /// What kept skills from being found.
    others: Vec<SkillDiagnostic>,
}

/// Reads every file and lints it, in order.
///
/// # Errors
/// When a path cannot be made absolute, or nothing is there. A file that cannot be read is a finding.
pub(super) fn run(
    arguments: &SkillsValidateArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let paths: Vec<PathUri> = arguments
        .paths
        .iter()
        .map(|path| environments::path(&arguments.common, path))
        .collect::<Result<_, _>>()?;
    let first = paths.iter().map(skill_file).next();
    let Some(directory) = first.and_then(|file| file.parent()) else {
        return Err(Failure::new("cannot validate nothing", "name a directory"));
    };
    let bound = bind_at(context, &arguments.common, directory)?;
    let environment = bound.only()?;
    let window = arguments.common.cost.window.unwrap_or(DEFAULT_SKILL_WINDOW);
    let lint = context.load(bound.greeted(lint_all(&bound, environment, paths, window)))???;

    let (linted, mut diagnostics) = (lint.skills, Vec::new());
    for linted in &linted {
        diagnostics.extend(linted.diagnostics()?);
    }
    for diagnostic in &lint.others {
        diagnostics.push(Diagnostic::of_skills(diagnostic)?.asked_for());
    }
    let output = match context.display.format {
        Format::Tsv => table(&linted, codes).tab_separated(),
        Format::Table => table(&linted, verdict).aligned(context.display.width, context.painter()),
        format => {
            let document = Document {
                schema_version: SCHEMA_VERSION,
                skills: linted.iter().map(|it| entry(it, environment)).collect(),
                diagnostics: &diagnostics,
            };
            let lists = [("skills", "skill"), ("diagnostics", "diagnostic")];
            json::document(format, "validation", &document, &lists)?
        }
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

/// The file that an argument means: itself if it is called like one, else the one below it.
fn skill_file(path: &PathUri) -> PathUri {
    if path.basename().as_deref() == Some(SKILL_FILE_NAME) {
        return path.clone();
    }
    // A path that takes no names is no directory, and reading it tells.
    path.join(SKILL_FILE_NAME).unwrap_or_else(|_| path.clone())
}

async fn lint_all(
    bound: &BoundEnvironments,
    environment: &Environment,
    paths: Vec<PathUri>,
    window: Window,
) -> Result<Lint, Failure> {
    let files = paths.iter().map(skill_file);
    let named = lint_files(environment, files.collect(), window).await;
    let mut lint = Lint::default();
    for (path, linted) in paths.iter().zip(named) {
        if !linted.is_absent() {
            lint.skills.push(linted);
            continue;
        }
        let below = Below::find(&bound.environments, environment.id(), path, window).await;
        if below.is_missing || linted.path == *path {
            let what = format!("cannot validate `{}`", path.inferred_native_path_string());
            let advice = "name a SKILL.md, a directory with one, or a directory of skills";
            return Err(Failure::new(format!("{what}: it does not exist"), advice));
        }
        lint.others.extend(below.others);
        match below.files.is_empty() {
            true => lint.skills.push(linted),
            false => lint
                .skills
                .extend(lint_files(environment, below.files, window).await),
        }
    }
    Ok(lint)
}

async fn lint_files(environment: &Environment, files: Vec<PathUri>, window: Window) -> Vec<Linted> {
    let filesystem = environment.filesystem().as_ref();
    let linted = stream::iter(files)
        .map(|path| lint(filesystem, environment.id(), path))
        .buffered(window.get());
    linted.collect().await
}

async fn lint(filesystem: &dyn ExecutorFileSystem, id: &EnvironmentId, path: PathUri) -> Linted {
    let directory = path.parent();
    let directory = directory.as_ref().and_then(PathUri::basename);
    let directory = directory.unwrap_or_default();
    let (is_loadable, found, failure) = match filesystem.read_file(&path, None).await {
        Ok(text) => {
            let is_loadable = check_loadable(&text, &directory).is_ok();
            (is_loadable, validate(&text, &directory), None)
        }
        Err(error) => (false, vec![unreadable(&error)], Some(error)),
    };
    let found = found.into_iter().map(|it| it.at(id, &path)).collect();
    Linted {
        path,
        is_loadable,
        found,
        failure,
    }
}

fn unreadable(error: &io::Error) -> SkillDiagnostic {
    let message = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => "there is no skill",
        _ => "the skill file cannot be read",
    };
    SkillDiagnostic::new(SkillDiagnosticCode::SkillUnreadable, message).with_io_kind(error.kind())
}

fn entry<'a>(linted: &'a Linted, environment: &'a Environment) -> Entry<'a> {
    Entry {
        path: &linted.path,
        environment_id: environment.id(),
        is_valid: linted.found.is_empty(),
        is_loadable: linted.is_loadable,
        codes: linted.codes(),
    }
}

fn table(linted: &[Linted], verdict: fn(&Linted) -> String) -> Table {
    let mut table = Table::new([
        Column::Text("VERDICT", Keep::Start),
        Column::Text("SKILL", Keep::End),
    ]);
    for linted in linted {
        let style = match (linted.is_loadable, linted.found.is_empty()) {
            (false, _) => Style::Bad,
            (true, false) => Style::Warn,
            (true, true) => Style::Good,
        };
        table.push([
            Cell::new(verdict(linted)).styled(style),
            Cell::new(linted.path.inferred_native_path_string()),
        ]);
    }
    table
}

/// For people, who are told the diagnostics below.
fn verdict(linted: &Linted) -> String {
    let number = u64::try_from(linted.found.len()).unwrap_or(u64::MAX);
    match number {
        0 => "valid".to_owned(),
        _ if linted.is_loadable => counted(number, "finding"),
        _ => format!("will not load, {}", counted(number, "finding")),
    }
}

/// For pipes: the codes.
fn codes(linted: &Linted) -> String {
    let codes = linted.codes();
    if codes.is_empty() {
        "valid".to_owned()
    } else {
        codes.join(",")
    }
}

/// The skill files below a directory.
pub(super) struct Below {
    /// By path.
    pub(super) files: Vec<PathUri>,
    /// Whether there is no such directory.
    pub(super) is_missing: bool,
    /// What kept files from being found.
    pub(super) others: Vec<SkillDiagnostic>,
}

impl Below {
    /// Loads the skills below a directory, for their files and for those that are none.
    pub(super) async fn find(
        environments: &EnvironmentSet,
        id: &EnvironmentId,
        directory: &PathUri,
        window: Window,
    ) -> Self {
        let root = SkillRoot {
            required: true,
            ..SkillRoot::new(id.clone(), directory.clone(), SkillScope::Environment)
        };
        let options = SkillLoadOptions {
            window,
            ..SkillLoadOptions::default()
        };
        let outcome = load_skills(environments, slice::from_ref(&root), &options).await;
        let loaded = outcome.skills.iter().map(|skill| skill.handle.entrypoint());
        let mut files: BTreeSet<PathUri> = loaded.cloned().collect();
        let (mut is_missing, mut others) = (false, Vec::new());
        for found in outcome.diagnostics {
            match found.code {
                Code::RootMissing => is_missing = true,
                Code::ScanLimitReached
                | Code::DirectoryUnreadable
                | Code::LinkUnreadable
                | Code::SkillFileMisnamed => others.push(found),
                Code::ProductRestricted => files.extend(found.path),
                // A lost skill has exactly one error.
                _ if found.severity == Severity::Error => files.extend(found.path),
                _ => {}
            }
        }
        Self {
            files: files.into_iter().collect(),
            is_missing,
            others,
        }
    }
}
