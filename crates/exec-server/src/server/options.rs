//! What a server is started with: what it tells of its machine, who may come in, and how much it
//! takes.

use std::num::NonZeroUsize;
use std::time::Duration;

use codex_path_uri::{PathConvention, PathUri};

#[cfg(feature = "websocket")]
use super::auth::Auth;
use crate::protocol::{self, MAX_REPLY, MAX_SERVER_INBOUND_MESSAGE, SANDBOX_CAPABILITY, Shell};

/// How a server serves.
///
/// # Examples
/// ```
/// use std::num::NonZeroUsize;
///
/// use codex_exec_server::server::{Access, EnvironmentInfo, ServerOptions};
/// use codex_path_uri::PathUri;
///
/// let info = EnvironmentInfo::new(PathUri::parse("file:///srv")?);
/// let options = ServerOptions {
///     concurrent_requests: NonZeroUsize::MIN,
///     access: Access::ReadOnly,
///     ..ServerOptions::new(info)
/// };
/// assert_eq!(options.limits.connections, 64);
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug)]
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
            concurrent_requests: NonZeroUsize::MIN.saturating_add(31),
            #[cfg(feature = "websocket")]
            auth: Auth::None,
            ping_interval: Duration::from_secs(30),
            access: Access::default(),
            limits: Limits::default(),
        }
    }
}

/// How much a server takes before it says no. The default is what the protocol states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest message that is read, in bytes; 64 MiB. The large requests of a connection that run
    /// at once have no more together.
    pub inbound_message: usize,
    /// Largest reply, in bytes; 16 MiB. A file in one reply has at most 11/16 of it, a listing all
    /// of it, and a walk that needs more than a quarter ends early.
    pub reply: usize,
    /// Most bytes of large replies of a connection that wait to be written; 8 MiB. A single
    /// larger reply waits alone.
    pub waiting_replies: u32,
    /// Most WebSocket connections at once; 64.
    pub connections: usize,
    /// Descriptors that the server may use; 8192. At most a quarter are clients on their way in,
    /// and a quarter files that clients hold open; the rest is for connections and calls.
    pub descriptors: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            inbound_message: MAX_SERVER_INBOUND_MESSAGE,
            reply: MAX_REPLY,
            waiting_replies: 8 * 1024 * 1024,
            connections: 64,
            descriptors: 8192,
        }
    }
}

impl Limits {
    /// Most bytes of a file in one reply, so that its base64 fits.
    pub(super) fn file_bytes(&self) -> u64 {
        (self.reply / 16 * 11) as u64
    }

    /// Most bytes of the entries of one walk.
    pub(super) fn walk_bytes(&self) -> usize {
        self.reply / 4
    }

    /// Most files that all connections hold open.
    pub(super) fn handles(&self) -> usize {
        (self.descriptors / 4).max(1)
    }

    /// Most clients between connecting and being let in.
    #[cfg(feature = "websocket")]
    pub(super) fn arrivals(&self) -> usize {
        (self.descriptors / 4).clamp(1, 2048)
    }
}

/// What a server tells of its machine, as the host that starts it knows it.
///
/// The convention of [`cwd`](Self::cwd) is that of every path the server takes. Nothing is looked
/// up: what the host does not say is left out, never guessed.
///
/// # Examples
/// ```
/// use codex_exec_server::server::EnvironmentInfo;
/// use codex_path_uri::PathUri;
///
/// let info = EnvironmentInfo {
///     platform_os: Some("linux".to_owned()),
///     hostname: Some("build-7".to_owned()),
///     ..EnvironmentInfo::new(PathUri::parse("file:///srv")?)
/// };
/// assert_eq!(info.executor_version, None);
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnvironmentInfo {
    /// The server's working directory.
    pub cwd: PathUri,
    /// The user's shell.
    pub shell: Option<Shell>,
    /// Version of the program that serves.
    pub executor_version: Option<String>,
    /// The user's home directory.
    pub user_home: Option<PathUri>,
    /// The directory of the user's configuration; answered to `environmentConfig/read` only.
    pub codex_home: Option<PathUri>,
    /// The name of the machine; answered to `environmentConfig/read` only.
    pub hostname: Option<String>,
    /// Where temporary files go.
    pub temp_directory: Option<PathUri>,
    /// `linux`, `macos` or `windows`: chooses the table by which a client reads error numbers.
    pub platform_os: Option<String>,
}

impl EnvironmentInfo {
    /// A machine of which only the working directory is known.
    pub fn new(cwd: PathUri) -> Self {
        Self {
            cwd,
            shell: None,
            executor_version: None,
            user_home: None,
            codex_home: None,
            hostname: None,
            temp_directory: None,
            platform_os: None,
        }
    }

    /// The convention of the paths of the machine. A working directory that shows none is one no
    /// client could name, so what is said then does not matter.
    pub(super) fn convention(&self) -> PathConvention {
        self.cwd.convention().unwrap_or_else(PathConvention::native)
    }

    /// The object of the handshake.
    pub(super) fn to_wire(&self, enforces_sandboxes: bool) -> protocol::EnvironmentInfo {
        let uri = |path: &PathUri| path.as_str().to_owned();
        let capabilities = [
            ("environmentConfigRead", true),
            ("fsWatchMissing", false),
            (SANDBOX_CAPABILITY, enforces_sandboxes),
        ];
        protocol::EnvironmentInfo {
            shell: self.shell.clone(),
            executor_version: self.executor_version.clone(),
            cwd: Some(uri(&self.cwd)),
            user_home_dir: self.user_home.as_ref().map(uri),
            temp_dir: self.temp_directory.as_ref().map(uri),
            platform_os: self.platform_os.clone(),
            prepend_path_dirs: Vec::new(),
            temporary_directories: Vec::new(),
            capabilities: capabilities
                .map(|(name, has)| (name.to_owned(), has))
                .into(),
        }
    }
}
