//! The namespace of the skills below one directory, at the price of one call per tried location.

use std::io;
use std::sync::Arc;

use codex_file_system::{ExecutorFileSystem, FileSystemError, FileSystemSandboxContext};
use codex_path_uri::PathUri;

use crate::contained::decode_utf8;
use crate::error_context::ErrorContext;
use crate::locations::judge_probe;
use crate::{
    MAX_MANIFEST_BYTES, ManifestDirectories, PluginNamespace, PluginProviderError,
    manifest_candidates, parse_plugin_manifest,
};

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
///
/// # Examples
/// ```
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::{ManifestDirectories, read_plugin_namespace};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let tree = r#"/p/.claude-plugin/plugin.json = {"name":"demo"}"#;
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
/// let root = PathUri::parse("file:///p")?;
/// let entries = fs.read_directory(&root, None).await?;
/// let shown = ManifestDirectories::from_listing(entries.iter().map(|entry| &entry.file_name));
/// let namespace = read_plugin_namespace(&fs, &root, shown, None).await?;
/// assert_eq!(namespace.unwrap().namespace(), "demo");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn read_plugin_namespace(
    fs: &(impl ExecutorFileSystem + ?Sized),
    root: &PathUri,
    present: ManifestDirectories,
    sandbox: Option<&FileSystemSandboxContext>,
) -> Result<Option<PluginNamespace>, PluginProviderError> {
    if present.is_empty() {
        return Ok(None);
    }
    let candidates = manifest_candidates(root).map_err(|error| {
        ErrorContext {
            environment_id: None,
        }
        .invalid_manifest_path(root, Arc::new(error))
    })?;
    for (location, path) in candidates.iter().enumerate() {
        if !present.contains(location) {
            continue;
        }
        match fs.read_file(path, sandbox).await {
            Ok(bytes) => return parse_namespace(root, path, bytes).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                // Reading a directory fails with a kind that not every filesystem tells apart from
                // a failure, so the metadata decides whether there is a manifest at all.
                if let Ok(None) = judge_probe(fs.get_metadata(path, sandbox).await) {
                    continue;
                }
                return Err(context_of(&error).read_manifest(path, error));
            }
        }
    }
    Ok(None)
}

fn parse_namespace(
    root: &PathUri,
    path: &PathUri,
    bytes: Vec<u8>,
) -> Result<PluginNamespace, PluginProviderError> {
    let errors = ErrorContext {
        environment_id: None,
    };
    if bytes.len() > MAX_MANIFEST_BYTES {
        let (limit, actual) = (MAX_MANIFEST_BYTES as u64, bytes.len() as u64);
        return Err(errors.manifest_too_large(path, limit, actual));
    }
    let text = decode_utf8(&bytes).map_err(|error| errors.read_manifest(path, error))?;
    let (manifest, _) =
        parse_plugin_manifest(root, text).map_err(|error| errors.parse_manifest(path, error))?;
    Ok(PluginNamespace::new(manifest.declared_name(), root))
}

/// The environment is known only if the filesystem names it.
fn context_of(error: &io::Error) -> ErrorContext {
    let environment_id =
        FileSystemError::find(error).and_then(|error| error.environment_id.clone());
    ErrorContext { environment_id }
}
