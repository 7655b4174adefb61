//! The ordered window: many calls in flight, their answers consumed in order.
//!
//! Invariants, on which every stated count rests:
//!
//! * the queue holds started, unconsumed calls, oldest first, and never more than its width;
//! * a call is started only when every answer at the head of the queue has been consumed;
//! * a started call that is ready at once, with nobody ahead of it, is consumed before another
//!   starts, so a filesystem that never suspends sees exactly the serial calls;
//! * dropping the window drops the calls in flight and starts nothing.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::iter::Fuse;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Runs the futures of a lazy iterator, at most `width` at a time.
pub(crate) struct OrderedWindow<I>
where
    I: Iterator<Item: Future>,
{
    calls: Fuse<I>,
    width: usize,
    queue: VecDeque<Slot<I::Item>>,
    /// Boxes of calls that have ended, to be used again: a window allocates one box for each
    /// call that is in flight at once, not one for each call.
    spare: Vec<PinnedCall<I::Item>>,
}

type PinnedCall<F> = Pin<Box<Option<F>>>;

enum Slot<F: Future> {
    Running(PinnedCall<F>),
    Answered(F::Output),
}

impl<I> OrderedWindow<I>
where
    I: Iterator<Item: Future>,
{
    /// Nothing starts before the first [`next`](Self::next) is polled.
    pub(crate) fn new(calls: I, width: usize) -> Self {
        Self {
            calls: calls.fuse(),
            width,
            queue: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// The answer of the next call in order; `None` after the last.
    pub(crate) async fn next(&mut self) -> Option<<I::Item as Future>::Output> {
        poll_fn(|context| self.poll_next(context)).await
    }

    fn poll_next(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<<I::Item as Future>::Output>> {
        if let Some(answer) = self.poll_queue(context) {
            return Poll::Ready(Some(answer));
        }
        while self.queue.len() < self.width {
            let Some(future) = self.calls.next() else {
                break;
            };
            let mut call = self.spare.pop().unwrap_or_else(|| Box::pin(None));
            call.set(Some(future));
            match poll_call(&mut call, context) {
                Poll::Ready(answer) => {
                    self.spare.push(call);
                    if self.queue.is_empty() {
                        return Poll::Ready(Some(answer));
                    }
                    self.queue.push_back(Slot::Answered(answer));
                }
                Poll::Pending => self.queue.push_back(Slot::Running(call)),
            }
        }
        if self.queue.is_empty() {
            Poll::Ready(None)
        } else {
            Poll::Pending
        }
    }

    /// Polls what is in flight, oldest first, and takes the answer at the head if it is there.
    fn poll_queue(&mut self, context: &mut Context<'_>) -> Option<<I::Item as Future>::Output> {
        for index in 0..self.queue.len() {
            let slot = self.queue.get_mut(index)?;
            if let Slot::Running(call) = slot
                && let Poll::Ready(answer) = poll_call(call, context)
                && let Slot::Running(call) = std::mem::replace(slot, Slot::Answered(answer))
            {
                self.spare.push(call);
            }
            // The head is consumed before anything behind it is looked at.
            if index == 0 && matches!(slot, Slot::Answered(_)) {
                break;
            }
        }
        match self.queue.pop_front()? {
            Slot::Answered(answer) => Some(answer),
            running => {
                self.queue.push_front(running);
                None
            }
        }
    }
}

/// Polls a call and, when it is ready, drops its future at once.
fn poll_call<F: Future>(call: &mut PinnedCall<F>, context: &mut Context<'_>) -> Poll<F::Output> {
    let Some(future) = call.as_mut().as_pin_mut() else {
        return Poll::Pending;
    };
    let answer = future.poll(context);
    if answer.is_ready() {
        call.set(None);
    }
    answer
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::task::Waker;

    use super::*;

    /// Polls a window over calls that are pending so many times, until it ends. The log has
    /// `pN` for a poll of call N, `aN` for its answer and `-` where the window waits.
    fn log(pending: &[usize], width: usize) -> String {
        let log = RefCell::new(Vec::new());
        let calls = pending.iter().enumerate().map(|(index, pending)| {
            let (mut left, log) = (*pending, &log);
            poll_fn(move |_| {
                log.borrow_mut().push(format!("p{index}"));
                if left == 0 {
                    return Poll::Ready(index);
                }
                left -= 1;
                Poll::Pending
            })
        });
        let mut window = OrderedWindow::new(calls, width);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            let event = match window.poll_next(&mut context) {
                Poll::Ready(Some(index)) => format!("a{index}"),
                Poll::Ready(None) => break,
                Poll::Pending => "-".to_owned(),
            };
            log.borrow_mut().push(event);
        }
        log.into_inner().join(" ")
    }

    #[test]
    fn calls_that_are_ready_at_once_run_one_after_the_other() {
        assert_eq!(log(&[0, 0, 0], 8), "p0 a0 p1 a1 p2 a2");
    }

    #[test]
    fn a_window_of_one_is_serial() {
        assert_eq!(log(&[1, 0, 1], 1), "p0 - p0 a0 p1 a1 p2 - p2 a2");
    }

    #[test]
    fn an_answer_that_is_not_at_the_head_keeps_its_slot_and_is_not_polled_again() {
        assert_eq!(log(&[2, 0, 0], 2), "p0 p1 - p0 - p0 a0 a1 p2 a2");
    }

    #[test]
    fn answers_at_the_head_are_consumed_before_anything_is_polled_or_started() {
        assert_eq!(
            log(&[1, 2, 0, 0], 2),
            "p0 p1 - p0 a0 p1 p2 - p1 a1 a2 p3 a3"
        );
    }

    #[test]
    fn the_queue_is_polled_oldest_first() {
        assert_eq!(
            log(&[2, 2, 2], 3),
            "p0 p1 p2 - p0 p1 p2 - p0 a0 p1 a1 p2 a2"
        );
    }

    #[test]
    fn a_window_without_calls_ends_at_once() {
        assert_eq!(log(&[], 4), "");
    }
}
