//! How this host opens the files that its handles hold.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;

use codex_file_system::{ExecutorFileSystem as _, LocalFileSystem};
use codex_path_uri::PathUri;

use super::held_file::HeldFile;
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
            let file: Arc<dyn OpenFile> = Arc::new(HeldFile::new(file, self.workers.clone()));
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
