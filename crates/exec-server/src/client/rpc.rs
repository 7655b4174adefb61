//! Calls over a connection: what the clones of a client and its driver share, and one call of the
//! trait on its way, with its requests, its deadline, and what dropping it undoes.
//!
//! One lock guards the bookkeeping, held for moments and never over an await.

use std::io;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use codex_file_system::{FileSystemSandboxContext, SandboxAccess, SandboxEntry};
use codex_path_uri::PathUri;
use tokio::runtime;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::{Instant, sleep_until};

use super::error::{CallFailure, Cause, Failure, shortened};
use super::pending::{Answer, Epoch, Loss, Pending, Reply, Request, Safety, Ticket};
use super::{ClientOptions, RemoteCallError, ServerInfo};
use crate::codec::{Message, RequestId, WireError, code, id_of_malformed};
use crate::error_map::Platform;
use crate::protocol::{
    Initialize, Method, PathParams, SANDBOX_CAPABILITY, SandboxParam, WireAccess, WireRestriction,
    WireSandboxEntry, decode_result,
};

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
    fn submit<T>(&self, work: impl FnOnce(&mut Pending) -> T) -> T {
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

/// A call of the trait, from its first poll on.
pub(super) struct Caller<'a> {
    pub(super) shared: &'a Shared,
    deadline: Option<(Instant, Duration)>,
    /// What the server is to enforce.
    sandbox: SandboxParam,
}

impl<'a> Caller<'a> {
    /// Begins a call.
    ///
    /// # Round trips
    /// None; for a sandbox that restricts anything, the rest of the handshake, which tells whether
    /// the server enforces it.
    ///
    /// # Errors
    /// `Unsupported` for a restriction that the server does not enforce.
    pub(super) async fn begin<M: Method>(
        shared: &'a Shared,
        sandbox: Option<&FileSystemSandboxContext>,
    ) -> io::Result<Self> {
        let limit = shared.options.call_timeout;
        let mut caller = Self {
            shared,
            // A limit past the end of time is none.
            deadline: limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit))),
            sandbox: SandboxParam::Unrestricted,
        };
        let Some((context, entries)) = sandbox.and_then(|it| Some((it, it.restrictions()?))) else {
            return Ok(caller);
        };
        let info = caller.server_info().await?;
        if info.capabilities.get(SANDBOX_CAPABILITY) != Some(&true) {
            let error = RemoteCallError {
                method: M::NAME,
                code: None,
                message: "the server does not enforce a sandbox".to_owned(),
                sent: false,
            };
            return Err(io::Error::new(io::ErrorKind::Unsupported, error));
        }
        let entry = |entry: &SandboxEntry| WireSandboxEntry {
            path: entry.path.as_str().to_owned(),
            access: match entry.access {
                SandboxAccess::None => WireAccess::None,
                SandboxAccess::Read => WireAccess::Read,
                SandboxAccess::Write => WireAccess::Write,
            },
        };
        caller.sandbox = SandboxParam::Restricted(WireRestriction {
            entries: entries.iter().map(entry).collect(),
            cwd: context.cwd.as_ref().map(|cwd| cwd.as_str().to_owned()),
        });
        Ok(caller)
    }

    /// The `sandbox` field of the requests.
    pub(super) fn sandbox(&self) -> SandboxParam {
        self.sandbox.clone()
    }

    /// A request that is to be sent.
    pub(super) fn request<M: Method>(
        &self,
        params: &M::Params,
        safety: Safety,
        expects: u64,
    ) -> Result<Request, CallFailure> {
        let params = serde_json::value::to_raw_value(params).map_err(|error| {
            let failure = Failure::Shape(error.to_string().into());
            self.failed::<M>(failure, false)
        })?;
        Ok(Request {
            method: M::NAME,
            params,
            safety,
            expects,
        })
    }

    /// Sends one request and waits for its result.
    pub(super) async fn call<M: Method>(
        &self,
        params: &M::Params,
        safety: Safety,
    ) -> Result<ReplyTo<M>, CallFailure> {
        self.send::<M>(self.request::<M>(params, safety, 0)?).await
    }

    /// The same, for a request that is made already.
    pub(super) async fn send<M: Method>(
        &self,
        request: Request,
    ) -> Result<ReplyTo<M>, CallFailure> {
        let opens = opens(&request);
        let sent = self.shared.submit(|pending| pending.enqueue(request));
        self.reply::<M>(Waiting::new(self.shared, sent, opens))
            .await
    }

    /// Sends the opening of a handle, and right behind it blocks of it and its closing.
    pub(super) fn send_together(
        &self,
        opening: Request,
        blocks: Vec<Request>,
        closing: Option<Request>,
    ) -> Vec<Waiting<'a>> {
        let opens = opens(&opening);
        let sent = self
            .shared
            .submit(|pending| pending.enqueue_together(opening, blocks, closing));
        let opens = std::iter::once(opens).chain(std::iter::repeat(None));
        let waiting = sent.into_iter().zip(opens);
        waiting
            .map(|(sent, opens)| Waiting::new(self.shared, sent, opens))
            .collect()
    }

    /// Waits for the result of a request.
    pub(super) async fn reply<M: Method>(
        &self,
        waiting: Waiting<'_>,
    ) -> Result<ReplyTo<M>, CallFailure> {
        match self.wait(waiting).await {
            Ok(reply) => Ok(ReplyTo {
                reply,
                method: PhantomData,
            }),
            Err((failure, sent)) => Err(self.failed::<M>(failure, sent)),
        }
    }

    async fn wait(&self, mut waiting: Waiting<'_>) -> Answer {
        tokio::select! {
            biased;
            answer = &mut waiting.answer => {
                waiting.ticket = None;
                // The bookkeeping finishes every call it lets go of.
                answer.unwrap_or_else(|_| Err((Failure::Shape("no answer".into()), true)))
            }
            limit = self.expired() => Err((Failure::Deadline(limit), waiting.give_up())),
        }
    }

    /// Waits for what the server told in the handshake.
    ///
    /// # Errors
    /// The handshake failed, or the deadline passed.
    pub(super) async fn server_info(&self) -> io::Result<Arc<ServerInfo>> {
        if let Some(info) = self.shared.info() {
            return Ok(info);
        }
        let greeting = self.shared.listen();
        let failure = tokio::select! {
            biased;
            greeting = greeting => match greeting {
                Ok(Ok(info)) => return Ok(info),
                Ok(Err(cause)) => Failure::Disconnected(cause),
                Err(_) => Failure::Shape("no answer".into()),
            },
            limit = self.expired() => Failure::Deadline(limit),
        };
        Err(self.failed::<Initialize>(failure, true).into())
    }

    /// Waits for the deadline.
    async fn expired(&self) -> Duration {
        match self.deadline {
            Some((deadline, limit)) => {
                self.shared.sleep_until(deadline).await;
                limit
            }
            None => std::future::pending().await,
        }
    }

    /// Asks about one path and waits for the result.
    pub(super) async fn ask<M>(
        &self,
        path: &PathUri,
        safety: Safety,
    ) -> Result<ReplyTo<M>, CallFailure>
    where
        M: Method<Params = PathParams>,
    {
        let params = PathParams {
            path: path.as_str().to_owned(),
            sandbox: self.sandbox(),
        };
        self.call::<M>(&params, safety).await
    }

    /// Performs a call that changes something and has nothing to tell.
    pub(super) async fn change<M: Method>(&self, params: &M::Params) -> io::Result<()> {
        let reply = self.call::<M>(params, Safety::Mutation).await?;
        reply.decode(self).map(drop)
    }

    /// Whether the server is known to lack a method, or an order of its answers.
    pub(super) fn is_absent(&self, what: &str) -> bool {
        self.shared.pending(|pending| pending.is_absent(what))
    }

    /// Whether a call failed because the server lacks its method; that is remembered.
    pub(super) fn note_absence(&self, failed: &CallFailure) -> bool {
        let is_absent = matches!(
            &failed.failure,
            Failure::Rejected(error) if error.code == code::METHOD_NOT_FOUND
        );
        if is_absent {
            self.note_absent(failed.method);
        }
        is_absent
    }

    /// The system of the server.
    pub(super) fn platform(&self) -> Platform {
        self.shared.platform()
    }

    /// Remembers what the server lacks.
    pub(super) fn note_absent(&self, what: &'static str) {
        self.shared.pending(|pending| pending.set_absent(what));
    }

    /// What `M` fails with when its answer is not of its shape.
    pub(super) fn wrong_shape<M: Method>(&self, message: impl ToString) -> CallFailure {
        let failure = Failure::Shape(message.to_string().into());
        self.failed::<M>(failure, true)
    }

    fn failed<M: Method>(&self, failure: Failure, sent: bool) -> CallFailure {
        CallFailure {
            method: M::NAME,
            failure,
            sent,
            platform: self.shared.platform(),
        }
    }
}

/// The handle that a request opens and nothing closes.
fn opens(request: &Request) -> Option<String> {
    match &request.safety {
        Safety::Opens {
            handle,
            closes: false,
        } => Some(handle.clone()),
        _ => None,
    }
}

/// A request whose answer is waited for. Dropping it takes the request back from the bookkeeping.
pub(super) struct Waiting<'a> {
    shared: &'a Shared,
    ticket: Option<Ticket>,
    answer: oneshot::Receiver<Answer>,
    /// The handle that the request opens and nothing closes.
    opens: Option<String>,
}

impl<'a> Waiting<'a> {
    fn new(
        shared: &'a Shared,
        (ticket, answer): (Ticket, oneshot::Receiver<Answer>),
        opens: Option<String>,
    ) -> Self {
        Self {
            shared,
            ticket: Some(ticket),
            answer,
            opens,
        }
    }
}

impl Waiting<'_> {
    /// Stops waiting; says whether the request had been sent.
    fn give_up(&mut self) -> bool {
        let Some(ticket) = self.ticket.take() else {
            return false;
        };
        let was_sent = self.shared.abandon(ticket);
        // The answer may have come without being taken, and then the file is open.
        if let Some(handle) = &self.opens
            && let Ok(Ok(reply)) = self.answer.try_recv()
        {
            self.shared.close_handle(handle, reply.epoch);
        }
        was_sent
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.give_up();
    }
}

/// A result as it came, to be read as a result of `M`.
pub(super) struct ReplyTo<M> {
    reply: Reply,
    method: PhantomData<M>,
}

impl<M: Method> ReplyTo<M> {
    /// The connection it came on.
    pub(super) fn epoch(&self) -> Epoch {
        self.reply.epoch
    }

    /// Reads the result.
    ///
    /// # Errors
    /// It has another shape.
    pub(super) fn result(&self, caller: &Caller<'_>) -> Result<M::Result, CallFailure> {
        let text = std::str::from_utf8(&self.reply.result);
        let text = text.map_err(|error| caller.wrong_shape::<M>(error))?;
        decode_result::<M>(text).map_err(|error| caller.wrong_shape::<M>(error))
    }

    /// Reads the result of the last request of a call.
    ///
    /// # Errors
    /// `InvalidData` if it has another shape.
    pub(super) fn decode(&self, caller: &Caller<'_>) -> io::Result<M::Result> {
        Ok(self.result(caller)?)
    }
}

/// The first characters of a message, quoted and escaped.
fn beginning_of(message: &[u8]) -> String {
    let shown = message.get(..UNEXPECTED_BYTES).unwrap_or(message);
    format!("{:?}", String::from_utf8_lossy(shown))
}
