//! [`MemoryFileSystem`]: the shared tree behind the one filesystem trait.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use codex_file_system::call::{Call, Uniform};
use codex_file_system::{
    BlockingFileSystem, CopyOptions, CreateDirectoryOptions, FileKind, FileMetadata,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions,
    uniform_file_system,
};
use codex_path_uri::PathUri;

use crate::flavor::Flavor;
use crate::literal::{TreeError, parse};
use crate::memory::read::Listed;
use crate::memory::tree::Tree;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// A complete filesystem of a POSIX or Windows machine, in memory.
///
/// The caller is unprivileged and owns everything, so the owner's bits of a mode decide. Clones
/// share one tree. Times are unknown (`None`); sizes are told of regular files only.
///
/// # Round trips
/// Every call is ready at its first poll and touches nothing before it.
///
/// # Examples
/// ```
/// use codex_file_system::ExecutorFileSystem;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let tree = "
///     /srv/repo/AGENTS.md = Be brief.%0A
///     /links/repo -> /srv/repo
/// ";
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
/// let linked = PathUri::parse("file:///links/repo/AGENTS.md")?;
/// assert_eq!(fs.read_file_text(&linked, None).await?, "Be brief.\n");
/// assert_eq!(fs.canonicalize(&linked, None).await?.as_str(), "file:///srv/repo/AGENTS.md");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct MemoryFileSystem {
    tree: Arc<Mutex<Tree>>,
    tells_links: bool,
    tells_sizes: bool,
}

impl MemoryFileSystem {
    /// An empty POSIX machine: nothing but `/`.
    pub fn posix() -> Self {
        Self::empty(Flavor::Posix)
    }

    /// An empty Windows machine: nothing but `C:\`.
    pub fn windows() -> Self {
        Self::empty(Flavor::Windows)
    }

    /// A machine with these entries; the [crate documentation](crate) says how to write them.
    ///
    /// # Errors
    /// The first line that cannot be read or that contradicts an earlier one.
    pub fn from_tree(flavor: Flavor, tree: &str) -> Result<Self, TreeError> {
        let filesystem = Self::empty(flavor);
        filesystem.add_tree(tree)?;
        Ok(filesystem)
    }

    /// Adds entries, whatever the permissions; an entry that is no directory replaces what is
    /// there under its name, a directory keeps what it holds.
    ///
    /// # Errors
    /// The first line that cannot be read, then the first that contradicts the tree. The lines
    /// before the latter stay applied, except for their modes.
    pub fn add_tree(&self, tree: &str) -> Result<(), TreeError> {
        let flavor = self.with_tree(|tree| tree.flavor);
        let lines = parse(flavor, tree)?;
        self.with_tree(|tree| tree.plant(lines))
    }

    /// The same tree through a filesystem that cannot say whether an entry is a link, as some
    /// remote ones cannot: `is_symlink` is `None` in metadata and in listings, and a broken link is
    /// in no listing.
    pub fn without_link_flags(self) -> Self {
        Self {
            tells_links: false,
            ..self
        }
    }

    /// The same tree through a filesystem whose metadata does not tell sizes.
    pub fn without_sizes(self) -> Self {
        Self {
            tells_sizes: false,
            ..self
        }
    }

    fn empty(flavor: Flavor) -> Self {
        Self {
            tree: Arc::new(Mutex::new(Tree::new(flavor))),
            tells_links: true,
            tells_sizes: true,
        }
    }

    fn with_tree<T>(&self, operation: impl FnOnce(&mut Tree) -> T) -> T {
        // A panic of another thread leaves the tree as it was between two operations, or with
        // one operation half done; a test that panicked is not made worse by either.
        operation(&mut self.tree.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for MemoryFileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flavor = self.with_tree(|tree| tree.flavor);
        f.debug_struct("MemoryFileSystem")
            .field("flavor", &flavor)
            .finish_non_exhaustive()
    }
}

impl Uniform for MemoryFileSystem {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move { call.make_blocking(self) })
    }
}

uniform_file_system! { impl for MemoryFileSystem }

impl BlockingFileSystem for MemoryFileSystem {
    fn get_metadata(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<FileMetadata> {
        let stat = self.with_tree(|tree| tree.stat(path, sandbox))?;
        Ok(FileMetadata::new(stat.kind)
            .with_is_symlink(self.tells_links.then_some(stat.is_link))
            .with_size(stat.size.filter(|_| self.tells_sizes)))
    }

    fn read_file(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<Vec<u8>> {
        self.with_tree(|tree| tree.read(path, sandbox))
    }

    fn read_directory(
        &self,
        path: &PathUri,
        sandbox: Sandbox<'_>,
    ) -> io::Result<Vec<ReadDirectoryEntry>> {
        let listing = self.with_tree(|tree| tree.list(path, sandbox))?;
        let is_told = |listed: &Listed| self.tells_links || listed.kind != FileKind::BrokenLink;
        let entries = listing.into_iter().filter(is_told).map(|listed| {
            ReadDirectoryEntry::new(listed.name, listed.kind)
                .with_is_symlink(self.tells_links.then_some(listed.is_link))
        });
        Ok(entries.collect())
    }

    fn canonicalize(&self, path: &PathUri, sandbox: Sandbox<'_>) -> io::Result<PathUri> {
        self.with_tree(|tree| tree.real_path(path, sandbox))
    }

    fn write_file(
        &self,
        path: &PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        self.with_tree(|tree| tree.write(path, contents, sandbox))
    }

    fn create_directory(
        &self,
        path: &PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        self.with_tree(|tree| tree.create_directory(path, options, sandbox))
    }

    fn remove(
        &self,
        path: &PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        self.with_tree(|tree| tree.remove(path, options, sandbox))
    }

    fn copy(
        &self,
        source: &PathUri,
        destination: &PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'_>,
    ) -> io::Result<()> {
        self.with_tree(|tree| tree.copy(source, destination, options, sandbox))
    }
}
