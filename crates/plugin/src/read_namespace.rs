//! The namespace of the skills below one directory, at the price of one call per tried location.

use codex_file_system::{ExecutorFileSystem, FileSystemSandboxContext};
use codex_path_uri::PathUri;

use crate::{ManifestDirectories, PluginNamespace, PluginProviderError};

/// Reads the namespace that the manifest of `root` gives to skills.
///
/// `root` is the directory's canonical location, so that a skill reached through a link takes the
/// namespace of the link's target. `present` holds the manifest directories that a listing of
/// `root` showed ([`ManifestDirectories::ALL`] where nothing is known); other locations are not
/// tried. Links are followed: only a validated name leaves this function. Limits and strictness are
/// those of resolving a plugin, and a bad manifest never falls through to the next location.
///
/// # Round trips
/// One read per tried location, one after another; one metadata call more per location whose read
/// fails otherwise than with `NotFound`. With one manifest directory present: 1.
///
/// # Errors
/// [`ReadManifest`](PluginProviderError::ReadManifest),
/// [`ManifestTooLarge`](PluginProviderError::ManifestTooLarge) or
/// [`ParseManifest`](PluginProviderError::ParseManifest) of the first location that holds a regular
/// file; [`InvalidManifestPath`](PluginProviderError::InvalidManifestPath) for a root that takes no
/// child names. A caller that names skills treats an error as "no namespace here" and reports it.
///
/// # Cancellation
/// Dropping the future sends nothing more.
pub async fn read_plugin_namespace(
    _fs: &(impl ExecutorFileSystem + ?Sized),
    _root: &PathUri,
    _present: ManifestDirectories,
    _sandbox: Option<&FileSystemSandboxContext>,
) -> Result<Option<PluginNamespace>, PluginProviderError> {
    todo!()
}
