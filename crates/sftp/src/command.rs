//! The program that reaches a machine: the user's own `ssh`.
//!
//! Keys, agents, known hosts and jump hosts are the user's configuration; nothing of it is read
//! here, and no cryptography is done.

use codex_file_system::{CommandSpec, InvalidDestination};

/// `ssh -s -- HOST sftp`: the SFTP subsystem of a host, as the user's own `ssh` reaches it.
///
/// `host` is whatever `ssh` takes: a name, `user@name`, an alias of the user's configuration.
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
