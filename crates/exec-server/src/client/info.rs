//! What a client can tell of its server and of itself.

use std::collections::BTreeMap;

use codex_path_uri::{PathConvention, PathUri};

use crate::protocol::{EnvironmentInfo, InitializeResult, Shell};

/// What a server told in the handshake. Whatever it left out is `None` or empty.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
    pub(super) fn from_handshake(result: InitializeResult<'_>) -> Self {
        let info = result.environment_info.unwrap_or_default();
        let convention = convention(&info);
        let path = |text: Option<String>| parse_path(&text?, convention);
        Self {
            session_id: result.session_id.into_owned(),
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
#[non_exhaustive]
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
