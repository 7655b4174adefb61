//! What a [`Lookahead`](super::Lookahead) remembers: answers, calls in flight and what to ask next.
//!
//! Everything here runs under one lock, never calls a filesystem, a hint or a waker, and leaves the counts
//! true: `in_flight` is the number of entries that run plus the calls that pass through, `unclaimed` is what
//! entries with `held_bytes` hold.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::PlannedCall;
use super::read_call::{Answer, Expectation, Hint, ReadCall};
use crate::error::hand_over_again;
use foldhash::fast::RandomState;

#[derive(Default)]
pub(super) struct State<'f> {
    entries: HashMap<ReadCall, Entry<'f>, RandomState>,
    /// Expected calls, oldest first. One that was made meanwhile is passed over.
    expected: VecDeque<(u64, ReadCall)>,
    /// Those of them that bring file contents: they wait for room, the others do not wait for them.
    expected_contents: VecDeque<(u64, ReadCall)>,
    /// The sequences that the loader walks through.
    pub(super) sources: Vec<Source<'f>>,
    /// Contents that were asked ahead and not taken.
    unclaimed: Contents,
    waiting: Vec<Waiting>,
    in_flight: usize,
    /// How many of them the driver polls.
    driven: usize,
    phase: &'static str,
    last_answered: Option<ReadCall>,
    /// The calls that were made, in the order of their start.
    pub(super) plan: Vec<PlannedCall>,
    /// The calls whose answers the loader has got, in that order.
    pub(super) used: Vec<ReadCall>,
    pub(super) is_driven: bool,
    tickets: u64,
}

/// The next calls of a sequence that a loader walks through; `None` when it has gone through.
pub(super) type Source<'f> = Box<dyn FnMut() -> Option<Vec<ReadCall>> + Send + 'f>;

#[derive(Clone, Copy, Default)]
pub(super) struct Contents {
    pub(super) calls: usize,
    pub(super) bytes: u64,
}

#[derive(Default)]
struct Entry<'f> {
    progress: Progress,
    hint: Option<Hint<'f>>,
    /// What this call waited for, and why it was asked.
    origin: Origin,
    is_used: bool,
    /// The loader will not take the content.
    is_unwanted: bool,
    /// Bytes that this call holds or reserves among the unclaimed contents.
    held_bytes: Option<u64>,
}

#[derive(Clone, Default)]
pub(super) struct Origin {
    phase: &'static str,
    after: Option<ReadCall>,
}

#[derive(Default)]
enum Progress {
    #[default]
    Expected,
    Running(Caller),
    /// `None` for contents that were handed over or that no loader wants: made again only if the loader asks.
    Answered(Option<Result<Answer, Arc<io::Error>>>),
}

/// Who polls a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    Loader,
    Driver,
}

/// A call of the loader that waits for its answer or for a place in the window.
struct Waiting {
    ticket: u64,
    /// `None` if only a place is wanted.
    call: Option<ReadCall>,
    waker: Waker,
}

/// How the filing of an answer goes on.
pub(super) enum Filed<'f> {
    /// It is filed; these may go on.
    Done(Vec<Waker>),
    /// What the answer makes probable is to be expected before others are woken.
    HintFirst(Hint<'f>, io::Result<Answer>),
}

/// How a call of the loader goes on.
pub(super) enum Turn {
    Answered(io::Result<Answer>),
    /// The loader makes the call itself, in a place of the window.
    Make,
}

impl<'f> State<'f> {
    pub(super) fn set_phase(&mut self, phase: &'static str) {
        self.phase = phase;
    }

    /// The origin of what the loader asks or expects now.
    fn origin(&self) -> Origin {
        let after = self.last_answered.clone();
        let phase = self.phase;
        Origin { phase, after }
    }

    /// The origin of what the answer of `call` makes probable.
    fn origin_after(&self, call: &ReadCall) -> Origin {
        let phase = self.entries.get(call).map_or("", |it| it.origin.phase);
        let after = Some(call.clone());
        Origin { phase, after }
    }

    /// Remembers a call that the loader expects, or that the answer of `after` makes probable. Returns its
    /// hint if the answer is here already.
    pub(super) fn expect(
        &mut self,
        Expectation { call, hint }: Expectation<'f>,
        after: Option<&ReadCall>,
    ) -> Option<(Hint<'f>, Answer)> {
        let origin = match after {
            Some(after) => self.origin_after(after),
            None => self.origin(),
        };
        let entry = self.entries.entry(call.clone()).or_insert_with(|| {
            self.tickets += 1;
            match call.reads_content() {
                true => self.expected_contents.push_back((self.tickets, call)),
                false => self.expected.push_back((self.tickets, call)),
            }
            Entry {
                origin,
                ..Entry::default()
            }
        });
        match (&entry.progress, hint) {
            (Progress::Answered(Some(Ok(answer))), Some(hint)) => {
                return Some((hint, answer.clone()));
            }
            (_, Some(hint)) => entry.hint = Some(hint),
            (_, None) => {}
        }
        None
    }

    /// The oldest expected call that may start now, which is running from here on.
    ///
    /// It never takes the place of a call that the loader waits to make. Of what the loader does not wait for,
    /// one call less than the window holds is in flight, so that expected calls that hang leave it a place.
    pub(super) fn start_expected(&mut self, window: usize, room: Contents) -> Option<ReadCall> {
        if self.in_flight >= window || self.driven >= window - 1 + self.awaited()? {
            return None;
        }
        loop {
            let other = self.expected.front().map(|it| it.0);
            let contents = self.expected_contents.front();
            let contents = contents
                .filter(|it| self.unclaimed.has_room(&it.1, room))
                .map(|it| it.0);
            let is_content = match (other, contents) {
                (Some(other), Some(contents)) => contents < other,
                (None, Some(_)) => true,
                (_, None) => false,
            };
            let queue = match is_content {
                true => &mut self.expected_contents,
                false => &mut self.expected,
            };
            let (_, call) = queue.pop_front()?;
            let Some(entry) = self.entries.get_mut(&call) else {
                continue;
            };
            if !matches!(entry.progress, Progress::Expected) {
                continue;
            }
            entry.progress = Progress::Running(Caller::Driver);
            if call.reads_content() {
                let bytes = call.reserved_bytes();
                entry.held_bytes = Some(bytes);
                self.unclaimed.add(bytes);
            }
            let origin = entry.origin.clone();
            self.driven += 1;
            self.begin(&call, origin, Caller::Driver);
            return Some(call);
        }
    }

    /// How many calls of the driver the loader waits for; `None` if it waits to make one itself.
    fn awaited(&self) -> Option<usize> {
        let mut awaited = 0;
        for (index, waiting) in self.waiting.iter().enumerate() {
            let call = waiting.call.as_ref()?;
            let Progress::Running(caller) = self.entries.get(call)?.progress else {
                return None;
            };
            let is_counted = self
                .waiting
                .iter()
                .take(index)
                .any(|it| it.call.as_ref() == Some(call));
            awaited += usize::from(caller == Caller::Driver && !is_counted);
        }
        Some(awaited)
    }

    /// Gives the loader its answer, or a place to make the call, or remembers whom to wake.
    pub(super) fn demand(
        &mut self,
        call: &ReadCall,
        window: usize,
        ticket: &mut Option<u64>,
        context: &mut Context<'_>,
    ) -> Poll<Turn> {
        let origin = self.origin();
        let entry = self.entries.entry(call.clone()).or_insert_with(|| Entry {
            origin,
            ..Entry::default()
        });
        entry.is_unwanted = false;
        let waiting = self
            .waiting
            .iter()
            .filter(|it| it.call.as_ref() == Some(call));
        let is_kept = !call.reads_content() || waiting.count() > 1;
        if let Some(answer) = entry.progress.hand_over(is_kept) {
            if !std::mem::replace(&mut entry.is_used, true) {
                self.used.push(call.clone());
            }
            if let Some(bytes) = entry.held_bytes.take() {
                self.unclaimed.remove(bytes);
            }
            self.last_answered = Some(call.clone());
            self.withdraw(ticket);
            return Poll::Ready(Turn::Answered(answer));
        }
        if entry.progress.is_running() || self.in_flight >= window {
            self.wait(Some(call), ticket, context);
            return Poll::Pending;
        }
        entry.progress = Progress::Running(Caller::Loader);
        let origin = entry.origin.clone();
        self.withdraw(ticket);
        self.begin(call, origin, Caller::Loader);
        Poll::Ready(Turn::Make)
    }

    /// Gives a call that passes through a place in the window, or remembers whom to wake.
    pub(super) fn enter(
        &mut self,
        window: usize,
        ticket: &mut Option<u64>,
        context: &mut Context<'_>,
    ) -> Poll<()> {
        if self.in_flight >= window {
            self.wait(None, ticket, context);
            return Poll::Pending;
        }
        self.withdraw(ticket);
        self.in_flight += 1;
        Poll::Ready(())
    }

    fn wait(
        &mut self,
        call: Option<&ReadCall>,
        ticket: &mut Option<u64>,
        context: &mut Context<'_>,
    ) {
        let waker = context.waker();
        if let Some(waiting) = self
            .waiting
            .iter_mut()
            .find(|it| Some(it.ticket) == *ticket)
        {
            waiting.waker.clone_from(waker);
            return;
        }
        self.tickets += 1;
        *ticket = Some(self.tickets);
        let (ticket, call, waker) = (self.tickets, call.cloned(), waker.clone());
        self.waiting.push(Waiting {
            ticket,
            call,
            waker,
        });
    }

    /// Forgets that somebody waits.
    pub(super) fn withdraw(&mut self, ticket: &mut Option<u64>) {
        if let Some(ticket) = ticket.take() {
            self.waiting.retain(|it| it.ticket != ticket);
        }
    }

    fn begin(&mut self, call: &ReadCall, origin: Origin, caller: Caller) {
        self.in_flight += 1;
        let Origin { phase, after } = origin;
        let (call, is_ahead) = (call.clone(), caller == Caller::Driver);
        self.plan.push(PlannedCall {
            call,
            phase,
            after,
            is_ahead,
        });
    }

    /// Files an answer, unless its hint is to speak before.
    pub(super) fn file(&mut self, call: &ReadCall, answer: io::Result<Answer>) -> Filed<'f> {
        let entry = self.entries.entry(call.clone()).or_default();
        if let Some(hint) = entry.hint.take() {
            return Filed::HintFirst(hint, answer);
        }
        if let Some(bytes) = entry.held_bytes.take() {
            self.unclaimed.remove(bytes);
            if let (Ok(answer), false) = (&answer, entry.is_unwanted) {
                let bytes = answer.content_bytes();
                entry.held_bytes = Some(bytes);
                self.unclaimed.add(bytes);
            }
        }
        let was_driven = matches!(entry.progress, Progress::Running(Caller::Driver));
        entry.progress = match entry.is_unwanted {
            true => Progress::Answered(None),
            false => Progress::Answered(Some(answer.map_err(Arc::new))),
        };
        self.driven -= usize::from(was_driven);
        Filed::Done(self.leave(Some(call)))
    }

    /// Forgets a call of the loader that was dropped before its answer. Returns who may go on.
    pub(super) fn abandon(&mut self, call: &ReadCall) -> Vec<Waker> {
        self.entries.remove(call);
        self.leave(Some(call))
    }

    /// Ends one call in flight. Returns those who wait for it, or for a place.
    pub(super) fn leave(&mut self, call: Option<&ReadCall>) -> Vec<Waker> {
        self.in_flight -= 1;
        let is_running = |call: &ReadCall| {
            let entry = self.entries.get(call);
            entry.is_some_and(|it| it.progress.is_running())
        };
        let may_go_on = |it: &&Waiting| {
            it.call
                .as_ref()
                .is_none_or(|it| Some(it) == call || !is_running(it))
        };
        self.waiting
            .iter()
            .filter(may_go_on)
            .map(|it| it.waker.clone())
            .collect()
    }

    /// Releases what was asked ahead of a call that the loader will not make.
    pub(super) fn forget(&mut self, call: &ReadCall) {
        let Some(entry) = self.entries.get_mut(call) else {
            return;
        };
        match entry.progress {
            Progress::Expected => {
                self.entries.remove(call);
            }
            Progress::Running(_) => entry.is_unwanted = call.reads_content(),
            Progress::Answered(_) if call.reads_content() => {
                entry.progress = Progress::Answered(None);
                if let Some(bytes) = entry.held_bytes.take() {
                    self.unclaimed.remove(bytes);
                }
            }
            Progress::Answered(_) => {}
        }
    }

    /// Ends the drive: what is expected is forgotten, what the driver polled is gone. Returns who may go on.
    pub(super) fn end_drive(&mut self) -> Vec<Waker> {
        self.is_driven = false;
        self.expected.clear();
        self.expected_contents.clear();
        self.sources.clear();
        self.in_flight -= self.driven;
        self.driven = 0;
        self.retain(|it| !matches!(it, Progress::Expected | Progress::Running(Caller::Driver)));
        self.waiting.iter().map(|it| it.waker.clone()).collect()
    }

    /// Forgets every answer, because something was changed.
    pub(super) fn forget_answers(&mut self) {
        self.retain(|it| matches!(it, Progress::Expected | Progress::Running(_)));
    }

    fn retain(&mut self, is_kept: impl Fn(&Progress) -> bool) {
        self.entries.retain(|_, entry| is_kept(&entry.progress));
        self.unclaimed = Contents::default();
        for bytes in self.entries.values().filter_map(|it| it.held_bytes) {
            self.unclaimed.add(bytes);
        }
    }
}

impl Progress {
    fn is_running(&self) -> bool {
        matches!(self, Self::Running(_))
    }

    /// The answer, if it is here: itself, or the same once more if it is kept.
    fn hand_over(&mut self, is_kept: bool) -> Option<io::Result<Answer>> {
        let Self::Answered(held) = self else {
            return None;
        };
        let answer = if is_kept { held.clone() } else { held.take() };
        Some(answer?.map_err(|error| match Arc::try_unwrap(error) {
            Ok(only) => only,
            Err(shared) => hand_over_again(&shared),
        }))
    }
}

impl Contents {
    fn add(&mut self, bytes: u64) {
        self.calls += 1;
        self.bytes += bytes;
    }

    fn remove(&mut self, bytes: u64) {
        self.calls -= 1;
        self.bytes -= bytes;
    }

    /// Whether the contents of `call` may be asked ahead too. The first always may.
    fn has_room(self, call: &ReadCall, room: Contents) -> bool {
        self.calls == 0
            || (self.calls < room.calls && self.bytes + call.reserved_bytes() <= room.bytes)
    }
}
