//! The tables of the contract, cell by cell, on a filesystem in memory and on this host's.

use codex_path_uri::PathUri;

mod naming;
mod reading;
mod writing;

pub(crate) use reading::{READING, check_reading_table};
pub(crate) use writing::{WRITING, check_writing_table};

fn below(base: &PathUri, path: &str) -> PathUri {
    base.join(path.trim_start_matches('/')).unwrap()
}
