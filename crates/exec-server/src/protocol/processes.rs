//! `process/start`, `process/write`, `process/read` and `process/terminate`, as the published
//! server answers them. Only the client side is here.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Method;
use crate::codec::Content;

/// `process/start`: starts a program under an id that the client chooses.
pub(crate) struct StartProcess;

impl Method for StartProcess {
    const NAME: &'static str = "process/start";
    type Params = StartProcessParams;
    type Result = StartProcessResult;
}

/// `process/write`: writes to the standard input of a program.
pub(crate) struct WriteProcess;

impl Method for WriteProcess {
    const NAME: &'static str = "process/write";
    type Params = WriteProcessParams;
    type Result = WriteProcessResult;
}

/// `process/read`: what a program wrote, and whether it has ended.
pub(crate) struct ReadProcess;

impl Method for ReadProcess {
    const NAME: &'static str = "process/read";
    type Params = ReadProcessParams;
    type Result = ReadProcessResult;
}

/// `process/terminate`: ends a program.
pub(crate) struct TerminateProcess;

impl Method for TerminateProcess {
    const NAME: &'static str = "process/terminate";
    type Params = TerminateProcessParams;
    type Result = TerminateProcessResult;
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartProcessParams {
    pub(crate) process_id: String,
    pub(crate) argv: Vec<String>,
    /// A `file:` URI.
    pub(crate) cwd: String,
    /// The whole environment of the program.
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) tty: bool,
    /// Whether its standard input can be written to.
    pub(crate) pipe_stdin: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StartProcessResult {
    pub(crate) process_id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteProcessParams {
    pub(crate) process_id: String,
    pub(crate) chunk: Content,
    /// A write of an id that was taken before is accepted and not done again.
    pub(crate) write_id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WriteProcessResult {
    pub(crate) status: WriteStatus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum WriteStatus {
    Accepted,
    StdinClosed,
    UnknownProcess,
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadProcessParams {
    pub(crate) process_id: String,
    /// The number of the last chunk that is known.
    pub(crate) after_seq: u64,
    /// How long the server may wait for one.
    pub(crate) wait_ms: u64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadProcessResult {
    pub(crate) chunks: Vec<OutputChunk>,
    /// The number of the chunk or event that comes next.
    pub(crate) next_seq: u64,
    pub(crate) exited: bool,
    pub(crate) exit_code: Option<i32>,
    /// Whether its output has ended, too.
    pub(crate) closed: bool,
    #[serde(default)]
    pub(crate) failure: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct OutputChunk {
    pub(crate) seq: u64,
    pub(crate) stream: OutputStream,
    pub(crate) chunk: Content,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum OutputStream {
    Stdout,
    Stderr,
    #[serde(other)]
    Other,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TerminateProcessParams {
    pub(crate) process_id: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TerminateProcessResult {
    /// Whether it ran until then.
    pub(crate) running: bool,
}
