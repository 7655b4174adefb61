//! How a machine is reached and how its server is asked.

use std::time::Duration;

use codex_file_system::{CommandSpec, InvalidDestination};

/// Settings of an [`SftpFileSystem`](crate::SftpFileSystem).
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_sftp::SftpOptions;
///
/// let options = SftpOptions {
///     call_timeout: Some(Duration::from_secs(5)),
///     ..SftpOptions::default()
/// };
/// assert_eq!(options.read_chunk, 32 * 1024);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SftpOptions {
    /// The most calls that hold something open on the server: reads, listings and writes. The
    /// rest wait, first come, first served. Calls that hold nothing, such as metadata, cost the
    /// server nothing but their turn and are sent at once. At least 1.
    pub max_in_flight: usize,
    /// The most bytes one read asks for, of a server that does not say what it would give. One
    /// that announces `limits@openssh.com` is asked for what it gives. At least 1, at most what
    /// a message of 1 MiB holds. Writes do not depend on it: they hold what is announced, or
    /// 32 KiB.
    pub read_chunk: usize,
    /// The most reads of one file in flight, besides the one behind its end. At least 1.
    pub reads_in_flight: usize,
    /// How long a call may take from its first poll; `None` sets no limit. It also bounds each
    /// attempt to connect.
    pub call_timeout: Option<Duration>,
    /// Whether a connection that is lost is made again by starting the program again.
    pub reconnect: bool,
}

impl Default for SftpOptions {
    fn default() -> Self {
        Self {
            max_in_flight: 64,
            read_chunk: 32 * 1024,
            reads_in_flight: 16,
            call_timeout: Some(Duration::from_secs(30)),
            reconnect: true,
        }
    }
}

/// `ssh -s -- HOST sftp`: the SFTP subsystem of a host, as the user's own `ssh` reaches it.
///
/// `host` is whatever `ssh` takes: a name, `user@name`, an alias of the user's configuration. Keys,
/// agents, known hosts and jump hosts are those of the user.
///
/// # Errors
/// A host that is empty or starts with `-` is refused: `ssh` would take it for an option.
///
/// # Examples
/// ```
/// use codex_sftp::ssh_command;
///
/// let command = ssh_command("build-host")?;
/// assert_eq!(command.program, "ssh");
/// assert_eq!(command.args, ["-s", "--", "build-host", "sftp"]);
/// assert!(ssh_command("-oProxyCommand=reboot").is_err());
/// # Ok::<(), codex_file_system::InvalidDestination>(())
/// ```
pub fn ssh_command(host: &str) -> Result<CommandSpec, InvalidDestination> {
    CommandSpec::with_destination("ssh", &["-s", "--"], host, &["sftp"])
}
