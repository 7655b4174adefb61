//! `fs/getMetadata`, `fs/readFile` and `fs/canonicalize`.

use std::borrow::Cow;
use std::io;

use codex_file_system::FileMetadata;

use crate::envelope::{RequestId, WireError};
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    Canonicalize, CanonicalizeResult, GetMetadata, GetMetadataResult, PathParams, ReadFile,
};
use crate::server::connection::{Caller, LARGE_REPLY_BYTES};
use crate::server::dispatch::{Answer, Serve, success_around};

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
                .wait_for_room(answer_length(prefix.size.unwrap_or(most)))
                .await;
            prefix = read(most).await?;
        }
        if !prefix.is_complete {
            let message = format!("the file has more than the {most} bytes of one answer");
            let error = io::Error::new(io::ErrorKind::FileTooLarge, message);
            return Err(to_wire(&error, Access::Read));
        }
        let before = r#"{"dataBase64":""#;
        Ok(success_around(id, before, &prefix.bytes, r#""}"#))
    }
}

/// How much room the answer with so many bytes takes while it is made: the bytes, and their base64.
pub(super) fn answer_length(bytes: u64) -> u64 {
    bytes.div_ceil(3).saturating_mul(4).saturating_add(bytes)
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
