//! The published program and a home of its own: its server, and its client as a timed process.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::listening::Listening;

/// The published program.
pub(crate) struct Published {
    program: PathBuf,
    home: TempDir,
}

impl Published {
    pub(crate) fn new(program: PathBuf) -> io::Result<Self> {
        let home = tempfile::tempdir()?;
        Ok(Self { program, home })
    }

    /// What the program calls itself and its version.
    pub(crate) fn version(&self) -> io::Result<String> {
        let output = self.command().arg("--version").output()?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Starts its server on a port of its own.
    pub(crate) fn serve(&self) -> io::Result<Listening> {
        let mut command = self.command();
        Listening::start(command.args(["exec-server", "--listen", "ws://127.0.0.1:0"]))
    }

    /// Lets it say what a model would be given in a directory: of this machine, or of the one at
    /// a URL. Gives how long the process took and what it printed.
    pub(crate) fn prompt(
        &self,
        cwd: &Path,
        server: Option<&str>,
    ) -> io::Result<(Duration, String)> {
        let mut command = self.command();
        command
            .args(["debug", "prompt-input", "hi"])
            .current_dir(cwd);
        if let Some(url) = server {
            command.env("CODEX_EXEC_SERVER_URL", url);
        }
        let start = Instant::now();
        let Output {
            status,
            stdout,
            stderr,
        } = command.output()?;
        let time = start.elapsed();
        if !status.success() {
            let said = String::from_utf8_lossy(&stderr).into_owned();
            return Err(io::Error::other(said));
        }
        Ok((time, String::from_utf8_lossy(&stdout).into_owned()))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .env("HOME", self.home.path())
            .env("CODEX_HOME", self.home.path())
            .env_remove("CODEX_EXEC_SERVER_URL")
            .stdin(Stdio::null());
        command
    }
}
