//! The client itself: how it comes about, what it tells of itself, how it ends, and the trait: one
//! request per call, but for large files and missing walks.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use codex_file_system::{
    CommandSpec, CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk,
    WalkOptions, walk_by_listing,
};
use codex_path_uri::PathUri;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime;
use tokio::task::JoinHandle;

use super::call::Caller;
use super::connect::{Connection, Dialer};
use super::driver::drive;
use super::pending::Safety;
use super::rpc::Shared;
use super::{ClientOptions, ClientStatistics, ConnectError, ServerInfo, read, walk};
use crate::codec::encode_base64;
use crate::definitions::{EnvironmentDefinition, Target};
use crate::protocol::{
    Canonicalize, CopyParams, CopyPath, CreateDirectory, CreateDirectoryParams, GetMetadata,
    Initialize, Method, ReadDirectory, ReadFile, RemoveParams, RemovePath, WalkDirectory,
    WriteFile, WriteFileParams,
};

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The filesystem of the machine at the other end of a connection.
///
/// Clones share the connection. It is made again when it is lost, unless the client was made
/// [from streams](Self::from_streams) or told not to; a call that was on the way then is sent
/// again once if it reads, and fails with [`BrokenPipe`](io::ErrorKind::BrokenPipe) if it may
/// have changed something. When the last clone is dropped the connection is closed, and a program
/// that was started for it ends.
///
/// Errors have the kind they have over there and a [`RemoteCallError`](super::RemoteCallError) as
/// their payload. A sandbox that restricts anything is
/// [`Unsupported`](io::ErrorKind::Unsupported), unless the server says that it enforces one. Calls need a tokio runtime: that in which the
/// client was made, or the first call is polled.
///
/// # Round trips
/// The handshake costs none: it leaves together with the first calls. `b` is a number of bytes,
/// `m` that of whole MiB in it, rounded up.
///
/// | call | requests | round trips that wait for each other |
/// |---|---|---|
/// | any but those below | 1 | 1 |
/// | `read_file_prefix` of a file that is known to be small | 1 | 1 |
/// | `read_file_prefix` of at most 1 MiB | 3, sent together | 1 |
/// | a longer one, of a file of known length, `m` ≤ 8 | 2 + `m`, sent together | 1 |
/// | any other | 2 + `m` | 1 + ⌈`m` / 8⌉ |
/// | `read_file` of a file that one reply does not hold | 4 + `m` | 2 + ⌈`m` / 8⌉ |
/// | `walk`, if the server lacks it | those of the trait's own body | those of that body |
///
/// A file that ends exactly where a block does costs one block more, which tells that it ends. A
/// wrong size hint, or a server that does not answer in order, costs at most two more waves. At most
/// 96 files are open at once, and 32 MiB of blocks on their way; a read that needs more waits.
///
/// # Cancellation
/// Dropping a call stops waiting and sends nothing, except that an open file is closed.
///
/// # Examples
/// ```
/// use codex_exec_server::{ClientOptions, RemoteFileSystem};
/// use codex_file_system::ExecutorFileSystem;
/// use codex_path_uri::PathUri;
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (here, there) = tokio::io::duplex(4096);
/// // A server in three lines: it has read the handshake and one request when it answers.
/// tokio::spawn(async move {
///     let mut there = BufReader::new(there);
///     for _ in 0..3 {
///         there.read_line(&mut String::new()).await?;
///     }
///     there.write_all(b"{\"id\":1,\"result\":{\"sessionId\":\"s\"}}\n").await?;
///     there.write_all(b"{\"id\":2,\"result\":{\"dataBase64\":\"aGV5\"}}\n").await
/// });
///
/// let (reader, writer) = tokio::io::split(here);
/// let remote = RemoteFileSystem::from_streams(reader, writer, ClientOptions::default());
/// let path = PathUri::parse("file:///srv/AGENTS.md")?;
/// assert_eq!(remote.read_file(&path, None).await?, b"hey");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct RemoteFileSystem {
    handle: Arc<Handle>,
}

/// What the clones of a client have in common. The last one to go ends the driver.
struct Handle {
    shared: Arc<Shared>,
    driver: Mutex<Driver>,
}

enum Driver {
    /// There is no runtime to run in yet.
    Ready(Box<Connection>, Option<Dialer>),
    Running(JoinHandle<()>),
    /// Whoever closed the client waits for it.
    Awaited,
}

impl RemoteFileSystem {
    /// Connects to the server of an environment. Timeouts of the definition win over those of
    /// the options.
    ///
    /// # Round trips
    /// Those of [`connect_websocket`](Self::connect_websocket) or [`spawn`](Self::spawn).
    ///
    /// # Errors
    /// Those of the same.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing behind.
    pub async fn connect(
        definition: &EnvironmentDefinition,
        mut options: ClientOptions,
    ) -> Result<Self, ConnectError> {
        if let Some(timeout) = definition.connect_timeout {
            options.connect_timeout = timeout;
        }
        if let Some(timeout) = definition.initialize_timeout {
            options.initialize_timeout = timeout;
        }
        match &definition.target {
            #[cfg(feature = "websocket")]
            Target::Url { url, .. } => Self::connect_websocket(url, options).await,
            #[cfg(not(feature = "websocket"))]
            Target::Url { url, .. } => Err(ConnectError::InvalidUrl {
                url: url.clone(),
                reason: "WebSocket support is not built in".to_owned(),
            }),
            Target::Program(command) => Self::spawn(command.clone(), options).await,
        }
    }

    /// Connects to a `ws` or `wss` URL with the default options.
    ///
    /// # Round trips
    /// Those of [`connect_websocket`](Self::connect_websocket).
    ///
    /// # Errors
    /// Those of the same.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing behind.
    ///
    /// # Examples
    /// ```no_run
    /// use codex_exec_server::RemoteFileSystem;
    ///
    /// # async fn connect() -> Result<(), codex_exec_server::ConnectError> {
    /// let build = RemoteFileSystem::websocket("ws://build:7070").await?;
    /// # drop(build);
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "websocket")]
    pub async fn websocket(url: &str) -> Result<Self, ConnectError> {
        Self::connect_websocket(url, ClientOptions::default()).await
    }

    /// Connects to a `ws` or `wss` URL.
    ///
    /// # Round trips
    /// Those of TCP, TLS and the WebSocket upgrade. The handshake of the protocol is not waited
    /// for.
    ///
    /// # Errors
    /// The URL is none, nobody answers there in time, or whoever answers refuses the upgrade. A
    /// token is not sent in clear text to another machine, unless
    /// [`clear_text_bearer`](ClientOptions::clear_text_bearer) says so.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing behind.
    #[cfg(feature = "websocket")]
    pub async fn connect_websocket(
        url: &str,
        options: ClientOptions,
    ) -> Result<Self, ConnectError> {
        let address = super::address::Address::parse(url)?;
        if options.bearer.is_some() && !options.clear_text_bearer {
            address.check_token_is_safe()?;
        }
        let address = address.trusting(options.authorities.as_deref());
        let dialer = Dialer::WebSocket {
            address,
            bearer: options.bearer.clone(),
            limit: options.connect_timeout,
        };
        Self::dial(dialer, options).await
    }

    /// Starts a program and talks to it through its standard input and output.
    ///
    /// # Round trips
    /// None.
    ///
    /// # Errors
    /// The program cannot be started. One that ends early is reported by the calls, with the end
    /// of what it wrote to its standard error.
    ///
    /// # Cancellation
    /// Dropping the future leaves nothing behind.
    pub async fn spawn(command: CommandSpec, options: ClientOptions) -> Result<Self, ConnectError> {
        Self::dial(Dialer::Program(command), options).await
    }

    async fn dial(dialer: Dialer, options: ClientOptions) -> Result<Self, ConnectError> {
        let connection = dialer.dial().await?;
        let dialer = options.reconnect.then_some(dialer);
        Ok(Self::new(connection, dialer, options))
    }

    /// Talks over two streams, one message a line. There is no other connection when this one is
    /// lost.
    pub fn from_streams(
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
        options: ClientOptions,
    ) -> Self {
        Self::new(Connection::lines(reader, writer, None), None, options)
    }

    fn new(connection: Connection, dialer: Option<Dialer>, options: ClientOptions) -> Self {
        let handle = Handle {
            shared: Arc::new(Shared::new(options)),
            driver: Mutex::new(Driver::Ready(Box::new(connection), dialer)),
        };
        // Without a runtime the first call starts it.
        let _ = handle.start();
        Self {
            handle: Arc::new(handle),
        }
    }

    /// What the server told in the handshake.
    ///
    /// # Round trips
    /// None if the handshake has been answered, else the rest of it.
    ///
    /// # Errors
    /// The handshake failed, or there is no connection and none comes about.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    pub async fn server_info(&self) -> io::Result<ServerInfo> {
        let caller = self.begin::<Initialize>(None).await?;
        let info = caller.server_info().await?;
        Ok(info.as_ref().clone())
    }

    /// What the client has done so far.
    pub fn statistics(&self) -> ClientStatistics {
        self.handle.shared.pending(|pending| pending.statistics)
    }

    /// Closes the connection of all clones, and waits until it is closed and the program that was
    /// started for it has ended. Calls that are under way, and later ones, fail.
    ///
    /// # Round trips
    /// None.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting; the connection is closed all the same.
    pub async fn close(self) {
        self.handle.shared.close();
        let driver = std::mem::replace(&mut *self.handle.driver(), Driver::Awaited);
        if let Driver::Running(task) = driver {
            // The task ends as it can; there is nothing to say about it.
            let _ = task.await;
        }
    }

    pub(super) async fn begin<M: Method>(&self, sandbox: Sandbox<'_>) -> io::Result<Caller<'_>> {
        self.handle.start()?;
        Caller::begin::<M>(&self.handle.shared, sandbox).await
    }
}

impl ExecutorFileSystem for RemoteFileSystem {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            let caller = self.begin::<GetMetadata>(sandbox).await?;
            let called = caller.ask::<GetMetadata>(path, Safety::Repeatable);
            Ok(walk::metadata(&called.await?.decode(&caller)?))
        })
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let caller = self.begin::<ReadFile>(sandbox).await?;
            read::read_file(&caller, path).await
        })
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let caller = self.begin::<ReadDirectory>(sandbox).await?;
            let called = caller.ask::<ReadDirectory>(path, Safety::Repeatable);
            Ok(walk::entries(called.await?.decode(&caller)?, path))
        })
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            let caller = self.begin::<Canonicalize>(sandbox).await?;
            let called = caller.ask::<Canonicalize>(path, Safety::Repeatable);
            let reply = called.await?;
            let canonical = walk::parse_path(&reply.decode(&caller)?.path, path);
            let failed = |error| caller.wrong_shape::<Canonicalize>(error);
            Ok(canonical.map_err(failed)?)
        })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<WriteFile>(sandbox).await?;
            let params = WriteFileParams {
                path: path.as_str().to_owned(),
                data_base64: encode_base64(&contents),
                sandbox: caller.sandbox(),
            };
            caller.change::<WriteFile>(&params).await
        })
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<CreateDirectory>(sandbox).await?;
            let params = CreateDirectoryParams {
                path: path.as_str().to_owned(),
                recursive: Some(options.recursive),
                sandbox: caller.sandbox(),
            };
            caller.change::<CreateDirectory>(&params).await
        })
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<RemovePath>(sandbox).await?;
            let params = RemoveParams {
                path: path.as_str().to_owned(),
                recursive: Some(options.recursive),
                force: Some(options.force),
                sandbox: caller.sandbox(),
            };
            caller.change::<RemovePath>(&params).await
        })
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let caller = self.begin::<CopyPath>(sandbox).await?;
            let params = CopyParams {
                source_path: source.as_str().to_owned(),
                destination_path: destination.as_str().to_owned(),
                recursive: options.recursive,
                sandbox: caller.sandbox(),
            };
            caller.change::<CopyPath>(&params).await
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        Box::pin(async move {
            let caller = self.begin::<ReadFile>(sandbox).await?;
            read::read_file_prefix(&caller, path, max_bytes, size_hint).await
        })
    }

    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(async move {
            options.validate()?;
            let caller = self.begin::<WalkDirectory>(sandbox).await?;
            match walk::walk(&caller, root, options).await? {
                Some(walk) => Ok(walk),
                None => walk_by_listing(self, root, options, sandbox).await,
            }
        })
    }
}

impl std::fmt::Debug for RemoteFileSystem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteFileSystem").finish_non_exhaustive()
    }
}

impl Handle {
    fn driver(&self) -> std::sync::MutexGuard<'_, Driver> {
        self.driver.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the driver unless it runs.
    ///
    /// # Errors
    /// `Unsupported` outside of a runtime.
    fn start(&self) -> io::Result<()> {
        let mut driver = self.driver();
        if !matches!(*driver, Driver::Ready(..)) {
            return Ok(());
        }
        let runtime = runtime::Handle::try_current();
        let runtime = runtime.map_err(|error| io::Error::new(io::ErrorKind::Unsupported, error))?;
        if let Driver::Ready(connection, dialer) = std::mem::replace(&mut *driver, Driver::Awaited)
        {
            self.shared.set_runtime(runtime.clone());
            let task = runtime.spawn(drive(self.shared.clone(), *connection, dialer));
            *driver = Driver::Running(task);
        }
        Ok(())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.close();
    }
}
