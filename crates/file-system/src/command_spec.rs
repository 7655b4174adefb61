//! A program to start, as plain data.
//!
//! The crates that talk to the other end of a pipe start it; this crate starts nothing.

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
