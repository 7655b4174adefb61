//! Sessions: what lets a client that lost its connection go on under the same id.
//!
//! A session is attached to one connection, or detached for a while and then forgotten. It holds
//! nothing but its id: file handles belong to the connection.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::codec::{WireError, code};
use crate::error_map::refusal;

/// Most sessions without a connection that are remembered.
const MAX_DETACHED: usize = 256;
/// How long a session without a connection is remembered.
const KEPT_FOR: Duration = Duration::from_secs(30);

/// The sessions of a server.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    attached: HashSet<String>,
    /// Oldest first.
    detached: VecDeque<(Instant, String)>,
}

impl Known {
    fn forget_expired(&mut self) {
        let is_expired = |(since, _): &(Instant, String)| since.elapsed() >= KEPT_FOR;
        while self.detached.front().is_some_and(is_expired) {
            self.detached.pop_front();
        }
    }
}

impl Sessions {
    /// A session nobody else has.
    pub(super) fn start(self: &Arc<Self>) -> Result<Attached, WireError> {
        let id = new_id().map_err(|error| {
            refusal(
                code::INTERNAL_ERROR,
                io::ErrorKind::Other,
                error.to_string(),
            )
        })?;
        self.known().attached.insert(id.clone());
        Ok(self.attachment(id))
    }

    /// The session of this id, if it is detached.
    pub(super) fn resume(self: &Arc<Self>, id: &str) -> Result<Attached, WireError> {
        let mut known = self.known();
        if known.attached.contains(id) {
            return Err(refusal(
                code::SESSION_ATTACHED,
                io::ErrorKind::ConnectionRefused,
                "the session is attached to another connection",
            ));
        }
        known.forget_expired();
        let position = known.detached.iter().position(|(_, other)| other == id);
        let Some((_, id)) = position.and_then(|position| known.detached.remove(position)) else {
            return Err(refusal(
                code::INVALID_REQUEST,
                io::ErrorKind::InvalidInput,
                "the session is unknown",
            ));
        };
        known.attached.insert(id.clone());
        drop(known);
        Ok(self.attachment(id))
    }

    fn attachment(self: &Arc<Self>, id: String) -> Attached {
        Attached {
            id,
            sessions: Arc::clone(self),
        }
    }

    fn detach(&self, id: &str) {
        let mut known = self.known();
        known.forget_expired();
        if let Some(id) = known.attached.take(id) {
            known.detached.push_back((Instant::now(), id));
        }
        while known.detached.len() > MAX_DETACHED {
            known.detached.pop_front();
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session while a connection has it; dropping it detaches the session.
#[derive(Debug)]
pub(super) struct Attached {
    id: String,
    sessions: Arc<Sessions>,
}

impl Attached {
    pub(super) fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        self.sessions.detach(&self.id);
    }
}

/// 128 random bits: whoever does not know the id cannot take the session.
fn new_id() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
