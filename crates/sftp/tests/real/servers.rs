//! The servers that the recipe has prepared.

use std::env;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use codex_file_system::CommandSpec;
use codex_sftp::ssh_command;
use tempfile::TempDir;

/// Whoever owns nothing on a usual host.
pub(crate) const NOBODY: u32 = 65_534;

/// A server that can be started as often as wanted.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) command: CommandSpec,
    /// Who has to own the files, if it is not whoever runs the tests.
    pub(crate) owner: Option<u32>,
    /// Whether permission bits hold for the server.
    pub(crate) obeys_modes: bool,
    /// Keeps what the command needs.
    _kept: Option<Arc<TempDir>>,
}

/// `sftp-server` on two pipes, without privileges.
pub(crate) fn on_pipes() -> Result<Server, String> {
    let program = variable("CODEX_SFTP_SERVER")?;
    let is_root = is_root().map_err(|error| error.to_string())?;
    // The directory it was unpacked in may be closed to others.
    let (kept, program) = readable_copy(&program).map_err(|error| error.to_string())?;
    let without_privileges = [
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        "--",
        &program,
    ];
    let command = match is_root {
        true => spec("setpriv", &without_privileges),
        false => spec(&program, &[]),
    };
    Ok(Server {
        command,
        owner: is_root.then_some(NOBODY),
        obeys_modes: true,
        _kept: Some(Arc::new(kept)),
    })
}

/// `sshd` on a port of this host, reached by `ssh` as the user who runs the tests.
pub(crate) fn over_ssh() -> Result<Server, String> {
    let program = variable("CODEX_SFTP_SSH")?;
    let config = variable("CODEX_SFTP_SSH_CONFIG")?;
    let mut command = ssh_command("conformance").map_err(|error| error.to_string())?;
    command.program = program;
    command.args.splice(0..0, ["-F".to_owned(), config]);
    let is_root = is_root().map_err(|error| error.to_string())?;
    Ok(Server {
        command,
        owner: None,
        obeys_modes: !is_root,
        _kept: None,
    })
}

fn variable(name: &str) -> Result<String, String> {
    let reason = || match env::var("CODEX_SFTP_SKIP") {
        Ok(reason) => reason,
        Err(_) => format!("{name} is not set: run `just test-ssh`"),
    };
    env::var(name).map_err(|_| reason())
}

fn spec(program: &str, args: &[&str]) -> CommandSpec {
    CommandSpec {
        program: program.to_owned(),
        args: args.iter().map(|arg| (*arg).to_owned()).collect(),
        env: Vec::new(),
        cwd: None,
    }
}

fn is_root() -> io::Result<bool> {
    Ok(tempfile::tempdir()?.path().metadata()?.uid() == 0)
}

fn readable_copy(program: &str) -> io::Result<(TempDir, String)> {
    let directory = tempfile::tempdir()?;
    let copy = directory.path().join("sftp-server");
    fs::copy(Path::new(program), &copy)?;
    for path in [directory.path(), &copy] {
        fs::set_permissions(path, Permissions::from_mode(0o755))?;
    }
    let path = copy.to_string_lossy().into_owned();
    Ok((directory, path))
}
