//! The client.

mod answers;
mod blocks;
mod deadline;
mod flow;
mod handshake;
mod loss;
#[cfg(unix)]
mod process;
mod reconnect;
mod socket;
