//! One attempt at one call: its connection, and whether anything was changed over it.
//!
//! A call whose connection is lost may be tried again exactly when no request that changes
//! something may have reached the server. Requests that only ask go through
//! [`ask`](Lane::ask) or [`send`](Lane::send), all others through [`change`](Lane::change).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codex_path_uri::PathConvention;
use tokio::sync::SemaphorePermit;

use super::handle::OpenHandle;
use super::link::Link;
use super::session::{Answer, Session};
use crate::failure::Failure;
use crate::spelling::Spelling;
use crate::suspects::Suspects;
use crate::wire::{Attributes, MAX_MESSAGE, MESSAGE_OVERHEAD, Name, Reply, Request};

/// The bytes of a write to a server that announces nothing: every server has to take so many.
const WRITE_CHUNK: usize = 32 * 1024;

/// The connection as one attempt at a call uses it.
pub(crate) struct Lane<'l> {
    link: &'l Link,
    session: Arc<Session>,
    has_changed: AtomicBool,
}

impl<'l> Lane<'l> {
    pub(super) fn new(link: &'l Link, session: Arc<Session>) -> Self {
        Self {
            link,
            session,
            has_changed: AtomicBool::new(false),
        }
    }

    /// Sends a request that changes nothing. Nothing of it happens before this call.
    pub(crate) fn send(&self, request: &Request<'_>) -> Answer<'_> {
        self.session.send(request)
    }

    /// Sends a request that changes something, and waits for its end.
    pub(crate) async fn change(&self, request: &Request<'_>) -> Result<Reply, Failure> {
        let answer = self.session.send(request).await;
        if !matches!(answer, Err(Failure::Lost { sent: false })) {
            self.has_changed.store(true, Ordering::Relaxed);
        }
        answer
    }

    /// The attributes of the target of a path.
    pub(crate) async fn stat(&self, path: &[u8]) -> Result<Attributes, Failure> {
        Self::attributes(self.send(&Request::Stat { path }).await?)
    }

    /// The attributes of a path, links not followed.
    pub(crate) async fn link_stat(&self, path: &[u8]) -> Result<Attributes, Failure> {
        Self::attributes(self.send(&Request::LinkStat { path }).await?)
    }

    /// Waits for an open to succeed, and sees to it that it is followed by a close.
    pub(crate) async fn opened<'s>(
        &'s self,
        answer: impl Future<Output = Result<Reply, Failure>>,
    ) -> Result<OpenHandle<'s>, Failure> {
        OpenHandle::new(&self.session, answer.await?)
    }

    /// Waits for a turn to hold something open.
    pub(crate) async fn turn(&self) -> Result<SemaphorePermit<'l>, Failure> {
        let turn = self.link.turns.acquire().await;
        turn.map_err(|_| Failure::Lost { sent: false })
    }

    /// The path as this server spells it.
    pub(crate) fn path<'p>(&self, spelling: &'p Spelling) -> Result<&'p [u8], Failure> {
        if spelling.convention == self.convention() {
            Ok(&spelling.path)
        } else {
            Err(Failure::invalid_input(
                "the path is not of this server's convention",
            ))
        }
    }

    /// The convention of this server's paths.
    pub(crate) fn convention(&self) -> PathConvention {
        self.session.facts.convention
    }

    /// The most bytes that one read asks for.
    pub(crate) fn read_chunk(&self) -> usize {
        chunk(self.session.facts.limits.read, self.link.options.read_chunk)
    }

    /// The most bytes that one write holds.
    pub(crate) fn write_chunk(&self) -> usize {
        chunk(self.session.facts.limits.write, WRITE_CHUNK)
    }

    /// The most reads of one file in flight.
    pub(crate) fn reads_in_flight(&self) -> usize {
        self.link.options.reads_in_flight.max(1)
    }

    /// The paths that may be dangerous to open.
    pub(crate) fn suspects(&self) -> &'l Suspects {
        &self.link.suspects
    }

    /// Gives up a connection whose server waits for something that may never come.
    pub(crate) fn abandon(&self) {
        self.session.abandon();
    }

    /// Whether a request that changes something may have reached the server.
    pub(super) fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed)
    }

    /// The attributes that an answer consists of.
    pub(crate) fn attributes(reply: Reply) -> Result<Attributes, Failure> {
        match reply {
            Reply::Attributes(attributes) => Ok(attributes),
            _ => Err(Failure::protocol("stat", "no attributes")),
        }
    }

    /// The one name that an answer consists of.
    pub(crate) fn only_name(request: &'static str, reply: Reply) -> Result<Name, Failure> {
        let first = match reply {
            Reply::Names(names) => names.into_iter().next(),
            _ => None,
        };
        first.ok_or_else(|| Failure::protocol(request, "no name"))
    }
}

/// What the server announces, else the usual, within what a message may hold.
fn chunk(announced: Option<u64>, usual: usize) -> usize {
    let announced = announced.and_then(|limit| usize::try_from(limit).ok());
    announced
        .unwrap_or(usual)
        .clamp(1, MAX_MESSAGE - MESSAGE_OVERHEAD)
}
