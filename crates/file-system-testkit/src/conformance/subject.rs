//! What is examined: a subject builds a fresh filesystem for each case, with a tree in it.

use std::any::Any;
use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    ReadDirectoryEntry, RemoveOptions, Walk, WalkOptions,
};
use codex_path_uri::{FileName, PathConvention, PathUri};
use tokio::runtime::{Builder, Runtime};

use crate::conformance::case::Need;
use crate::conformance::check::Failure;

/// A kind of filesystem that can be set up with a tree and examined.
///
/// # Examples
/// ```
/// use codex_file_system::wrap::Counting;
/// use codex_file_system_testkit::conformance::{Built, Fixture, Need, Subject};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// struct Counted;
///
/// impl Subject for Counted {
///     fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
///         Box::pin(async move {
///             let memory = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
///             Ok(Fixture::new(Counting::new(memory), PathUri::parse("file:///")?))
///         })
///     }
///
///     fn lacks(&self, need: Need) -> Option<&str> {
///         match need {
///             Need::WindowsNames => Some("a POSIX filesystem"),
///             _ => None,
///         }
///     }
/// }
/// ```
pub trait Subject: Send + Sync {
    /// Sets up a fresh filesystem that holds `tree`, a literal of relative paths, and says where.
    ///
    /// [`tree_entries`](crate::tree_entries) reads the literal for a filesystem of one's own; a case
    /// whose needs the subject [lacks](Self::lacks) is never built.
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a>;

    /// Why this subject cannot offer something, `None` if it can.
    fn lacks(&self, need: Need) -> Option<&str>;

    /// Why this subject is excused from one case by its name, `None` if it is not.
    fn excuse(&self, case: &str) -> Option<&str> {
        let _ = case;
        None
    }

    /// The runtime its cases run on, one for each case.
    ///
    /// # Errors
    /// Whatever hinders building a runtime.
    fn runtime(&self) -> io::Result<Runtime> {
        Builder::new_current_thread().enable_all().build()
    }
}

/// The future of a filesystem being set up.
pub type Built<'a> = Pin<Box<dyn Future<Output = Result<Fixture, Failure>> + Send + 'a>>;

/// A filesystem that holds the tree of one case.
///
/// Paths are asked for by their text below the base directory, and errors are reduced to their
/// kind, which is what the contract speaks of.
pub struct Fixture {
    filesystem: Arc<dyn ExecutorFileSystem>,
    base: PathUri,
    kept: Vec<Box<dyn Any + Send + Sync>>,
}

impl Fixture {
    /// A filesystem whose tree lies below the directory `base`.
    pub fn new(filesystem: impl ExecutorFileSystem + 'static, base: PathUri) -> Self {
        Self {
            filesystem: Arc::new(filesystem),
            base,
            kept: Vec::new(),
        }
    }

    /// Keeps something alive until the case is over: a scratch directory, a server.
    #[must_use]
    pub fn keeping(mut self, guard: impl Any + Send + Sync) -> Self {
        self.kept.push(Box::new(guard));
        self
    }

    /// The filesystem under examination.
    pub fn filesystem(&self) -> &dyn ExecutorFileSystem {
        &*self.filesystem
    }

    /// The directory that holds the tree.
    pub fn base(&self) -> &PathUri {
        &self.base
    }

    /// The path of this text below the base.
    pub(super) fn at(&self, path: &str) -> Result<PathUri, Failure> {
        Ok(self.base.join(path)?)
    }

    /// The canonical path of this text below the base, of which only the base may hold links.
    pub(super) async fn real(&self, path: &str) -> Result<PathUri, io::ErrorKind> {
        let base = self.filesystem.canonicalize(&self.base, None).await;
        base.and_then(|base| Ok(base.join(path)?))
            .map_err(|error| error.kind())
    }

    /// A name in the convention of the base.
    pub(super) fn name(&self, text: &str) -> Result<FileName, Failure> {
        Ok(FileName::new(text, self.convention())?)
    }

    pub(super) fn convention(&self) -> PathConvention {
        self.base
            .convention()
            .unwrap_or_else(PathConvention::native)
    }

    pub(super) async fn stat(&self, path: &str) -> Result<FileMetadata, io::ErrorKind> {
        kind_of(self.filesystem.get_metadata(&self.path(path)?, None).await)
    }

    pub(super) async fn read(&self, path: &str) -> Result<Vec<u8>, io::ErrorKind> {
        kind_of(self.filesystem.read_file(&self.path(path)?, None).await)
    }

    pub(super) async fn read_text(&self, path: &str) -> Result<String, io::ErrorKind> {
        kind_of(
            self.filesystem
                .read_file_text(&self.path(path)?, None)
                .await,
        )
    }

    pub(super) async fn read_prefix(
        &self,
        path: &str,
        max_bytes: u64,
        size_hint: Option<u64>,
    ) -> Result<FilePrefix, io::ErrorKind> {
        let path = self.path(path)?;
        kind_of(
            self.filesystem
                .read_file_prefix(&path, max_bytes, size_hint, None)
                .await,
        )
    }

    pub(super) async fn list(&self, path: &str) -> Result<Vec<ReadDirectoryEntry>, io::ErrorKind> {
        kind_of(
            self.filesystem
                .read_directory(&self.path(path)?, None)
                .await,
        )
    }

    pub(super) async fn canonicalize(&self, path: &str) -> Result<PathUri, io::ErrorKind> {
        kind_of(self.filesystem.canonicalize(&self.path(path)?, None).await)
    }

    pub(super) async fn write(&self, path: &str, contents: &[u8]) -> Result<(), io::ErrorKind> {
        kind_of(
            self.filesystem
                .write_file(&self.path(path)?, contents.to_vec(), None)
                .await,
        )
    }

    pub(super) async fn create_directory(
        &self,
        path: &str,
        recursive: bool,
    ) -> Result<(), io::ErrorKind> {
        let options = CreateDirectoryOptions { recursive };
        kind_of(
            self.filesystem
                .create_directory(&self.path(path)?, options, None)
                .await,
        )
    }

    pub(super) async fn remove(
        &self,
        path: &str,
        options: RemoveOptions,
    ) -> Result<(), io::ErrorKind> {
        kind_of(
            self.filesystem
                .remove(&self.path(path)?, options, None)
                .await,
        )
    }

    pub(super) async fn copy(
        &self,
        source: &str,
        destination: &str,
        recursive: bool,
    ) -> Result<(), io::ErrorKind> {
        let (source, destination) = (self.path(source)?, self.path(destination)?);
        let options = CopyOptions { recursive };
        kind_of(
            self.filesystem
                .copy(&source, &destination, options, None)
                .await,
        )
    }

    fn path(&self, path: &str) -> Result<PathUri, io::ErrorKind> {
        self.base
            .join(path)
            .map_err(|error| io::Error::from(error).kind())
    }

    pub(super) async fn walk(
        &self,
        path: &str,
        options: &WalkOptions,
    ) -> Result<Walk, io::ErrorKind> {
        kind_of(self.filesystem.walk(&self.path(path)?, options, None).await)
    }
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("base", &self.base)
            .finish_non_exhaustive()
    }
}

fn kind_of<T>(answer: io::Result<T>) -> Result<T, io::ErrorKind> {
    answer.map_err(|error| error.kind())
}
