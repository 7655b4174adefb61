//! One connection to one server: requests out, answers matched by id, from its greeting to its end.
//!
//! Requests are queued and leave together; answers come in any order. A session never comes back:
//! once lost, every request fails, and `link` makes another.

mod pending;
mod streams;

use std::io;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::io::AsyncWriteExt;
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use crate::error::{Failure, Refusal};
use crate::wire::{Frame, Reply, Request, code};
use pending::{Outcome, Pending};
use streams::{Message, next_message, write};
pub(crate) use streams::{Reader, Writer};

/// A live connection.
pub(crate) struct Session {
    pending: Arc<Pending>,
    outgoing: mpsc::UnboundedSender<Message>,
    tasks: [AbortHandle; 2],
}

/// Why there is no first answer.
pub(crate) enum NoGreeting {
    /// The stream ended or cannot be written to.
    Closed,
    /// What came is no message: why, and the bytes.
    NoMessage(io::Error, Bytes),
}

impl Session {
    /// Sends the first message and hands over the answer to it, which has no id.
    pub(crate) async fn greet(
        mut reader: Reader,
        mut writer: Writer,
        lifeline: Option<oneshot::Sender<()>>,
        greeting: &Frame,
    ) -> Result<(Self, Bytes), NoGreeting> {
        let closed = |_| NoGreeting::Closed;
        write(&mut writer, greeting).await.map_err(closed)?;
        writer.flush().await.map_err(closed)?;
        let mut buffer = BytesMut::new();
        let first = match next_message(&mut reader, &mut buffer).await {
            Ok(Some(message)) => message,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(NoGreeting::NoMessage(error, buffer.freeze()));
            }
            Ok(None) | Err(_) => return Err(NoGreeting::Closed),
        };
        let pending = Arc::new(Pending::default());
        let (outgoing, tasks) = streams::start(reader, buffer, writer, lifeline, &pending);
        let session = Self {
            pending,
            outgoing,
            tasks,
        };
        Ok((session, first))
    }

    /// Queues a request. Dropping the answer takes back what was not sent, and gives back what
    /// was opened in vain.
    pub(crate) fn send(&self, request: &Request<'_>) -> Answer<'_> {
        let waiting = self.pending.enter(request.opens());
        if let Some((id, _)) = &waiting {
            tracing::trace!(request = request.name(), id, "sftp request");
            // If the connection ended meanwhile, its end is the answer.
            let _ = self.outgoing.send(Message {
                awaited: Some(*id),
                frame: request.encode(*id),
            });
        }
        Answer {
            session: self,
            request: request.name(),
            waiting,
        }
    }

    /// Queues a request whose answer does not matter.
    fn post(&self, request: &Request<'_>) {
        let id = self.pending.id_without_waiter();
        tracing::trace!(request = request.name(), id, "sftp request");
        // A connection that ended has nothing open.
        let _ = self.outgoing.send(Message {
            awaited: None,
            frame: request.encode(id),
        });
    }

    /// Ends the connection, which closes the streams and lets the program go.
    pub(crate) fn abandon(&self) {
        self.pending.lose();
        self.tasks.iter().for_each(AbortHandle::abort);
    }

    /// Whether the connection ended.
    pub(crate) fn is_lost(&self) -> bool {
        self.pending.is_lost()
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
    /// `None` where the connection had ended before.
    waiting: Option<(u32, oneshot::Receiver<Outcome>)>,
}

impl<'s> Answer<'s> {
    /// Waits for the answer. A status that is no success is a failure.
    pub(crate) async fn reply(mut self) -> Result<Reply, Failure> {
        let Some((_, receiver)) = &mut self.waiting else {
            return Err(Failure::Lost { sent: false });
        };
        let outcome = receiver.await;
        self.waiting = None;
        match outcome.unwrap_or(Err(Failure::Lost { sent: true }))? {
            Ok(Reply::Status { code, message }) if code != code::OK => {
                Err(Failure::Refused(Refusal {
                    request: self.request,
                    code,
                    message,
                }))
            }
            Ok(reply) => Ok(reply),
            Err(malformed) => Err(Failure::protocol(self.request, malformed)),
        }
    }

    /// Waits for the handle that the answer of an open is.
    pub(crate) async fn handle(self) -> Result<OpenHandle<'s>, Failure> {
        let session = self.session;
        match self.reply().await? {
            Reply::Handle(handle) => Ok(OpenHandle {
                session,
                handle,
                is_open: true,
            }),
            _ => Err(Failure::protocol("open", "no handle")),
        }
    }
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        if let Some((id, receiver)) = &mut self.waiting {
            self.session.pending.forget(*id);
            // The answer may have come between the last poll and now.
            if let Ok(Ok(Ok(Reply::Handle(handle)))) = receiver.try_recv() {
                self.session.post(&Request::Close { handle: &handle });
            }
        }
    }
}

/// An open file or directory. Dropping it sends a close whose answer is not waited for.
pub(crate) struct OpenHandle<'s> {
    session: &'s Session,
    handle: Bytes,
    is_open: bool,
}

impl OpenHandle<'_> {
    /// What the server calls it.
    pub(crate) fn name(&self) -> &Bytes {
        &self.handle
    }

    /// Closes it and waits until it is.
    pub(crate) async fn close(mut self) -> Result<(), Failure> {
        self.is_open = false;
        let handle = &self.handle;
        let close = self.session.send(&Request::Close { handle });
        close.reply().await.map(drop)
    }
}

impl Drop for OpenHandle<'_> {
    fn drop(&mut self) {
        if self.is_open {
            let handle = &self.handle;
            self.session.post(&Request::Close { handle });
        }
    }
}
