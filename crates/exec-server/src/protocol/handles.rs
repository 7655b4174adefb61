//! `fs/open`, `fs/readBlock`, `fs/writeBlock` and `fs/close`: a file in pieces.
//!
//! A handle belongs to the connection it was opened on and does not outlive it.

use serde::{Deserialize, Serialize};

use super::{Method, Nothing, SandboxParam};
use crate::codec::Content;

/// `fs/open`: opens a file under an id that the client chooses.
pub(crate) struct OpenHandle;

impl Method for OpenHandle {
    const NAME: &'static str = "fs/open";
    type Params = OpenHandleParams;
    type Result = OpenHandleResult;
}

/// `fs/readBlock`: some bytes of an open file.
pub(crate) struct ReadBlock;

impl Method for ReadBlock {
    const NAME: &'static str = "fs/readBlock";
    type Params = ReadBlockParams;
    type Result = ReadBlockResult;
}

/// `fs/writeBlock`: writes some bytes of a file opened to be replaced.
pub(crate) struct WriteBlock;

impl Method for WriteBlock {
    const NAME: &'static str = "fs/writeBlock";
    type Params = WriteBlockParams;
    type Result = Nothing;
}

/// `fs/close`: forgets a handle; one that is unknown is fine.
pub(crate) struct CloseHandle;

impl Method for CloseHandle {
    const NAME: &'static str = "fs/close";
    type Params = CloseHandleParams;
    type Result = Nothing;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenHandleParams {
    /// The id the client will use; may be empty.
    pub(crate) handle_id: String,
    pub(crate) path: String,
    /// What the file is opened for; to read it when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<OpenMode>,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OpenMode {
    /// To read blocks of it.
    Read,
    /// To create it or replace its content block by block.
    Replace,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OpenHandleResult {
    /// The id of the request.
    pub(crate) handle_id: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadBlockParams {
    pub(crate) handle_id: String,
    /// Where the block starts, in bytes.
    pub(crate) offset: u64,
    /// How many bytes are wanted, 1 to `MAX_BLOCK_BYTES`.
    pub(crate) len: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadBlockResult {
    pub(crate) chunk: Content,
    /// Whether fewer bytes were there than were wanted.
    pub(crate) eof: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteBlockParams {
    pub(crate) handle_id: String,
    /// Where the block starts, in bytes.
    pub(crate) offset: u64,
    /// The bytes in base64; text here, since a fault in it has an answer of its own.
    pub(crate) chunk: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CloseHandleParams {
    pub(crate) handle_id: String,
}
