//! Resolving roots through the environments that own them.
//!
//! Two trips over all roots together: what is there (`inspect`), then the manifests (`read`). Each
//! root is judged alone; one root's failure is one result.

mod inspect;
mod read;
mod target;

use std::collections::HashMap;
use std::sync::Arc;

use codex_file_system::EnvironmentSet;
use futures::future::BoxFuture;
use tracing::{Instrument, debug_span};

use self::inspect::inspect_targets;
use self::read::read_manifests;
use self::target::Target;
use crate::{
    PluginOptions, PluginProvider, PluginProviderError, ResolvedPlugin, SelectedCapabilityRoot,
};

/// What is known of one root in the end.
type Resolution = Result<Option<ResolvedPlugin>, PluginProviderError>;

/// Resolves roots by asking the filesystem of the selected environment, and no other.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::{ExecutorPluginProvider, PluginProvider, SelectedCapabilityRoot};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let tree = r#"/plugins/demo/.codex-plugin/plugin.json = {"name":"demo"}"#;
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
/// let id = EnvironmentId::new("box")?;
/// let cwd = PathUri::parse("file:///")?;
/// let environments = EnvironmentSet::new(vec![Environment::new(id.clone(), cwd, Arc::new(fs))])?;
///
/// let provider = ExecutorPluginProvider::new(Arc::new(environments));
/// let root = PathUri::parse("file:///plugins/demo")?;
/// let plugin = provider.resolve(&SelectedCapabilityRoot::new("1", id, root)).await?;
/// assert_eq!(plugin.unwrap().manifest().name(), "demo");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExecutorPluginProvider {
    environments: Arc<EnvironmentSet>,
    options: PluginOptions,
}

impl ExecutorPluginProvider {
    /// A provider over the environments of a host, with default options.
    pub fn new(environments: Arc<EnvironmentSet>) -> Self {
        Self {
            environments,
            options: PluginOptions::default(),
        }
    }

    /// Sets the options.
    pub fn with_options(self, options: PluginOptions) -> Self {
        Self { options, ..self }
    }

    /// Judges all roots, in two trips together. The results have the length and order of `roots`.
    ///
    /// Roots with equal environment and path are asked about once, and each result carries its own
    /// root's id.
    ///
    /// # Round trips
    /// With N distinct roots in known environments, F of them with a manifest to read, a window of W
    /// calls, `c = 5, d = 2` under [`RefuseEscape`](crate::SymlinkPolicy::RefuseEscape), else
    /// `c = 4, d = 1` (`c` one more with `agent_plugins_root`), and W >= c: `cN + dF` calls in
    /// `ceil(cN/W) + ceil(dF/W)` round trips, at most W in flight. With a window of 1, only the
    /// calls a serial algorithm makes. None for a root whose environment is unknown.
    ///
    /// # Errors
    /// One result per root; see [`PluginProviderError`].
    ///
    /// # Cancellation
    /// Dropping the future sends nothing more; no task is spawned. There is no timeout here: a
    /// deadline is a wrapper around the environment's filesystem.
    pub async fn resolve_all(&self, roots: &[SelectedCapabilityRoot]) -> Vec<Resolution> {
        let mut targets: Vec<Target<'_>> = Vec::new();
        let mut known = HashMap::new();
        let mut indices: Vec<Option<usize>> = Vec::with_capacity(roots.len());
        for root in roots {
            let Ok(environment) = self.environments.get(root.environment_id().as_str()) else {
                indices.push(None);
                continue;
            };
            let index = *known
                .entry((root.environment_id(), root.path()))
                .or_insert_with(|| {
                    targets.push(Target::new(environment, root.path(), &self.options));
                    targets.len() - 1
                });
            indices.push(Some(index));
        }
        let resolutions = resolve_targets(&targets, &self.options).await;
        let of_root = |(root, index): (&SelectedCapabilityRoot, Option<usize>)| match index
            .and_then(|index| resolutions.get(index))
        {
            Some(Ok(plugin)) => Ok(plugin.clone().map(|plugin| plugin.with_root_id(&root.id))),
            Some(Err(error)) => Err(error.clone().with_root_id(&root.id)),
            None => Err(PluginProviderError::UnavailableEnvironment {
                root_id: root.id.clone(),
                environment_id: root.environment_id().clone(),
            }),
        };
        roots.iter().zip(indices).map(of_root).collect()
    }
}

impl PluginProvider for ExecutorPluginProvider {
    type Error = PluginProviderError;

    fn resolve<'a>(&'a self, root: &'a SelectedCapabilityRoot) -> BoxFuture<'a, Resolution> {
        Box::pin(async move {
            let resolutions = self.resolve_all(std::slice::from_ref(root)).await;
            resolutions.into_iter().next().unwrap_or(Ok(None))
        })
    }
}

/// Judges distinct targets, in their order.
async fn resolve_targets(targets: &[Target<'_>], options: &PluginOptions) -> Vec<Resolution> {
    let probes = debug_span!("plugin_probes", roots = targets.len());
    let inspections = inspect_targets(targets, options).instrument(probes).await;
    let found = inspections
        .iter()
        .filter(|it| matches!(it, Ok(Some(_))))
        .count();
    let manifests = debug_span!("plugin_manifests", manifests = found);
    read_manifests(targets, &inspections, options)
        .instrument(manifests)
        .await
}
