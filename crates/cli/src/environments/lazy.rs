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
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk,
    WalkOptions,
};
use codex_path_uri::PathUri;
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

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// Every method waits for the connection, and then is that of the filesystem behind it.
macro_rules! forward_when_connected {
    ($(fn $method:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {
        impl ExecutorFileSystem for LazyFileSystem {
            $(
                fn $method<'a>(
                    &'a self,
                    $($argument: $type,)*
                    sandbox: Sandbox<'a>,
                ) -> FileSystemFuture<'a, $answer> {
                    Box::pin(async move {
                        let filesystem = self.connected().await?;
                        filesystem.$method($($argument,)* sandbox).await
                    })
                }
            )*
        }
    };
}

forward_when_connected! {
    fn get_metadata(path: &'a PathUri) -> FileMetadata;
    fn read_file(path: &'a PathUri) -> Vec<u8>;
    fn read_directory(path: &'a PathUri) -> Vec<ReadDirectoryEntry>;
    fn canonicalize(path: &'a PathUri) -> PathUri;
    fn write_file(path: &'a PathUri, contents: Vec<u8>) -> ();
    fn create_directory(path: &'a PathUri, options: CreateDirectoryOptions) -> ();
    fn remove(path: &'a PathUri, options: RemoveOptions) -> ();
    fn copy(source: &'a PathUri, destination: &'a PathUri, options: CopyOptions) -> ();
    fn read_file_text(path: &'a PathUri) -> String;
    fn read_file_prefix(
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>
    ) -> FilePrefix;
    fn walk(root: &'a PathUri, options: &'a WalkOptions) -> Walk;
}
