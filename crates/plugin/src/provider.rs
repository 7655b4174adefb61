//! The interface between a host and whoever resolves its selected roots.

use futures::future::BoxFuture;

use crate::{ResolvedPlugin, SelectedCapabilityRoot};

/// Resolves selected roots to plugins.
pub trait PluginProvider: Send + Sync {
    /// Why a root could not be judged.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Judges one root. `Ok(None)` says that there is no manifest: the host treats the root as a
    /// standalone capability. An error says that this is not known.
    fn resolve<'a>(
        &'a self,
        root: &'a SelectedCapabilityRoot,
    ) -> BoxFuture<'a, Result<Option<ResolvedPlugin>, Self::Error>>;
}
