//! A filesystem in memory that behaves as the contract says, in both flavors.
//!
//! One file per rule: `location` (which paths it can name), `posix` and `windows` (what is
//! particular to a flavor), `resolve` (links and search permission), `access` (the sandbox),
//! `read`, `write`, `remove` and `copy` (the operations), `plant` (tree literals).
//!
//! Invariants: no call does anything before its first poll, and every call is ready at it; no
//! lock is held over an await; nothing is cached, delayed or asked of the host.

mod access;
mod copy;
mod file_system;
mod flavor;
mod location;
mod node;
mod plant;
mod posix;
mod read;
mod remove;
mod resolve;
mod target;
mod tree;
mod windows;
mod write;

pub use file_system::MemoryFileSystem;
