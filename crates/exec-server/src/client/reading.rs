//! Which way a file is read: in one reply, or block by block.

use std::io;

use codex_file_system::{FilePrefix, MAX_READ_FILE_BYTES};
use codex_path_uri::PathUri;

use super::RemoteCallError;
use super::blocks::{self, Unread};
use super::call::Caller;
use super::error::CallFailure;
use super::pending::Safety;
use crate::protocol::{GetMetadata, Method as _, OpenHandle, ReadFile};

/// The whole file: in one reply, and through a handle if one reply cannot hold it.
pub(super) async fn read_file(caller: &Caller<'_>, path: &PathUri) -> io::Result<Vec<u8>> {
    let refused = match in_one_reply(caller, path, u64::MAX).await? {
        Ok(whole) => return Ok(whole.bytes),
        Err(refused) => refused,
    };
    let length = length(caller, path);
    let prefix = through_handle(caller, path, MAX_READ_FILE_BYTES, length, refused).await?;
    Ok(prefix.bytes)
}

/// At most `max` bytes of the file, by the way that costs less for a file of the length that is
/// believed.
pub(super) async fn read_file_prefix(
    caller: &Caller<'_>,
    path: &PathUri,
    max: u64,
    size_hint: Option<u64>,
) -> io::Result<FilePrefix> {
    let hint = std::future::ready(size_hint);
    let may_be_large = size_hint.unwrap_or(max) > caller.shared.options.block_read_threshold;
    if may_be_large && !caller.is_absent(OpenHandle::NAME) {
        match blocks::read(caller, path, max, hint.clone()).await {
            Ok(prefix) => return whole_or_cut(prefix, max),
            Err(Unread::NoHandles) => {}
            Err(Unread::Failed(error)) => return Err(error),
        }
    }
    match in_one_reply(caller, path, max).await? {
        Ok(prefix) => Ok(prefix),
        Err(refused) => through_handle(caller, path, max, hint, refused).await,
    }
}

/// Reads by one `fs/readFile`, which brings the whole file, of which no more than `max` bytes are
/// kept. The inner error is one of a file that does not fit in a reply.
async fn in_one_reply(
    caller: &Caller<'_>,
    path: &PathUri,
    max: u64,
) -> io::Result<Result<FilePrefix, CallFailure>> {
    let called = caller.ask::<ReadFile>(path, Safety::WholeFile);
    let reply = match called.await {
        Ok(reply) => reply,
        Err(failed) if failed.kind() == io::ErrorKind::FileTooLarge => return Ok(Err(failed)),
        Err(failed) => return Err(failed.into()),
    };
    let mut bytes = Vec::new();
    let size = reply.append_content(caller, max, &mut bytes)?;
    Ok(Ok(FilePrefix::new(bytes, size <= max).with_size(Some(size))))
}

/// Reads a file that does not fit in a reply; where there are no handles, that is the error.
async fn through_handle(
    caller: &Caller<'_>,
    path: &PathUri,
    max: u64,
    length: impl Future<Output = Option<u64>>,
    refused: CallFailure,
) -> io::Result<FilePrefix> {
    if caller.is_absent(OpenHandle::NAME) {
        return Err(refused.into());
    }
    match blocks::read(caller, path, max, length).await {
        Ok(prefix) => whole_or_cut(prefix, max),
        Err(Unread::NoHandles) => Err(refused.into()),
        Err(Unread::Failed(error)) => Err(error),
    }
}

/// A prefix that ends where the caller asked, and not because the file is past the limit.
fn whole_or_cut(prefix: FilePrefix, max: u64) -> io::Result<FilePrefix> {
    if prefix.is_complete || max < MAX_READ_FILE_BYTES {
        return Ok(prefix);
    }
    let too_large = RemoteCallError {
        method: ReadFile::NAME,
        code: None,
        message: format!("the file is larger than {MAX_READ_FILE_BYTES} bytes"),
        sent: true,
    };
    Err(too_large.into_io(io::ErrorKind::FileTooLarge))
}

/// The length of a file, if it can be known; it only spares useless requests.
async fn length(caller: &Caller<'_>, path: &PathUri) -> Option<u64> {
    let called = caller.ask::<GetMetadata>(path, Safety::Repeatable);
    called.await.ok()?.decode(caller).ok()?.size
}
