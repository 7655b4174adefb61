//! The bookkeeping of calls: which wait, which are on the wire, and what becomes of each when the
//! connection is lost. Plain data; it neither waits nor sends.
//!
//! Calls leave in the order they came, at most `limit` at once. What uses a handle leaves with or
//! behind the opening of it and counts with that. An id is used once on a connection. A call that
//! changes something is handed out at most once, ever.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use super::ClientStatistics;
use super::error::{Cause, Failure};
use crate::codec::encode_request;
use crate::protocol::{CloseHandle, CloseHandleParams, Method as _};

/// Most handles that this client holds on a connection, out of the 128 a server has for it.
pub(super) const MAX_OPEN_HANDLES: usize = 96;
/// Most bytes of blocks that are expected at once; a single larger expectation waits alone.
const MAX_EXPECTED_BYTES: u64 = 32 * 1024 * 1024;

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
    /// It opens a handle: the same.
    Opens {
        handle: String,
        /// Whether the closing of it leaves right behind. If not, the handle is closed when nobody
        /// waits for it any more.
        closes: bool,
    },
    /// It changes something: once sent, never again.
    Mutation,
    /// It uses a handle of this connection and means nothing on another.
    OnHandle(Epoch),
}

/// A call that is to be made.
pub(super) struct Request {
    pub(super) method: &'static str,
    pub(super) params: Box<RawValue>,
    pub(super) safety: Safety,
    /// How many bytes of a file its answer may bring.
    pub(super) expects: u64,
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
    request: Request,
    /// Whether a connection was lost under it already.
    was_lost: bool,
    /// Nobody waits for the answer of a call without one.
    waiter: Option<oneshot::Sender<Answer>>,
    /// What leaves right behind it, on the handle that it opens.
    behind: Vec<Call>,
}

impl Call {
    /// Tells whoever waits, for this call and for those behind it.
    fn finish(self, answer: Answer) {
        for call in self.behind {
            let failure = match &answer {
                Ok(_) => stale_handle(),
                Err((failure, _)) => failure.clone(),
            };
            call.finish(Err((failure, false)));
        }
        if let Some(waiter) = self.waiter {
            // The call may be dropped at this moment; then nobody wants the answer.
            let _ = waiter.send(answer);
        }
    }

    fn is_on_handle(&self) -> bool {
        matches!(self.request.safety, Safety::OnHandle(_))
    }

    fn opens(&self) -> bool {
        matches!(self.request.safety, Safety::Opens { .. })
    }

    /// The bytes that it and those behind it may bring.
    fn expects(&self) -> u64 {
        let behind = self.behind.iter().map(|call| call.request.expects);
        self.request.expects + behind.sum::<u64>()
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
    /// Handles that are being opened for nobody, and nothing behind closes them.
    abandoned_opens: BTreeMap<i64, String>,
    /// How many calls are on the wire, those on handles left out.
    in_flight: usize,
    /// How many handles are open, being opened or being closed on this connection.
    open_handles: usize,
    /// How many bytes of files the answers on their way may bring.
    expected_bytes: u64,
    /// What this connection's server does not have.
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
            in_flight: 0,
            open_handles: 0,
            expected_bytes: 0,
            absent: BTreeSet::new(),
            closed: None,
            statistics: ClientStatistics::default(),
        }
    }

    /// Adds a call behind those that wait.
    pub(super) fn enqueue(&mut self, request: Request) -> (Ticket, oneshot::Receiver<Answer>) {
        let (call, ticket, answer) = self.waited_for(request);
        self.add(call);
        (ticket, answer)
    }

    /// Adds the opening of a handle, and what leaves with it: calls on that handle, and its closing
    /// for which nobody waits.
    pub(super) fn enqueue_together(
        &mut self,
        opening: Request,
        blocks: Vec<Request>,
        closing: Option<Request>,
    ) -> Vec<(Ticket, oneshot::Receiver<Answer>)> {
        let (mut call, ticket, answer) = self.waited_for(opening);
        let mut answers = vec![(ticket, answer)];
        for block in blocks {
            let (block, ticket, answer) = self.waited_for(block);
            call.behind.push(block);
            answers.push((ticket, answer));
        }
        if let Some(closing) = closing {
            let (closing, ..) = self.waited_for(closing);
            call.behind.push(Call {
                waiter: None,
                ..closing
            });
        }
        self.add(call);
        answers
    }

    /// Adds the closing of a handle, for which nobody waits.
    pub(super) fn enqueue_close(&mut self, handle: &str, epoch: Epoch) {
        if epoch == self.epoch
            && self.closed.is_none()
            && let Some(closing) = closing(handle, epoch)
        {
            self.enqueue(closing);
        }
    }

    fn waited_for(&mut self, request: Request) -> (Call, Ticket, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        self.last_ticket += 1;
        let ticket = Ticket(self.last_ticket);
        let call = Call {
            ticket,
            request,
            was_lost: false,
            waiter: Some(sender),
            behind: Vec::new(),
        };
        (call, ticket, receiver)
    }

    fn add(&mut self, call: Call) {
        let is_stale =
            matches!(call.request.safety, Safety::OnHandle(epoch) if epoch != self.epoch);
        match &self.closed {
            Some(cause) => call.finish(Err((Failure::Disconnected(cause.clone()), false))),
            None if is_stale => call.finish(Err((stale_handle(), false))),
            None => self.waiting.push_back(call),
        }
    }

    /// The text of the next request, if there is one and room for it on the wire.
    pub(super) fn next_request(&mut self) -> Option<String> {
        loop {
            let at = self.waiting.iter().position(|call| self.may_leave(call))?;
            let mut call = self.waiting.remove(at)?;
            for mut behind in std::mem::take(&mut call.behind).into_iter().rev() {
                behind.request.safety = Safety::OnHandle(self.epoch);
                self.waiting.push_front(behind);
            }
            self.last_id += 1;
            let id = self.last_id;
            let request = &call.request;
            match encode_request(id, request.method, &request.params) {
                Ok(text) => {
                    self.send(id, call);
                    return Some(text);
                }
                Err(error) => {
                    let failure = Failure::Shape(error.to_string().into());
                    call.finish(Err((failure, false)));
                }
            }
        }
    }

    /// Whether there is room for a call. What uses a handle has the room of its opening; only what
    /// it brings is counted, unless that was counted with the opening.
    fn may_leave(&self, call: &Call) -> bool {
        let bytes = call.expects();
        if bytes > 0
            && self.expected_bytes > 0
            && self.expected_bytes.saturating_add(bytes) > MAX_EXPECTED_BYTES
        {
            return false;
        }
        if call.is_on_handle() {
            return true;
        }
        self.in_flight < self.limit && (!call.opens() || self.open_handles < MAX_OPEN_HANDLES)
    }

    fn send(&mut self, id: i64, call: Call) {
        self.expected_bytes = self.expected_bytes.saturating_add(call.request.expects);
        self.open_handles += usize::from(call.opens());
        self.in_flight += usize::from(!call.is_on_handle());
        self.on_the_wire.insert(id, call);
        self.statistics.requests += 1;
        let peak = &mut self.statistics.peak_in_flight;
        *peak = (*peak).max(self.in_flight);
    }

    /// Takes a call off the wire, with the room it had there.
    fn take(&mut self, id: i64) -> Option<Call> {
        let call = self.on_the_wire.remove(&id)?;
        self.expected_bytes = self.expected_bytes.saturating_sub(call.request.expects);
        self.in_flight -= usize::from(!call.is_on_handle());
        Some(call)
    }

    fn handle_is_closed(&mut self) {
        self.open_handles = self.open_handles.saturating_sub(1);
    }

    /// An id for a request of the handshake, which nobody waits for here.
    pub(super) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Finishes the call of `id`; an answer nobody waits for is dropped.
    pub(super) fn answer(&mut self, id: i64, answer: Result<Bytes, Failure>) {
        let epoch = self.epoch;
        if let Some(call) = self.take(id) {
            let is_over = match &call.request.safety {
                Safety::Opens { closes, .. } => answer.is_err() && !closes,
                _ => call.request.method == CloseHandle::NAME,
            };
            if is_over {
                self.handle_is_closed();
            }
            call.finish(match answer {
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

    /// Forgets a call that nobody waits for any more; says whether it had been sent. What leaves
    /// with an opening nobody waits for goes with it.
    pub(super) fn abandon(&mut self, ticket: Ticket) -> bool {
        if let Some(at) = self.waiting.iter().position(|call| call.ticket == ticket) {
            let call = self.waiting.remove(at);
            return call.is_some_and(|call| call.was_lost);
        }
        let mut on_the_wire = self.on_the_wire.iter();
        let id = on_the_wire.find_map(|(id, call)| (call.ticket == ticket).then_some(*id));
        let Some(id) = id else {
            // It is behind an opening that waits, and answered with it.
            return false;
        };
        if let Some(call) = self.take(id)
            && let Safety::Opens { handle, closes } = call.request.safety
            && !closes
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
        let lost = Failure::Disconnected(Arc::new(cause));
        self.abandoned_opens.clear();
        for call in std::mem::take(&mut self.waiting) {
            if call.is_on_handle() {
                call.finish(Err((lost.clone(), false)));
            } else {
                self.waiting.push_back(call);
            }
        }
        // From the last one sent to the first, each to the front: the order of sending is kept.
        for (_, mut call) in self.take_all().into_iter().rev() {
            let failure = match (&mut call.request.safety, loss) {
                (Safety::WholeFile, Loss::Oversize) => Failure::Oversize,
                (Safety::Opens { closes, .. }, _) if !call.was_lost => {
                    // What left behind it is lost.
                    *closes = false;
                    call.was_lost = true;
                    self.waiting.push_front(call);
                    continue;
                }
                (Safety::Repeatable | Safety::WholeFile, _) if !call.was_lost => {
                    call.was_lost = true;
                    self.waiting.push_front(call);
                    continue;
                }
                _ => lost.clone(),
            };
            call.finish(Err((failure, true)));
        }
    }

    fn take_all(&mut self) -> BTreeMap<i64, Call> {
        self.in_flight = 0;
        self.expected_bytes = 0;
        std::mem::take(&mut self.on_the_wire)
    }

    /// Fails every call; later ones may still be tried.
    pub(super) fn fail_all(&mut self, cause: Arc<Cause>) {
        self.abandoned_opens.clear();
        let lost = Failure::Disconnected(cause);
        for (_, call) in self.take_all() {
            call.finish(Err((lost.clone(), true)));
        }
        for call in std::mem::take(&mut self.waiting) {
            let was_sent = call.was_lost;
            call.finish(Err((lost.clone(), was_sent)));
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

    /// Remembers what this connection's server does not have: a method, or an order of requests.
    pub(super) fn set_absent(&mut self, what: &'static str) {
        self.absent.insert(what);
    }

    pub(super) fn is_absent(&self, what: &str) -> bool {
        self.absent.contains(what)
    }
}

/// The closing of a handle. Its parameters cannot fail to be JSON.
pub(super) fn closing(handle: &str, epoch: Epoch) -> Option<Request> {
    let params = CloseHandleParams {
        handle_id: handle.to_owned(),
    };
    Some(Request {
        method: CloseHandle::NAME,
        params: serde_json::value::to_raw_value(&params).ok()?,
        safety: Safety::OnHandle(epoch),
        expects: 0,
    })
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

    fn request(safety: Safety) -> Request {
        Request {
            method: "m",
            params: serde_json::value::to_raw_value(&()).unwrap(),
            safety,
            expects: 0,
        }
    }

    fn opens() -> Safety {
        Safety::Opens {
            handle: "h".to_owned(),
            closes: false,
        }
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
            opens(),
            Safety::Mutation,
            Safety::OnHandle(epoch),
        ]
    }

    fn result() -> Result<Bytes, Failure> {
        Ok(Bytes::from_static(b"{}"))
    }

    /// Sends whatever may leave, and answers it.
    fn drain(pending: &mut Pending) {
        while pending.next_request().is_some() {
            pending.answer(pending.last_id, result());
        }
    }

    #[test]
    fn a_call_leaves_nothing_behind_however_it_ends() {
        let mut pending = Pending::new(1);
        pending.connection_opened();
        for safety in safeties(pending.epoch) {
            // Answered, and once more.
            let _answer = pending.enqueue(request(safety.clone()));
            assert!(pending.next_request().is_some());
            pending.answer(pending.last_id, result());
            pending.answer(pending.last_id, result());
            assert_eq!(sizes(&pending), [0; 3], "{safety:?} is answered");

            // Dropped before it was sent.
            let (ticket, _) = pending.enqueue(request(safety.clone()));
            assert_eq!(pending.abandon(ticket), false);
            assert_eq!(pending.next_request(), None);
            assert_eq!(sizes(&pending), [0; 3], "{safety:?} was never sent");

            // Dropped on the wire; the late answer to an opening is a file to close.
            let (ticket, _) = pending.enqueue(request(safety.clone()));
            assert!(pending.next_request().is_some());
            assert!(pending.abandon(ticket));
            pending.answer(pending.last_id, result());
            drain(&mut pending);
            assert_eq!(sizes(&pending), [0; 3], "{safety:?} is dropped");
        }
        assert_eq!(pending.in_flight, 0);
    }

    #[test]
    fn a_lost_connection_leaves_reads_waiting_once_and_nothing_else() {
        for (safety, waits) in safeties(1).into_iter().zip([1, 1, 1, 0, 0]) {
            let mut pending = Pending::new(1);
            pending.connection_opened();
            let _answer = pending.enqueue(request(safety.clone()));
            for waits in [waits, 0] {
                assert_eq!(pending.next_request().is_some(), sizes(&pending)[1] == 1);
                pending.connection_lost(&Loss::Other, Cause::lost("gone"));
                assert_eq!(sizes(&pending), [waits, 0, 0], "{safety:?}");
                pending.connection_opened();
            }
        }
    }

    #[test]
    fn what_leaves_with_an_opening_leaves_right_behind_it_and_counts_with_it() {
        let mut pending = Pending::new(1);
        pending.connection_opened();
        let opening = request(Safety::Opens {
            handle: "h".to_owned(),
            closes: true,
        });
        let block = || request(Safety::OnHandle(0));
        let answers = pending.enqueue_together(opening, vec![block()], closing("h", 0));
        let _other = pending.enqueue(request(Safety::Repeatable));
        assert_eq!(answers.len(), 2);
        let mut texts = Vec::new();
        while let Some(text) = pending.next_request() {
            texts.push(text);
        }
        // Not the other call: the window of one is taken.
        assert_eq!(texts.len(), 3);
        assert!(texts[2].contains(CloseHandle::NAME), "{texts:?}");
        assert_eq!((pending.in_flight, pending.open_handles), (1, 1));
        for id in 1..=3 {
            pending.answer(id, result());
        }
        assert_eq!((pending.in_flight, pending.open_handles), (0, 0));
        assert!(pending.next_request().is_some());
    }

    #[test]
    fn blocks_wait_until_there_is_room_for_their_bytes_and_other_calls_do_not() {
        let mut pending = Pending::new(64);
        pending.connection_opened();
        let block = || Request {
            expects: MAX_EXPECTED_BYTES / 2 + 1,
            ..request(Safety::OnHandle(1))
        };
        let _first = pending.enqueue(block());
        let _second = pending.enqueue(block());
        let _small = pending.enqueue(request(Safety::Repeatable));
        assert!(pending.next_request().is_some());
        assert!(pending.next_request().is_some());
        assert_eq!(pending.next_request(), None);
        pending.answer(1, result());
        assert!(pending.next_request().is_some());
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
                let _answer = pending.enqueue(request(Safety::Mutation));
                let request = pending.next_request().unwrap();
                assert!(request.starts_with(&format!("{{\"id\":{id},")), "{request}");
            }
        }
    }
}
