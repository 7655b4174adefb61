//! One connection to one server, from its first answer to its end.
//!
//! Requests are queued and leave together; answers are matched by id, in whatever order they
//! come. A session never comes back: once lost, every request fails, and `link` makes another.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use codex_path_uri::PathConvention;
use tokio::sync::{mpsc, oneshot};

use super::pending::{Outcome, Pending};
use super::streams::{Message, Streams};
use crate::failure::{Failure, Refusal};
use crate::wire::{Limits, Reply, Request, code};

/// A live connection.
pub(crate) struct Session {
    pending: Arc<Pending>,
    outgoing: mpsc::UnboundedSender<Message>,
    streams: Streams,
    pub(crate) facts: Facts,
}

/// What a server tells of itself once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    pub(crate) convention: PathConvention,
    pub(crate) limits: Limits,
}

impl Session {
    pub(super) fn new(
        pending: Arc<Pending>,
        outgoing: mpsc::UnboundedSender<Message>,
        streams: Streams,
    ) -> Self {
        let facts = Facts {
            convention: PathConvention::Posix,
            limits: Limits::default(),
        };
        Self {
            pending,
            outgoing,
            streams,
            facts,
        }
    }

    /// Queues a request. The answer may be awaited at any time; dropping it takes back what was
    /// not sent, and gives back what was opened in vain.
    pub(crate) fn send(&self, request: &Request<'_>) -> Answer<'_> {
        let state = match self.queue(request) {
            Ok((id, receiver)) => State::Waiting { id, receiver },
            Err(failure) => State::Failed(failure),
        };
        Answer {
            session: self,
            request: request.name(),
            state,
        }
    }

    /// Queues a request whose answer does not matter.
    pub(crate) fn post(&self, request: &Request<'_>) {
        let id = self.pending.id_without_waiter();
        if let Ok(frame) = request.encode(id) {
            tracing::trace!(request = request.name(), id, "sftp request");
            // A connection that ended has nothing open.
            let _ = self.outgoing.send(Message {
                awaited: None,
                frame,
            });
        }
    }

    /// Ends the connection.
    pub(crate) fn abandon(&self) {
        self.pending.lose();
        self.streams.end();
    }

    /// Whether the connection ended.
    pub(crate) fn is_lost(&self) -> bool {
        self.pending.is_lost()
    }

    fn queue(&self, request: &Request<'_>) -> Result<(u32, oneshot::Receiver<Outcome>), Failure> {
        let lost = Failure::Lost { sent: false };
        let Some((id, receiver)) = self.pending.enter(request.opens()) else {
            return Err(lost);
        };
        let frame = request.encode(id).map_err(|error| {
            self.pending.forget(id);
            Failure::protocol(request.name(), error)
        })?;
        tracing::trace!(request = request.name(), id, "sftp request");
        let message = Message {
            awaited: Some(id),
            frame,
        };
        match self.outgoing.send(message) {
            Ok(()) => Ok((id, receiver)),
            Err(_) => Err(lost),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// The answer of a request that is under way.
pub(crate) struct Answer<'s> {
    session: &'s Session,
    request: &'static str,
    state: State,
}

enum State {
    Waiting {
        id: u32,
        receiver: oneshot::Receiver<Outcome>,
    },
    Failed(Failure),
    Over,
}

impl Future for Answer<'_> {
    type Output = Result<Reply, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let outcome = match std::mem::replace(&mut self.state, State::Over) {
            State::Failed(failure) => Err(failure),
            State::Over => Err(Failure::Lost { sent: true }),
            State::Waiting { id, mut receiver } => match Pin::new(&mut receiver).poll(context) {
                Poll::Pending => {
                    self.state = State::Waiting { id, receiver };
                    return Poll::Pending;
                }
                Poll::Ready(outcome) => outcome.unwrap_or(Err(Failure::Lost { sent: true })),
            },
        };
        Poll::Ready(match outcome {
            Ok(Ok(Reply::Status { code, message })) if code != code::OK => {
                Err(Failure::Refused(Refusal {
                    request: self.request,
                    code,
                    message,
                }))
            }
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(malformed)) => Err(Failure::protocol(self.request, malformed)),
            Err(failure) => Err(failure),
        })
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        if let State::Waiting { id, receiver } = &mut self.state {
            self.session.pending.forget(*id);
            // The answer may have come between the last poll and now.
            if let Ok(Ok(Ok(Reply::Handle(handle)))) = receiver.try_recv() {
                self.session.post(&Request::Close { handle: &handle });
            }
        }
    }
}
