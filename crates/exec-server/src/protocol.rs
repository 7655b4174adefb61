//! What the two ends say to each other: one type per method, with the shapes of its parameters and
//! its result, and the limits both ends keep.
//!
//! Every shape is spelled as the wire spells it. Unknown fields are ignored, and what is absent is
//! left out, as not every server takes a `null`; only `sandbox` and `resumeSessionId` are always
//! sent, as the published client sends them. Paths are text here, since what a text means is
//! decided by the end that receives it. Nothing here does I/O.

mod files;
mod handles;
mod handshake;
#[cfg(feature = "process")]
mod processes;
mod sandbox;

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub(crate) use files::{
    Canonicalize, CanonicalizeResult, CopyParams, CopyPath, CreateDirectory, CreateDirectoryParams,
    DirectoryEntry, GetMetadata, GetMetadataResult, PathParams, ReadDirectory, ReadDirectoryResult,
    ReadFile, ReadFileResult, RemoveParams, RemovePath, WalkDirectory, WalkDirectoryParams,
    WalkDirectoryResult, WalkLimits, WalkedEntry, WalkedError, WalkedKind, WatchMissing,
    WatchMissingParams, WatchMissingResult, WriteFile, WriteFileParams,
};
pub(crate) use handles::{
    CloseHandle, CloseHandleParams, OpenHandle, OpenHandleParams, OpenHandleResult, OpenMode,
    ReadBlock, ReadBlockParams, ReadBlockResult, WriteBlock, WriteBlockParams,
};
pub use handshake::Shell;
pub(crate) use handshake::{
    ConfigLayers, EnvironmentConfigRead, EnvironmentConfigReadParams, EnvironmentConfigReadResult,
    EnvironmentInfo, EnvironmentInfoMethod, EnvironmentStatus, EnvironmentStatusResult,
    INITIALIZED, Initialize, InitializeParams, InitializeResult, SANDBOX_CAPABILITY,
};
#[cfg(feature = "process")]
pub(crate) use processes::{
    OutputStream, ReadProcess, ReadProcessParams, StartProcess, StartProcessParams,
    TerminateProcess, TerminateProcessParams, WriteProcess, WriteProcessParams, WriteStatus,
};
pub(crate) use sandbox::{SandboxParam, WireAccess, WireRestriction, WireSandboxEntry};

/// Largest message the server reads, in bytes (64 MiB).
pub(crate) const MAX_SERVER_INBOUND_MESSAGE: usize = 64 * 1024 * 1024;
/// Largest message the client reads, in bytes (128 MiB).
pub(crate) const MAX_CLIENT_INBOUND_MESSAGE: usize = 128 * 1024 * 1024;
/// Largest reply of the server, in bytes (16 MiB); other clients drop their connection at a larger
/// message.
pub(crate) const MAX_REPLY: usize = 16 * 1024 * 1024;
/// Most bytes of one block of a file (1 MiB).
pub(crate) const MAX_BLOCK_BYTES: u64 = 1024 * 1024;
/// Most files a connection may hold open.
pub(crate) const MAX_HANDLES: usize = 128;
/// Longest handle id, in bytes.
pub(crate) const MAX_HANDLE_ID_BYTES: usize = 32;
/// Longest path the server reads, in bytes of its URI (64 KiB); no system has longer ones.
pub(crate) const MAX_PATH_BYTES: usize = 64 * 1024;
/// Most paths, or keys of a configuration, in one request that lists some.
pub(crate) const MAX_LISTED_PATHS: usize = 4096;
/// Most entries of a listing or a walk that the client reads; twice what fits in an answer of our
/// server. What they come to in memory is several times their text.
pub(crate) const MAX_LISTED_ENTRIES: usize = 500_000;
/// Most names in one key of a configuration.
pub(crate) const MAX_KEY_NAMES: usize = 128;
/// Most keys of an object in the parameters of a request, one that is skipped included.
pub(crate) const MAX_OBJECT_KEYS: usize = 4096;
/// Longest id of a request that is text, in bytes (64 KiB).
pub(crate) const MAX_REQUEST_ID_BYTES: usize = 64 * 1024;

/// A method of the protocol: its name, and what goes in and comes out.
pub(crate) trait Method {
    /// The name on the wire.
    const NAME: &'static str;
    /// Whether a request without parameters is complete.
    const PARAMS_ARE_OPTIONAL: bool = false;
    /// The shape of the parameters.
    type Params: Send + Serialize + DeserializeOwned;
    /// The shape of the result.
    type Result: Send + Serialize + DeserializeOwned;
}

/// The parameters of a method that has none, and the result of one that has nothing to say: an
/// object in which every field is ignored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Nothing {}

/// Parameters or a result that have another shape than their method gives them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ShapeError {
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
#[cfg(feature = "server")]
pub(crate) fn decode_params<M: Method>(params: Option<&RawValue>) -> Result<M::Params, ShapeError> {
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
#[cfg(feature = "client")]
pub(crate) fn decode_result<M: Method>(result: &str) -> Result<M::Result, ShapeError> {
    decode_object(result)
}

/// Reads an object. The types would take an array for one, field by field; the protocol does not.
fn decode_object<T: DeserializeOwned>(text: &str) -> Result<T, ShapeError> {
    if !text.trim_start().starts_with('{') {
        return Err(ShapeError::NotAnObject);
    }
    serde_json::from_str(text).map_err(ShapeError::Field)
}

/// Reads a nested `T` from an object and from nothing else; for `deserialize_with`.
pub(crate) fn object<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct ObjectVisitor<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

/// A list that is refused when it is longer than anybody needs, before it is held whole.
///
/// An element of a list may take twenty times the memory of its text, so the limit of a message
/// does not bound what a list of short texts comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct Bounded<T, const MOST: usize>(pub(crate) Vec<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for Bounded<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for ListVisitor<T, MOST> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MOST} elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(element) = elements.next_element()? {
                    if list.len() == MOST {
                        return Err(A::Error::invalid_length(MOST + 1, &self));
                    }
                    list.push(element);
                }
                Ok(list)
            }
        }

        let list = deserializer.deserialize_seq(ListVisitor::<T, MOST>(PhantomData))?;
        Ok(Self(list))
    }
}
