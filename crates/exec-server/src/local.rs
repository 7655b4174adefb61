//! This host behind a server: open files for its handles, the roots of its
//! confinement, its standard streams.
//!
//! The only place of the crate that touches the host.

#[expect(clippy::disallowed_types, reason = "its files are those of the host")]
mod held_file;
#[cfg(feature = "local")]
mod host;
#[cfg(feature = "local")]
#[expect(clippy::disallowed_types, reason = "its files are those of the host")]
mod open_files;
mod root;
#[cfg(feature = "local")]
mod streams;
mod wakes;
mod workers;

pub(crate) use held_file::HeldFile;
pub(crate) use root::{Root, open_root};
pub(crate) use workers::Workers;
