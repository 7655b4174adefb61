//! The interface between a host and whoever resolves its selected roots.

use futures::future::BoxFuture;

use crate::{ResolvedPlugin, SelectedCapabilityRoot};

/// Resolves selected roots to plugins.
pub trait PluginProvider: Send + Sync {
    /// Why a root could not be judged.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Judges one root. `Ok(None)` says that there is no manifest: the host treats the root as a
    /// standalone capability.
    ///
    /// # Round trips
    /// Those of the implementation; [`ExecutorPluginProvider`](crate::ExecutorPluginProvider) makes
    /// two, one if there is nothing to read.
    ///
    /// # Errors
    /// Whatever keeps the provider from knowing whether there is a plugin, or what it declares.
    ///
    /// # Cancellation
    /// Dropping the future sends nothing more.
    fn resolve<'a>(
        &'a self,
        root: &'a SelectedCapabilityRoot,
    ) -> BoxFuture<'a, Result<Option<ResolvedPlugin>, Self::Error>>;
}
