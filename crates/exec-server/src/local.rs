//! This host behind a server: open files for its handles, and the roots of its confinement.
//!
//! The only place of the crate that touches the host.

#[cfg(feature = "local")]
mod open_files;
mod root;

pub(crate) use root::{Root, open_root};
