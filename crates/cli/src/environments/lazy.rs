//! A filesystem that is there at once and connects when it is needed.
//!
//! The first call, or whoever asks for the [`Connection`], begins to connect; everybody who comes
//! meanwhile waits for the same attempt. So one environment that is hard to reach holds up nobody
//! who asks another one, and the first calls leave together with the greeting. An attempt that
//! failed is not made again: every later call is told of the same failure.

use std::error::Error;
use std::io;
use std::sync::Arc;

use codex_exec_server::RemoteFileSystem;
use codex_file_system::call::{Call, Uniform};
use codex_file_system::{ExecutorFileSystem, FileSystemFuture, uniform_file_system};
use codex_sftp::{SftpFileSystem, SftpOptions};
use futures::future::{BoxFuture, FutureExt as _, Shared};

use super::definitions::Server;

/// Why nobody answers.
pub(super) type Unreachable = Arc<dyn Error + Send + Sync>;

/// An attempt to reach another machine, begun when it is first waited for. Clones share it.
#[derive(Clone)]
pub(super) struct Connection(Shared<BoxFuture<'static, Result<Connected, Unreachable>>>);

#[derive(Clone)]
struct Connected {
    filesystem: Arc<dyn ExecutorFileSystem>,
    /// What greets, where the protocol has a greeting that calls do not wait for.
    server: Option<RemoteFileSystem>,
}

impl Connection {
    /// To this server. Nothing is done yet.
    pub(super) fn new(server: Server) -> Self {
        Self(connect(server).boxed().shared())
    }

    /// Waits until the server has answered.
    ///
    /// # Round trips
    /// Those of connecting and one more, which the first calls share.
    ///
    /// # Errors
    /// When it does not answer, or refuses to.
    pub(super) async fn greet(&self) -> Result<(), Unreachable> {
        let connected = self.0.clone().await?;
        match connected.server {
            Some(server) => server.server_info().await.map(drop).map_err(unreachable),
            None => Ok(()),
        }
    }
}

async fn connect(server: Server) -> Result<Connected, Unreachable> {
    match server {
        Server::Exec(definition, options) => {
            let connected = RemoteFileSystem::connect(&definition, *options).await;
            let server = connected.map_err(unreachable)?;
            Ok(Connected {
                filesystem: Arc::new(server.clone()),
                server: Some(server),
            })
        }
        Server::Sftp(command) => {
            let connected = SftpFileSystem::spawn(command, SftpOptions::default()).await;
            Ok(Connected {
                filesystem: Arc::new(connected.map_err(unreachable)?),
                server: None,
            })
        }
    }
}

fn unreachable(error: impl Error + Send + Sync + 'static) -> Unreachable {
    Arc::new(error)
}

/// The filesystem at the other end of a connection.
pub(super) struct LazyFileSystem(pub(super) Connection);

impl LazyFileSystem {
    async fn connected(&self) -> io::Result<Arc<dyn ExecutorFileSystem>> {
        match self.0.0.clone().await {
            Ok(connected) => Ok(connected.filesystem),
            Err(error) => Err(io::Error::new(io::ErrorKind::NotConnected, error)),
        }
    }
}

/// Every call waits for the connection, and then is that of the filesystem behind it.
impl Uniform for LazyFileSystem {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let filesystem = self.connected().await?;
            call.make(&*filesystem).await
        })
    }
}

uniform_file_system! { impl for LazyFileSystem }
