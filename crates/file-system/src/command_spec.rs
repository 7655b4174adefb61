//! A program to start, as plain data.

use codex_path_uri::AbsolutePathBuf;

/// The program at the other end of a pipe.
///
/// # Examples
/// ```
/// use codex_file_system::CommandSpec;
///
/// let over_ssh = CommandSpec {
///     program: "ssh".to_owned(),
///     args: ["build-host", "codex", "exec-server"].map(str::to_owned).to_vec(),
///     env: Vec::new(),
///     cwd: None,
/// };
/// assert_eq!(over_ssh.args.len(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandSpec {
    /// Name or path of the program; never interpreted by a shell.
    pub program: String,
    /// Its arguments, one element each.
    pub args: Vec<String>,
    /// Variables added to its environment.
    pub env: Vec<(String, String)>,
    /// Directory to start it in; the caller's own when absent.
    pub cwd: Option<AbsolutePathBuf>,
}

/// A host, container or pod that is empty or that a program would take for an option.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid destination `{}` of `{program}`: it must not be empty or start with `-`", destination.escape_debug())]
pub struct InvalidDestination {
    /// The program that would reach it.
    pub program: String,
    /// The text.
    pub destination: String,
}

impl CommandSpec {
    /// A program that reaches another machine: its options, the destination, and what it starts
    /// there.
    ///
    /// # Errors
    /// A destination that is empty or starts with `-`.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system::CommandSpec;
    ///
    /// let command = CommandSpec::with_destination("ssh", &["-s", "--"], "build-host", &["sftp"])?;
    /// assert_eq!(command.args, ["-s", "--", "build-host", "sftp"]);
    /// let refused = CommandSpec::with_destination("ssh", &[], "-oProxyCommand=reboot", &[]);
    /// assert!(refused.is_err());
    /// # Ok::<(), codex_file_system::InvalidDestination>(())
    /// ```
    pub fn with_destination(
        program: &str,
        options: &[&str],
        destination: &str,
        remote: &[&str],
    ) -> Result<Self, InvalidDestination> {
        if destination.is_empty() || destination.starts_with('-') {
            return Err(InvalidDestination {
                program: program.to_owned(),
                destination: destination.to_owned(),
            });
        }
        let words = [options, &[destination], remote].concat();
        Ok(Self {
            program: program.to_owned(),
            args: words.into_iter().map(str::to_owned).collect(),
            env: Vec::new(),
            cwd: None,
        })
    }
}
