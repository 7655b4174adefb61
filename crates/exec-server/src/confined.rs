//! A filesystem that is some directories of this host and nothing else.
//!
//! * Every step below a root starts at an opened directory and goes one name further; where a
//!   link leads is found out here, name by name. So neither `..` nor a link nor a swap of one for
//!   the other between two steps leaves the root.
//! * Outside of the roots nothing exists, and nothing is asked of the host. The directories on the
//!   way to a root exist and list the way.
//! * A root is what was opened: renaming it changes nothing here, and once it is removed it is missing,
//!   whatever takes its name.
//! * On a host that ignores case, a canonical path keeps the spelling it was asked with.

mod read;
mod resolve;
mod roots;
mod write;

use std::io;
use std::sync::Arc;

use codex_file_system::call::{Call, Uniform};
use codex_file_system::{
    BlockingFileSystem, CopyOptions, CreateDirectoryOptions, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, SandboxPolicy,
    uniform_file_system,
};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use tokio::runtime::Handle;

use self::roots::Roots;
use crate::local::{HostFile, open_root};
use crate::protocol::OpenMode;
use crate::server::handles::{FileFuture, OpenFile, OpenFiles};
use crate::server::{Server, ServerOptions};

/// Some directories of this host, and the way to them.
///
/// Paths are those of the host. Inside a root the whole contract of
/// [`ExecutorFileSystem`](codex_file_system::ExecutorFileSystem) holds;
/// a link that leads out of its root is [`PermissionDenied`](io::ErrorKind::PermissionDenied), and
/// listings name it as a [`BrokenLink`](codex_file_system::FileKind::BrokenLink). A tree of more
/// than 128 levels is not copied.
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

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Roots) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let runtime = Handle::try_current()
            .map_err(|outside| io::Error::new(io::ErrorKind::Unsupported, outside))?;
        let roots = Arc::clone(&self.roots);
        let answer = runtime.spawn_blocking(move || job(&roots)).await;
        answer.map_err(io::Error::other)?
    }
}

impl Uniform for ConfinedFileSystem {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let policy = call.sandbox().map(|sandbox| &sandbox.policy);
            if policy.is_some_and(|policy| *policy != SandboxPolicy::Unrestricted) {
                let message = "a sandbox inside a confinement cannot be enforced";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            self.run(call.detach()).await
        })
    }
}

uniform_file_system! { impl for ConfinedFileSystem }

/// The calls themselves. A call with a sandbox does not come here.
impl BlockingFileSystem for Roots {
    fn get_metadata(&self, path: &PathUri, _: Sandbox<'_>) -> io::Result<FileMetadata> {
        read::metadata(self, path)
    }

    fn read_file(&self, path: &PathUri, _: Sandbox<'_>) -> io::Result<Vec<u8>> {
        read::file(self, path)
    }

    fn read_directory(
        &self,
        path: &PathUri,
        _: Sandbox<'_>,
    ) -> io::Result<Vec<ReadDirectoryEntry>> {
        read::directory(self, path)
    }

    fn canonicalize(&self, path: &PathUri, _: Sandbox<'_>) -> io::Result<PathUri> {
        read::canonical(self, path)
    }

    fn write_file(&self, path: &PathUri, contents: Vec<u8>, _: Sandbox<'_>) -> io::Result<()> {
        write::file(self, path, &contents)
    }

    fn create_directory(
        &self,
        path: &PathUri,
        options: CreateDirectoryOptions,
        _: Sandbox<'_>,
    ) -> io::Result<()> {
        write::directory(self, path, options)
    }

    fn remove(&self, path: &PathUri, options: RemoveOptions, _: Sandbox<'_>) -> io::Result<()> {
        write::removal(self, path, options)
    }

    fn copy(
        &self,
        source: &PathUri,
        destination: &PathUri,
        options: CopyOptions,
        _: Sandbox<'_>,
    ) -> io::Result<()> {
        write::copy(self, source, destination, options)
    }

    fn read_file_prefix(
        &self,
        path: &PathUri,
        max_bytes: u64,
        _size_hint: Option<u64>,
        _: Sandbox<'_>,
    ) -> io::Result<FilePrefix> {
        read::prefix(self, path, max_bytes)
    }
}

impl Server {
    /// Serves some directories of this machine, with open files behind the handles that read.
    /// Files cannot be opened to be replaced.
    pub fn confined(filesystem: ConfinedFileSystem, options: ServerOptions) -> Self {
        let files = Arc::new(filesystem.clone());
        Self::with_open_files(Arc::new(filesystem), files, options)
    }
}

/// A file is found as every other call finds it, and then held open.
impl OpenFiles for ConfinedFileSystem {
    fn enforces_sandboxes(&self) -> bool {
        false
    }

    fn open<'a>(
        &'a self,
        path: &'a PathUri,
        mode: OpenMode,
        _: Sandbox<'a>,
    ) -> FileFuture<'a, Arc<dyn OpenFile>> {
        Box::pin(async move {
            if mode == OpenMode::Replace {
                let message = "files of a confinement cannot be opened to be replaced";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            let path = path.clone();
            let opened = self.run(move |roots| read::opened(roots, &path));
            let (file, _) = opened.await?;
            let file: Arc<dyn OpenFile> = Arc::new(HostFile(Arc::new(file.into_std())));
            Ok(file)
        })
    }
}
