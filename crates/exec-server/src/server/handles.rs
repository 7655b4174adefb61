//! Files that a connection holds open: `fs/open`, `fs/readBlock`, `fs/writeBlock`, `fs/close`, and
//! how a filesystem keeps a file open.
//!
//! The table of handles is changed in the order in which messages come, before any of them runs.
//! So a client may send the opening of a file, its blocks and its closing together: a block waits
//! for the opening of its own handle, and a file that is closed goes when its last block is read.
//! A handle belongs to its connection, and a resumed session starts without any.

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codex_file_system::{ExecutorFileSystem, FileSystemSandboxContext};
use codex_path_uri::PathUri;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SetOnce};

use super::dispatch::{Answer, Caller, read_only, refused};
use super::options;
use crate::codec::{Content, WireError, decode_base64};
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    MAX_BLOCK_BYTES, MAX_HANDLE_ID_BYTES, MAX_HANDLES, Nothing, OpenHandleParams, OpenHandleResult,
    OpenMode, ReadBlockParams, ReadBlockResult, WriteBlockParams,
};

/// The future of an operation on an open file.
pub(crate) type FileFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// How the files of a filesystem are opened.
pub(crate) trait OpenFiles: Send + Sync {
    /// Whether a sandbox is enforced, here and by the filesystem, and not refused.
    fn enforces_sandboxes(&self) -> bool;

    /// Opens a regular file: to read it, or created or emptied to be written.
    fn open<'a>(
        &'a self,
        path: &'a PathUri,
        mode: OpenMode,
        sandbox: Option<&'a FileSystemSandboxContext>,
    ) -> FileFuture<'a, Arc<dyn OpenFile>>;
}

/// A file that stays what it is while it is open.
pub(crate) trait OpenFile: Send + Sync {
    /// The bytes from `offset` on: `len` of them, or fewer where the file ends.
    fn read_at(&self, offset: u64, len: usize) -> FileFuture<'_, Vec<u8>>;

    /// Writes all bytes at `offset`; they are in the file when this returns.
    fn write_at(&self, offset: u64, bytes: Vec<u8>) -> FileFuture<'_, ()>;
}

/// The handles of one connection.
#[derive(Default)]
pub(super) struct Handles(Mutex<HashMap<String, Arc<Handle>>>);

/// A file that is open, is being opened or could not be.
struct Handle {
    file: SetOnce<Option<Arc<dyn OpenFile>>>,
    /// Its place among the open files of the server.
    _place: OwnedSemaphorePermit,
}

impl Handle {
    /// The file, once its opening has ended.
    async fn file(&self) -> io::Result<Arc<dyn OpenFile>> {
        self.file.wait().await.clone().ok_or_else(unknown)
    }
}

/// Why a handle could not be made.
#[derive(Debug, thiserror::Error)]
enum HandleError {
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
    fn reserve(&self, id: &str, places: &Arc<Semaphore>) -> Result<Arc<Handle>, HandleError> {
        if id.len() > MAX_HANDLE_ID_BYTES {
            return Err(HandleError::IdTooLong);
        }
        let mut open = self.open();
        if open.contains_key(id) {
            return Err(HandleError::InUse);
        }
        let place = Arc::clone(places).try_acquire_owned();
        let (true, Ok(place)) = (open.len() < MAX_HANDLES, place) else {
            return Err(HandleError::TooMany);
        };
        let handle = Arc::new(Handle {
            file: SetOnce::new(),
            _place: place,
        });
        open.insert(id.to_owned(), Arc::clone(&handle));
        Ok(handle)
    }

    fn get(&self, id: &str) -> io::Result<Arc<Handle>> {
        self.open().get(id).cloned().ok_or_else(unknown)
    }

    /// `fs/close`: forgets a handle; one that is unknown is fine.
    pub(super) fn close(&self, id: &str) {
        self.open().remove(id);
    }

    /// Forgets a handle whose file could not be opened, unless its id stands for another by now.
    fn forget(&self, id: &str, failed: &Arc<Handle>) {
        let mut open = self.open();
        if open.get(id).is_some_and(|known| Arc::ptr_eq(known, failed)) {
            open.remove(id);
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Handle>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unknown() -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, "the handle is unknown")
}

/// The opening of one handle. However it ends, whoever waits for it is told.
struct Opening {
    caller: Caller,
    id: String,
    handle: Arc<Handle>,
}

impl Opening {
    fn succeed(&self, file: Arc<dyn OpenFile>) {
        // It is set once, by this opening.
        let _ = self.handle.file.set(Some(file));
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if self.handle.file.set(None).is_ok() {
            self.caller.handles().forget(&self.id, &self.handle);
        }
    }
}

/// `fs/open`
pub(super) fn open(
    caller: Caller,
    params: OpenHandleParams,
) -> Result<impl Future<Output = Result<OpenHandleResult, WireError>>, WireError> {
    let mode = params.mode.unwrap_or(OpenMode::Read);
    let access = match mode {
        OpenMode::Read => Access::Read,
        OpenMode::Replace => Access::Write,
    };
    let service = caller.service();
    if access == Access::Write && service.options.access == options::Access::ReadOnly {
        return Err(read_only());
    }
    let path = caller.path(&params.path)?;
    let sandbox = caller.sandbox(params.sandbox)?;
    let handle = caller
        .handles()
        .reserve(&params.handle_id, &service.open_files);
    let opening = Opening {
        handle: handle.map_err(|error| to_wire(&error.into(), access))?,
        id: params.handle_id,
        caller,
    };
    Ok(async move {
        let files = &opening.caller.service().files;
        let file = files.open(&path, mode, sandbox.as_ref()).await;
        opening.succeed(file.map_err(|error| to_wire(&error, access))?);
        Ok(OpenHandleResult {
            handle_id: opening.id.clone(),
        })
    })
}

/// `fs/readBlock`
pub(super) fn read_block(
    caller: Caller,
    params: ReadBlockParams,
) -> Result<impl Future<Output = Result<Answer, WireError>>, WireError> {
    let failed = |error: io::Error| to_wire(&error, Access::Read);
    let len = block_length(params.len)?;
    let handle = caller.handles().get(&params.handle_id).map_err(failed)?;
    Ok(async move {
        let file = handle.file().await.map_err(failed)?;
        let room = caller.room_for_file(params.len).await;
        let block = file.read_at(params.offset, len).await.map_err(failed)?;
        let result = ReadBlockResult {
            eof: block.len() < len,
            chunk: Content(block),
        };
        Ok(caller.large_answer(&result, len.div_ceil(3) * 4, room))
    })
}

/// `fs/writeBlock`
pub(super) fn write_block(
    caller: &Caller,
    params: WriteBlockParams,
) -> Result<impl Future<Output = Result<Nothing, WireError>> + use<>, WireError> {
    let failed = |error: io::Error| to_wire(&error, Access::Write);
    let bytes = decode_base64(&params.chunk).map_err(|error| refused(error.to_string()))?;
    if !bytes.is_empty() {
        block_length(bytes.len() as u64)?;
    }
    let handle = caller.handles().get(&params.handle_id).map_err(failed)?;
    Ok(async move {
        let file = handle.file().await.map_err(failed)?;
        file.write_at(params.offset, bytes).await.map_err(failed)?;
        Ok(Nothing {})
    })
}

/// The length of a block, if a block may have it.
fn block_length(len: u64) -> Result<usize, WireError> {
    match usize::try_from(len) {
        Ok(length) if (1..=MAX_BLOCK_BYTES).contains(&len) => Ok(length),
        _ => Err(refused(format!("a block has 1 to {MAX_BLOCK_BYTES} bytes"))),
    }
}

/// What writing to a file opened to be read says, or the other way round: EBADF, as the host
/// would say it.
fn not_opened_for_this() -> io::Error {
    if cfg!(unix) {
        let bad_descriptor = 9;
        return io::Error::other(io::Error::from_raw_os_error(bad_descriptor));
    }
    io::Error::other("the file is not open for this")
}

/// Most bytes that are read ahead of one block.
const MAX_AHEAD: u64 = 16 * 1024 * 1024;
/// How many handles of a server read ahead at once.
const HANDLES_AHEAD: usize = 4;

/// Files of any filesystem behind handles, read by their beginnings.
///
/// A filesystem of which nothing is known but the trait gives the first bytes of a file, and a
/// block in the middle costs everything in front of it. So what follows a block is read with it,
/// and kept until it is asked for.
pub(super) struct PrefixFiles {
    filesystem: Arc<dyn ExecutorFileSystem>,
    ahead: Arc<Semaphore>,
}

impl PrefixFiles {
    pub(super) fn new(filesystem: Arc<dyn ExecutorFileSystem>) -> Self {
        let ahead = Arc::new(Semaphore::new(HANDLES_AHEAD));
        Self { filesystem, ahead }
    }
}

impl OpenFiles for PrefixFiles {
    fn enforces_sandboxes(&self) -> bool {
        false
    }

    fn open<'a>(
        &'a self,
        path: &'a PathUri,
        mode: OpenMode,
        sandbox: Option<&'a FileSystemSandboxContext>,
    ) -> FileFuture<'a, Arc<dyn OpenFile>> {
        Box::pin(async move {
            if mode == OpenMode::Replace {
                let message = "files of this filesystem cannot be opened to be replaced";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            // Nothing is read, and whatever keeps the file from being read is told.
            let checked = self.filesystem.read_file_prefix(path, 0, None, sandbox);
            checked.await?;
            let file: Arc<dyn OpenFile> = Arc::new(PrefixFile {
                filesystem: Arc::clone(&self.filesystem),
                path: path.clone(),
                sandbox: sandbox.cloned(),
                places: Arc::clone(&self.ahead),
                ahead: tokio::sync::Mutex::default(),
            });
            Ok(file)
        })
    }
}

struct PrefixFile {
    filesystem: Arc<dyn ExecutorFileSystem>,
    path: PathUri,
    sandbox: Option<FileSystemSandboxContext>,
    places: Arc<Semaphore>,
    /// Blocks of one file that are asked for at once wait for each other, since the first one
    /// reads what the others want.
    ahead: tokio::sync::Mutex<Option<Ahead>>,
}

/// Some bytes of a file that were read ahead.
struct Ahead {
    start: u64,
    bytes: Vec<u8>,
    /// Whether the file ends with them.
    is_end: bool,
    _place: OwnedSemaphorePermit,
}

impl Ahead {
    /// A block, if all of it is here.
    fn block(&self, offset: u64, len: usize) -> Option<Vec<u8>> {
        let start = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        let end = start.checked_add(len)?;
        if end > self.bytes.len() && !self.is_end {
            return None;
        }
        let end = end.min(self.bytes.len());
        Some(self.bytes.get(start..end).unwrap_or_default().to_vec())
    }
}

impl PrefixFile {
    /// The bytes of a block, and as many of those behind it as the prefix of this length has; and
    /// whether the file ends with them.
    async fn read(&self, offset: u64, end: u64) -> io::Result<(Vec<u8>, bool)> {
        let sandbox = self.sandbox.as_ref();
        let prefix = self
            .filesystem
            .read_file_prefix(&self.path, end, Some(end), sandbox);
        let prefix = prefix.await?;
        let mut bytes = prefix.bytes;
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        // A vector of its own, so that what is kept does not keep what is in front of it.
        let wanted = bytes.split_off(start.min(bytes.len()));
        Ok((wanted, prefix.is_complete))
    }

    async fn block(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        let end = offset.saturating_add(len as u64);
        let mut ahead = self.ahead.lock().await;
        match ahead.as_ref() {
            Some(known) if offset < known.start => {
                // A straggler must not cost those that follow what was read for them.
                drop(ahead);
                return Ok(self.read(offset, end).await?.0);
            }
            Some(known) => {
                if let Some(block) = known.block(offset, len) {
                    return Ok(block);
                }
            }
            None => {}
        }
        *ahead = None;
        let place = Arc::clone(&self.places).try_acquire_owned().ok();
        let more = place.as_ref().map_or(0, |_| offset.min(MAX_AHEAD));
        let (bytes, is_end) = self.read(offset, end.saturating_add(more)).await?;
        let block = bytes.get(..len).unwrap_or(&bytes).to_vec();
        *ahead = place.filter(|_| bytes.len() > len).map(|place| Ahead {
            start: offset,
            bytes,
            is_end,
            _place: place,
        });
        Ok(block)
    }
}

impl OpenFile for PrefixFile {
    fn read_at(&self, offset: u64, len: usize) -> FileFuture<'_, Vec<u8>> {
        Box::pin(self.block(offset, len))
    }

    fn write_at(&self, _offset: u64, _bytes: Vec<u8>) -> FileFuture<'_, ()> {
        Box::pin(async { Err(not_opened_for_this()) })
    }
}
