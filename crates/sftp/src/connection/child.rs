//! The program behind the pipes: let go with its connection, and asked how it ended.

use std::time::Duration;

use codex_file_system::{ChildProcess, CommandSpec, ExitReport};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::streams::{Reader, Writer};
use crate::error::ConnectError;

/// How long a program may take to end once its standard input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// A started program.
pub(super) struct Started {
    pub(super) reader: Reader,
    pub(super) writer: Writer,
    /// Dropped to let the program go.
    pub(super) lifeline: oneshot::Sender<()>,
    /// How the program ended, once it has.
    pub(super) exit: JoinHandle<ExitReport>,
}

pub(super) fn start(spec: &CommandSpec) -> Result<Started, ConnectError> {
    let (stdin, stdout, mut program) =
        ChildProcess::spawn(spec).map_err(|source| ConnectError::Spawn {
            program: spec.program.clone(),
            source,
        })?;
    let (lifeline, let_go) = oneshot::channel();
    let exit = tokio::spawn(async move {
        tokio::select! {
            () = program.ended() => {}
            _ = let_go => {}
        }
        program.finish(GRACE).await
    });
    Ok(Started {
        reader: Box::new(stdout),
        writer: Box::new(stdin),
        lifeline,
        exit,
    })
}
