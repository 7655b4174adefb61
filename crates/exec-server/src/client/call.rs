//! One call of the trait on its way: its requests, its deadline, and what dropping it undoes.

use std::io;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::{FileSystemSandboxContext, SandboxPolicy};
use codex_path_uri::PathUri;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::error::{CallFailure, Failure};
use super::pending::{Answer, Epoch, Reply, Safety, Ticket};
use super::shared::Shared;
use super::{RemoteCallError, ServerInfo};
use crate::envelope::code;
use crate::error_map::Platform;
use crate::protocol::{Initialize, Method, PathParams, SandboxParam, decode_result};

/// A call of the trait, from its first poll on.
pub(super) struct Caller<'a> {
    pub(super) shared: &'a Shared,
    deadline: Option<(Instant, Duration)>,
}

impl<'a> Caller<'a> {
    /// Begins a call.
    ///
    /// # Errors
    /// `Unsupported` if the sandbox restricts anything, which no server is asked to enforce.
    pub(super) fn begin<M: Method>(
        shared: &'a Shared,
        sandbox: Option<&FileSystemSandboxContext>,
    ) -> io::Result<Self> {
        if let Some(SandboxPolicy::Restricted(_)) = sandbox.map(|sandbox| &sandbox.policy) {
            return Err(RemoteCallError {
                method: M::NAME,
                code: None,
                message: "a remote filesystem does not enforce a sandbox".to_owned(),
                sent: false,
            }
            .into_io(io::ErrorKind::Unsupported));
        }
        let limit = shared.options.call_timeout;
        Ok(Self {
            shared,
            // A limit past the end of time is none.
            deadline: limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, limit))),
        })
    }

    /// Sends one request and waits for its result.
    pub(super) async fn call<M: Method>(
        &self,
        params: &M::Params<'_>,
        safety: Safety,
    ) -> Result<ReplyTo<M>, CallFailure> {
        let params = serde_json::value::to_raw_value(params).map_err(|error| {
            let failure = Failure::Shape(error.to_string().into());
            self.failed::<M>(failure, false)
        })?;
        let opens = match &safety {
            Safety::Opens(handle) => Some(handle.clone()),
            _ => None,
        };
        let (ticket, answer) = self.shared.submit(M::NAME, params, safety);
        let waiting = Waiting {
            shared: self.shared,
            ticket: Some(ticket),
            answer,
            opens,
        };
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
                // The bookkeeping settles every call it lets go of.
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
        M: for<'p> Method<Params<'p> = PathParams<'p>>,
    {
        let params = PathParams {
            path: path.as_str().into(),
            sandbox: SandboxParam::Unrestricted,
        };
        self.call::<M>(&params, safety).await
    }

    /// Performs a call that changes something and has nothing to tell.
    pub(super) async fn change<M: Method>(&self, params: &M::Params<'_>) -> io::Result<()> {
        let reply = self.call::<M>(params, Safety::Mutation).await?;
        reply.decode(self).map(drop)
    }

    /// Whether the server is known to lack a method.
    pub(super) fn is_absent(&self, method: &str) -> bool {
        self.shared.pending(|pending| pending.is_absent(method))
    }

    /// Whether a call failed because the server lacks its method; that is remembered.
    pub(super) fn note_absence(&self, failed: &CallFailure) -> bool {
        let is_absent = matches!(
            &failed.failure,
            Failure::Rejected(error) if error.code == code::METHOD_NOT_FOUND
        );
        if is_absent {
            self.shared
                .pending(|pending| pending.set_absent(failed.method));
        }
        is_absent
    }

    /// The system of the server.
    pub(super) fn platform(&self) -> Platform {
        self.shared.platform()
    }

    /// What `M` fails with when its answer is not of its shape.
    pub(super) fn misshapen<M: Method>(&self, message: impl ToString) -> io::Error {
        let failure = Failure::Shape(message.to_string().into());
        self.failed::<M>(failure, true).into()
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

/// Takes a request back from the bookkeeping when the call is dropped.
struct Waiting<'a> {
    shared: &'a Shared,
    ticket: Option<Ticket>,
    answer: oneshot::Receiver<Answer>,
    /// The handle that the request opens.
    opens: Option<String>,
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

    /// The result as it came.
    pub(super) fn result(&self) -> &[u8] {
        &self.reply.result
    }

    /// Reads the result.
    ///
    /// # Errors
    /// `InvalidData` if it has another shape.
    pub(super) fn decode(&self, caller: &Caller<'_>) -> io::Result<M::Result<'_>> {
        let text = std::str::from_utf8(&self.reply.result);
        let text = text.map_err(|error| caller.misshapen::<M>(error))?;
        decode_result::<M>(text).map_err(|error| caller.misshapen::<M>(error))
    }
}
