//! `fs/open`, `fs/readBlock`, `fs/writeBlock` and `fs/close`: a file in pieces.
//!
//! A handle belongs to the connection it was opened on and does not outlive it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Method, Nothing, SandboxParam};

/// `fs/open`: opens a file under an id that the client chooses.
#[derive(Debug)]
pub struct OpenHandle;

impl Method for OpenHandle {
    const NAME: &'static str = "fs/open";
    type Params<'a> = OpenHandleParams<'a>;
    type Result<'a> = OpenHandleResult<'a>;
}

/// `fs/readBlock`: some bytes of an open file.
#[derive(Debug)]
pub struct ReadBlock;

impl Method for ReadBlock {
    const NAME: &'static str = "fs/readBlock";
    type Params<'a> = ReadBlockParams<'a>;
    type Result<'a> = ReadBlockResult<'a>;
}

/// `fs/writeBlock`: writes some bytes of a file opened to be replaced.
#[derive(Debug)]
pub struct WriteBlock;

impl Method for WriteBlock {
    const NAME: &'static str = "fs/writeBlock";
    type Params<'a> = WriteBlockParams<'a>;
    type Result<'a> = Nothing;
}

/// `fs/close`: forgets a handle; one that is unknown is fine.
#[derive(Debug)]
pub struct CloseHandle;

impl Method for CloseHandle {
    const NAME: &'static str = "fs/close";
    type Params<'a> = CloseHandleParams<'a>;
    type Result<'a> = Nothing;
}

/// The parameters of [`OpenHandle`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenHandleParams<'a> {
    /// The id the client will use; may be empty, at most 32 bytes.
    #[serde(borrow)]
    pub handle_id: Cow<'a, str>,
    /// A `file:` URI.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// What the file is opened for; to read it when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<OpenMode>,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// What a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OpenMode {
    /// To read blocks of it.
    Read,
    /// To create it or replace its content block by block.
    Replace,
}

/// The result of [`OpenHandle`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenHandleResult<'a> {
    /// The id of the request.
    #[serde(borrow)]
    pub handle_id: Cow<'a, str>,
}

/// The parameters of [`ReadBlock`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadBlockParams<'a> {
    /// An open handle.
    #[serde(borrow)]
    pub handle_id: Cow<'a, str>,
    /// Where the block starts, in bytes.
    pub offset: u64,
    /// How many bytes are wanted, 1 to `MAX_BLOCK_BYTES`.
    pub len: u64,
}

/// The result of [`ReadBlock`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBlockResult<'a> {
    /// The bytes in base64.
    #[serde(borrow)]
    pub chunk: Cow<'a, str>,
    /// Whether fewer bytes were there than were wanted.
    pub eof: bool,
}

/// The parameters of [`WriteBlock`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WriteBlockParams<'a> {
    /// A handle opened to replace its file.
    #[serde(borrow)]
    pub handle_id: Cow<'a, str>,
    /// Where the block starts, in bytes.
    pub offset: u64,
    /// The bytes in base64.
    #[serde(borrow)]
    pub chunk: Cow<'a, str>,
}

/// The parameters of [`CloseHandle`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CloseHandleParams<'a> {
    /// A handle, open or not.
    #[serde(borrow)]
    pub handle_id: Cow<'a, str>,
}
