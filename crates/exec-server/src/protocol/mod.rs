//! What the two ends say to each other: one type per method, with the shapes of its parameters and
//! its result, and the limits both ends keep.
//!
//! Every shape is spelled as the wire spells it and borrows from the message it was read from.
//! Unknown fields are ignored, and what is absent is left out, as not every server takes a `null`;
//! only `sandbox` and `resumeSessionId` are always sent, as the published client sends them. Paths
//! are text here, since what a text means is decided by the end that receives it; so is base64,
//! since a fault in it has its own answer. Nothing here does I/O.

mod base64;
mod bounded;
mod environment;
mod files;
mod handles;
mod handshake;
mod limits;
mod listing;
pub(crate) mod object;
mod sandbox;
mod watch;
mod write;

use std::fmt::Debug;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[cfg(feature = "client")]
pub(crate) use base64::append_decoded;
#[cfg(feature = "server")]
pub(crate) use base64::push_base64;
pub use base64::{InvalidBase64, decode_base64, encode_base64};
pub use environment::{
    ConfigLayers, EnvironmentConfigRead, EnvironmentConfigReadParams, EnvironmentConfigReadResult,
    EnvironmentInfoMethod, EnvironmentStatus, EnvironmentStatusResult,
};
pub use files::{
    Canonicalize, CanonicalizeResult, GetMetadata, GetMetadataResult, PathParams, ReadFile,
    ReadFileResult,
};
pub use handles::{
    CloseHandle, CloseHandleParams, OpenHandle, OpenHandleParams, OpenHandleResult, OpenMode,
    ReadBlock, ReadBlockParams, ReadBlockResult, WriteBlock, WriteBlockParams,
};
pub use handshake::{
    EnvironmentInfo, INITIALIZED, Initialize, InitializeParams, InitializeResult, Shell,
};
pub use limits::{
    MAX_BLOCK_BYTES, MAX_CLIENT_INBOUND_MESSAGE, MAX_CONNECTIONS, MAX_DETACHED_SESSIONS,
    MAX_DIRECTORY_RESPONSE, MAX_HANDLE_ID_BYTES, MAX_HANDLES, MAX_JSON_DEPTH, MAX_KEY_NAMES,
    MAX_LISTED_ENTRIES, MAX_LISTED_PATHS, MAX_OBJECT_KEYS, MAX_PATH_BYTES, MAX_READ_FILE_RESPONSE,
    MAX_REQUEST_ID_BYTES, MAX_SERVER_INBOUND_MESSAGE, MAX_WALK_RESPONSE_BYTES, SESSION_KEPT_FOR,
};
pub use listing::{
    DirectoryEntry, ReadDirectory, ReadDirectoryResult, WalkDirectory, WalkDirectoryParams,
    WalkDirectoryResult, WalkLimits, WalkedEntry, WalkedError, WalkedKind,
};
pub use sandbox::SandboxParam;
pub use watch::{WatchMissing, WatchMissingParams, WatchMissingResult};
pub use write::{
    CopyPath, CopyPathParams, CreateDirectory, CreateDirectoryParams, RemovePath, RemovePathParams,
    WriteFile, WriteFileParams,
};

/// A method of the protocol: its name, and what goes in and comes out.
///
/// # Examples
/// ```
/// use codex_exec_server::protocol::{EnvironmentStatus, Method};
///
/// assert_eq!(EnvironmentStatus::NAME, "environment/status");
/// ```
pub trait Method {
    /// The name on the wire.
    const NAME: &'static str;
    /// Whether a request without parameters is complete.
    const PARAMS_ARE_OPTIONAL: bool = false;
    /// The shape of the parameters.
    type Params<'a>: Clone + Debug + PartialEq + Send + Serialize + Deserialize<'a>;
    /// The shape of the result.
    type Result<'a>: Clone + Debug + PartialEq + Send + Serialize + Deserialize<'a>;
}

/// The parameters of a method that has none, and the result of one that has nothing to say: an
/// object in which every field is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nothing {}

/// Parameters or a result that have another shape than their method gives them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// There are none, though the method needs some.
    #[error("there are no parameters")]
    Missing,
    /// They are not a JSON object.
    #[error("it is not an object")]
    NotAnObject,
    /// A field is missing, stands twice or has another type.
    #[error("{0}")]
    Field(serde_json::Error),
}

/// Reads the parameters of a request for `M`; `null` counts as none.
///
/// # Errors
/// The parameters are missing, no object, or a field of them is not as `M` says.
///
/// # Examples
/// ```
/// use codex_exec_server::protocol::{ReadFile, decode_params};
/// use serde_json::value::RawValue;
///
/// let raw: &RawValue = serde_json::from_str(r#"{"path": "file:///srv/a", "later": 1}"#)?;
/// let params = decode_params::<ReadFile>(Some(raw))?;
/// assert_eq!(params.path, "file:///srv/a");
/// assert!(decode_params::<ReadFile>(None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_params<M: Method>(params: Option<&RawValue>) -> Result<M::Params<'_>, ShapeError> {
    match params.map(RawValue::get) {
        Some(text) if text != "null" => decode_object(text),
        _ if M::PARAMS_ARE_OPTIONAL => decode_object("{}"),
        _ => Err(ShapeError::Missing),
    }
}

/// Reads the result of a request for `M`.
///
/// # Errors
/// The result is no object, or a field of it is not as `M` says.
pub fn decode_result<M: Method>(result: &str) -> Result<M::Result<'_>, ShapeError> {
    decode_object(result)
}

/// Reads an object. The types would take an array for one, field by field; the protocol does not.
fn decode_object<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ShapeError> {
    if !text.trim_start().starts_with('{') {
        return Err(ShapeError::NotAnObject);
    }
    serde_json::from_str(text).map_err(ShapeError::Field)
}
