//! What passed through a relay, and what it tells about a client.
//!
//! Times are those at the client's side of the relay: a request when the client sent it, a reply
//! when the client was given it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use tokio::time::Instant;

/// Everything that passes, as it passes.
#[derive(Debug, Default)]
pub(crate) struct Log {
    passing: Mutex<Passing>,
}

#[derive(Debug, Default)]
struct Passing {
    connections: u64,
    exchanges: Vec<Exchange>,
    /// Where in `exchanges` the request is that a reply is awaited for, by connection and id.
    awaited: HashMap<(u64, String), usize>,
}

/// A request and when it was answered.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exchange {
    pub(crate) method: String,
    pub(crate) params: Value,
    pub(crate) asked: Instant,
    pub(crate) answered: Option<Instant>,
}

impl Log {
    /// A number for a connection that has just come in.
    pub(crate) fn open_connection(&self) -> u64 {
        let mut passing = self.lock();
        passing.connections += 1;
        passing.connections
    }

    /// Notes a message of the client, if it is a request. One for a method in `denied` is not to
    /// reach the server: this gives what it is answered with.
    pub(crate) fn request(
        &self,
        connection: u64,
        message: &[u8],
        denied: &[&str],
    ) -> Option<String> {
        let mut body: Value = serde_json::from_slice(message).ok()?;
        let id = body.get("id")?.clone();
        let method = body.get("method")?.as_str()?.to_owned();
        let refusal = denied.contains(&&*method).then(|| {
            let message = format!("method not found: {method}");
            json!({"id": id, "error": {"code": -32601, "message": message}}).to_string()
        });
        let exchange = Exchange {
            method,
            params: body["params"].take(),
            asked: Instant::now(),
            answered: None,
        };
        let mut passing = self.lock();
        let place = passing.exchanges.len();
        passing.exchanges.push(exchange);
        passing.awaited.insert((connection, id.to_string()), place);
        refusal
    }

    /// Notes a message to the client, if it answers a request.
    pub(crate) fn reply(&self, connection: u64, message: &[u8]) {
        let Ok(body) = serde_json::from_slice::<Value>(message) else {
            return;
        };
        let Some(id) = body.get("id") else { return };
        let mut passing = self.lock();
        let place = passing.awaited.remove(&(connection, id.to_string()));
        if let Some(exchange) = place.and_then(|place| passing.exchanges.get_mut(place)) {
            exchange.answered = Some(Instant::now());
        }
    }

    /// What has passed so far; what is awaited is forgotten.
    pub(crate) fn take(&self) -> Traffic {
        let mut passing = self.lock();
        passing.awaited.clear();
        Traffic {
            exchanges: std::mem::take(&mut passing.exchanges),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Passing> {
        self.passing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The requests of one run, in the order in which they were sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Traffic {
    pub(crate) exchanges: Vec<Exchange>,
}

impl Traffic {
    /// How many requests there were, the handshake included.
    pub(crate) fn requests(&self) -> usize {
        self.exchanges.len()
    }

    /// How many requests there were of each method.
    pub(crate) fn by_method(&self) -> BTreeMap<&str, usize> {
        let mut methods = BTreeMap::new();
        for exchange in &self.exchanges {
            *methods.entry(&*exchange.method).or_default() += 1;
        }
        methods
    }

    /// How many requests asked what had been asked before.
    pub(crate) fn duplicates(&self) -> usize {
        let mut seen = HashSet::new();
        let asked = |exchange: &&Exchange| {
            !seen.insert((exchange.method.clone(), exchange.params.to_string()))
        };
        self.exchanges.iter().filter(asked).count()
    }

    /// The most requests that waited for an answer at once.
    pub(crate) fn most_in_flight(&self) -> usize {
        let in_flight = |moment: Instant| {
            let flying = self.exchanges.iter().filter(|exchange| {
                exchange.asked <= moment && exchange.answered.is_none_or(|then| then > moment)
            });
            flying.count()
        };
        let starts = self.exchanges.iter().map(|exchange| exchange.asked);
        starts.map(in_flight).max().unwrap_or(0)
    }

    /// The longest chain of requests each of which was sent after the one before was answered.
    ///
    /// A client cannot depend on an answer that it does not have, so this is the most that its
    /// round trips can have depended on each other.
    pub(crate) fn round_trips(&self) -> usize {
        self.chains().into_iter().max().unwrap_or(0)
    }

    /// How many round trips lie before the first question about a file.
    pub(crate) fn round_trips_before_the_first_call(&self) -> usize {
        let calls = self.exchanges.iter().zip(self.chains());
        let mut calls = calls.filter(|(exchange, _)| exchange.method.starts_with("fs/"));
        calls.next().map_or(0, |(_, length)| length - 1)
    }

    /// The length of the longest chain that ends with each request.
    fn chains(&self) -> Vec<usize> {
        let mut chains: Vec<usize> = Vec::with_capacity(self.exchanges.len());
        for exchange in &self.exchanges {
            let before = self.exchanges.iter().zip(&chains);
            let before = before.filter(|(earlier, _)| {
                earlier
                    .answered
                    .is_some_and(|answered| answered <= exchange.asked)
            });
            let longest = before.map(|(_, length)| *length).max().unwrap_or(0);
            chains.push(longest + 1);
        }
        chains
    }
}
