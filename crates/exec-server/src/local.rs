//! This host behind a server: open files for its handles, the roots of its confinement, its
//! standard streams.
//!
//! The only place of the crate that touches the host.

use std::io;
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use codex_path_uri::{AbsolutePathBuf, PathUri};
use tokio::task::spawn_blocking;

use crate::server::handles::{FileFuture, OpenFile};

#[expect(clippy::disallowed_types, reason = "its files are those of the host")]
type File = std::fs::File;

/// A file of this host that is open behind a handle. It stays the file it is, whatever happens to
/// its name, and its blocks are read and written where they are.
pub(crate) struct HostFile(pub(crate) Arc<File>);

impl OpenFile for HostFile {
    fn read_at(&self, offset: u64, len: usize) -> FileFuture<'_, Vec<u8>> {
        let file = Arc::clone(&self.0);
        Box::pin(on_blocking_pool(move || {
            let mut bytes = vec![0; len];
            let filled = fill(&file, &mut bytes, offset)?;
            bytes.truncate(filled);
            Ok(bytes)
        }))
    }

    fn write_at(&self, offset: u64, bytes: Vec<u8>) -> FileFuture<'_, ()> {
        let file = Arc::clone(&self.0);
        Box::pin(on_blocking_pool(move || write_all(&file, &bytes, offset)))
    }
}

async fn on_blocking_pool<T: Send + 'static>(
    job: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    spawn_blocking(job).await.map_err(io::Error::other)?
}

/// Fills `bytes` from `offset` on, as far as the file goes; says how far.
fn fill(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match positioned::read(file, rest, offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn write_all(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let mut written = 0;
    while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
        match positioned::write(file, rest, offset.saturating_add(written as u64)) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(more) => written += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reading and writing where the caller says, whatever others do with the same file.
mod positioned {
    use std::io;

    use super::File;

    #[cfg(unix)]
    pub(super) fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        // What lies past the last byte that the system can count is past the end of every file.
        match i64::try_from(offset.saturating_add(bytes.len() as u64)) {
            Ok(_) => file.read_at(bytes, offset),
            Err(_) => Ok(0),
        }
    }

    #[cfg(unix)]
    pub(super) fn write(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        file.write_at(bytes, offset)
    }

    #[cfg(windows)]
    pub(super) fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::windows::fs::FileExt as _;
        file.seek_read(bytes, offset)
    }

    #[cfg(windows)]
    pub(super) fn write(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        use std::os::windows::fs::FileExt as _;
        file.seek_write(bytes, offset)
    }
}

/// A directory of this host that is served, and nothing outside of it.
#[derive(Debug)]
pub(crate) struct Root {
    /// As the host named it.
    pub(crate) spelled: PathUri,
    /// Without links.
    pub(crate) real: PathUri,
    /// The only way to what is below.
    pub(crate) directory: Dir,
}

/// Opens a root. From then on its name is only a name: what is served is the opened directory.
pub(crate) fn open_root(path: &AbsolutePathBuf) -> io::Result<Root> {
    let real = std::fs::canonicalize(path.as_path())?;
    Ok(Root {
        spelled: PathUri::from_abs_path(path),
        directory: Dir::open_ambient_dir(&real, ambient_authority())?,
        real: PathUri::from_host_native_path(real)?,
    })
}

/// The whole host behind a server, and the standard streams of this process.
#[cfg(feature = "local")]
mod host {
    use std::io;
    use std::path::Path;
    use std::sync::Arc;

    use codex_file_system::{ExecutorFileSystem as _, FileSystemSandboxContext, LocalFileSystem};
    use codex_path_uri::PathUri;
    use tokio::io::{AsyncRead, AsyncWrite};

    use super::{File, HostFile, on_blocking_pool};
    use crate::protocol::OpenMode;
    use crate::server::handles::{FileFuture, OpenFile, OpenFiles};
    use crate::server::{Server, ServerOptions};

    impl Server {
        /// Serves this machine, with open files behind the handles. The sandbox of a request is
        /// enforced as the filesystem enforces it.
        ///
        /// # Examples
        /// ```no_run
        /// use codex_exec_server::server::{EnvironmentInfo, Server, ServerOptions};
        /// use codex_file_system::LocalFileSystem;
        /// use codex_path_uri::PathUri;
        ///
        /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
        /// let info = EnvironmentInfo::new(PathUri::from_host_native_path("/srv")?);
        /// let server = Server::local(LocalFileSystem::new(), ServerOptions::new(info));
        /// server.serve_standard_streams().await?;
        /// # Ok(())
        /// # }
        /// ```
        pub fn local(filesystem: LocalFileSystem, options: ServerOptions) -> Self {
            let files = LocalFiles(filesystem);
            Self::with_open_files(Arc::new(filesystem), Arc::new(files), options)
        }

        /// Serves the client at the standard input and output of this process, as
        /// [`serve_stdio`](Self::serve_stdio) does on any pair of pipes. Nothing else may write to
        /// the standard output.
        ///
        /// Pipes are read and written by the runtime itself. Anything else, such as a terminal or
        /// a file, goes by way of a thread that waits for it.
        ///
        /// # Errors
        /// Those of `serve_stdio`.
        ///
        /// # Cancellation
        /// Dropping the future drops the requests that run.
        pub async fn serve_standard_streams(&self) -> io::Result<()> {
            let reader: Box<dyn AsyncRead + Send + Unpin> = match standard_input_pipe() {
                Some(pipe) => pipe,
                None => Box::new(tokio::io::stdin()),
            };
            let writer: Box<dyn AsyncWrite + Send + Unpin> = match standard_output_pipe() {
                Some(pipe) => pipe,
                None => Box::new(tokio::io::stdout()),
            };
            self.serve_stdio(reader, writer).await
        }
    }

    struct LocalFiles(LocalFileSystem);

    impl OpenFiles for LocalFiles {
        fn enforces_sandboxes(&self) -> bool {
            true
        }

        fn open<'a>(
            &'a self,
            path: &'a PathUri,
            mode: OpenMode,
            sandbox: Option<&'a FileSystemSandboxContext>,
        ) -> FileFuture<'a, Arc<dyn OpenFile>> {
            Box::pin(async move {
                match mode {
                    // Tells what keeps the file from being read as every other call does.
                    OpenMode::Read => {
                        let checked = self.0.read_file_prefix(path, 0, None, sandbox);
                        checked.await?;
                    }
                    OpenMode::Replace if sandbox.is_some() => {
                        let message = "no file is opened to be replaced in a sandbox";
                        return Err(io::Error::new(io::ErrorKind::Unsupported, message));
                    }
                    OpenMode::Replace => {}
                }
                let host_path = path.to_path_buf()?;
                let file = on_blocking_pool(move || opened(&host_path, mode)).await?;
                let file: Arc<dyn OpenFile> = Arc::new(HostFile(Arc::new(file)));
                Ok(file)
            })
        }
    }

    /// Opens a regular file, without waiting for the other end of a FIFO that took its name.
    fn opened(path: &Path, mode: OpenMode) -> io::Result<File> {
        #[expect(clippy::disallowed_types, reason = "its files are those of the host")]
        let mut options = std::fs::OpenOptions::new();
        match mode {
            OpenMode::Read => options.read(true),
            OpenMode::Replace => options.write(true).create(true).truncate(true),
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt as _;

            use rustix::fs::OFlags;

            let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
            options.custom_flags(flags.bits().cast_signed());
        }
        let not_regular = || io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        match options.open(path) {
            Ok(file) if file.metadata()?.is_file() => Ok(file),
            Ok(_) => Err(not_regular()),
            Err(error) => match std::fs::metadata(path) {
                Ok(found) if !found.is_file() && !found.is_dir() => Err(not_regular()),
                _ => Err(error),
            },
        }
    }

    /// The standard input, if it is a pipe.
    fn standard_input_pipe() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd as _;

            let own = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
            let pipe = tokio::net::unix::pipe::Receiver::from_owned_fd(own).ok()?;
            Some(Box::new(pipe))
        }
        #[cfg(not(unix))]
        None
    }

    /// The standard output, if it is a pipe.
    fn standard_output_pipe() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
        #[cfg(unix)]
        {
            use std::os::fd::AsFd as _;

            let own = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
            // A large answer leaves in fewer pieces; the most that Linux lets anybody ask for.
            // Only speed depends on it.
            #[cfg(target_os = "linux")]
            let _ = rustix::pipe::fcntl_setpipe_size(&own, 1024 * 1024);
            let pipe = tokio::net::unix::pipe::Sender::from_owned_fd(own).ok()?;
            Some(Box::new(pipe))
        }
        #[cfg(not(unix))]
        None
    }
}
