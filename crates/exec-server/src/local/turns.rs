//! A queue in which clients take turns: one that asks for much waits for itself, not others for it.
//!
//! Within one client the order is that in which jobs came.

use std::collections::VecDeque;

tokio::task_local! {
    static CLIENT: Client;
}

/// Whose job it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Client(pub(crate) usize);

impl Client {
    /// Runs a future whose jobs are those of this client.
    pub(crate) fn run<F: Future>(self, future: F) -> impl Future<Output = F::Output> {
        CLIENT.scope(self, future)
    }

    /// The client whose future runs. Jobs of no client share their turn.
    pub(super) fn current() -> Self {
        CLIENT.try_with(|client| *client).unwrap_or_default()
    }
}

/// The jobs that wait, by client; each client has at least one.
pub(super) struct Turns<T> {
    clients: VecDeque<(Client, VecDeque<T>)>,
    length: usize,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self {
            clients: VecDeque::new(),
            length: 0,
        }
    }
}

impl<T> Turns<T> {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Adds a job behind those of its client.
    pub(super) fn push(&mut self, client: Client, job: T) {
        self.length += 1;
        // There are no more clients than connections, which are few.
        match self.clients.iter_mut().find(|(known, _)| *known == client) {
            Some((_, jobs)) => jobs.push_back(job),
            None => self.clients.push_back((client, VecDeque::from([job]))),
        }
    }

    /// The next job of the client whose turn it is.
    pub(super) fn pop(&mut self) -> Option<T> {
        let (client, mut jobs) = self.clients.pop_front()?;
        let job = jobs.pop_front();
        self.length -= usize::from(job.is_some());
        if !jobs.is_empty() {
            self.clients.push_back((client, jobs));
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    #[test]
    fn a_client_with_many_jobs_does_not_hold_up_another() {
        let mut turns = Turns::default();
        for job in ["a1", "a2", "a3"] {
            turns.push(Client(1), job);
        }
        turns.push(Client(2), "b1");
        assert_eq!(turns.pop(), Some("a1"));
        turns.push(Client(2), "b2");
        let rest: Vec<_> = std::iter::from_fn(|| turns.pop()).collect();
        assert_eq!(rest, ["b1", "a2", "b2", "a3"]);
        assert!(turns.is_empty());
    }

    #[tokio::test]
    async fn jobs_belong_to_the_client_whose_future_asks() {
        assert_eq!(Client::current(), Client(0));
        assert_eq!(Client(7).run(async { Client::current() }).await, Client(7));
    }
}
