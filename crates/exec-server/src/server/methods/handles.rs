//! `fs/open`, `fs/readBlock`, `fs/writeBlock` and `fs/close`.

use std::io;

use super::files::answer_room;
use super::refused;
use crate::envelope::{RequestId, WireError};
use crate::error_map::{Access, to_wire};
use crate::protocol::{
    CloseHandle, CloseHandleParams, Nothing, OpenHandle, OpenHandleParams, OpenHandleResult,
    OpenMode, ReadBlock, ReadBlockParams, WriteBlock, WriteBlockParams, decode_base64,
};
use crate::server;
use crate::server::connection::Caller;
use crate::server::dispatch::{Answer, Serve, begin_success, read_only};

impl Serve for OpenHandle {
    async fn serve<'a>(
        caller: &'a Caller,
        params: OpenHandleParams<'a>,
    ) -> Result<OpenHandleResult<'a>, WireError> {
        let path = caller.path(&params.path, params.sandbox)?;
        let (mode, access) = match params.mode.unwrap_or(OpenMode::Read) {
            OpenMode::Read => (OpenMode::Read, Access::Read),
            OpenMode::Replace => (OpenMode::Replace, Access::Write),
        };
        let service = caller.service();
        if access == Access::Write && service.options.access == server::Access::ReadOnly {
            return Err(read_only());
        }
        let reserved = caller
            .handles()
            .reserve(&params.handle_id, service.options.limits.handles)
            .map_err(|error| to_wire(&error.into(), access))?;
        let file = service.files.open(&path, mode).await;
        reserved.fill(file.map_err(|error| to_wire(&error, access))?);
        Ok(OpenHandleResult {
            handle_id: params.handle_id,
        })
    }
}

impl Answer for ReadBlock {
    async fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: ReadBlockParams<'a>,
    ) -> Result<String, WireError> {
        let len = block_length(caller, params.len)?;
        let read = |error: io::Error| to_wire(&error, Access::Read);
        let file = caller.handles().get(&params.handle_id).map_err(read)?;
        caller.wait_for_room(answer_room(params.len)).await;
        let text = begin_success(id, r#"{"chunk":""#, len);
        let block = file.read_at(params.offset, len, text).await;
        let (mut text, length) = block.map_err(read)?;
        let is_end = length < len;
        text.push_str(if is_end {
            r#"","eof":true}}"#
        } else {
            r#"","eof":false}}"#
        });
        Ok(text)
    }
}

impl Serve for WriteBlock {
    const WRITES: bool = true;

    async fn serve<'a>(
        caller: &'a Caller,
        params: WriteBlockParams<'a>,
    ) -> Result<Nothing, WireError> {
        let bytes = decode_base64(&params.chunk).map_err(|error| refused(error.to_string()))?;
        if !bytes.is_empty() {
            block_length(caller, bytes.len() as u64)?;
        }
        let write = |error: io::Error| to_wire(&error, Access::Write);
        let file = caller.handles().get(&params.handle_id).map_err(write)?;
        file.write_at(params.offset, bytes).await.map_err(write)?;
        Ok(Nothing {})
    }
}

impl Serve for CloseHandle {
    async fn serve<'a>(
        caller: &'a Caller,
        params: CloseHandleParams<'a>,
    ) -> Result<Nothing, WireError> {
        caller.handles().close(&params.handle_id);
        Ok(Nothing {})
    }
}

/// The length of a block, if a block may have it.
fn block_length(caller: &Caller, len: u64) -> Result<usize, WireError> {
    let most = caller.service().options.limits.block;
    match usize::try_from(len) {
        Ok(length) if (1..=most).contains(&len) => Ok(length),
        _ => Err(refused(format!("a block has 1 to {most} bytes"))),
    }
}
