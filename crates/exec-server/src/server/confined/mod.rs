//! A filesystem that is some directories of this host and nothing else.
//!
//! * Every step below a root starts at an opened directory and goes one name further; where a
//!   link leads is found out here, name by name. So neither `..` nor a link nor a swap of one for
//!   the other between two steps leaves the root.
//! * Outside of the roots nothing exists, and nothing is asked of the host. The directories on the
//!   way to a root exist and list the way.
//! * A root is what was opened: renaming it changes nothing here, and once it is deleted nothing is
//!   in it, whatever takes its name.
//! * On a host that ignores case, a canonical path keeps the spelling it was asked with.

mod copy;
mod entries;
mod open_files;
mod place;
mod read;
mod resolve;
mod write;

use std::io;
use std::sync::Arc;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, SandboxPolicy,
};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use tokio::runtime::Handle;

use self::place::Roots;
use crate::local::open_root;

/// Some directories of this host, and the way to them.
///
/// Paths are those of the host. Inside a root the whole contract of [`ExecutorFileSystem`] holds;
/// a link that leads out of its root is [`PermissionDenied`](io::ErrorKind::PermissionDenied).
/// Outside, reading is [`NotFound`](io::ErrorKind::NotFound), so that a search upward ends
/// quietly, and writing is `PermissionDenied`. A sandbox is not enforced on top of that:
/// [`Unsupported`](io::ErrorKind::Unsupported). Calls run on tokio's blocking pool.
///
/// # Examples
/// ```
/// use codex_exec_server::server::ConfinedFileSystem;
/// use codex_file_system::ExecutorFileSystem;
/// use codex_path_uri::{AbsolutePathBuf, PathUri};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let root = AbsolutePathBuf::from_absolute_path_checked(env!("CARGO_MANIFEST_DIR"))?;
/// let fs = ConfinedFileSystem::new([root.clone()])?;
/// let inside = PathUri::from_abs_path(&root.join("Cargo.toml")?);
/// assert!(fs.get_metadata(&inside, None).await?.is_file);
///
/// let above = PathUri::from_abs_path(&root).parent().ok_or("a root has a parent")?;
/// let way: Vec<_> = fs.read_directory(&above, None).await?;
/// assert_eq!(way.len(), 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ConfinedFileSystem {
    roots: Arc<Roots>,
}

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

impl ConfinedFileSystem {
    /// Opens the directories that are served.
    ///
    /// # Errors
    /// A root that does not exist, is no directory or may not be opened.
    pub fn new(roots: impl IntoIterator<Item = AbsolutePathBuf>) -> io::Result<Self> {
        let roots = roots.into_iter().map(|path| open_root(&path));
        let roots = roots.collect::<io::Result<Vec<_>>>()?;
        Ok(Self {
            roots: Arc::new(Roots::new(roots)),
        })
    }

    fn run<'a, T: Send + 'static>(
        &self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
        job: impl FnOnce(&Roots, &PathUri) -> io::Result<T> + Send + 'static,
    ) -> FileSystemFuture<'a, T> {
        let roots = Arc::clone(&self.roots);
        Box::pin(async move {
            if matches!(sandbox, Some(sandbox) if sandbox.policy != SandboxPolicy::Unrestricted) {
                let message = "a sandbox inside a confinement cannot be enforced";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            let runtime = Handle::try_current()
                .map_err(|outside| io::Error::new(io::ErrorKind::Unsupported, outside))?;
            let path = path.clone();
            let answer = runtime.spawn_blocking(move || job(&roots, &path)).await;
            answer.map_err(io::Error::other)?
        })
    }
}

impl ExecutorFileSystem for ConfinedFileSystem {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        self.run(path, sandbox, read::metadata)
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        self.run(path, sandbox, read::file)
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        self.run(path, sandbox, read::directory)
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        self.run(path, sandbox, read::canonical)
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |roots, path| {
            write::file(roots, path, &contents)
        })
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |roots, path| {
            write::directory(roots, path, options)
        })
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.run(path, sandbox, move |roots, path| {
            write::removal(roots, path, options)
        })
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        let destination = destination.clone();
        self.run(source, sandbox, move |roots, source| {
            copy::entry(roots, source, &destination, options)
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        _size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        self.run(path, sandbox, move |roots, path| {
            read::prefix(roots, path, max_bytes)
        })
    }
}
