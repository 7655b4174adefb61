//! `fs/getMetadata`, `fs/readFile` and `fs/canonicalize`.

use std::borrow::Cow;
use std::io;

use codex_file_system::FileMetadata;

use crate::envelope::{RequestId, WireError};
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    Canonicalize, CanonicalizeResult, GetMetadata, GetMetadataResult, PathParams, ReadFile,
    push_base64,
};
use crate::server::connection::{Caller, LARGE_REPLY_BYTES};
use crate::server::dispatch::{Answer, Serve, begin_success};

impl Serve for GetMetadata {
    async fn serve<'a>(
        caller: &'a Caller,
        params: PathParams<'a>,
    ) -> Result<GetMetadataResult, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let metadata = caller.filesystem().get_metadata(&path, None).await;
        let metadata = metadata.map_err(|error| to_wire(&error, Access::Read))?;
        Ok(described(&metadata))
    }
}

/// The wire has no word for an unknown length or time of something that is no file: it says 0.
fn described(metadata: &FileMetadata) -> GetMetadataResult {
    GetMetadataResult {
        is_directory: metadata.is_directory,
        is_file: metadata.is_file,
        is_symlink: metadata.is_symlink,
        size: metadata.size.or((!metadata.is_file).then_some(0)),
        created_at_ms: metadata.created_at_ms.unwrap_or_default(),
        modified_at_ms: metadata.modified_at_ms.unwrap_or_default(),
    }
}

impl Answer for ReadFile {
    async fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: PathParams<'a>,
    ) -> Result<String, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let read = async |most: u64| {
            let prefix = caller
                .filesystem()
                .read_file_prefix(&path, most, None, None);
            prefix.await.map_err(|error| to_wire(&error, Access::Read))
        };
        let most = caller.service().options.limits.read_file_response;
        let small = (LARGE_REPLY_BYTES as u64).min(most);
        let mut prefix = read(small).await?;
        if !prefix.is_complete && prefix.size.is_none_or(|size| size <= most) {
            // A large file is read when there is room for it, so that a client that does not
            // read its answers does not fill the memory with them.
            caller
                .wait_for_room(answer_room(prefix.size.unwrap_or(most)))
                .await;
            prefix = read(most).await?;
        }
        if !prefix.is_complete {
            let message = format!("the file has more than the {most} bytes of one answer");
            let error = io::Error::new(io::ErrorKind::FileTooLarge, message);
            return Err(to_wire(&error, Access::Read));
        }
        let mut text = begin_success(id, r#"{"dataBase64":""#, prefix.bytes.len());
        push_base64(&prefix.bytes, &mut text);
        text.push_str(r#""}}"#);
        Ok(text)
    }
}

/// How much room the answer with so many bytes takes: their base64, and the copy of it that is
/// written, in a buffer that may be twice as large.
pub(super) fn answer_room(bytes: u64) -> u64 {
    bytes.div_ceil(3).saturating_mul(12)
}

impl Serve for Canonicalize {
    async fn serve<'a>(
        caller: &'a Caller,
        params: PathParams<'a>,
    ) -> Result<CanonicalizeResult<'a>, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let canonical = caller.filesystem().canonicalize(&path, None).await;
        let canonical = canonical.map_err(|error| to_wire(&error, Access::Read))?;
        Ok(CanonicalizeResult {
            path: Cow::Owned(canonical.as_str().to_owned()),
        })
    }
}
