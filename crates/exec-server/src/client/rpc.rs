//! Calls over a connection: what the clones of a client and its driver share.
//!
//! One lock guards the bookkeeping, held for moments and never over an await.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use tokio::runtime;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::error::{Cause, Failure, shortened};
use super::pending::{Epoch, Loss, Pending, Ticket};
use super::{ClientOptions, ServerInfo};
use crate::codec::{Message, RequestId, WireError, id_of_malformed};
use crate::error_map::Platform;
use crate::protocol::{Initialize, decode_result};

/// How much of a message that is not one of the protocol is shown, in bytes.
const UNEXPECTED_BYTES: usize = 60;

/// What a waiting `server_info` is told.
type Greeting = Result<Arc<ServerInfo>, Arc<Cause>>;

pub(super) struct Shared {
    pub(super) options: ClientOptions,
    state: Mutex<State>,
    /// There may be something to send.
    more: Notify,
    /// The handshake of the connection has been answered.
    greeted: Notify,
    closing: watch::Sender<bool>,
    last_handle: AtomicU64,
    /// Where the driver runs.
    runtime: OnceLock<runtime::Handle>,
}

struct State {
    pending: Pending,
    info: Option<Arc<ServerInfo>>,
    /// How the first message began that is not one of the protocol, which a banner may be.
    unexpected: Option<String>,
    handshake: Handshake,
    /// Who waits to be told what the server said.
    listeners: Vec<oneshot::Sender<Greeting>>,
}

/// How far the handshake of the current connection is.
enum Handshake {
    /// `initialize` has left under this id. Errors of calls sent behind it wait for its answer,
    /// since it is the cause if it fails.
    Sent {
        id: i64,
        early: Vec<(i64, WireError)>,
    },
    Done,
}

impl Shared {
    pub(super) fn new(options: ClientOptions) -> Self {
        let pending = Pending::new(options.max_in_flight);
        Self {
            options,
            state: Mutex::new(State {
                pending,
                info: None,
                unexpected: None,
                handshake: Handshake::Done,
                listeners: Vec::new(),
            }),
            more: Notify::new(),
            greeted: Notify::new(),
            closing: watch::Sender::new(false),
            last_handle: AtomicU64::new(0),
            runtime: OnceLock::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere cannot leave the bookkeeping half done: nothing in it can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells where the driver runs.
    pub(super) fn set_runtime(&self, runtime: runtime::Handle) {
        // It is started once.
        let _ = self.runtime.set(runtime);
    }

    /// Sleeps by the clock of the runtime in which the driver runs, wherever the sleeper is polled.
    pub(super) async fn sleep_until(&self, deadline: Instant) {
        let sleep = {
            let _inside = self.runtime.get().map(runtime::Handle::enter);
            sleep_until(deadline)
        };
        sleep.await;
    }

    /// Runs `work` on the bookkeeping.
    pub(super) fn pending<T>(&self, work: impl FnOnce(&mut Pending) -> T) -> T {
        work(&mut self.state().pending)
    }

    /// Lets the driver see what was left for it.
    pub(super) fn submit<T>(&self, work: impl FnOnce(&mut Pending) -> T) -> T {
        let submitted = self.pending(work);
        self.more.notify_one();
        submitted
    }

    /// Forgets a call; says whether it had been sent.
    pub(super) fn abandon(&self, ticket: Ticket) -> bool {
        let was_sent = self.pending(|pending| pending.abandon(ticket));
        // There may be room on the wire for another call.
        self.more.notify_one();
        was_sent
    }

    /// Closes a handle without waiting for it.
    pub(super) fn close_handle(&self, handle: &str, epoch: Epoch) {
        self.pending(|pending| pending.enqueue_close(handle, epoch));
        self.more.notify_one();
    }

    /// A handle id that no other open file of this client has.
    pub(super) fn new_handle(&self) -> String {
        let number = self.last_handle.fetch_add(1, Ordering::Relaxed);
        format!("h{number}")
    }

    /// An id that no other program of this client has.
    #[cfg(feature = "process")]
    pub(super) fn new_process(&self) -> String {
        let number = self.last_handle.fetch_add(1, Ordering::Relaxed);
        format!("p{number}")
    }

    /// The system of the server, as far as it is known.
    pub(super) fn platform(&self) -> Platform {
        let state = self.state();
        let platform = state
            .info
            .as_ref()
            .and_then(|info| info.platform.as_deref());
        Platform::from_name(platform)
    }

    pub(super) fn info(&self) -> Option<Arc<ServerInfo>> {
        self.state().info.clone()
    }

    /// How the first message begins that is not one of the protocol, quoted; `None` if all are.
    pub(super) fn unexpected(&self) -> Option<String> {
        self.state().unexpected.clone()
    }

    /// Whether the handshake of the connection is done.
    pub(super) fn is_greeted(&self) -> bool {
        matches!(self.state().handshake, Handshake::Done)
    }

    /// Waits to be told what the server said, which makes the driver connect if need be.
    pub(super) fn listen(&self) -> oneshot::Receiver<Greeting> {
        let (sender, receiver) = oneshot::channel();
        let mut state = self.state();
        match state.pending.closed() {
            Some(cause) => drop(sender.send(Err(cause))),
            None => state.listeners.push(sender),
        }
        drop(state);
        self.more.notify_one();
        receiver
    }

    /// Asks the driver to end.
    pub(super) fn close(&self) {
        self.closing.send_replace(true);
    }

    /// Waits until the client is closed.
    pub(super) async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // The sender lives as long as `self`, so the wait cannot fail.
        let _ = closing.wait_for(|is_closing| *is_closing).await;
    }

    /// Waits until something may have changed that lets a call be sent.
    pub(super) async fn more(&self) {
        self.more.notified().await;
    }

    /// Waits until the handshake of the connection has been answered.
    pub(super) async fn greeted(&self) {
        self.greeted.notified().await;
    }

    /// Whether anybody waits for a connection.
    pub(super) fn has_work(&self) -> bool {
        let mut state = self.state();
        state.listeners.retain(|listener| !listener.is_closed());
        state.pending.has_work() || !state.listeners.is_empty()
    }

    /// A connection is there; the id of its `initialize` is returned.
    pub(super) fn begin_handshake(&self) -> i64 {
        let mut state = self.state();
        state.pending.connection_opened();
        state.repeat_handshake()
    }

    /// The handshake is tried once more on the same connection, under another id.
    pub(super) fn repeat_handshake(&self) -> i64 {
        self.state().repeat_handshake()
    }

    /// Takes one message of the server.
    ///
    /// # Errors
    /// The handshake failed, and with it the connection.
    pub(super) fn receive(&self, message: &Bytes) -> Result<(), HandshakeFailure> {
        let outcome = self.receive_any(message);
        // An answer makes room on the wire.
        self.more.notify_one();
        if outcome? {
            self.greeted.notify_one();
        }
        Ok(())
    }

    /// Takes any message; says whether it ended the handshake.
    fn receive_any(&self, message: &Bytes) -> Result<bool, HandshakeFailure> {
        let parsed = Message::parse(message);
        let mut state = self.received(message);
        match parsed {
            Ok(Message::Success { id, result }) => {
                let result = message.slice_ref(result.get().as_bytes());
                state.succeed(&id, result)
            }
            Ok(Message::Failure { id, error }) => state.fail(&id, error),
            Ok(Message::Notification { method } | Message::Request { method, .. }) => {
                tracing::debug!(%method, "message of the server is ignored");
                Ok(false)
            }
            Err(error) => {
                state.protocol_error(&error.to_string());
                if let Some(RequestId::Number(id)) = id_of_malformed(message) {
                    // Nothing better will come for the call that has this id.
                    let failure = Failure::Shape(error.to_string().into());
                    state.pending.answer(id, Err(failure));
                }
                state
                    .unexpected
                    .get_or_insert_with(|| beginning_of(message));
                Ok(false)
            }
        }
    }

    fn received(&self, message: &Bytes) -> MutexGuard<'_, State> {
        let mut state = self.state();
        state.pending.statistics.bytes_received += message.len() as u64;
        state
    }

    /// The connection is lost and another may follow.
    pub(super) fn connection_lost(&self, loss: &Loss, cause: Cause) {
        self.state().pending.connection_lost(loss, cause);
    }

    /// Everybody who waits is told that it failed.
    pub(super) fn fail_all(&self, cause: Cause) {
        let cause = Arc::new(cause);
        let mut state = self.state();
        state.pending.fail_all(cause.clone());
        state.tell_listeners(&Err(cause));
    }

    /// Everybody who waits is told that it failed, and so is everybody who comes later.
    pub(super) fn end(&self, cause: Cause) {
        let cause = Arc::new(cause);
        let mut state = self.state();
        state.pending.close(cause.clone());
        state.tell_listeners(&Err(cause));
    }
}

/// Why the server does not take part in the handshake.
#[derive(Clone, Debug)]
pub(super) enum HandshakeFailure {
    /// It answered with an error.
    Rejected(WireError),
    /// Its answer is not of the right shape.
    Shape(String),
}

impl State {
    fn repeat_handshake(&mut self) -> i64 {
        let id = self.pending.next_id();
        let early = Vec::new();
        self.handshake = Handshake::Sent { id, early };
        id
    }

    /// Takes a result; says whether it ended the handshake.
    fn succeed(&mut self, id: &RequestId, result: Bytes) -> Result<bool, HandshakeFailure> {
        let RequestId::Number(id) = *id else {
            return Ok(false);
        };
        match &mut self.handshake {
            Handshake::Sent { id: own, early } if *own == id => {
                let early = std::mem::take(early);
                self.greet(&result)?;
                for (id, error) in early {
                    self.pending.answer(id, Err(Failure::Rejected(error)));
                }
                Ok(true)
            }
            _ => {
                self.pending.answer(id, Ok(result));
                Ok(false)
            }
        }
    }

    fn greet(&mut self, result: &Bytes) -> Result<(), HandshakeFailure> {
        let shape = |message: String| HandshakeFailure::Shape(message);
        let text = std::str::from_utf8(result).map_err(|error| shape(error.to_string()))?;
        let result = decode_result::<Initialize>(text);
        let result = result.map_err(|error| shape(error.to_string()))?;
        let info = Arc::new(ServerInfo::from_handshake(result));
        self.info = Some(info.clone());
        self.handshake = Handshake::Done;
        self.tell_listeners(&Ok(info));
        Ok(())
    }

    /// Takes an error; it never ends the handshake well.
    fn fail(&mut self, id: &RequestId, mut error: WireError) -> Result<bool, HandshakeFailure> {
        error.message = shortened(error.message);
        let RequestId::Number(id) = *id else {
            return Ok(false);
        };
        if RequestId::Number(id) == RequestId::UNKNOWN {
            self.protocol_error(&error.message);
            return Ok(false);
        }
        match &mut self.handshake {
            Handshake::Sent { id: own, .. } if *own == id => Err(HandshakeFailure::Rejected(error)),
            Handshake::Sent { early, .. } => {
                early.push((id, error));
                Ok(false)
            }
            Handshake::Done => {
                self.pending.answer(id, Err(Failure::Rejected(error)));
                Ok(false)
            }
        }
    }

    fn protocol_error(&mut self, message: &str) {
        self.pending.statistics.protocol_errors += 1;
        tracing::warn!(
            code = "protocol_error",
            reason = %beginning_of(message.as_bytes()),
            "a message of the server answers no call"
        );
    }

    fn tell_listeners(&mut self, greeting: &Greeting) {
        for listener in self.listeners.drain(..) {
            // Whoever listened may be gone.
            let _ = listener.send(greeting.clone());
        }
    }
}

/// The first characters of a message, quoted and escaped.
fn beginning_of(message: &[u8]) -> String {
    let shown = message.get(..UNEXPECTED_BYTES).unwrap_or(message);
    format!("{:?}", String::from_utf8_lossy(shown))
}
