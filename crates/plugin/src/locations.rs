//! Where a manifest may be, and which of the places holds it.
//!
//! This is the one finder: resolving a root, checking an installed plugin and naming skills all go
//! through these locations in this order. Names are exact, and nothing above the root is asked.

use std::io;

use codex_file_system::{ExecutorFileSystem, FileMetadata, FileSystemSandboxContext};
use codex_path_uri::{PathUri, PathUriError};
use futures::future;

/// The locations of a manifest below a plugin's root, the first that is a regular file first.
pub const DISCOVERABLE_PLUGIN_MANIFEST_PATHS: [&str; 3] = [
    ".codex-plugin/plugin.json",
    ".claude-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
];

/// The three locations below `root`, in order. Makes no call.
///
/// # Errors
/// The path error of a root that takes no child names.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
///
/// let [first, ..] = codex_plugin::manifest_candidates(&PathUri::parse("file:///C:/demo")?)?;
/// assert_eq!(first.as_str(), "file:///C:/demo/.codex-plugin/plugin.json");
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn manifest_candidates(root: &PathUri) -> Result<[PathUri; 3], PathUriError> {
    let [first, second, third] = DISCOVERABLE_PLUGIN_MANIFEST_PATHS;
    Ok([root.join(first)?, root.join(second)?, root.join(third)?])
}

/// Judges the probes of the three locations: the index of the manifest, if there is one.
///
/// The first regular file is the manifest, and answers behind it do not matter. What is missing, or
/// is anything but a regular file after following links, is passed over. Makes no call.
///
/// # Errors
/// The first other failure before a manifest, with the index of its location.
pub fn choose_manifest(
    answers: [io::Result<FileMetadata>; 3],
) -> Result<Option<usize>, (usize, io::Error)> {
    for (index, answer) in answers.into_iter().enumerate() {
        match judge_probe(answer) {
            Ok(Some(_)) => return Ok(Some(index)),
            Ok(None) => {}
            Err(error) => return Err((index, error)),
        }
    }
    Ok(None)
}

/// Judges the probe of one location: the metadata of a regular file, or nothing there.
pub(crate) fn judge_probe(answer: io::Result<FileMetadata>) -> io::Result<Option<FileMetadata>> {
    match answer {
        Ok(metadata) => Ok(Some(metadata).filter(|metadata| metadata.is_file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Finds the manifest of the plugin at `root` without reading it.
///
/// # Round trips
/// One: the three probes together.
///
/// # Errors
/// The first failure in order other than `NotFound`, unless an earlier location is the manifest;
/// `InvalidInput` for a root that takes no child names.
///
/// # Cancellation
/// Dropping the future sends nothing more.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::find_plugin_manifest;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/p/.cursor-plugin/plugin.json = {}")?;
/// let found = find_plugin_manifest(&fs, &PathUri::parse("file:///p")?, None).await?;
/// assert_eq!(found.unwrap().as_str(), "file:///p/.cursor-plugin/plugin.json");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn find_plugin_manifest(
    fs: &(impl ExecutorFileSystem + ?Sized),
    root: &PathUri,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Option<PathUri>> {
    let candidates = manifest_candidates(root)?;
    let [first, second, third] = &candidates;
    let answers = future::join3(
        fs.get_metadata(first, sandbox),
        fs.get_metadata(second, sandbox),
        fs.get_metadata(third, sandbox),
    );
    let (first, second, third) = answers.await;
    match choose_manifest([first, second, third]) {
        Ok(chosen) => Ok(chosen.and_then(|index| candidates.into_iter().nth(index))),
        Err((_, error)) => Err(error),
    }
}
