//! One call of the trait on its way: its requests, its deadline, and what dropping it undoes.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::{FileSystemSandboxContext, SandboxAccess, SandboxEntry};
use codex_path_uri::PathUri;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::error::{CallFailure, Failure};
use super::pending::{Answer, Epoch, Reply, Request, Safety, Ticket};
use super::rpc::Shared;
use super::{RemoteCallError, ServerInfo};
use crate::codec::code;
use crate::error_map::Platform;
use crate::protocol::{
    Initialize, Method, PathParams, SANDBOX_CAPABILITY, SandboxParam, WireAccess, WireRestriction,
    WireSandboxEntry, decode_result,
};

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
