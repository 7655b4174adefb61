//! Files of this host that stay open behind a handle.
//!
//! An open file stays the file it is, whatever happens to its name, and its blocks are read and
//! written where they are. Each operation is one job of the workers.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

use codex_file_system::{ExecutorFileSystem as _, LocalFileSystem};
use codex_path_uri::PathUri;

use super::host::Host;
use super::workers::Workers;
use crate::protocol::OpenMode;
use crate::server::handles::{FileFuture, OpenFile, OpenFiles};
use crate::server::{Server, ServerOptions};

impl Server {
    /// Serves this machine, with open files behind the handles.
    ///
    /// The filesystem says that this machine is meant. However it runs its calls elsewhere, here
    /// they are run by a few threads of tokio's blocking pool, as a server's bursts need it.
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
    pub fn local(_filesystem: LocalFileSystem, options: ServerOptions) -> Self {
        let workers = Workers::default();
        let host = Host::new(workers.clone());
        let files = LocalFiles {
            host: host.clone(),
            workers,
        };
        Self::with_open_files(Arc::new(host), Arc::new(files), options)
    }
}

struct LocalFiles {
    host: Host,
    workers: Workers,
}

impl OpenFiles for LocalFiles {
    fn open<'a>(&'a self, path: &'a PathUri, mode: OpenMode) -> FileFuture<'a, Arc<dyn OpenFile>> {
        Box::pin(async move {
            if mode == OpenMode::Read {
                // Tells what keeps the file from being read as every other call does.
                self.host.read_file_prefix(path, 0, None, None).await?;
            }
            let host_path = path.to_path_buf()?;
            let file = self.workers.run(move || opened(&host_path, mode)).await?;
            let file: Arc<dyn OpenFile> = Arc::new(LocalFile {
                file: Arc::new(file),
                workers: self.workers.clone(),
            });
            Ok(file)
        })
    }
}

/// Opens a regular file, without waiting for the other end of a FIFO that took its name.
fn opened(path: &Path, mode: OpenMode) -> io::Result<File> {
    let mut options = OpenOptions::new();
    match mode {
        OpenMode::Read => options.read(true),
        OpenMode::Replace => options.write(true).create(true).truncate(true),
    };
    without_waiting(&mut options);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) => {
            let is_other = |path: &Path| {
                let found = std::fs::metadata(path);
                found.is_ok_and(|found| !found.is_file() && !found.is_dir())
            };
            return Err(if is_other(path) { not_regular() } else { error });
        }
    };
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(not_regular())
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;

    use rustix::fs::OFlags;

    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn without_waiting(_options: &mut OpenOptions) {}

struct LocalFile {
    file: Arc<File>,
    workers: Workers,
}

impl OpenFile for LocalFile {
    fn read_at(&self, offset: u64, len: usize) -> FileFuture<'_, Vec<u8>> {
        let file = Arc::clone(&self.file);
        Box::pin(self.workers.run(move || {
            let mut bytes = vec![0; len];
            let mut filled = 0;
            while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
                let offset = offset.saturating_add(filled as u64);
                match positioned::read(&file, rest, offset) {
                    Ok(0) => break,
                    Ok(read) => filled += read,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            bytes.truncate(filled);
            Ok(bytes)
        }))
    }

    fn write_at(&self, offset: u64, bytes: Vec<u8>) -> FileFuture<'_, ()> {
        let file = Arc::clone(&self.file);
        Box::pin(self.workers.run(move || {
            let mut written = 0;
            while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
                let offset = offset.saturating_add(written as u64);
                match positioned::write(&file, rest, offset) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(more) => written += more,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }))
    }
}

/// Reading and writing where the caller says, whatever others do with the same file.
mod positioned {
    use std::fs::File;
    use std::io;

    #[cfg(unix)]
    pub(super) fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        // An offset past what the system can count is past the end of every file.
        match i64::try_from(offset) {
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
