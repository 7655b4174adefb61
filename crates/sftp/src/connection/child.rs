//! The program behind the pipes: started without a shell, heard to its end, never left behind.
//!
//! Its standard error is drained: lines become debug events, the last 8 KiB are kept for the
//! error that may need them. When the connection ends, its standard input is closed, it has two
//! seconds to go, and is killed.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codex_file_system::CommandSpec;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;

use super::streams::{Reader, Writer};
use crate::error::ConnectError;

/// How long a program may take to end once its standard input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// How much of the standard error is kept, in bytes.
const TAIL: usize = 8 * 1024;

/// A started program.
pub(super) struct Started {
    pub(super) reader: Reader,
    pub(super) writer: Writer,
    /// Dropped to let the program go.
    pub(super) leash: oneshot::Sender<()>,
    pub(super) obituary: Obituary,
}

/// How a program ended, once it has.
pub(super) struct Obituary {
    ended: watch::Receiver<Option<Option<ExitStatus>>>,
    tail: Arc<Mutex<VecDeque<u8>>>,
}

pub(super) fn start(spec: &CommandSpec) -> Result<Started, ConnectError> {
    let failed = |source| ConnectError::Spawn {
        program: spec.program.clone(),
        source,
    };
    let mut command = Command::new(&spec.program);
    command
        .args(&spec.args)
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(cwd) = &spec.cwd {
        command.current_dir(cwd.as_path());
    }
    let mut child = command.spawn().map_err(failed)?;
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
        return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
    };
    let (leash, let_go) = oneshot::channel();
    let (end, ended) = watch::channel(None);
    let tail = Arc::new(Mutex::new(VecDeque::new()));
    let drained = tokio::spawn(drain(stderr, Arc::clone(&tail)));
    tokio::spawn(async move {
        let status = outlive(&mut child, let_go).await;
        // What it said last is part of how it ended, unless something it started keeps the pipe.
        let _ = timeout(GRACE, drained).await;
        end.send_replace(Some(status));
    });
    Ok(Started {
        reader: Box::new(stdout),
        writer: Box::new(stdin),
        leash,
        obituary: Obituary { ended, tail },
    })
}

impl Obituary {
    /// How the program ended, if it does within a moment.
    pub(super) async fn read(mut self) -> ConnectError {
        let ended = timeout(2 * GRACE, self.ended.wait_for(Option::is_some)).await;
        let status = match ended {
            Ok(Ok(status)) => status.flatten(),
            Ok(Err(_)) | Err(_) => None,
        };
        let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: Vec<u8> = tail.iter().copied().collect();
        ConnectError::ChildExited {
            status,
            stderr_tail: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

/// Waits for the end of a program, and brings it about once it is let go.
async fn outlive(child: &mut Child, let_go: oneshot::Receiver<()>) -> Option<ExitStatus> {
    let ended = tokio::select! {
        ended = child.wait() => return ended.ok(),
        _ = let_go => timeout(GRACE, child.wait()).await,
    };
    match ended {
        Ok(ended) => ended.ok(),
        Err(_) => {
            // A program that ended meanwhile cannot be killed, which is as well.
            let _ = child.kill().await;
            child.wait().await.ok()
        }
    }
}

async fn drain(stderr: ChildStderr, tail: Arc<Mutex<VecDeque<u8>>>) {
    let mut stderr = BufReader::with_capacity(TAIL, stderr);
    while let Ok(chunk) = stderr.fill_buf().await {
        if chunk.is_empty() {
            return;
        }
        for line in chunk
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
        {
            tracing::debug!(line = &*String::from_utf8_lossy(line), "sftp program");
        }
        let length = chunk.len();
        {
            let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.extend(chunk);
            let excess = tail.len().saturating_sub(TAIL);
            tail.drain(..excess);
        }
        stderr.consume(length);
    }
}
