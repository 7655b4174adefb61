//! The client: another machine's files behind the one filesystem trait.
//!
//! One connection is shared by all clones of a [`RemoteFileSystem`] and driven by one task, which
//! alone reads and writes it. A call leaves its request with `Pending`, the plain bookkeeping of
//! what waits and what is on the wire, and waits for its own answer. When the connection is lost
//! the same task makes the next one, so that one reconnection serves every waiting call.
//!
//! Nothing here ever reads this host's own files in place of the remote's, keeps an answer for
//! later, or repeats a call that changes something.

mod blocks;
mod call;
mod connection;
mod content;
mod driver;
mod error;
mod info;
mod listing;
mod options;
mod pending;
mod process;
mod reading;
mod reconnect;
mod remote_file_system;
mod sealed;
mod secret;
mod shared;
#[cfg(feature = "websocket")]
mod socket;
mod start;
mod trait_calls;
mod walking;

pub use error::{ConnectError, RemoteCallError};
pub use info::{ClientStatistics, ServerInfo};
pub use options::ClientOptions;
pub use remote_file_system::RemoteFileSystem;
pub use secret::SecretString;
