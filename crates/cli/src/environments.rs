//! Where the files of a run are: the environments that commands are given.
//!
//! Commands are given a [`Bound`] set and do not know what is behind it. This machine is always in
//! the set, since configuration and the user's own files are on it; the chosen environments are
//! those where an agent works. Without `--env` that is this machine, and then nothing here waits.
//! A failing environment is never replaced by another one.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, LocalFileSystem, Severity,
};
use codex_path_uri::PathUri;
use futures::future::join_all;
use serde::Serialize;

use crate::args::{CommonOptions, EnvironmentOptions};
use crate::commands::Run;
use crate::exit::{self, Failure};
use crate::host;
use crate::render::causes::chain;
use crate::render::finding::Finding;

pub(crate) mod choice;
mod definitions;
mod reach;
mod words;

use choice::{EnvironmentChoice, LOCAL};
use definitions::Definitions;
use reach::{Host, Lost, reach};

const UNREACHABLE: &str = "environment_unreachable";

/// How many environments a command can make use of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    /// One.
    One,
    /// Any number.
    Several,
}

/// Where a command starts, unless `--cwd` says otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The directory that an agent starts in.
    pub(crate) directory: PathUri,
    /// Whether it has to be there.
    pub(crate) needs_check: bool,
}

/// The environments of a run.
pub(crate) struct Bound {
    /// All of them, this machine included.
    pub(crate) environments: EnvironmentSet,
    /// Those where an agent works, in the order they were given. There is at least one.
    chosen: Vec<EnvironmentId>,
    /// Whether the start directory is still to be asked for.
    pub(crate) needs_check: bool,
    /// Environments that cannot be reached.
    pub(crate) findings: Vec<Finding>,
}

impl Bound {
    /// The environment that the session is about: the first that was reached.
    ///
    /// # Errors
    /// None: there is always one.
    pub(crate) fn primary(&self) -> Result<&Environment, Failure> {
        self.get(self.chosen.first().map_or(LOCAL, EnvironmentId::as_str))
    }

    /// The other chosen ones.
    pub(crate) fn others(&self) -> Vec<Environment> {
        let others = self.chosen.iter().skip(1);
        let others = others.filter_map(|id| self.environments.get(id.as_str()).ok());
        others.cloned().collect()
    }

    /// This machine, which holds the user's files.
    ///
    /// # Errors
    /// None: it is always bound.
    pub(crate) fn host(&self) -> Result<&Environment, Failure> {
        self.get(LOCAL)
    }

    fn get(&self, id: &str) -> Result<&Environment, Failure> {
        let found = self.environments.get(id);
        found.map_err(|error| {
            Failure::new("cannot choose an environment", "bind it").caused_by(error)
        })
    }
}

/// Binds the chosen environments; without `--env`, this machine.
///
/// # Round trips
/// None on this machine alone; others are reached at the same time.
///
/// # Errors
/// When an environment is not as it was asked for, or none can be reached.
pub(crate) fn bind(
    run: &Run,
    options: &CommonOptions,
    start: &Start,
    arity: Arity,
) -> Result<Bound, Failure> {
    let configuration = &options.configuration;
    let options = &options.environments;
    let choices = choices(options, arity)?;
    let local = EnvironmentId::new(LOCAL).map_err(unusable)?;
    let filesystem = run.meter.around(&local, LocalFileSystem::inline());
    let host = Environment::new(local, start.directory.clone(), Arc::clone(&filesystem));
    // Alone, this machine checks the directory beside its first reads.
    let is_alone = !options.is_remote() && choices.len() == 1;
    let checks = start.needs_check && !is_alone;
    let reached = run.load(async {
        let files: &dyn ExecutorFileSystem = host.filesystem().as_ref();
        let definitions = Definitions::read(&choices, files, configuration).await?;
        let from = Host {
            meter: &run.meter,
            filesystem: &filesystem,
        };
        let mut all = Vec::with_capacity(choices.len());
        for choice in &choices {
            let way = definitions.way(choice, options)?;
            let directory = directory(choice, options, is_alone).unwrap_or(&start.directory);
            all.push(reach(
                &from,
                choice.id.clone(),
                way,
                directory.clone(),
                checks,
            ));
        }
        Ok::<_, Failure>(join_all(all).await)
    })?;
    let (chosen, findings) = sorted(&choices, reached)?;
    let needs_check = is_alone && (start.needs_check || !options.directories.is_empty());
    let ids = chosen
        .iter()
        .map(|environment| environment.id().clone())
        .collect();
    let is_host_chosen = chosen
        .iter()
        .any(|environment| environment.id() == host.id());
    let host = (!is_host_chosen).then_some(host);
    Ok(Bound {
        environments: EnvironmentSet::new(chosen.into_iter().chain(host).collect())
            .map_err(unusable)?,
        chosen: ids,
        needs_check,
        findings,
    })
}

/// A path that somebody typed: of the chosen environment where that is another machine, else of
/// this one.
///
/// # Errors
/// When it is relative and the current directory cannot be told.
pub(crate) fn path(options: &CommonOptions, path: &Path) -> Result<PathUri, Failure> {
    let text = path.to_str().filter(|_| options.environments.is_remote());
    match text.map(choice::absolute) {
        Some(Ok(uri)) => Ok(uri),
        _ => host::uri(path),
    }
}

/// What `--env` says, checked against the command and against `--cwd`.
fn choices(options: &EnvironmentOptions, arity: Arity) -> Result<Vec<EnvironmentChoice>, Failure> {
    let mut choices = options.chosen.clone();
    if choices.is_empty() {
        choices.extend(EnvironmentChoice::local());
    }
    if arity == Arity::One && choices.len() > 1 {
        let what = format!("cannot work in {} environments at once", choices.len());
        return Err(Failure::new(what, "give `--env` once"));
    }
    for (index, choice) in choices.iter().enumerate() {
        if choices
            .iter()
            .skip(index + 1)
            .any(|other| other.id == choice.id)
        {
            let what = format!("two environments are called `{}`", choice.id);
            return Err(Failure::new(
                what,
                "name one of them with `--env ID=TARGET`",
            ));
        }
    }
    let is_chosen = |id: &str| choices.iter().any(|choice| choice.id.as_str() == id);
    let named = options
        .directories
        .iter()
        .filter_map(|choice| choice.id.as_deref());
    for id in named {
        if !is_chosen(id) {
            let what = format!("`--cwd` names the environment `{id}`, which is not chosen");
            return Err(Failure::new(what, "choose it with `--env`"));
        }
    }
    Ok(choices)
}

/// What `--cwd` says of an environment. Without a name it means every one but this machine, unless
/// this machine is the only one.
fn directory<'a>(
    choice: &EnvironmentChoice,
    options: &'a EnvironmentOptions,
    is_alone: bool,
) -> Option<&'a PathUri> {
    let given = || options.directories.iter().rev();
    let named = given().find(|it| it.id.as_deref() == Some(choice.id.as_str()));
    let usual = given().find(|it| it.id.is_none() && (is_alone || !choice.target.is_local()));
    named.or(usual).map(|it| &it.directory)
}

/// The environments that were reached, and a finding for each that was not.
fn sorted(
    choices: &[EnvironmentChoice],
    reached: Vec<Result<Environment, Lost>>,
) -> Result<(Vec<Environment>, Vec<Finding>), Failure> {
    let (mut chosen, mut lost) = (Vec::new(), Vec::new());
    for (choice, reached) in choices.iter().zip(reached) {
        match reached {
            Ok(environment) => chosen.push(environment),
            Err(Lost::Refused(failure)) => return Err(failure),
            Err(Lost::Unreachable(error)) => lost.push((choice, error)),
        }
    }
    if chosen.is_empty()
        && lost.len() == 1
        && let Some((choice, error)) = lost.pop()
    {
        return Err(unreachable(choice).caused_by(error));
    }
    let findings = lost
        .iter()
        .map(|(choice, error)| finding(choice, error.as_ref()));
    let findings = findings.collect::<Result<Vec<_>, _>>()?;
    if chosen.is_empty() {
        let causes = lost.iter().map(|(choice, error)| {
            let texts = chain(error.as_ref());
            format!("`{}`: {}", choice.id, texts.join(": "))
        });
        let causes = causes.collect::<Vec<_>>().join("; ");
        let failure = Failure::new("cannot reach any of the environments", ADVICE);
        return Err(failure.caused_by(causes).with_code(exit::UNREACHABLE));
    }
    Ok((chosen, findings))
}

const ADVICE: &str = "check the target and that a server runs or can be started there";

fn what(choice: &EnvironmentChoice) -> String {
    format!(
        "cannot reach the environment `{}` ({})",
        choice.id, choice.text
    )
}

fn unreachable(choice: &EnvironmentChoice) -> Failure {
    Failure::new(what(choice), ADVICE).with_code(exit::UNREACHABLE)
}

fn finding(
    choice: &EnvironmentChoice,
    error: &(dyn Error + 'static),
) -> serde_json::Result<Finding> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Fields<'a> {
        environment_id: &'a EnvironmentId,
        target: &'a str,
    }
    let fields = Fields {
        environment_id: &choice.id,
        target: &choice.text,
    };
    let found = Finding::new(Severity::Error, UNREACHABLE, what(choice), &fields)?;
    Ok(found.caused_by(error))
}

fn unusable(error: impl Error + Send + Sync + 'static) -> Failure {
    Failure::new(
        "cannot bind the environments",
        "give every environment its own name",
    )
    .caused_by(error)
}
