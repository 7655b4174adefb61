//! One attempt at one call: its connection, and whether anything was changed over it.
//!
//! A call whose connection is lost may be tried again exactly when no request that changes
//! something may have reached the server. Requests that only ask go through
//! [`send`](Attempt::send), all others through [`change`](Attempt::change).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codex_path_uri::PathConvention;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::Failure;
use crate::handshake::Connected;
use crate::options::SftpOptions;
use crate::path::ServerPath;
use crate::rpc::Answer;
use crate::special_files::SpecialFiles;
use crate::wire::{Attributes, MAX_MESSAGE, MESSAGE_OVERHEAD, Name, Reply, Request};

/// The bytes of a write to a server that announces nothing: every server has to take so many.
const WRITE_CHUNK: usize = 32 * 1024;

/// What all calls to one server share, whatever connection they use.
pub(crate) struct Shared {
    pub(crate) options: SftpOptions,
    /// Turns of the calls that hold something open.
    turns: Semaphore,
    pub(crate) special_files: SpecialFiles,
}

impl Shared {
    pub(crate) fn new(options: SftpOptions) -> Self {
        Self {
            turns: Semaphore::new(options.max_in_flight.clamp(1, Semaphore::MAX_PERMITS)),
            special_files: SpecialFiles::default(),
            options,
        }
    }
}

/// The connection as one attempt at a call uses it.
pub(crate) struct Attempt<'l> {
    pub(crate) shared: &'l Shared,
    connected: Arc<Connected>,
    has_changed: AtomicBool,
}

impl<'l> Attempt<'l> {
    pub(crate) fn new(shared: &'l Shared, connected: Arc<Connected>) -> Self {
        Self {
            shared,
            connected,
            has_changed: AtomicBool::new(false),
        }
    }

    /// Sends a request that changes nothing. Nothing of it happens before this call.
    pub(crate) fn send(&self, request: &Request<'_>) -> Answer<'_> {
        self.connected.session.send(request)
    }

    /// Sends a request that changes something, and waits for its end.
    pub(crate) async fn change(&self, request: &Request<'_>) -> Result<(), Failure> {
        self.changed(self.send(request).reply().await).map(drop)
    }

    /// Takes note that a request which changes something may have reached the server.
    pub(crate) fn changed<T>(&self, answer: Result<T, Failure>) -> Result<T, Failure> {
        if !matches!(answer, Err(Failure::Lost { sent: false })) {
            self.has_changed.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// Whether a request that changes something may have reached the server.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed)
    }

    /// The attributes of the target of a path.
    pub(crate) async fn stat(&self, path: &[u8]) -> Result<Attributes, Failure> {
        attributes(self.send(&Request::Stat { path })).await
    }

    /// The attributes of a path, links not followed.
    pub(crate) async fn link_stat(&self, path: &[u8]) -> Result<Attributes, Failure> {
        attributes(self.send(&Request::LinkStat { path })).await
    }

    /// Waits for a turn to hold something open.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'l>, Failure> {
        let turn = self.shared.turns.acquire().await;
        turn.map_err(|_| Failure::Lost { sent: false })
    }

    /// The path as this server spells it.
    pub(crate) fn path<'p>(&self, path: &'p ServerPath) -> Result<&'p [u8], Failure> {
        if path.convention == self.convention() {
            Ok(&path.path)
        } else {
            Err(Failure::invalid_input(
                "the path is not of this server's convention",
            ))
        }
    }

    /// The convention of this server's paths.
    pub(crate) fn convention(&self) -> PathConvention {
        self.connected.facts.convention
    }

    /// The most bytes that one read asks for.
    pub(crate) fn read_chunk(&self) -> usize {
        let announced = self.connected.facts.limits.read;
        chunk(announced, self.shared.options.read_chunk)
    }

    /// The most bytes that one write holds.
    pub(crate) fn write_chunk(&self) -> usize {
        chunk(self.connected.facts.limits.write, WRITE_CHUNK)
    }

    /// Gives up a connection whose server waits for something that may never come.
    pub(crate) fn abandon(&self) {
        self.connected.session.abandon();
    }
}

/// The attributes that an answer consists of.
pub(crate) async fn attributes(answer: Answer<'_>) -> Result<Attributes, Failure> {
    match answer.reply().await? {
        Reply::Attributes(attributes) => Ok(attributes),
        _ => Err(Failure::protocol("stat", "no attributes")),
    }
}

/// The one name that the answer of a request consists of.
pub(crate) async fn only_name(request: &'static str, answer: Answer<'_>) -> Result<Name, Failure> {
    let first = match answer.reply().await? {
        Reply::Names(names) => names.into_iter().next(),
        _ => None,
    };
    first.ok_or_else(|| Failure::protocol(request, "no name"))
}

/// What the server announces, else the usual, within what a message may hold.
fn chunk(announced: Option<u64>, usual: usize) -> usize {
    let announced = announced.and_then(|limit| usize::try_from(limit).ok());
    announced
        .unwrap_or(usual)
        .clamp(1, MAX_MESSAGE - MESSAGE_OVERHEAD)
}
