//! One session start, as a host does it.
//!
//! ```text
//! base layers -> markers -> ONE root search -> trust -> project layers -> Config
//! ```
//!
//! `skills` goes on from there. Each step uses what the steps before it found; no call is made
//! twice. The check that the start directory exists runs beside the first steps and costs no round
//! trip of its own, and neither does the greeting of another machine. Several environments are
//! searched at the same time, each as soon as it is reached: one that is hard to reach holds up
//! nobody but whoever needs its answer. The first that is reached, in the order they were given,
//! decides what configuration says.
//!
//! Errors of configuration end the start; a failed root search does not, since the user's own text
//! and values do not depend on it. Nothing is decided here but the order: rules are in the
//! libraries.

use std::io;
use std::rc::Rc;
use std::sync::Arc;

use codex_agents_md::ProjectRootInput;
use codex_config::{
    Config, ConfigDiagnostic, LoadedLayers, ProjectRootSearch, UsableMarkers, load_base_layers,
    load_project_layers,
};
use codex_file_system::{Environment, FindUpErrorPolicy};
use codex_path_uri::PathUri;
use futures::future::{
    FutureExt as _, LocalBoxFuture, Shared, TryFutureExt as _, join, join_all, try_join3,
};

use crate::environments::{Chosen, ReachError, reached};
use crate::exit::Failure;
use crate::output::diagnostic::Diagnostic;
use crate::settings::Settings;

pub(crate) mod found;
pub(crate) mod skills;

use found::{Found, search};

/// Where a session starts, and what the command line says about it.
pub(crate) struct SessionStart<'a> {
    /// The environments where the agent works, in the order they were given.
    pub(crate) chosen: &'a [Chosen],
    /// This machine, which holds the user's files.
    pub(crate) host: &'a Environment,
    /// Where configuration is.
    pub(crate) settings: &'a Settings,
}

/// What the first steps found: the base layers and the project root.
#[derive(Clone)]
pub(crate) struct Located {
    /// The layers that do not depend on the project.
    pub(crate) base: LoadedLayers,
    /// The markers that were searched for.
    pub(crate) markers: UsableMarkers,
    /// The one root search, or why it failed.
    pub(crate) search: Result<ProjectRootSearch, Arc<io::Error>>,
}

impl Located {
    /// The search as the loader of instructions takes it.
    pub(crate) fn project_root(&self) -> ProjectRootInput {
        match &self.search {
            Ok(search) => ProjectRootInput::Known(search.clone()),
            Err(error) => ProjectRootInput::Failed(Arc::clone(error)),
        }
    }

    /// The directories of the project from its root down to `cwd`; `cwd` alone without a root.
    pub(crate) fn directories(&self, cwd: &PathUri) -> Vec<PathUri> {
        match &self.search {
            Ok(search) => search.directories(cwd),
            Err(_) => vec![cwd.clone()],
        }
    }
}

/// Everything that a session start finds before it looks for instructions.
pub(crate) struct Session {
    /// The environment that the session is about: the first that was reached.
    pub(crate) first: Rc<Found>,
    /// The other ones that were reached.
    pub(crate) others: Vec<Rc<Found>>,
    /// A finding for each that was not.
    pub(crate) unreachable: Vec<Diagnostic>,
    /// The values and all layers.
    pub(crate) config: Config,
    /// What the project layers and the values had to say.
    diagnostics: Vec<ConfigDiagnostic>,
}

impl Session {
    /// What was located in the first environment.
    pub(crate) fn located(&self) -> &Located {
        &self.first.located
    }

    /// Whether several environments were chosen, however many of them were reached: the columns of
    /// a script do not depend on the network.
    pub(crate) fn is_about_several(&self) -> bool {
        !self.others.is_empty() || !self.unreachable.is_empty()
    }

    /// What was found about the trust in each environment.
    fn of_trust(&self) -> impl Iterator<Item = &ConfigDiagnostic> {
        let found = std::iter::once(&self.first).chain(&self.others);
        found.flat_map(|found| &found.trust.diagnostics)
    }

    /// What the loaders of configuration found, in order; what they say of markers is in
    /// [`Located::markers`].
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &ConfigDiagnostic> {
        self.located()
            .base
            .diagnostics
            .iter()
            .chain(self.of_trust())
            .chain(&self.diagnostics)
    }
}

/// The base layers, for everybody who waits for them.
type Base<'a> = Shared<LocalBoxFuture<'a, Result<LoadedLayers, Failure>>>;

/// What a search comes to, for everybody who waits for it.
type Search<'a> = Shared<LocalBoxFuture<'a, Result<Rc<Found>, ReachError>>>;

impl SessionStart<'_> {
    /// Loads the base layers and searches for the project root, in the first environment that is
    /// reached.
    ///
    /// # Errors
    /// When no environment is reached, a start directory is none, or a base layer cannot be used.
    pub(crate) async fn locate(&self, policy: FindUpErrorPolicy) -> Result<Located, Failure> {
        let base = self.base().boxed_local().shared();
        let searches = self.chosen.iter();
        let searches = searches.map(|chosen| located(chosen, base.clone(), policy));
        let (found, _) = reached(self.chosen, join_all(searches).await)?;
        found.into_iter().next().ok_or_else(nowhere)
    }

    /// Does all of it: locates the projects, then loads the layers that the user lets the first
    /// one have.
    ///
    /// # Errors
    /// As [`locate`](Self::locate), and when a project layer or a value cannot be used.
    pub(crate) async fn begin(&self, policy: FindUpErrorPolicy) -> Result<Session, Failure> {
        let base = self.base().boxed_local().shared();
        let searches = self.chosen.iter().map(|chosen| {
            let base = base.clone();
            let found = async move {
                let located = located(chosen, base, policy).await?;
                let found = Found::new(chosen.environment.clone(), located).await?;
                Ok(Rc::new(found))
            };
            found.boxed_local().shared()
        });
        let searches: Vec<Search<'_>> = searches.collect();
        let configured = configure_first(&searches);
        let (configured, found) = join(configured, join_all(searches.iter().cloned())).await;
        let (config, diagnostics) = configured?;
        let (found, unreachable) = reached(self.chosen, found)?;
        let mut found = found.into_iter();
        Ok(Session {
            first: found.next().ok_or_else(nowhere)?,
            others: found.collect(),
            unreachable,
            config,
            diagnostics,
        })
    }

    async fn base(&self) -> Result<LoadedLayers, Failure> {
        let sources = self.settings.sources(self.host.filesystem().as_ref());
        let base = load_base_layers(&sources).await?;
        if base.stack.project_root_markers().0.is_err() {
            // Judging the values tells where the bad one is.
            Config::from_stack(base.stack.clone())?;
        }
        Ok(base)
    }
}

/// Searches an environment for its project root while it is reached.
async fn located(
    chosen: &Chosen,
    base: Base<'_>,
    policy: FindUpErrorPolicy,
) -> Result<Located, ReachError> {
    let search = async { Ok(search(&chosen.environment, base.clone().await?, policy).await) };
    // In this order, so that a bad `-c` argument costs no call, and a directory that is known
    // to be missing no search.
    let base = base.clone().err_into();
    let (_, (), located) = try_join3(base, chosen.reach(), search).await?;
    Ok(located)
}

/// The configuration of the first environment that is reached, as soon as it is known which one
/// that is; of none where none is, which is not told here.
async fn configure_first(
    searches: &[Search<'_>],
) -> Result<(Config, Vec<ConfigDiagnostic>), Failure> {
    for search in searches {
        match search.clone().await {
            Ok(found) => return configure(&found).await,
            Err(ReachError::Refused(failure)) => return Err(failure),
            Err(ReachError::Unreachable(_)) => {}
        }
    }
    Ok((Config::default(), Vec::new()))
}

async fn configure(found: &Found) -> Result<(Config, Vec<ConfigDiagnostic>), Failure> {
    let directories = found.directories();
    let decide = |directory: &PathUri| found.project_layer(directory);
    let base = found.located.base.stack.clone();
    let filesystem = found.environment.filesystem().as_ref();
    let layers = load_project_layers(base, filesystem, &directories, &decide).await?;
    let (config, of_values) = Config::from_stack(layers.stack)?;
    Ok((config, [layers.diagnostics, of_values].concat()))
}

/// No environment, which [`reached`] does not let happen.
fn nowhere() -> Failure {
    Failure::new("cannot start nowhere", "choose an environment")
}
