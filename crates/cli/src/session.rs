//! One session start, as a host does it.
//!
//! ```text
//! base layers -> markers -> ONE root search -> trust -> project layers -> Config
//! ```
//!
//! `skills` goes on from there. Each step uses what the steps before it found; no call is made twice. The check that the
//! start directory exists runs beside the base layers and costs no round trip of its own. Errors
//! of configuration end the start; a failed root search does not, since the user's own text and
//! values do not depend on it. Nothing is decided here but the order: rules are in the libraries,
//! the trust rule in `trust`.

use std::io;
use std::sync::Arc;

use codex_agents_md::ProjectRootInput;
use codex_config::{
    Config, ConfigDiagnostic, LoadedLayers, ProjectLayerDecision, ProjectRootSearch,
    ProjectTrustTable, UsableMarkers, find_project_root, load_base_layers, load_project_layers,
};
use codex_file_system::{Environment, ExecutorFileSystem, FileKind, FindUpErrorPolicy, Window};
use codex_path_uri::{PathConvention, PathUri};
use futures::future::{TryFutureExt as _, try_join};
use tracing::{Instrument as _, debug_span};

use crate::exit::Failure;
use crate::git_root::git_root;
use crate::settings::Settings;
use crate::trust::Trust;

pub(crate) mod elsewhere;
pub(crate) mod skills;

/// Where a session starts, and what the command line says about it.
pub(crate) struct SessionStart<'a> {
    /// The environment whose directory the agent starts in.
    pub(crate) environment: &'a Environment,
    /// This machine, which holds the user's files.
    pub(crate) host: &'a Environment,
    /// Where configuration is.
    pub(crate) settings: &'a Settings,
    /// Whether it is not known yet that the start directory exists.
    pub(crate) needs_check: bool,
}

/// What the first steps found: the base layers and the project root.
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
pub(crate) struct Configured {
    /// What the first steps found.
    pub(crate) located: Located,
    /// The values and all layers.
    pub(crate) config: Config,
    /// What the user allows.
    pub(crate) trust: Trust,
    /// What the project layers and the values had to say.
    diagnostics: Vec<ConfigDiagnostic>,
}

impl Configured {
    /// What the loaders of configuration found, in order; what they say of markers is in
    /// [`Located::markers`].
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &ConfigDiagnostic> {
        self.located
            .base
            .diagnostics
            .iter()
            .chain(&self.diagnostics)
    }
}

/// Which project layers are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProjectLayers {
    /// Those that count: all that values need.
    Enabled,
    /// Also those that are disabled, so that they can be listed.
    All,
}

impl SessionStart<'_> {
    /// Loads the base layers and searches for the project root.
    ///
    /// # Errors
    /// When the start directory is none, or a base layer cannot be used.
    pub(crate) async fn locate(&self, policy: FindUpErrorPolicy) -> Result<Located, Failure> {
        let sources = self.settings.sources(self.host.filesystem().as_ref());
        // Configuration first, so that a bad `-c` argument costs no call.
        let base = load_base_layers(&sources).map_err(Failure::from);
        let directory = async {
            if self.needs_check {
                check_directory(self.environment).await
            } else {
                Ok(())
            }
        };
        let (base, ()) = try_join(base, directory).await?;
        if base.stack.project_root_markers().0.is_err() {
            // Judging the values tells where the bad one is.
            Config::from_stack(base.stack.clone())?;
        }
        Ok(self.search(base, policy).await)
    }

    /// Searches for the project root with the markers of these layers. A failure is kept in the
    /// result.
    pub(crate) async fn search(&self, base: LoadedLayers, policy: FindUpErrorPolicy) -> Located {
        let convention = self
            .cwd()
            .convention()
            .unwrap_or_else(PathConvention::native);
        let markers = base.stack.usable_project_root_markers(convention);
        let search = find_project_root(self.filesystem(), self.cwd(), markers.clone(), policy);
        let search = search.await.map_err(Arc::new);
        Located {
            base,
            markers,
            search,
        }
    }

    /// Does all of it: locates the project, then loads the layers that the user lets it have.
    ///
    /// # Errors
    /// As [`locate`](Self::locate), and when a project layer or a value cannot be used.
    pub(crate) async fn configure(
        &self,
        policy: FindUpErrorPolicy,
        which: ProjectLayers,
        window: Window,
    ) -> Result<Configured, Failure> {
        let located = self.locate(policy).await?;
        self.configure_from(located, which, window).await
    }

    /// The rest of it, where the project is located already.
    ///
    /// # Errors
    /// When a project layer or a value cannot be used.
    pub(crate) async fn configure_from(
        &self,
        located: Located,
        which: ProjectLayers,
        window: Window,
    ) -> Result<Configured, Failure> {
        let trust = self.trust(&located).await?;
        let mut directories = located.directories(self.cwd());
        let decide = |directory: &PathUri| trust.project_layer(directory);
        if which == ProjectLayers::Enabled {
            directories.retain(|directory| decide(directory) == ProjectLayerDecision::Enable);
        }
        let base = located.base.stack.clone();
        let layers =
            load_project_layers(base, self.filesystem(), &directories, &decide, window).await?;
        let (config, of_values) = Config::from_stack(layers.stack)?;
        let diagnostics = [layers.diagnostics, of_values].concat();
        Ok(Configured {
            located,
            config,
            trust,
            diagnostics,
        })
    }

    async fn trust(&self, located: &Located) -> Result<Trust, Failure> {
        let search = located.search.as_ref().ok();
        let table = ProjectTrustTable::from_stack(&located.base.stack)?;
        let git_root = if table == ProjectTrustTable::default() {
            // Nothing is said about any directory, so nobody asks which one is the Git root.
            None
        } else {
            git_root(self.filesystem(), self.cwd(), search).await
        };
        let project_root = search.and_then(|search| search.root.clone());
        Ok(Trust {
            table,
            project_root,
            git_root,
        })
    }

    fn cwd(&self) -> &PathUri {
        self.environment.cwd()
    }

    fn filesystem(&self) -> &dyn ExecutorFileSystem {
        self.environment.filesystem().as_ref()
    }
}

/// Whether the start directory of an environment is one.
///
/// # Round trips
/// 1.
///
/// # Errors
/// When it is none, does not exist or cannot be asked for.
pub(crate) async fn check_directory(environment: &Environment) -> Result<(), Failure> {
    let (id, cwd) = (environment.id(), environment.cwd());
    let found = environment.filesystem().get_metadata(cwd, None);
    let found = found.instrument(debug_span!("start_directory")).await;
    let path = cwd.inferred_native_path_string();
    let refused = |why: &str| {
        let what = format!("cannot start in {path} (environment `{id}`){why}");
        Failure::new(what, "name an existing directory")
    };
    match found {
        Ok(metadata) if metadata.kind == FileKind::Directory => Ok(()),
        Ok(_) => Err(refused(": it is no directory")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(refused(": it does not exist"))
        }
        Err(error) => Err(refused("").caused_by(error)),
    }
}
