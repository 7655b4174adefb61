//! Reading one resource of a plugin without leaving its environment or its root.

use std::io;
use std::sync::Arc;

use codex_file_system::{EnvironmentId, ExecutorFileSystem};
use codex_path_uri::PathUri;
use futures::future::join3;

use crate::contained::{ContainedFile, FileAnswers, FileFault};
use crate::escape::Escaped;
use crate::trip::Answer;
use crate::{PluginResourceLocator, ResolvedPlugin, ResourceOutsideRoot, SymlinkPolicy};

/// What an error calls the resource; the caller knows which one it asked for.
const FIELD: &str = "resource";

/// A resource that was not read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceReadError {
    /// The locator belongs to another environment than the plugin; no call was made.
    #[error("a resource of environment `{found}` is asked of a plugin of environment `{expected}`")]
    WrongEnvironment {
        /// The plugin's environment.
        expected: EnvironmentId,
        /// The locator's environment.
        found: EnvironmentId,
    },
    /// The resource is outside the root: lexically, without a call, or through a link.
    #[error("the resource reaches out of the plugin's root")]
    OutsideRoot(#[source] ResourceOutsideRoot),
    /// The resource, or its canonical path or the root's, could not be read.
    #[error("cannot read resource `{}`", Escaped(path.as_str()))]
    Read {
        /// The resource.
        path: PathUri,
        /// What the filesystem said.
        source: Arc<io::Error>,
    },
    /// The resource is larger than the caller allows.
    #[error("resource `{}` has {actual} bytes, more than {limit}", Escaped(path.as_str()))]
    TooLarge {
        /// The resource.
        path: PathUri,
        /// Most bytes accepted.
        limit: u64,
        /// Bytes found.
        actual: u64,
    },
}

/// Reads a resource of a plugin through `fs`, the filesystem of the plugin's environment.
///
/// # Round trips
/// One. Under [`SymlinkPolicy::RefuseEscape`] the resource is resolved and read together: 2 calls,
/// or 3 if the plugin's canonical root is not known. Under [`SymlinkPolicy::Follow`]: 1 call.
///
/// # Errors
/// [`ResourceReadError`]. A link out of the root outranks a failed read; bytes that come from
/// outside the root are dropped.
///
/// # Cancellation
/// Dropping the future sends nothing more.
pub async fn read_plugin_resource(
    fs: &(impl ExecutorFileSystem + ?Sized),
    plugin: &ResolvedPlugin,
    locator: &PluginResourceLocator,
    symlinks: SymlinkPolicy,
    max_bytes: usize,
) -> Result<Vec<u8>, ResourceReadError> {
    let path = locator.path();
    if locator.environment_id() != plugin.environment_id() {
        return Err(ResourceReadError::WrongEnvironment {
            expected: plugin.environment_id().clone(),
            found: locator.environment_id().clone(),
        });
    }
    ResourceOutsideRoot::check(FIELD, plugin.root(), path)
        .map_err(ResourceReadError::OutsideRoot)?;
    let refuse_escape = symlinks == SymlinkPolicy::RefuseEscape;
    let canonical_root = async {
        match plugin.canonical_root() {
            Some(known) if refuse_escape => Some(Ok(known.clone())),
            None if refuse_escape => Some(fs.canonicalize(plugin.root(), None).await),
            _ => None,
        }
    };
    let canonical = async {
        if refuse_escape {
            Some(fs.canonicalize(path, None).await)
        } else {
            None
        }
    };
    let (canonical_root, canonical, bytes) =
        join3(canonical_root, canonical, fs.read_file(path, None)).await;
    let mut answers = FileAnswers::new(max_bytes);
    answers.accept(Answer::Bytes(bytes));
    if let Some(canonical) = canonical {
        answers.accept(Answer::Canonical(canonical));
    }
    judge(plugin.root(), canonical_root, path, &answers)?;
    Ok(answers.into_bytes())
}

/// Says why the bytes of a resource are not handed out, if they are not.
fn judge(
    root: &PathUri,
    canonical_root: Option<io::Result<PathUri>>,
    path: &PathUri,
    answers: &FileAnswers,
) -> Result<(), ResourceReadError> {
    let unreadable = |source| ResourceReadError::Read {
        path: path.clone(),
        source,
    };
    let canonical_root = canonical_root
        .transpose()
        .map_err(|error| unreadable(Arc::new(error)))?;
    let file = ContainedFile {
        field: FIELD,
        root,
        canonical_root: canonical_root.as_ref(),
        path,
    };
    match file.judge(answers) {
        Ok(_) => Ok(()),
        Err(FileFault::Outside(outside)) => Err(ResourceReadError::OutsideRoot(outside)),
        Err(FileFault::Read(error) | FileFault::Canonicalize(error)) => Err(unreadable(error)),
        Err(FileFault::TooLarge { limit, actual }) => Err(ResourceReadError::TooLarge {
            path: path.clone(),
            limit,
            actual,
        }),
    }
}
