//! The bookkeeping of calls: which wait, which are on the wire, and what becomes of each when the
//! connection is lost. Plain data; it neither waits nor sends.
//!
//! Calls leave in the order they came, at most `limit` at once. An id is used once on a
//! connection. A call that changes something is handed out at most once, ever.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::ClientStatistics;
use super::error::{Cause, Failure};
use crate::envelope::encode_request;
use crate::protocol::{CloseHandle, CloseHandleParams, MAX_HANDLES, Method as _};

/// Most handles that this client holds on a connection. A server may still be closing as many
/// more, since it answers in any order.
const MAX_OPEN_HANDLES: usize = MAX_HANDLES / 2;

/// Which connection of the client, counted from 1; 0 before there is one.
pub(super) type Epoch = u64;

/// A call's number in this client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(u64);

/// What may be done with a call whose connection is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Safety {
    /// It reads: it may be sent again once.
    Repeatable,
    /// It reads a whole file: the same, unless its answer is what ended the connection.
    WholeFile,
    /// It opens this handle: the same, and the handle is closed if nobody waits for it any more.
    Opens(String),
    /// It changes something: once sent, never again.
    Mutation,
    /// It uses a handle of this connection and means nothing on another.
    OnHandle(Epoch),
}

/// A result, and the connection it came on.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) result: Bytes,
    pub(super) epoch: Epoch,
}

/// What a waiting call is told: its result, or why there is none and whether it was sent.
pub(super) type Answer = Result<Reply, (Failure, bool)>;

/// Why a connection was lost, as far as calls care.
#[derive(Clone, Debug)]
pub(super) enum Loss {
    /// A message was larger than a message may be.
    Oversize,
    /// Anything else.
    Other,
}

struct Call {
    ticket: Ticket,
    method: &'static str,
    params: Box<RawValue>,
    safety: Safety,
    /// Whether a connection was lost under it already.
    was_lost: bool,
    /// Nobody waits for the answer of a call without one.
    waiter: Option<oneshot::Sender<Answer>>,
}

impl Call {
    fn settle(self, answer: Answer) {
        if let Some(waiter) = self.waiter {
            // The call may be dropped at this moment; then nobody wants the answer.
            let _ = waiter.send(answer);
        }
    }
}

/// The calls of a client.
pub(super) struct Pending {
    limit: usize,
    epoch: Epoch,
    last_ticket: u64,
    last_id: i64,
    waiting: VecDeque<Call>,
    on_the_wire: BTreeMap<i64, Call>,
    /// Handles that are being opened for nobody.
    abandoned_opens: BTreeMap<i64, String>,
    /// How many handles are open or being opened on this connection.
    open_handles: usize,
    /// Methods this connection's server does not have.
    absent: BTreeSet<&'static str>,
    /// Why no call can be sent ever again.
    closed: Option<Arc<Cause>>,
    pub(super) statistics: ClientStatistics,
}

impl Pending {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit: limit.max(1),
            epoch: 0,
            last_ticket: 0,
            last_id: 0,
            waiting: VecDeque::new(),
            on_the_wire: BTreeMap::new(),
            abandoned_opens: BTreeMap::new(),
            open_handles: 0,
            absent: BTreeSet::new(),
            closed: None,
            statistics: ClientStatistics::default(),
        }
    }

    /// Adds a call behind those that wait.
    pub(super) fn enqueue(
        &mut self,
        method: &'static str,
        params: Box<RawValue>,
        safety: Safety,
    ) -> (Ticket, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        self.last_ticket += 1;
        let call = Call {
            ticket: Ticket(self.last_ticket),
            method,
            params,
            safety,
            was_lost: false,
            waiter: Some(sender),
        };
        let ticket = call.ticket;
        let is_stale = matches!(call.safety, Safety::OnHandle(epoch) if epoch != self.epoch);
        match &self.closed {
            Some(cause) => call.settle(Err((Failure::Disconnected(cause.clone()), false))),
            None if is_stale => call.settle(Err((stale_handle(), false))),
            None => self.waiting.push_back(call),
        }
        (ticket, receiver)
    }

    /// Adds the closing of a handle, for which nobody waits.
    pub(super) fn enqueue_close(&mut self, handle: &str, epoch: Epoch) {
        if epoch != self.epoch || self.closed.is_some() {
            return;
        }
        let params = CloseHandleParams {
            handle_id: handle.into(),
        };
        if let Ok(params) = serde_json::value::to_raw_value(&params) {
            self.waiting.push_back(Call {
                ticket: Ticket(0),
                method: CloseHandle::NAME,
                params,
                safety: Safety::OnHandle(epoch),
                was_lost: false,
                waiter: None,
            });
        }
    }

    /// The text of the next request, if there is one and room for it on the wire.
    pub(super) fn next_request(&mut self) -> Option<String> {
        while self.on_the_wire.len() < self.limit {
            let call = self.next_call()?;
            self.last_id += 1;
            let id = self.last_id;
            let text = match encode_request(id, call.method, &call.params) {
                Ok(text) => text,
                Err(error) => {
                    let failure = Failure::Shape(error.to_string().into());
                    call.settle(Err((failure, false)));
                    continue;
                }
            };
            self.statistics.requests += 1;
            match &call.safety {
                Safety::Opens(_) => self.open_handles += 1,
                _ if call.method == CloseHandle::NAME => self.handle_is_closed(),
                _ => {}
            }
            if call.waiter.is_some() {
                self.on_the_wire.insert(id, call);
            }
            let in_flight = self.on_the_wire.len();
            let peak = &mut self.statistics.peak_in_flight;
            *peak = (*peak).max(in_flight);
            return Some(text);
        }
        None
    }

    /// The first call that may leave. With as many handles open as may be, an opening waits until
    /// one of those behind it has closed another.
    fn next_call(&mut self) -> Option<Call> {
        let has_room = self.open_handles < MAX_OPEN_HANDLES;
        let may_leave = |call: &Call| has_room || !matches!(call.safety, Safety::Opens(_));
        let at = self.waiting.iter().position(may_leave)?;
        self.waiting.remove(at)
    }

    fn handle_is_closed(&mut self) {
        self.open_handles = self.open_handles.saturating_sub(1);
    }

    /// An id for a request of the handshake, which nobody waits for here.
    pub(super) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Settles the call of `id`; an answer nobody waits for is dropped.
    pub(super) fn answer(&mut self, id: i64, answer: Result<Bytes, Failure>) {
        let epoch = self.epoch;
        if let Some(call) = self.on_the_wire.remove(&id) {
            if answer.is_err() && matches!(call.safety, Safety::Opens(_)) {
                self.handle_is_closed();
            }
            call.settle(match answer {
                Ok(result) => Ok(Reply { result, epoch }),
                Err(failure) => Err((failure, true)),
            });
        } else if let Some(handle) = self.abandoned_opens.remove(&id) {
            match answer {
                Ok(_) => self.enqueue_close(&handle, epoch),
                Err(_) => self.handle_is_closed(),
            }
        }
    }

    /// Forgets a call that nobody waits for any more; says whether it had been sent.
    pub(super) fn abandon(&mut self, ticket: Ticket) -> bool {
        if let Some(at) = self.waiting.iter().position(|call| call.ticket == ticket) {
            let call = self.waiting.remove(at);
            return call.is_some_and(|call| call.was_lost);
        }
        let id = self
            .on_the_wire
            .iter()
            .find_map(|(id, call)| (call.ticket == ticket).then_some(*id));
        if let Some(id) = id
            && let Some(call) = self.on_the_wire.remove(&id)
            && let Safety::Opens(handle) = call.safety
        {
            self.abandoned_opens.insert(id, handle);
        }
        true
    }

    /// Whether a call waits to be sent.
    pub(super) fn has_work(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// A connection is there: ids start anew and nothing is known of its server.
    pub(super) fn connection_opened(&mut self) {
        self.epoch += 1;
        self.last_id = 0;
        self.open_handles = 0;
        self.absent.clear();
    }

    /// Decides what becomes of every call when the connection is lost and another may follow.
    pub(super) fn connection_lost(&mut self, loss: &Loss, cause: Cause) {
        let cause = Arc::new(cause);
        self.abandoned_opens.clear();
        self.waiting.retain_mut(|call| {
            let is_bound = matches!(call.safety, Safety::OnHandle(_));
            if is_bound && let Some(waiter) = call.waiter.take() {
                let _ = waiter.send(Err((Failure::Disconnected(cause.clone()), false)));
            }
            !is_bound
        });
        // From the last one sent to the first, each to the front: the order of sending is kept.
        for (_, mut call) in std::mem::take(&mut self.on_the_wire).into_iter().rev() {
            let failure = match (&call.safety, loss) {
                (Safety::WholeFile, Loss::Oversize) => Failure::Oversize,
                (Safety::Repeatable | Safety::WholeFile | Safety::Opens(_), _)
                    if !call.was_lost =>
                {
                    call.was_lost = true;
                    self.waiting.push_front(call);
                    continue;
                }
                _ => Failure::Disconnected(cause.clone()),
            };
            call.settle(Err((failure, true)));
        }
    }

    /// Fails every call; later ones may still be tried.
    pub(super) fn fail_all(&mut self, cause: Arc<Cause>) {
        self.abandoned_opens.clear();
        for (_, call) in std::mem::take(&mut self.on_the_wire) {
            call.settle(Err((Failure::Disconnected(cause.clone()), true)));
        }
        for call in std::mem::take(&mut self.waiting) {
            let was_sent = call.was_lost;
            call.settle(Err((Failure::Disconnected(cause.clone()), was_sent)));
        }
    }

    /// Fails every call, and every later one at once.
    pub(super) fn close(&mut self, cause: Arc<Cause>) {
        self.fail_all(cause.clone());
        self.closed.get_or_insert(cause);
    }

    /// Why no call can be sent ever again, if so.
    pub(super) fn closed(&self) -> Option<Arc<Cause>> {
        self.closed.clone()
    }

    /// Remembers that this connection's server does not have a method.
    pub(super) fn set_absent(&mut self, method: &'static str) {
        self.absent.insert(method);
    }

    pub(super) fn is_absent(&self, method: &str) -> bool {
        self.absent.contains(method)
    }
}

/// The failure of a call on a handle that went with its connection.
fn stale_handle() -> Failure {
    Failure::Disconnected(Arc::new(Cause::lost(
        "the connection of the handle is lost",
    )))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn params() -> Box<RawValue> {
        serde_json::value::to_raw_value(&()).unwrap()
    }

    /// How much is known of calls that wait, are on the wire, or open a handle for nobody.
    fn sizes(pending: &Pending) -> [usize; 3] {
        [
            pending.waiting.len(),
            pending.on_the_wire.len(),
            pending.abandoned_opens.len(),
        ]
    }

    fn safeties(epoch: Epoch) -> [Safety; 5] {
        [
            Safety::Repeatable,
            Safety::WholeFile,
            Safety::Opens("h".to_owned()),
            Safety::Mutation,
            Safety::OnHandle(epoch),
        ]
    }

    fn result() -> Result<Bytes, Failure> {
        Ok(Bytes::from_static(b"{}"))
    }

    #[test]
    fn a_call_leaves_nothing_behind_however_it_ends() {
        let mut pending = Pending::new(1);
        pending.connection_opened();
        for safety in safeties(pending.epoch) {
            // Answered, and once more.
            let _answer = pending.enqueue("m", params(), safety.clone());
            assert!(pending.next_request().is_some());
            pending.answer(pending.last_id, result());
            pending.answer(pending.last_id, result());
            assert_eq!(sizes(&pending), [0; 3], "{safety:?} is answered");

            // Dropped before it was sent.
            let (ticket, _) = pending.enqueue("m", params(), safety.clone());
            assert_eq!(pending.abandon(ticket), false);
            assert_eq!(pending.next_request(), None);
            assert_eq!(sizes(&pending), [0; 3], "{safety:?} was never sent");

            // Dropped on the wire; the late answer to an opening is a file to close.
            let (ticket, _) = pending.enqueue("m", params(), safety.clone());
            assert!(pending.next_request().is_some());
            assert!(pending.abandon(ticket));
            pending.answer(pending.last_id, result());
            while pending.next_request().is_some() {}
            assert_eq!(sizes(&pending), [0; 3], "{safety:?} is dropped");
        }
    }

    #[test]
    fn a_lost_connection_leaves_reads_waiting_once_and_nothing_else() {
        for (safety, waits) in safeties(1).into_iter().zip([1, 1, 1, 0, 0]) {
            let mut pending = Pending::new(1);
            pending.connection_opened();
            let _answer = pending.enqueue("m", params(), safety.clone());
            for waits in [waits, 0] {
                assert_eq!(pending.next_request().is_some(), sizes(&pending)[1] == 1);
                pending.connection_lost(&Loss::Other, Cause::lost("gone"));
                assert_eq!(sizes(&pending), [waits, 0, 0], "{safety:?}");
                pending.connection_opened();
            }
        }
    }

    #[test]
    fn what_a_server_lacks_is_known_as_long_as_its_connection_lives() {
        let mut pending = Pending::new(1);
        pending.connection_opened();
        pending.set_absent("m");
        pending.connection_lost(&Loss::Other, Cause::lost("gone"));
        assert!(pending.is_absent("m"));
        pending.connection_opened();
        assert!(!pending.is_absent("m"));
    }

    #[test]
    fn an_id_is_used_once_on_a_connection_and_starts_from_one() {
        let mut pending = Pending::new(64);
        for _ in 0..2 {
            pending.connection_opened();
            assert_eq!(pending.next_id(), 1);
            for id in 2..5 {
                let _answer = pending.enqueue("m", params(), Safety::Mutation);
                let request = pending.next_request().unwrap();
                assert!(request.starts_with(&format!("{{\"id\":{id},")), "{request}");
            }
        }
    }
}
