//! A server that a client starts, and ends.
//!
//! It is started without a shell. Its standard error is drained, since a full pipe would stop it;
//! the end of it explains a failure. It never outlives the client.

use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codex_file_system::CommandSpec;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

/// How much of the standard error is kept, in bytes.
const STDERR_TAIL_BYTES: usize = 8 * 1024;
/// How long the rest of the standard error is waited for when the process has ended; a process it
/// started may hold it open.
const STDERR_REST: Duration = Duration::from_millis(100);

/// A program that runs. Dropped, it is killed.
pub(crate) struct Process {
    child: Child,
    /// The process group of it and of what it started, if that is its own.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    stderr_tail: Arc<Mutex<Vec<u8>>>,
    drain: JoinHandle<()>,
}

/// Starts a program with pipes to it.
///
/// # Errors
/// It cannot be started.
pub(crate) fn start(command: &CommandSpec) -> io::Result<(ChildStdout, ChildStdin, Process)> {
    let mut program = Command::new(&command.program);
    program
        .args(&command.args)
        .envs(command.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(cwd) = &command.cwd {
        program.current_dir(cwd.as_path());
    }
    #[cfg(unix)]
    let has_own_group = !has_terminal();
    #[cfg(unix)]
    if has_own_group {
        program.process_group(0);
    }
    let mut child = program.spawn()?;
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(io::Error::other("a pipe is missing"));
    };
    let stderr_tail = Arc::new(Mutex::new(Vec::new()));
    let drain = tokio::spawn(drain(stderr, command.program.clone(), stderr_tail.clone()));
    let process = Process {
        #[cfg(unix)]
        group: child
            .id()
            .filter(|_| has_own_group)
            .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())),
        child,
        stderr_tail,
        drain,
    };
    Ok((stdout, stdin, process))
}

/// Logs what a program writes to its standard error and keeps the end of it.
async fn drain(stderr: impl AsyncRead + Unpin, program: String, tail: Arc<Mutex<Vec<u8>>>) {
    let mut stderr = BufReader::new(stderr);
    loop {
        let (line, used) = match stderr.fill_buf().await {
            Ok(available) if !available.is_empty() => {
                let used = memchr::memchr(b'\n', available).map_or(available.len(), |end| end + 1);
                let line = available.get(..used).unwrap_or_default();
                let mut kept = tail.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(line);
                let excess = kept.len().saturating_sub(STDERR_TAIL_BYTES);
                kept.drain(..excess);
                (String::from_utf8_lossy(line).trim_end().to_owned(), used)
            }
            _ => return,
        };
        tracing::debug!(program, line, "standard error of the server");
        stderr.consume(used);
    }
}

/// Whether there is a terminal at which a program may have to ask something, such as a password. It
/// could not from a process group of its own, and a hang-up of the terminal reaches it anyway.
#[cfg(unix)]
fn has_terminal() -> bool {
    use rustix::fs::{Mode, OFlags, open};

    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::CLOEXEC;
    open("/dev/tty", flags, Mode::empty()).is_ok()
}

/// What the program started goes with it.
#[cfg(unix)]
impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // Nothing of it may be left, which is as good.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

/// How a program ended.
pub(crate) struct Exit {
    pub(crate) status: ExitStatus,
    /// The end of what it wrote to its standard error.
    pub(crate) stderr_tail: String,
}

impl Process {
    /// Waits for the end of a process whose pipes are closed, and kills it if it does not come.
    pub(crate) async fn finish(mut self, patience: Duration) -> Option<Exit> {
        let status = match tokio::time::timeout(patience, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                // It may have ended in this moment, which is as good.
                let _ = self.child.start_kill();
                self.child.wait().await
            }
        };
        let _ = tokio::time::timeout(STDERR_REST, &mut self.drain).await;
        self.drain.abort();
        let tail = self
            .stderr_tail
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        Some(Exit {
            status: status.ok()?,
            stderr_tail: String::from_utf8_lossy(&tail).into_owned(),
        })
    }
}
