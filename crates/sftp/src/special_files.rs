//! Paths that were last seen to be neither file nor directory.
//!
//! A server that opens a FIFO waits for its other end, and answers no request meanwhile, so a path
//! that was seen to be one is asked about before it is opened. This is a caution and no cache: no
//! result is made of it.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use codex_file_system::FileKind;

/// Most paths that are remembered.
const MOST: usize = 1024;

/// The paths to be asked about before they are opened.
#[derive(Debug, Default)]
pub(crate) struct SpecialFiles(Mutex<HashSet<Vec<u8>>>);

impl SpecialFiles {
    /// Takes note of what a path was seen to be.
    pub(crate) fn note(&self, path: &[u8], kind: FileKind) {
        let mut paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kind != FileKind::Other {
            paths.remove(path);
        } else if !paths.contains(path) {
            if paths.len() == MOST {
                paths.clear();
            }
            paths.insert(path.to_vec());
        }
    }

    /// Whether a path was last seen to be neither file nor directory.
    pub(crate) fn contains(&self, path: &[u8]) -> bool {
        let paths = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        paths.contains(path)
    }
}
