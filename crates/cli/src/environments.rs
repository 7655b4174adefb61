//! Where the files of a run are: the environments that commands are given.
//!
//! Commands are given a [`BoundEnvironments`] set and do not know what is behind it. This machine is always in
//! the set, since configuration and the user's own files are on it; the chosen environments are
//! those where an agent works. Binding asks nobody anything: an environment is reached when it is
//! first asked, each at its own pace. A failing environment is never replaced by another one.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use codex_context::StartDirectory;
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, LocalFileSystem,
};
use codex_path_uri::PathUri;
use futures::future::{FutureExt as _, try_join, try_join_all};

use crate::exit::Failure;
use crate::host;
use crate::options::{CommonOptions, EnvironmentOptions};
use crate::run::CommandContext;

mod definitions;
mod reach;
pub(crate) mod target;

use definitions::Definitions;
pub(crate) use reach::Chosen;
use reach::{Connection, LazyFileSystem};
use target::{EnvironmentChoice, LOCAL};

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

/// The environments of a run. Some of them may turn out to be out of reach.
pub(crate) struct BoundEnvironments {
    /// All of them, this machine included.
    pub(crate) environments: EnvironmentSet,
    /// Those where an agent works, in the order they were given. There is at least one.
    pub(crate) chosen: Vec<Chosen>,
    /// This machine, which holds the user's files.
    pub(crate) host: codex_context::Environment,
}

impl BoundEnvironments {
    /// The one environment, where there is no choice.
    ///
    /// # Errors
    /// None: there is always one.
    pub(crate) fn only(&self) -> Result<&Environment, Failure> {
        let first = self.chosen.first().map(|chosen| &chosen.environment);
        first.ok_or_else(|| Failure::new("cannot work nowhere", "choose an environment"))
    }

    /// The environment and the directory that `[ID=]PATH` means; without the name of one that is
    /// bound, the whole is a path in the first.
    ///
    /// # Errors
    /// When the path is relative and the current directory cannot be told.
    pub(crate) fn capability_root(
        &self,
        options: &CommonOptions,
        text: &Path,
    ) -> Result<(EnvironmentId, PathUri), Failure> {
        let named = text.to_str().and_then(|text| text.split_once('='));
        let mut bound = self.environments.iter();
        if let Some((id, rest)) = named
            && let Some(environment) = bound.find(|it| it.id().as_str() == id)
        {
            let path = match target::absolute(rest) {
                Ok(path) => path,
                Err(_) if id == LOCAL => host::uri(Path::new(rest))?,
                Err(why) => {
                    let what = format!("cannot use `--root {id}={rest}`: {why}");
                    return Err(Failure::new(what, "correct the argument"));
                }
            };
            return Ok((environment.id().clone(), path));
        }
        Ok((self.only()?.id().clone(), path(options, text)?))
    }

    /// Does `work` while the one environment is greeted.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub(crate) async fn greeted<T>(&self, work: impl Future<Output = T>) -> Result<T, Failure> {
        let greeted = try_join_all(self.chosen.iter().map(Chosen::greet));
        let (done, _) = try_join(work.map(Ok), greeted).await?;
        Ok(done)
    }
}

/// Binds the chosen environments; without `--env`, this machine. None is asked anything yet.
///
/// # Round trips
/// None, but for the file of definitions where a name is chosen.
///
/// # Errors
/// When the choices contradict each other or the command, or a name is not defined.
pub(crate) fn bind(
    context: &CommandContext,
    options: &CommonOptions,
    start: &Start,
    arity: Arity,
) -> Result<BoundEnvironments, Failure> {
    let configuration = &options.configuration;
    let options = &options.environments;
    let choices = choices(options, arity)?;
    let local = EnvironmentId::new(LOCAL).map_err(unusable)?;
    let filesystem = context.meter.around(&local, LocalFileSystem::inline());
    let host = Environment::new(local, start.directory.clone(), Arc::clone(&filesystem));
    let files: &dyn ExecutorFileSystem = host.filesystem().as_ref();
    let definitions = context.load(Definitions::read(&choices, files, configuration))??;
    let is_alone = !options.is_remote() && choices.len() == 1;
    let mut chosen = Vec::with_capacity(choices.len());
    for choice in choices {
        let given = directory(&choice, options, is_alone);
        let directory = given.unwrap_or(&start.directory).clone();
        let connection = definitions.server(&choice, options)?.map(Connection::new);
        let filesystem: Arc<dyn ExecutorFileSystem> = match &connection {
            None => Arc::clone(&filesystem),
            Some(connection) => {
                let there = LazyFileSystem(connection.clone());
                context.meter.around(&choice.id, there)
            }
        };
        chosen.push(Chosen {
            environment: Environment::new(choice.id.clone(), directory, Arc::clone(&filesystem)),
            filesystem,
            needs_check: start.needs_check || given.is_some(),
            connection,
            choice,
        });
    }
    let environments = chosen.iter().map(|chosen| chosen.environment.clone());
    let mut environments: Vec<Environment> = environments.collect();
    if environments.iter().all(|it| it.id() != host.id()) {
        environments.push(host.clone());
    }
    Ok(BoundEnvironments {
        environments: EnvironmentSet::new(environments).map_err(unusable)?,
        chosen,
        host: codex_context::Environment {
            id: host.id().clone(),
            cwd: host.cwd().clone(),
            filesystem,
            call_timeout: None,
            start_directory: StartDirectory::Known,
        },
    })
}

/// A path that somebody typed: of the chosen environment where that is another machine, else of
/// this one.
///
/// # Errors
/// When it is relative and the current directory cannot be told.
pub(crate) fn path(options: &CommonOptions, path: &Path) -> Result<PathUri, Failure> {
    let text = path.to_str().filter(|_| options.environments.is_remote());
    match text.map(target::absolute) {
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

fn unusable(error: impl Error + Send + Sync + 'static) -> Failure {
    Failure::new(
        "cannot bind the environments",
        "give every environment its own name",
    )
    .caused_by(error)
}
