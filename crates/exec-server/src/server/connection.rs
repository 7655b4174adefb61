//! One connection: messages in the order they come, requests at once, answers as they end.
//!
//! The reading side waits for a *slot* for each message, so that no more than so many requests
//! run, and no more bytes of them; meanwhile it reads a little ahead, to hear pings and the end of the input. Messages of the
//! handshake are handled where they stand in the input, all others run as tasks. How bytes come in
//! and go out is the business of the transports.

use std::collections::VecDeque;
use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use codex_file_system::ExecutorFileSystem;
use futures::FutureExt as _;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::budget::{Budget, Share};
use super::dispatch::{Handler, failure, handler, success, unknown_method, wrong_params};
use super::handles::Handles;
pub(super) use super::outbox::LARGE_REPLY_BYTES;
use super::outbox::{Outbox, Reply};
use super::service::Service;
use super::session::Attached;
use super::slots::{Slot, Slots};
use crate::envelope::{Message, RequestId, WireError, code};
use crate::error_map::refusal;
use crate::local::Client;
use crate::protocol::{
    INITIALIZED, Initialize, InitializeParams, InitializeResult, Method, decode_params,
};

/// How many messages are read ahead of the request that waits for its slot.
const MAX_READ_AHEAD: usize = 64;
/// How many bytes of messages are read ahead before reading pauses.
const MAX_READ_AHEAD_BYTES: usize = 1024 * 1024;

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
struct Shared {
    service: Arc<Service>,
    handles: Handles,
    outbox: Arc<Outbox>,
    slots: Slots,
    /// Of what the service has for them.
    listings: Budget,
}

/// How far the handshake is. The session is detached when the connection is dropped.
enum Handshake {
    Expected,
    Answered(Attached),
    Complete { _session: Attached },
}

/// What one request may use.
pub(super) struct Caller {
    shared: Arc<Shared>,
    /// Room for the answer, taken before what goes into it was read.
    room: OnceLock<Share>,
}

impl Caller {
    pub(super) fn service(&self) -> &Service {
        &self.shared.service
    }

    pub(super) fn filesystem(&self) -> &dyn ExecutorFileSystem {
        &*self.shared.service.filesystem
    }

    pub(super) fn handles(&self) -> &Handles {
        &self.shared.handles
    }

    /// Asks the filesystem for a listing or a walk that may come to so many bytes, when it is this
    /// connection's turn and then this request's. The shares are kept until the answer is made.
    pub(super) async fn in_turn<T>(
        &self,
        bytes: u64,
        asked: impl Future<Output = T>,
    ) -> (T, [Option<Share>; 2]) {
        let own = self.shared.listings.wait_for(bytes).await;
        let (given, share) = self.service().listings.in_turn(bytes, asked).await;
        (given, [own, share])
    }

    /// Waits until an answer of about so many bytes may be made; at once for a small one.
    pub(super) async fn wait_for_room(&self, bytes: u64) {
        if let Some(room) = self.shared.outbox.room_for(bytes).await {
            // A request waits once; what a second wait would bring is given back.
            let _ = self.room.set(room);
        }
    }

    /// Whether an answer of about so many bytes may be made at once. Its room is taken then.
    pub(super) fn takes_room(&self, bytes: u64) -> bool {
        if bytes <= LARGE_REPLY_BYTES as u64 {
            return true;
        }
        match self.shared.outbox.try_room_for(bytes) {
            Some(room) => self.room.set(room).is_ok(),
            None => false,
        }
    }
}

impl Connection {
    /// A connection whose answers go to `outbox`.
    pub(super) fn new(service: Arc<Service>, outbox: Arc<Outbox>) -> Self {
        let slots = Slots::new(&service.options);
        let listings = service.listings.half();
        Self {
            shared: Arc::new(Shared {
                service,
                handles: Handles::default(),
                outbox,
                slots,
                listings,
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
                slot = shared.slots.next(ahead.next_len()), if !ahead.messages.is_empty() => {
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
                let slot = shared.slots.next(incoming.len()).await;
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
                self.request(&bytes, id, &method, params, slot);
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

    fn request(
        &mut self,
        bytes: &Bytes,
        id: RequestId,
        method: &str,
        params: Option<&RawValue>,
        slot: Slot,
    ) {
        if method == Initialize::NAME {
            let text = match self.initialize(params) {
                Ok(result) => success(&id, &result),
                Err(error) => failure(&id, &error),
            };
            return self.reply(text, slot);
        }
        let Some(handler) = handler(method) else {
            return self.reply(failure(&id, &unknown_method(method)), slot);
        };
        if !matches!(self.handshake, Handshake::Complete { .. }) {
            let error = refused("the handshake comes first: `initialize`, then `initialized`");
            return self.reply(failure(&id, &error), slot);
        }
        let params = params.map(|params| bytes.slice_ref(params.get().as_bytes()));
        let shared = Arc::clone(&self.shared);
        // As long as the connection lives, nothing else has this address.
        let client = Client(Arc::as_ptr(&shared).addr());
        let serving = serve(shared, handler, id, params, slot);
        self.running.spawn(client.run(serving));
    }

    fn initialize(
        &mut self,
        params: Option<&RawValue>,
    ) -> Result<InitializeResult<'static>, WireError> {
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
            session_id: session.id().to_owned().into(),
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
        self.reply(failure(&RequestId::UNKNOWN, &refused(message)), slot);
    }

    fn reply(&self, text: String, slot: Slot) {
        let room = None;
        self.shared.outbox.push(Reply { text, slot, room });
    }
}

/// Ready when the server ends. A server that is gone does not end any more.
pub(super) async fn is_ending(ending: &mut watch::Receiver<bool>) {
    if ending.wait_for(|is_ending| *is_ending).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn refused(message: impl Into<String>) -> WireError {
    refusal(code::INVALID_REQUEST, io::ErrorKind::InvalidInput, message)
}

/// Runs one request and hands over its answer, whatever becomes of it.
async fn serve(
    shared: Arc<Shared>,
    handler: Handler,
    id: RequestId,
    params: Option<Bytes>,
    slot: Slot,
) {
    let caller = Caller {
        shared,
        room: OnceLock::new(),
    };
    let answer = async {
        let params = params.as_deref().map(serde_json::from_slice::<&RawValue>);
        match params.transpose() {
            Ok(params) => handler(&caller, &id, params).await,
            Err(error) => failure(&id, &refused(error.to_string())),
        }
    };
    let text = AssertUnwindSafe(answer).catch_unwind().await;
    let text = text.unwrap_or_else(|_| {
        tracing::error!(code = "protocol_error", ?id, "a request panicked");
        let error = refusal(code::INTERNAL_ERROR, io::ErrorKind::Other, "internal error");
        failure(&id, &error)
    });
    let Caller { shared, room } = caller;
    let room = match room.into_inner() {
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
