//! From a method's name to its answer.
//!
//! A method implements [`Serve`]: what it does with parameters that were read. Reading them,
//! writing the answer and telling errors is the same for all of them, and is here.

use std::io;
use std::pin::Pin;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Access;
use super::connection::Caller;
use crate::envelope::{
    RequestId, WireError, code, encode_failure, encode_large_success, encode_success,
};
use crate::error_map::refusal;
use crate::protocol::{
    Canonicalize, CloseHandle, CopyPath, CreateDirectory, EnvironmentConfigRead,
    EnvironmentInfoMethod, EnvironmentStatus, GetMetadata, Method, OpenHandle, ReadBlock,
    ReadDirectory, ReadFile, RemovePath, ShapeError, WalkDirectory, WatchMissing, WriteBlock,
    WriteFile, decode_params,
};

/// What a method does.
pub(super) trait Serve: Method {
    /// Whether it changes something, whatever its parameters are.
    const WRITES: bool = false;

    /// Does what one request asks.
    fn serve<'a>(
        caller: &'a Caller,
        params: Self::Params<'a>,
    ) -> impl Future<Output = Result<Self::Result<'a>, WireError>> + Send;
}

/// How a method answers. One whose answer may be large writes it straight from what it describes;
/// any other makes its result first, which is [`Serve`].
pub(super) trait Answer: Method {
    /// Whether it changes something, whatever its parameters are.
    const WRITES: bool = false;

    /// The text of the answer to one request.
    fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: Self::Params<'a>,
    ) -> impl Future<Output = Result<String, WireError>> + Send;
}

impl<M: Serve> Answer for M {
    const WRITES: bool = <M as Serve>::WRITES;

    async fn answer<'a>(
        caller: &'a Caller,
        id: &'a RequestId,
        params: Self::Params<'a>,
    ) -> Result<String, WireError> {
        Ok(success(id, &M::serve(caller, params).await?))
    }
}

/// Makes the text of the answer to a request for one method.
pub(super) type Handler = for<'a> fn(
    &'a Caller,
    &'a RequestId,
    Option<&'a RawValue>,
) -> Pin<Box<dyn Future<Output = String> + Send + 'a>>;

/// The method of this name, other than `initialize`, which is part of the handshake.
pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        GetMetadata::NAME => answer::<GetMetadata>,
        ReadFile::NAME => answer::<ReadFile>,
        ReadDirectory::NAME => answer::<ReadDirectory>,
        Canonicalize::NAME => answer::<Canonicalize>,
        WalkDirectory::NAME => answer::<WalkDirectory>,
        WriteFile::NAME => answer::<WriteFile>,
        CreateDirectory::NAME => answer::<CreateDirectory>,
        RemovePath::NAME => answer::<RemovePath>,
        CopyPath::NAME => answer::<CopyPath>,
        OpenHandle::NAME => answer::<OpenHandle>,
        ReadBlock::NAME => answer::<ReadBlock>,
        WriteBlock::NAME => answer::<WriteBlock>,
        CloseHandle::NAME => answer::<CloseHandle>,
        WatchMissing::NAME => answer::<WatchMissing>,
        EnvironmentInfoMethod::NAME => answer::<EnvironmentInfoMethod>,
        EnvironmentStatus::NAME => answer::<EnvironmentStatus>,
        EnvironmentConfigRead::NAME => answer::<EnvironmentConfigRead>,
        _ => return None,
    })
}

fn answer<'a, M: Answer>(
    caller: &'a Caller,
    id: &'a RequestId,
    params: Option<&'a RawValue>,
) -> Pin<Box<dyn Future<Output = String> + Send + 'a>> {
    Box::pin(async move {
        let params = match decode_params::<M>(params) {
            Ok(params) => params,
            Err(error) => return failure(id, &wrong_params(&error)),
        };
        if M::WRITES && caller.service().options.access == Access::ReadOnly {
            return failure(id, &read_only());
        }
        let answer = M::answer(caller, id, params).await;
        answer.unwrap_or_else(|error| failure(id, &error))
    })
}

/// The text of a successful answer.
pub(super) fn success(id: &RequestId, result: &impl Serialize) -> String {
    encoded(id, encode_success(id, result))
}

/// The text of a successful answer of about so many bytes.
pub(super) fn large_success(id: &RequestId, result: &impl Serialize, bytes: usize) -> String {
    encoded(id, encode_large_success(id, result, bytes))
}

fn encoded(id: &RequestId, text: Result<String, serde_json::Error>) -> String {
    text.unwrap_or_else(|error| {
        let message = error.to_string();
        failure(
            id,
            &refusal(code::INTERNAL_ERROR, io::ErrorKind::Other, message),
        )
    })
}

/// The beginning of a successful answer whose result is JSON text around so many bytes in base64,
/// with room for the rest. Base64 needs no escape, so megabytes of it are neither copied nor
/// searched for one.
pub(super) fn begin_success(id: &RequestId, before: &str, bytes: usize) -> String {
    // An id is always JSON, so there is nothing to say when it is not.
    let id = serde_json::to_string(id).unwrap_or_default();
    let head = ["{\"id\":", &id, ",\"result\":", before].concat();
    let mut text = String::with_capacity(head.len() + bytes.div_ceil(3) * 4 + MAX_TAIL_BYTES);
    text.push_str(&head);
    text
}

/// How much may stand behind the base64 of an answer before its room does not hold it.
const MAX_TAIL_BYTES: usize = 32;

/// The text of an answer that tells an error.
pub(super) fn failure(id: &RequestId, error: &WireError) -> String {
    // An id, a number and texts are always JSON, so there is nothing to say when they are not.
    encode_failure(id, error).unwrap_or_default()
}

/// What is said of parameters of another shape.
pub(super) fn wrong_params(error: &ShapeError) -> WireError {
    let message = format!("invalid params: {error}");
    refusal(code::INVALID_PARAMS, io::ErrorKind::InvalidInput, message)
}

/// What is said of a method this server does not have.
pub(super) fn unknown_method(name: &str) -> WireError {
    let name: String = name.chars().take(MAX_ECHOED_NAME).collect();
    let message = format!("unknown method `{name}`");
    refusal(code::METHOD_NOT_FOUND, io::ErrorKind::Unsupported, message)
}

/// How much of a name the client chose is repeated to it.
const MAX_ECHOED_NAME: usize = 64;

/// What is said of a change where nothing may be changed.
pub(super) fn read_only() -> WireError {
    let kind = io::ErrorKind::ReadOnlyFilesystem;
    refusal(code::INTERNAL_ERROR, kind, kind.to_string())
}
