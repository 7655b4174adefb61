//! The program that reaches a machine: the user's own `ssh`.
//!
//! Keys, agents, known hosts and jump hosts are the user's configuration; nothing of it is read
//! here, and no cryptography is done.

use codex_file_system::CommandSpec;

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
/// # Ok::<(), codex_sftp::InvalidHost>(())
/// ```
pub fn ssh_command(host: &str) -> Result<CommandSpec, InvalidHost> {
    if host.is_empty() || host.starts_with('-') {
        return Err(InvalidHost {
            host: host.to_owned(),
        });
    }
    Ok(CommandSpec {
        program: "ssh".to_owned(),
        args: ["-s", "--", host, "sftp"].map(str::to_owned).to_vec(),
        env: Vec::new(),
        cwd: None,
    })
}

/// A text that cannot be the host of an SSH connection.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{host}` is no host: it must not be empty or start with `-`")]
#[non_exhaustive]
pub struct InvalidHost {
    /// The text.
    pub host: String,
}
