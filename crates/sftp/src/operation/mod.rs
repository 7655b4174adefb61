//! The calls of the filesystem, one file each: which requests are sent, and what their answers
//! mean.
//!
//! An operation is run again, once, if its connection is lost and nothing it changes may have
//! reached the server. What it has learnt by then it may keep.

mod canonicalize;
mod copy;
mod create_directory;
mod kinds;
mod list;
mod metadata;
mod read;
mod read_window;
mod remove;
mod write;

pub(crate) use canonicalize::Canonicalize;
pub(crate) use copy::Copy;
pub(crate) use create_directory::CreateDirectory;
pub(crate) use list::List;
pub(crate) use metadata::Metadata;
pub(crate) use read::Read;
pub(crate) use remove::Remove;
pub(crate) use write::Write;

use crate::connection::Lane;
use crate::failure::Failure;

/// One call.
pub(crate) trait Operation: Send {
    /// What the call returns.
    type Output: Send;

    /// Makes the call over one connection.
    fn run(
        &mut self,
        lane: &Lane<'_>,
    ) -> impl Future<Output = Result<Self::Output, Failure>> + Send;
}
