//! How a connection begins: a program or two streams, which version, how much a message may hold,
//! and how paths are spelled.
//!
//! Nothing is asked before the server has spoken. Then its own directory and, where announced,
//! its limits are asked for together. Once for each connection; no call pays for it.

use std::time::Duration;

use codex_file_system::{ChildProcess, CommandSpec};
use codex_path_uri::PathConvention;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::{ConnectError, Failure};
use crate::path::convention_of;
use crate::rpc::{NoGreeting, Reader, Session, Writer};
use crate::wire::{self, Limits, Malformed, Reply, Request, Version};

/// How many bytes are shown of what is no message.
const SHOWN: usize = 40;

/// How long a program may take to end once its standard input is closed.
const GRACE: Duration = Duration::from_secs(2);

/// A greeted server.
pub(crate) struct Connected {
    pub(crate) session: Session,
    pub(crate) facts: Facts,
}

/// What a server tells of itself once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) convention: PathConvention,
    pub(crate) limits: Limits,
}

/// Starts a program and greets what it leads to.
pub(crate) async fn program(
    spec: &CommandSpec,
    limit: Option<Duration>,
) -> Result<Connected, ConnectError> {
    let (stdin, stdout, mut program) =
        ChildProcess::spawn(spec).map_err(|source| ConnectError::Spawn {
            program: spec.program.clone(),
            source,
        })?;
    // Dropped with the connection, which lets the program go.
    let (lifeline, let_go) = oneshot::channel();
    let exit = tokio::spawn(async move {
        tokio::select! {
            () = program.ended() => {}
            _ = let_go => {}
        }
        program.finish(GRACE).await
    });
    let greeting = greet(Box::new(stdout), Box::new(stdin), Some(lifeline));
    match within(limit, greeting).await {
        // The streams are closed by now: the program ended, or is made to.
        Err(ConnectError::Closed) => match exit.await {
            Ok(exit) => Err(ConnectError::ChildExited {
                status: exit.status,
                stderr_tail: exit.stderr_tail,
            }),
            Err(_) => Err(ConnectError::Closed),
        },
        answer => answer,
    }
}

/// Greets what is at the other end of two streams.
pub(crate) async fn streams(
    (reader, writer): (Reader, Writer),
    limit: Option<Duration>,
) -> Result<Connected, ConnectError> {
    within(limit, greet(reader, writer, None)).await
}

async fn within(
    limit: Option<Duration>,
    greeting: impl Future<Output = Result<Connected, ConnectError>>,
) -> Result<Connected, ConnectError> {
    let Some(after) = limit else {
        return greeting.await;
    };
    let timed_out = |_| Err(ConnectError::Timeout { after });
    timeout(after, greeting).await.unwrap_or_else(timed_out)
}

async fn greet(
    reader: Reader,
    writer: Writer,
    lifeline: Option<oneshot::Sender<()>>,
) -> Result<Connected, ConnectError> {
    let greeted = Session::greet(reader, writer, lifeline, &wire::init()).await;
    let (session, first) = greeted.map_err(|failed| match failed {
        NoGreeting::Closed => ConnectError::Closed,
        // Usually text that a login script of the machine prints.
        NoGreeting::NoMessage(error, received) => rejected(format_args!(
            "{error}, beginning with `{}`; does a login script over there print text?",
            received.get(..SHOWN).unwrap_or(&received).escape_ascii()
        )),
    })?;
    let version = Version::decode(first)?;
    if version.number != wire::VERSION {
        return Err(rejected(format_args!("version {}", version.number)));
    }
    let facts = learn(&session, version).await?;
    tracing::debug!(?facts, "sftp session");
    Ok(Connected { session, facts })
}

async fn learn(session: &Session, version: Version) -> Result<Facts, ConnectError> {
    let directory = session.send(&Request::RealPath { path: b"." });
    let limits = version.tells_limits.then(|| session.send(&Request::Limits));
    let mut facts = Facts {
        convention: PathConvention::Posix,
        limits: Limits::default(),
    };
    match directory.reply().await {
        Ok(Reply::Names(names)) => {
            if let Some(own) = names.first() {
                facts.convention = convention_of(&own.name);
            }
        }
        Err(Failure::Lost { .. }) => return Err(ConnectError::Closed),
        // A server that cannot tell where it is keeps to what the protocol says.
        Ok(_) | Err(_) => {}
    }
    if let Some(limits) = limits
        && let Ok(Reply::Extended(body)) = limits.reply().await
    {
        facts.limits = Limits::decode(body)?;
    }
    Ok(facts)
}

fn rejected(reason: impl ToString) -> ConnectError {
    ConnectError::HandshakeRejected {
        reason: reason.to_string(),
    }
}

impl From<Malformed> for ConnectError {
    fn from(malformed: Malformed) -> Self {
        rejected(malformed)
    }
}
