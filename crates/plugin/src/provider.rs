//! The interface between a host and whatever resolves its selected roots, and the one over environments.

use std::collections::HashMap;
use std::sync::Arc;

use codex_file_system::{EnvironmentId, EnvironmentSet, Lookahead};
use futures::future::{BoxFuture, join_all};

use crate::error::ErrorPlace;
use crate::resolve::{place_in, resolve_all_with};
use crate::{
    PluginOptions, PluginProviderError, ResolvedPlugin, ResolvedRoot, SelectedCapabilityRoot,
};

/// Resolves selected roots to plugins.
pub trait PluginProvider: Send + Sync {
    /// Why it is not known what a root holds.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Resolves one root. `Ok(None)` says that there is no manifest: the host treats the root as a standalone
    /// capability.
    ///
    /// # Round trips
    /// Those of the implementation; [`ExecutorPluginProvider`] makes two, one if there is nothing to read.
    ///
    /// # Errors
    /// Whatever keeps the provider from knowing whether there is a plugin, or what it declares.
    fn resolve<'a>(
        &'a self,
        root: &'a SelectedCapabilityRoot,
    ) -> BoxFuture<'a, Result<Option<ResolvedPlugin>, Self::Error>>;
}

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
/// let (id, cwd) = (EnvironmentId::new("box")?, PathUri::parse("file:///")?);
/// let environments = EnvironmentSet::new(vec![Environment::new(id, cwd, Arc::new(fs))])?;
///
/// let provider = ExecutorPluginProvider::new(Arc::new(environments));
/// let root = SelectedCapabilityRoot::parse("1", "box", "/plugins/demo")?;
/// assert_eq!(provider.resolve(&root).await?.unwrap().manifest().name(), "demo");
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

    /// The same provider with these options.
    pub fn with_options(self, options: PluginOptions) -> Self {
        Self { options, ..self }
    }

    /// Resolves all roots, those of an environment together. The results have the length and order of `roots`.
    ///
    /// # Round trips
    /// Those of [`resolve_all_with`] for each environment, side by side; none for a root whose environment is unknown.
    ///
    /// # Errors
    /// One result per root; see [`PluginProviderError`].
    pub async fn resolve_all(
        &self,
        roots: &[SelectedCapabilityRoot],
    ) -> Vec<Result<Option<ResolvedPlugin>, PluginProviderError>> {
        let mut by_environment: HashMap<&EnvironmentId, Vec<usize>> = HashMap::new();
        for (index, root) in roots.iter().enumerate() {
            by_environment
                .entry(root.environment_id())
                .or_default()
                .push(index);
        }
        let loads = by_environment.into_iter().filter_map(|(id, indices)| {
            let environment = self.environments.get(id.as_str()).ok()?;
            let own: Vec<_> = indices
                .iter()
                .filter_map(|it| roots.get(*it))
                .cloned()
                .collect();
            Some(async move {
                let fs = environment.filesystem().as_ref();
                let lookahead = Lookahead::new(fs, self.options.window);
                let load = resolve_all_with(&lookahead, &own, &self.options);
                indices
                    .into_iter()
                    .zip(lookahead.drive(load).await)
                    .collect::<Vec<_>>()
            })
        });
        let mut results: HashMap<usize, _> = join_all(loads).await.into_iter().flatten().collect();
        let result = |(index, root): (usize, &SelectedCapabilityRoot)| match results.remove(&index)
        {
            Some(resolved) => resolved.map(|it: ResolvedRoot| it.plugin),
            None => Err(PluginProviderError::UnavailableEnvironment {
                place: ErrorPlace {
                    path: None,
                    ..place_in(root, root.path())
                },
            }),
        };
        roots.iter().enumerate().map(result).collect()
    }
}

impl PluginProvider for ExecutorPluginProvider {
    type Error = PluginProviderError;

    fn resolve<'a>(
        &'a self,
        root: &'a SelectedCapabilityRoot,
    ) -> BoxFuture<'a, Result<Option<ResolvedPlugin>, PluginProviderError>> {
        Box::pin(async move {
            let results = self.resolve_all(std::slice::from_ref(root)).await;
            results.into_iter().next().unwrap_or(Ok(None))
        })
    }
}
