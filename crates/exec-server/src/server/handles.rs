//! Files that a connection holds open, and how a filesystem keeps a file open.
//!
//! A handle belongs to its connection: it is closed with it, and a resumed session starts without
//! any. A handle that is being opened already takes its place, so no burst gets past the limit.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codex_path_uri::PathUri;

use crate::protocol::{MAX_HANDLE_ID_BYTES, OpenMode};

/// The future of an operation on an open file.
pub(crate) type FileFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// How the files of a filesystem are opened.
pub(crate) trait OpenFiles: Send + Sync {
    /// Opens a regular file: to read it, or created or emptied to be written.
    fn open<'a>(&'a self, path: &'a PathUri, mode: OpenMode) -> FileFuture<'a, Arc<dyn OpenFile>>;
}

/// A file that stays what it is while it is open.
pub(crate) trait OpenFile: Send + Sync {
    /// Appends the bytes from `offset` on to `text`, as base64: `len` of them, or fewer where the
    /// file ends. Says how many there were.
    fn read_at(&self, offset: u64, len: usize, text: String) -> FileFuture<'_, (String, usize)>;

    /// Writes all bytes at `offset`; they are in the file when this returns.
    fn write_at(&self, offset: u64, bytes: Vec<u8>) -> FileFuture<'_, ()>;
}

/// The handles of one connection.
#[derive(Default)]
pub(super) struct Handles(Mutex<HashMap<String, Option<Arc<dyn OpenFile>>>>);

/// Why a handle could not be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum HandleError {
    #[error("a handle id has at most {MAX_HANDLE_ID_BYTES} bytes")]
    IdTooLong,
    #[error("the handle is in use")]
    InUse,
    #[error("too many files are open")]
    TooMany,
}

impl From<HandleError> for io::Error {
    fn from(error: HandleError) -> Self {
        io::Error::new(io::ErrorKind::InvalidInput, error)
    }
}

impl Handles {
    /// Takes the place of a handle whose file is about to be opened.
    pub(super) fn reserve(&self, id: &str, most: usize) -> Result<Reserved<'_>, HandleError> {
        if id.len() > MAX_HANDLE_ID_BYTES {
            return Err(HandleError::IdTooLong);
        }
        let mut open = self.open();
        if open.contains_key(id) {
            return Err(HandleError::InUse);
        }
        if open.len() >= most {
            return Err(HandleError::TooMany);
        }
        open.insert(id.to_owned(), None);
        Ok(Reserved {
            handles: self,
            id: id.to_owned(),
            is_filled: false,
        })
    }

    /// The file of a handle.
    pub(super) fn get(&self, id: &str) -> io::Result<Arc<dyn OpenFile>> {
        let file = self.open().get(id).cloned().flatten();
        file.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the handle is unknown"))
    }

    /// Forgets a handle. One that is still being opened is not there yet.
    pub(super) fn close(&self, id: &str) {
        let mut open = self.open();
        if open.get(id).is_some_and(Option::is_some) {
            open.remove(id);
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Option<Arc<dyn OpenFile>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a handle; dropped without a file, it is free again.
pub(super) struct Reserved<'a> {
    handles: &'a Handles,
    id: String,
    is_filled: bool,
}

impl Reserved<'_> {
    pub(super) fn fill(mut self, file: Arc<dyn OpenFile>) {
        self.is_filled = true;
        let id = std::mem::take(&mut self.id);
        self.handles.open().insert(id, Some(file));
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        if !self.is_filled {
            self.handles.open().remove(&self.id);
        }
    }
}

/// What writing to a file opened to be read says, or the other way round: EBADF, as the host
/// would say it.
pub(crate) fn not_opened_for_this() -> io::Error {
    if cfg!(unix) {
        let bad_descriptor = 9;
        return io::Error::other(io::Error::from_raw_os_error(bad_descriptor));
    }
    io::Error::other("the file is not open for this")
}
