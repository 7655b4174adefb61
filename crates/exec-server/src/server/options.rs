//! What a server is started with, and the limits it keeps.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::EnvironmentInfo;
#[cfg(feature = "websocket")]
use super::auth::Auth;
use crate::protocol::{
    MAX_BLOCK_BYTES, MAX_CONNECTIONS, MAX_DETACHED_SESSIONS, MAX_DIRECTORY_RESPONSE, MAX_HANDLES,
    MAX_READ_FILE_RESPONSE, MAX_SERVER_INBOUND_MESSAGE, MAX_WALK_RESPONSE_BYTES, SESSION_KEPT_FOR,
};

/// How many requests of a connection run at once unless the host says otherwise.
const CONCURRENT_REQUESTS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(31);
/// How often a WebSocket is pinged unless the host says otherwise.
const PING_INTERVAL: Duration = Duration::from_secs(30);

/// What the listings and walks of all connections may come to at once.
const LISTINGS: u32 = 128 * 1024 * 1024;
/// What the large replies of a connection may come to that wait to be written.
const WAITING_REPLIES: u32 = 8 * 1024 * 1024;
/// How long requests may go on after the server was told to end.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// How a server serves.
///
/// # Examples
/// ```
/// use std::num::NonZeroUsize;
///
/// use codex_exec_server::server::{Access, EnvironmentInfo, ServerOptions};
/// use codex_path_uri::PathUri;
///
/// let options = ServerOptions::new(EnvironmentInfo::new(PathUri::parse("file:///srv")?))
///     .with_concurrent_requests(NonZeroUsize::MIN)
///     .with_access(Access::ReadOnly);
/// assert_eq!(options.concurrent_requests.get(), 1);
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServerOptions {
    /// What the server tells of its machine.
    pub info: EnvironmentInfo,
    /// The most requests of one connection that run at once; 32.
    pub concurrent_requests: NonZeroUsize,
    /// Who may open a WebSocket; everybody who can reach it.
    #[cfg(feature = "websocket")]
    pub auth: Auth,
    /// How often a WebSocket is pinged, 30 s. A peer that is silent for three times as long is
    /// dropped.
    pub ping_interval: Duration,
    /// What clients may do; read and write.
    pub access: Access,
    /// How much the server takes.
    pub limits: Limits,
}

/// What clients may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// Read and write.
    #[default]
    ReadWrite,
    /// Read. Whatever would change something is refused with
    /// [`ReadOnlyFilesystem`](std::io::ErrorKind::ReadOnlyFilesystem) before the filesystem
    /// hears of it.
    ReadOnly,
}

impl ServerOptions {
    /// The defaults, on a machine the host describes.
    pub fn new(info: EnvironmentInfo) -> Self {
        Self {
            info,
            concurrent_requests: CONCURRENT_REQUESTS,
            #[cfg(feature = "websocket")]
            auth: Auth::None,
            ping_interval: PING_INTERVAL,
            access: Access::default(),
            limits: Limits::default(),
        }
    }

    /// Sets how many requests of one connection run at once.
    #[must_use]
    pub fn with_concurrent_requests(mut self, most: NonZeroUsize) -> Self {
        self.concurrent_requests = most;
        self
    }

    /// Sets who may open a WebSocket.
    #[cfg(feature = "websocket")]
    #[must_use]
    pub fn with_auth(mut self, auth: Auth) -> Self {
        self.auth = auth;
        self
    }

    /// Sets how often a WebSocket is pinged.
    #[must_use]
    pub fn with_ping_interval(mut self, interval: Duration) -> Self {
        self.ping_interval = interval;
        self
    }

    /// Sets what clients may do.
    #[must_use]
    pub fn with_access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Sets how much the server takes.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// How much a server takes before it says no. The default is what the protocol states.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Largest message that is read, in bytes; 64 MiB. The large requests of a connection that run
    /// at once have no more together.
    pub inbound_message: usize,
    /// Most bytes of a file in one `fs/readFile` reply; 11 MiB.
    pub read_file_response: u64,
    /// Most bytes of one block of a file; 1 MiB.
    pub block: u64,
    /// Most files a connection may hold open; 128.
    pub handles: usize,
    /// Most bytes of the entries in one `fs/walk` reply; 4 MiB.
    pub walk_response: usize,
    /// Largest `fs/readDirectory` reply, in bytes; 16 MiB.
    pub directory_response: usize,
    /// Most bytes that listings and walks may come to while they are made, over all connections;
    /// 128 MiB. How large one is shows only when it is there, so each counts as the largest reply
    /// there may be. A connection takes up to half of it, and what does not fit waits in order.
    pub listings: u32,
    /// Most bytes of large replies of a connection that wait to be written; 8 MiB. A single
    /// larger reply waits alone.
    pub waiting_replies: u32,
    /// Most WebSocket connections at once; 64.
    pub connections: usize,
    /// Most sessions without a connection that are remembered; 256.
    pub detached_sessions: usize,
    /// How long a session without a connection is remembered; 30 s.
    pub session_kept_for: Duration,
    /// How long requests that run may go on after the server was told to end; 2 s.
    pub shutdown_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inbound_message: MAX_SERVER_INBOUND_MESSAGE,
            read_file_response: MAX_READ_FILE_RESPONSE,
            block: MAX_BLOCK_BYTES,
            handles: MAX_HANDLES,
            walk_response: MAX_WALK_RESPONSE_BYTES,
            directory_response: MAX_DIRECTORY_RESPONSE,
            listings: LISTINGS,
            waiting_replies: WAITING_REPLIES,
            connections: MAX_CONNECTIONS,
            detached_sessions: MAX_DETACHED_SESSIONS,
            session_kept_for: SESSION_KEPT_FOR,
            shutdown_grace: SHUTDOWN_GRACE,
        }
    }
}
