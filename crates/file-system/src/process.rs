//! A program at the other end of two pipes: started without a shell, its standard error kept for
//! the error that may need it, and never left running.
//!
//! What is said over the pipes is the business of the crates that start programs.

use std::{
    io,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt as _, BufReader},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
    task::JoinHandle,
    time::timeout,
};

use crate::CommandSpec;

/// How much of the standard error is kept, in bytes.
const STDERR_TAIL_BYTES: usize = 8 * 1024;

/// How long the rest of the standard error is waited for once the program ended: a process that it
/// started may hold the pipe open.
const STDERR_REST: Duration = Duration::from_millis(100);

/// A started program. Dropping it kills the program and, where no terminal is at hand, whatever the
/// program started.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_file_system::{ChildProcess, CommandSpec};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// # #[cfg(unix)] {
/// let command = CommandSpec {
///     program: "sh".to_owned(),
///     args: ["-c", "echo no route to host >&2; exit 3"].map(str::to_owned).to_vec(),
///     env: Vec::new(),
///     cwd: None,
/// };
/// let (stdin, _stdout, program) = ChildProcess::spawn(&command)?;
/// drop(stdin);
/// let report = program.finish(Duration::from_secs(5)).await;
/// assert_eq!(report.status.and_then(|status| status.code()), Some(3));
/// assert_eq!(report.stderr_tail, "no route to host\n");
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ChildProcess {
    child: Child,
    /// The process group of the program and of what it started, if that is its own.
    #[cfg(unix)]
    group: Option<rustix::process::Pid>,
    stderr_tail: Arc<Mutex<Vec<u8>>>,
    drain: JoinHandle<()>,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitReport {
    /// The status, where the host tells it.
    pub status: Option<ExitStatus>,
    /// The end of what the program wrote to its standard error, at most 8 KiB, with U+FFFD for what
    /// is not UTF-8.
    pub stderr_tail: String,
}

impl ChildProcess {
    /// Starts a program, with pipes to its standard input and from its standard output.
    ///
    /// Needs a tokio runtime with I/O and time. Lines of the standard error are `debug` events.
    ///
    /// # Errors
    /// What the host says of a program that cannot be started.
    pub fn spawn(command: &CommandSpec) -> io::Result<(ChildStdin, ChildStdout, Self)> {
        let mut program = Command::new(&command.program);
        program
            .args(&command.args)
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(cwd) = &command.cwd {
            program.current_dir(cwd);
        }
        #[cfg(unix)]
        let has_own_group = !has_terminal();
        #[cfg(unix)]
        if has_own_group {
            program.process_group(0);
        }
        let mut child = program.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let stderr_tail = Arc::new(Mutex::new(Vec::new()));
        let drain = drain(stderr, command.program.clone(), Arc::clone(&stderr_tail));
        let process = Self {
            #[cfg(unix)]
            group: child
                .id()
                .filter(|_| has_own_group)
                .and_then(|id| rustix::process::Pid::from_raw(id.cast_signed())),
            child,
            stderr_tail,
            drain: tokio::spawn(drain),
        };
        Ok((stdin, stdout, process))
    }

    /// Waits until the program ends by itself.
    ///
    /// # Cancellation
    /// May be dropped and called again.
    pub async fn ended(&mut self) {
        // A program that cannot be waited for has ended as far as anybody here can tell.
        let _ = self.child.wait().await;
    }

    /// Waits for the end of a program whose pipes are closed, and kills it if that takes longer
    /// than `grace`.
    pub async fn finish(mut self, grace: Duration) -> ExitReport {
        let status = match timeout(grace, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                // It may have ended meanwhile, which is as good.
                let _ = self.child.start_kill();
                self.child.wait().await
            }
        };
        let _ = timeout(STDERR_REST, &mut self.drain).await;
        self.drain.abort();
        let tail = self.stderr_tail.lock();
        let tail = tail.unwrap_or_else(PoisonError::into_inner);
        ExitReport {
            status: status.ok(),
            stderr_tail: String::from_utf8_lossy(&tail).into_owned(),
        }
    }
}

#[cfg(unix)]
impl Drop for ChildProcess {
    fn drop(&mut self) {
        if let Some(group) = self.group {
            // Nothing of it may be left, which is as good.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
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

/// Logs what a program writes to its standard error and keeps the end of it.
async fn drain(stderr: ChildStderr, program: String, tail: Arc<Mutex<Vec<u8>>>) {
    let mut stderr = BufReader::with_capacity(STDERR_TAIL_BYTES, stderr);
    while let Ok(chunk) = stderr.fill_buf().await {
        if chunk.is_empty() {
            return;
        }
        for line in String::from_utf8_lossy(chunk).lines() {
            tracing::debug!(program, line, "standard error of a program");
        }
        let length = chunk.len();
        {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend_from_slice(chunk);
            let excess = tail.len().saturating_sub(STDERR_TAIL_BYTES);
            tail.drain(..excess);
        }
        stderr.consume(length);
    }
}
