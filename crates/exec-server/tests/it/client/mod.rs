//! The client.

mod answers;
mod blocks;
#[cfg(all(unix, feature = "server"))]
mod cut;
mod deadline;
mod flow;
mod handshake;
mod loss;
#[cfg(unix)]
mod process;
mod reconnect;
mod session;
mod socket;
