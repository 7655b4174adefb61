//! A file of a plugin, read without leaving its environment or its root.
//!
//! The canonical path and the bytes are asked for together. The bytes of a file outside the root are dropped before
//! anything looks at them.

use std::fmt;
use std::io;
use std::sync::Arc;

use codex_file_system::{EnvironmentId, ExecutorFileSystem, Lookahead, ReadCall, Window};
use codex_path_uri::PathUri;

use crate::diagnostic::Escaped;
use crate::{PluginResourceLocator, ResolvedPlugin, SymlinkPolicy};

/// What an error calls the resource; the caller knows which one it asked for.
const FIELD: &str = "resource";

/// A resource of a plugin that lies outside the plugin's root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceOutsideRoot {
    field: String,
    root: PathUri,
    path: PathUri,
    resolved: Option<PathUri>,
}

impl ResourceOutsideRoot {
    /// Checks that `path` is lexically at or below `root`, by whole names.
    pub(crate) fn check(field: &str, root: &PathUri, path: &PathUri) -> Result<(), Self> {
        if path.starts_with(root) {
            Ok(())
        } else {
            Err(Self::new(field, root, path, None))
        }
    }

    fn new(field: &str, root: &PathUri, path: &PathUri, resolved: Option<PathUri>) -> Self {
        Self {
            field: field.to_owned(),
            root: root.clone(),
            path: path.clone(),
            resolved,
        }
    }

    /// The stable code: `resource_outside_root`.
    pub fn code(&self) -> &'static str {
        "resource_outside_root"
    }

    /// The field that names the resource, or `manifest` for the manifest itself.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// The root, as it was selected.
    pub fn root(&self) -> &PathUri {
        &self.root
    }

    /// The resource, as it was named.
    pub fn path(&self) -> &PathUri {
        &self.path
    }

    /// Where the resource really is, if a link is the reason.
    pub fn resolved(&self) -> Option<&PathUri> {
        self.resolved.as_ref()
    }
}

impl fmt::Display for ResourceOutsideRoot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, path) = (Escaped(&self.field), Escaped(self.path.as_str()));
        write!(formatter, "`{field}` names `{path}`, which ")?;
        match &self.resolved {
            Some(target) => write!(formatter, "leads to `{}`, ", Escaped(target.as_str()))?,
            None => formatter.write_str("is ")?,
        }
        write!(formatter, "outside root `{}`", self.root)
    }
}

impl std::error::Error for ResourceOutsideRoot {}

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
        /// Bytes found; the limit and one where the filesystem does not tell the size.
        actual: u64,
    },
}

/// Reads a resource of a plugin through `fs`, the filesystem of the plugin's environment.
///
/// # Round trips
/// One, and another for more than 64 KiB. Under [`SymlinkPolicy::RefuseEscape`] the resource is resolved and read
/// together: 2 calls, or 3 if the plugin's canonical root is not known. Under [`SymlinkPolicy::Follow`]: 1 call.
///
/// # Errors
/// [`ResourceReadError`]. A link out of the root outranks a failed read; bytes that come from outside the root are
/// dropped.
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
    let lookahead = Lookahead::new(fs, Window::default());
    let unreadable = |source| ResourceReadError::Read {
        path: path.clone(),
        source,
    };
    let read = async {
        let canonical_root = match symlinks {
            SymlinkPolicy::Follow => None,
            SymlinkPolicy::RefuseEscape => Some(canonical_root(&lookahead, plugin).await),
        };
        let canonical_root = canonical_root
            .transpose()
            .map_err(|error| unreadable(Arc::new(error)))?;
        let file = ContainedFile {
            field: FIELD,
            root: plugin.root(),
            canonical_root: canonical_root.as_ref(),
            path,
            limit: max_bytes,
        };
        file.read(&lookahead).await.map_err(|fault| match fault {
            FileFault::Outside(outside) => ResourceReadError::OutsideRoot(outside),
            FileFault::Read(error) | FileFault::Canonicalize(error) => unreadable(Arc::new(error)),
            FileFault::TooLarge { limit, actual } => ResourceReadError::TooLarge {
                path: path.clone(),
                limit,
                actual,
            },
        })
    };
    if symlinks == SymlinkPolicy::RefuseEscape && plugin.canonical_root().is_none() {
        lookahead.expect_all([ReadCall::canonical(plugin.root())]);
    }
    lookahead.expect_all(contained_calls(path, max_bytes, symlinks));
    lookahead.drive(read).await
}

/// Where the root of a plugin really is.
pub(crate) async fn canonical_root<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    plugin: &ResolvedPlugin,
) -> io::Result<PathUri> {
    match plugin.canonical_root() {
        Some(known) => Ok(known.clone()),
        None => lookahead.canonicalize(plugin.root(), None).await,
    }
}

/// A file below a root, and what the root's canonical path is where links must not leave it.
#[derive(Clone, Copy)]
pub(crate) struct ContainedFile<'a> {
    /// What names the file.
    pub(crate) field: &'a str,
    pub(crate) root: &'a PathUri,
    /// None where links may lead anywhere.
    pub(crate) canonical_root: Option<&'a PathUri>,
    pub(crate) path: &'a PathUri,
    /// Most bytes.
    pub(crate) limit: usize,
}

/// Why the bytes of a file are not handed out.
pub(crate) enum FileFault {
    Outside(ResourceOutsideRoot),
    Read(io::Error),
    Canonicalize(io::Error),
    TooLarge { limit: u64, actual: u64 },
}

impl ContainedFile<'_> {
    /// The file's bytes. A link out of the root outranks a failed read, which outranks a failed canonical path, which
    /// outranks the size.
    pub(crate) async fn read<F: ExecutorFileSystem + ?Sized>(
        &self,
        lookahead: &Lookahead<'_, F>,
    ) -> Result<Vec<u8>, FileFault> {
        let canonical = match self.canonical_root {
            Some(root) => Some((root, lookahead.canonicalize(self.path, None).await)),
            None => None,
        };
        if let Some((canonical_root, Ok(resolved))) = &canonical
            && !resolved.starts_with(canonical_root)
        {
            lookahead.forget(&beginning(self.path, self.limit));
            let resolved = Some(resolved.clone());
            let outside = ResourceOutsideRoot::new(self.field, self.root, self.path, resolved);
            return Err(FileFault::Outside(outside));
        }
        let limit = self.limit as u64;
        let prefix = lookahead
            .read_beginning(self.path, limit.saturating_add(1))
            .await
            .map_err(FileFault::Read)?;
        if let Some((_, Err(error))) = canonical {
            return Err(FileFault::Canonicalize(error));
        }
        let length = prefix.bytes.len() as u64;
        if length > limit {
            let actual = prefix.size.unwrap_or(length).max(length);
            return Err(FileFault::TooLarge { limit, actual });
        }
        Ok(prefix.bytes)
    }
}

/// The calls of [`ContainedFile::read`].
pub(crate) fn contained_calls(
    path: &PathUri,
    limit: usize,
    symlinks: SymlinkPolicy,
) -> impl Iterator<Item = ReadCall> {
    let canonical = (symlinks == SymlinkPolicy::RefuseEscape).then(|| ReadCall::canonical(path));
    canonical.into_iter().chain([beginning(path, limit)])
}

fn beginning(path: &PathUri, limit: usize) -> ReadCall {
    ReadCall::beginning(path, (limit as u64).saturating_add(1))
}

/// The text of a file, which must be UTF-8.
pub(crate) fn decode_utf8(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
