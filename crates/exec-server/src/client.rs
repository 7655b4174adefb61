//! The client: another machine's files behind the one filesystem trait.
//!
//! One connection is shared by all clones of a [`RemoteFileSystem`] and driven by one task, which
//! alone reads and writes it. A call leaves its request with `Pending`, the plain bookkeeping of
//! what waits and what is on the wire, and waits for its own answer. When the connection is lost
//! the same task makes the next one, so that one reconnection serves every waiting call.
//!
//! Nothing here ever reads this host's own files in place of the remote's, keeps an answer for
//! later, or repeats a call that changes something.

#[cfg(feature = "websocket")]
mod address;
mod call;
mod connect;
mod driver;
mod error;
mod file_system;
mod options;
mod pending;
#[cfg(feature = "process")]
mod processes;
mod read;
mod rpc;
mod walk;

pub use error::{ConnectError, RemoteCallError};
pub use file_system::RemoteFileSystem;
pub use options::{ClientOptions, ClientStatistics, SecretString, ServerInfo};
#[cfg(feature = "process")]
pub use processes::{ProcessOutput, RemoteCommand, RemoteProcess};
