//! A program to start, as plain data.

use codex_path_uri::AbsolutePathBuf;

/// The program at the other end of a pipe. Nothing here starts it.
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
