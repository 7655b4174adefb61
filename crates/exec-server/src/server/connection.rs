//! One connection: messages in the order they come, requests at once, answers as they end.
//!
//! The reading side waits for a *slot* for each message, so that no more than so many requests
//! run, and no more bytes of them; meanwhile it reads a little ahead, to hear pings and the end of
//! the input. Messages of the handshake are handled where they stand in the input, as is what a
//! request does to the table of handles; all else runs as tasks. How bytes come in and go out is
//! the business of the transports.

use std::collections::VecDeque;
use std::io;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::{Either, select};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Service;
use super::dispatch::{self, Answer, Caller, Job, refused, unknown_method, wrong_params};
use super::handles::Handles;
use super::outbox::{Batch, LARGE_REPLY_BYTES, Outbox, Reply, Slot};
use super::session::Attached;
use crate::codec::{Message, RequestId, WireError, code, encode_failure, encode_success};
use crate::error_map::refusal;
use crate::protocol::{
    INITIALIZED, Initialize, InitializeParams, InitializeResult, Method as _, decode_params,
};
use crate::transport::stdio::{Line, LineReader};

/// How many messages are read ahead of the request that waits for its slot.
const MAX_READ_AHEAD: usize = 64;
/// How many bytes of messages are read ahead before reading pauses.
const MAX_READ_AHEAD_BYTES: usize = 1024 * 1024;
/// From how many bytes on a message counts by them.
const LARGE_MESSAGE_BYTES: usize = 64 * 1024;
/// How long requests may go on after the server was told to end.
pub(super) const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Where the messages of a connection come from.
pub(super) trait Source {
    /// Whether a client that sends no more still listens.
    const LISTENS_AT_END: bool;

    /// The next message; `None` at the end of the input.
    ///
    /// # Cancellation
    /// Loses nothing.
    fn next(&mut self) -> impl Future<Output = io::Result<Option<Incoming>>> + Send;
}

/// What a client sent.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A message, or what should have been one.
    Message(Bytes),
    /// A message past the limit, which was skipped.
    TooLong,
}

/// Why no more messages are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// The client sends no more.
    Input,
    /// The server ends.
    Shutdown,
}

/// The reading side of a connection.
pub(super) struct Connection {
    shared: Arc<Shared>,
    handshake: Handshake,
    running: JoinSet<()>,
}

/// What the requests of a connection share.
pub(super) struct Shared {
    pub(super) service: Arc<Service>,
    pub(super) handles: Handles,
    pub(super) outbox: Arc<Outbox>,
    requests: Arc<Semaphore>,
    request_bytes: Arc<Semaphore>,
}

impl Shared {
    /// Waits for the slot of a message of so many bytes.
    ///
    /// # Cancellation
    /// Takes nothing.
    async fn slot(&self, bytes: usize) -> Slot {
        // The semaphores are never closed, so there is always a slot in the end.
        let request = Arc::clone(&self.requests).acquire_owned().await.ok();
        if bytes <= LARGE_MESSAGE_BYTES {
            return [request, None];
        }
        let most = self.service.options.limits.inbound_message;
        let part = u32::try_from(bytes.min(most)).unwrap_or(u32::MAX);
        let bytes = Arc::clone(&self.request_bytes).acquire_many_owned(part);
        [request, bytes.await.ok()]
    }

    fn reply(&self, text: String, slot: Slot) {
        let room = None;
        self.outbox.push(Reply { text, slot, room });
    }
}

/// How far the handshake is. The session is detached when the connection is dropped.
enum Handshake {
    Expected,
    Answered(Attached),
    Complete { _session: Attached },
}

impl Connection {
    /// A connection whose answers go to `outbox`.
    pub(super) fn new(service: Arc<Service>, outbox: Arc<Outbox>) -> Self {
        let requests = service.options.concurrent_requests.get();
        let bytes = service.options.limits.inbound_message;
        Self {
            shared: Arc::new(Shared {
                handles: Handles::default(),
                outbox,
                requests: Arc::new(Semaphore::new(requests.min(Semaphore::MAX_PERMITS))),
                request_bytes: Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))),
                service,
            }),
            handshake: Handshake::Expected,
            running: JoinSet::new(),
        }
    }

    /// Reads and answers until the input or the server ends. At the end of the input what was
    /// read is answered, if anybody listens; at the end of the server, what runs.
    pub(super) async fn run<S: Source>(
        mut self,
        source: &mut S,
        ending: &mut watch::Receiver<bool>,
    ) -> io::Result<Ended> {
        let mut ahead = ReadAhead::default();
        let shared = Arc::clone(&self.shared);
        let ended = loop {
            tokio::select! {
                biased;
                () = is_ending(ending) => break Ended::Shutdown,
                slot = shared.slot(ahead.next_len()), if !ahead.messages.is_empty() => {
                    if let Some(incoming) = ahead.pop() {
                        self.receive(incoming, slot);
                    }
                }
                incoming = source.next(), if ahead.has_room() => match incoming? {
                    Some(incoming) => ahead.push(incoming),
                    None => break Ended::Input,
                },
            }
        };
        if ended == Ended::Input && !S::LISTENS_AT_END {
            self.running.abort_all();
        } else if ended == Ended::Input {
            while let Some(incoming) = ahead.pop() {
                let slot = shared.slot(incoming.len()).await;
                self.receive(incoming, slot);
            }
        }
        while self.running.join_next().await.is_some() {}
        self.shared.outbox.close();
        Ok(ended)
    }

    fn receive(&mut self, incoming: Incoming, slot: Slot) {
        // Tasks that have ended are forgotten here; how they ended is in their answers.
        while self.running.try_join_next().is_some() {}
        let bytes = match incoming {
            Incoming::Message(bytes) => bytes,
            Incoming::TooLong => {
                let most = self.shared.service.options.limits.inbound_message;
                tracing::warn!(code = "message_too_large", most, "message skipped");
                return self.complain(format!("a message has at most {most} bytes"), slot);
            }
        };
        match Message::parse(&bytes) {
            Ok(Message::Request { id, method, params }) => {
                self.request(id, &method, params, slot);
            }
            Ok(Message::Notification { method, .. }) => self.notification(&method),
            Ok(Message::Success { id, .. } | Message::Failure { id, .. }) => {
                tracing::debug!(code = "protocol_error", ?id, "answer to no request ignored");
            }
            Err(malformed) => {
                tracing::debug!(code = "protocol_error", error = %malformed, "malformed message");
                self.complain(malformed.to_string(), slot);
            }
        }
    }

    fn request(&mut self, id: RequestId, method: &str, params: Option<&RawValue>, slot: Slot) {
        if method == Initialize::NAME {
            let text = match self.initialize(params) {
                // Neither an id nor what the host said of itself can fail to be JSON.
                Ok(result) => encode_success(&id, &result, 0).unwrap_or_default(),
                Err(error) => encode_failure(&id, &error),
            };
            return self.shared.reply(text, slot);
        }
        let job = match dispatch::method(method) {
            None => Err(unknown_method(method)),
            Some(begin) if matches!(self.handshake, Handshake::Complete { .. }) => {
                let shared = Arc::clone(&self.shared);
                let id = id.clone();
                begin(Caller { shared, id }, params)
            }
            Some(_) => {
                let message = "the handshake comes first: `initialize`, then `initialized`";
                Err(refused(message))
            }
        };
        match job {
            Ok(job) => {
                let serving = serve(Arc::clone(&self.shared), id, job, slot);
                self.running.spawn(serving);
            }
            Err(error) => self.shared.reply(encode_failure(&id, &error), slot),
        }
    }

    fn initialize(&mut self, params: Option<&RawValue>) -> Result<InitializeResult, WireError> {
        let InitializeParams {
            client_name,
            resume_session_id,
        } = decode_params::<Initialize>(params).map_err(|error| wrong_params(&error))?;
        if !matches!(self.handshake, Handshake::Expected) {
            return Err(refused("the connection is initialized"));
        }
        let service = &self.shared.service;
        let session = match resume_session_id {
            Some(id) => service.sessions.resume(&id)?,
            None => service.sessions.start()?,
        };
        tracing::debug!(client = %client_name.escape_debug(), "session attached");
        let result = InitializeResult {
            session_id: session.id().to_owned(),
            environment_info: Some(service.wire_info.clone()),
        };
        self.handshake = Handshake::Answered(session);
        Ok(result)
    }

    fn notification(&mut self, method: &str) {
        let before = std::mem::replace(&mut self.handshake, Handshake::Expected);
        self.handshake = match before {
            Handshake::Answered(session) if method == INITIALIZED => {
                Handshake::Complete { _session: session }
            }
            other => {
                tracing::debug!(code = "protocol_error", "notification ignored");
                other
            }
        };
    }

    /// Answers what is no message.
    fn complain(&self, message: String, slot: Slot) {
        let text = encode_failure(&RequestId::UNKNOWN, &refused(message));
        self.shared.reply(text, slot);
    }
}

/// Ready when the server ends. A server that is gone does not end any more.
pub(super) async fn is_ending(ending: &mut watch::Receiver<bool>) {
    if ending.wait_for(|is_ending| *is_ending).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Runs one request and hands over its answer, whatever becomes of it.
async fn serve(shared: Arc<Shared>, id: RequestId, job: Job, slot: Slot) {
    let Answer { text, room } = match AssertUnwindSafe(job).catch_unwind().await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => Answer {
            text: encode_failure(&id, &error),
            room: None,
        },
        Err(_) => {
            tracing::error!(code = "protocol_error", ?id, "a request panicked");
            let error = refusal(code::INTERNAL_ERROR, io::ErrorKind::Other, "internal error");
            Answer {
                text: encode_failure(&id, &error),
                room: None,
            }
        }
    };
    let room = match room {
        Some(room) => Some(room),
        None => shared.outbox.room_for(text.len() as u64).await,
    };
    shared.outbox.push(Reply { text, slot, room });
}

/// Messages that wait for a slot.
#[derive(Default)]
struct ReadAhead {
    messages: VecDeque<Incoming>,
    bytes: usize,
}

impl ReadAhead {
    fn has_room(&self) -> bool {
        self.messages.len() < MAX_READ_AHEAD && self.bytes < MAX_READ_AHEAD_BYTES
    }

    fn push(&mut self, incoming: Incoming) {
        self.bytes += incoming.len();
        self.messages.push_back(incoming);
    }

    /// The length of the message that is next.
    fn next_len(&self) -> usize {
        self.messages.front().map_or(0, Incoming::len)
    }

    fn pop(&mut self) -> Option<Incoming> {
        let incoming = self.messages.pop_front()?;
        self.bytes -= incoming.len();
        Some(incoming)
    }
}

impl Incoming {
    fn len(&self) -> usize {
        match self {
            Incoming::Message(bytes) => bytes.len(),
            Incoming::TooLong => 0,
        }
    }
}

/// Runs both sides of a connection until both have ended, or the time for it is over when the
/// server ends. Reading that ends lets writing end; writing that fails ends both.
pub(super) async fn converse(
    reading: impl Future<Output = io::Result<Ended>>,
    writing: impl Future<Output = io::Result<()>>,
    mut ending: watch::Receiver<bool>,
) -> io::Result<Ended> {
    let conversing = async {
        match select(pin!(reading), pin!(writing)).await {
            Either::Left((read, writing)) => {
                let read = read?;
                writing.await?;
                Ok(read)
            }
            Either::Right((written, reading)) => {
                written?;
                reading.await
            }
        }
    };
    let running_out = async {
        is_ending(&mut ending).await;
        sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        biased;
        ended = conversing => ended,
        () = running_out => Ok(Ended::Shutdown),
    }
}

/// Serves one client on a pair of pipes until the input ends and everything is answered, or the
/// server ends.
pub(super) async fn serve_pipes(
    service: &Arc<Service>,
    reader: impl AsyncRead + Send + Unpin,
    mut writer: impl AsyncWrite + Send + Unpin,
    mut ending: watch::Receiver<bool>,
) -> io::Result<()> {
    let limits = &service.options.limits;
    let outbox = Arc::new(Outbox::new(limits.waiting_replies));
    let mut source = LineReader::new(reader, limits.inbound_message);
    let connection = Connection::new(Arc::clone(service), Arc::clone(&outbox));
    let grace = ending.clone();
    let reading = connection.run(&mut source, &mut ending);
    let writing = write_lines(&outbox, &mut writer);
    converse(reading, writing, grace).await.map(drop)
}

/// Writes answers until there are no more. Those that are ready together leave in one go.
async fn write_lines(outbox: &Outbox, writer: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let mut small = Vec::new();
    while let Some(Batch { texts, room }) = outbox.next().await {
        small.clear();
        for text in texts {
            if text.len() > LARGE_REPLY_BYTES {
                writer.write_all(&small).await?;
                small.clear();
                writer.write_all(text.as_bytes()).await?;
            } else {
                small.extend_from_slice(text.as_bytes());
            }
            small.push(b'\n');
        }
        writer.write_all(&small).await?;
        writer.flush().await?;
        drop(room);
    }
    Ok(())
}

impl<R: AsyncRead + Send + Unpin> Source for LineReader<R> {
    const LISTENS_AT_END: bool = true;

    async fn next(&mut self) -> io::Result<Option<Incoming>> {
        Ok(LineReader::next(self).await?.map(|line| match line {
            Line::Message(bytes) => Incoming::Message(bytes),
            Line::TooLong => Incoming::TooLong,
        }))
    }
}
