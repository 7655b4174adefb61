//! How a client behaves, as far as its host decides it, and what it can tell of its server and of
//! itself.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use codex_path_uri::{PathConvention, PathUri};

use crate::protocol::{EnvironmentInfo, InitializeResult, Shell};

/// The options of a [`RemoteFileSystem`](super::RemoteFileSystem).
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_exec_server::ClientOptions;
///
/// let options = ClientOptions {
///     call_timeout: Some(Duration::from_secs(5)),
///     ..ClientOptions::new("my-host")
/// };
/// assert_eq!(options.max_in_flight, 256);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientOptions {
    /// What the client calls itself in the handshake.
    pub client_name: String,
    /// How long one attempt to connect may take; 10 s by default.
    pub connect_timeout: Duration,
    /// How long the server may take to answer the handshake; 10 s by default.
    pub initialize_timeout: Duration,
    /// How long a call may take from its first poll; 30 s by default, `None` for no limit.
    pub call_timeout: Option<Duration>,
    /// Most calls on the wire at once, at least 1; 256 by default, the largest window that a caller
    /// may have. The rest wait in order. A bounded read counts as one call.
    pub max_in_flight: usize,
    /// A bounded read of a file that is known to have at most so many bytes is one `fs/readFile`;
    /// 1 MiB by default.
    pub block_read_threshold: u64,
    /// The token of the WebSocket upgrade.
    pub bearer: Option<SecretString>,
    /// Whether the token may go in clear text (`ws`) to another machine than this one; false by
    /// default.
    pub clear_text_bearer: bool,
    /// The certificates, in DER, of the authorities that may vouch for a `wss` server; by default
    /// `None`, which means those that Mozilla trusts.
    pub authorities: Option<Vec<Vec<u8>>>,
    /// Whether a lost connection is made again; true by default.
    pub reconnect: bool,
}

impl ClientOptions {
    /// The defaults, under this name.
    pub fn new(client_name: impl Into<String>) -> Self {
        Self {
            client_name: client_name.into(),
            ..Self::default()
        }
    }
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            client_name: "codex-context".to_owned(),
            connect_timeout: Duration::from_secs(10),
            initialize_timeout: Duration::from_secs(10),
            call_timeout: Some(Duration::from_secs(30)),
            max_in_flight: 256,
            block_read_threshold: 1024 * 1024,
            bearer: None,
            clear_text_bearer: false,
            authorities: None,
            reconnect: true,
        }
    }
}

/// A secret, such as a bearer token: no `Display`, and a `Debug` that tells nothing.
///
/// # Examples
/// ```
/// use codex_exec_server::SecretString;
///
/// let token = SecretString::new("right-token");
/// assert_eq!(format!("{token:?}"), "SecretString(..)");
/// assert_eq!(token.expose(), "right-token");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(String);

impl SecretString {
    /// Keeps this text secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretString(..)")
    }
}

/// What a server told in the handshake. Whatever it left out is `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// The session that a reconnection goes on with.
    pub session_id: String,
    /// Version of the server program.
    pub executor_version: Option<String>,
    /// The server's working directory.
    pub cwd: Option<PathUri>,
    /// The home directory of the server's user.
    pub user_home: Option<PathUri>,
    /// `linux`, `macos` or `windows`.
    pub platform: Option<String>,
    /// The user's shell.
    pub shell: Option<Shell>,
    /// What the server can do beyond the base.
    pub capabilities: BTreeMap<String, bool>,
}

impl ServerInfo {
    pub(super) fn from_handshake(result: InitializeResult) -> Self {
        let info = result.environment_info.unwrap_or_default();
        let convention = convention(&info);
        let path = |text: Option<String>| parse_path(&text?, convention);
        Self {
            session_id: result.session_id,
            executor_version: info.executor_version,
            cwd: path(info.cwd),
            user_home: path(info.user_home_dir),
            platform: info.platform_os,
            shell: info.shell,
            capabilities: info.capabilities,
        }
    }
}

/// The convention of the server's paths, if it says on which system it runs.
fn convention(info: &EnvironmentInfo) -> Option<PathConvention> {
    info.platform_os.as_deref().map(|platform| match platform {
        "windows" => PathConvention::Windows,
        _ => PathConvention::Posix,
    })
}

/// A path of the server; `None` where it is not a `file:` URI of the server's convention.
fn parse_path(text: &str, convention: Option<PathConvention>) -> Option<PathUri> {
    match convention {
        Some(convention) => PathUri::parse_with_convention(text, convention).ok(),
        None => PathUri::parse(text).ok(),
    }
}

/// Counts since the client was made, over all of its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientStatistics {
    /// Requests written, a repeated one again; the handshake is not counted.
    pub requests: u64,
    /// Bytes of the messages written, the handshake included.
    pub bytes_sent: u64,
    /// Bytes of the messages read, the handshake included.
    pub bytes_received: u64,
    /// Most requests that waited for an answer at once.
    pub peak_in_flight: usize,
    /// Connections made again after one was lost.
    pub reconnections: u32,
    /// Messages that broke the protocol, and the server's complaints about ours.
    pub protocol_errors: u32,
}
