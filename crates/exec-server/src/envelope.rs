//! The envelope of a message: request, notification, success or error, and its id.
//!
//! Reading is strict about the envelope and about what any end must refuse wherever it stands in
//! the parameters (nesting past the limit, a key that stands twice, half a surrogate pair), so no
//! method has to think of it. Results are looked into by the method that waits for them. A
//! `jsonrpc` field is never sent and never looked at.

mod encode;
mod id;
#[cfg(feature = "client")]
mod long_text;
mod sound;

use std::borrow::Cow;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;

#[cfg(feature = "server")]
pub(crate) use encode::encode_large_success;
pub use encode::{encode_failure, encode_notification, encode_request, encode_success};
pub use id::RequestId;
#[cfg(feature = "client")]
pub(crate) use long_text::{LongText, long_success};

use crate::protocol::object;

/// The numbers of the errors on the wire.
pub mod code {
    /// A refused request: malformed, out of turn, or an error that asking again will not cure.
    pub const INVALID_REQUEST: i64 = -32600;
    /// A method the other end does not have.
    pub const METHOD_NOT_FOUND: i64 = -32601;
    /// Parameters of another shape, or a path that is no `file:` URI.
    pub const INVALID_PARAMS: i64 = -32602;
    /// A failed operation.
    pub const INTERNAL_ERROR: i64 = -32603;
    /// A file, or a handle, that does not exist.
    pub const NOT_FOUND: i64 = -32004;
    /// The session to resume is in use by another connection.
    pub const SESSION_ATTACHED: i64 = -32010;
}

/// What the other end sent.
#[derive(Clone, Debug)]
pub enum Message<'a> {
    /// A request, to be answered under its id.
    Request {
        /// Its id.
        id: RequestId,
        /// Its method.
        method: Cow<'a, str>,
        /// Its parameters as they were sent.
        params: Option<&'a RawValue>,
    },
    /// A request that is not answered.
    Notification {
        /// Its method.
        method: Cow<'a, str>,
        /// Its parameters as they were sent.
        params: Option<&'a RawValue>,
    },
    /// The result of a request.
    Success {
        /// The request's id.
        id: RequestId,
        /// The result as it was sent.
        result: &'a RawValue,
    },
    /// The failure of a request.
    Failure {
        /// The request's id, or [`RequestId::UNKNOWN`].
        id: RequestId,
        /// What went wrong.
        error: WireError,
    },
}

/// An error on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct WireError {
    /// One of [`code`].
    pub code: i64,
    /// For people; the message of an error of the system ends in ` (os error N)`.
    pub message: String,
    /// For programs; what is not of this shape is left out.
    #[serde(default, deserialize_with = "if_understood")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<ErrorData>,
}

/// What an error says to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct ErrorData {
    /// The name of the `io::ErrorKind`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The number of the system's error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub errno: Option<i32>,
}

/// Bytes that are no message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Malformed {
    /// Not text. JSON that is skipped would not tell.
    #[error("malformed message: {0}")]
    NotUtf8(#[from] std::str::Utf8Error),
    /// Not JSON, not one object, or a field of the envelope is of another type or stands twice.
    #[error("malformed message: {0}")]
    Json(#[from] serde_json::Error),
    /// An object that is neither request nor answer.
    #[error("the message is neither a request nor an answer")]
    NoEnvelope,
}

impl<'a> Message<'a> {
    /// Reads one message.
    ///
    /// # Errors
    /// The bytes are no message; it is answered under [`RequestId::UNKNOWN`], and the connection
    /// lives.
    ///
    /// # Examples
    /// ```
    /// use codex_exec_server::envelope::{Message, RequestId};
    ///
    /// let message = Message::parse(br#"{"id": 7, "method": "environment/status"}"#)?;
    /// assert!(matches!(message, Message::Request { id: RequestId::Number(7), .. }));
    /// assert!(Message::parse(b"[]").is_err());
    /// # Ok::<(), codex_exec_server::envelope::Malformed>(())
    /// ```
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let mut deserializer = serde_json::Deserializer::from_str(std::str::from_utf8(bytes)?);
        let envelope: Envelope<'a> = object::deserialize(&mut deserializer)?;
        deserializer.end()?;
        if let Some(params) = envelope.params {
            sound::check(params)?;
        }
        envelope.classify().ok_or(Malformed::NoEnvelope)
    }
}

/// Every field an envelope may have. Those that are `deserialize_with = "present"` tell a `null`
/// from a missing field.
#[derive(serde::Deserialize)]
struct Envelope<'a> {
    #[serde(default, rename = "jsonrpc")]
    _version: serde::de::IgnoredAny,
    #[serde(default, deserialize_with = "present")]
    id: Option<RequestId>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(default, rename = "trace")]
    _trace: Option<TraceContext>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present")]
    error: Option<Object<WireError>>,
}

impl<'a> Envelope<'a> {
    fn classify(self) -> Option<Message<'a>> {
        let params = self.params;
        match (self.method, self.id, self.result, self.error) {
            (Some(method), Some(id), None, None) => Some(Message::Request { id, method, params }),
            (Some(method), None, None, None) => Some(Message::Notification { method, params }),
            (None, Some(id), Some(result), None) => Some(Message::Success { id, result }),
            (None, Some(id), None, Some(Object(error))) => Some(Message::Failure { id, error }),
            _ => None,
        }
    }
}

/// The context of a distributed trace, which is accepted and left alone.
struct TraceContext;

impl<'de> Deserialize<'de> for TraceContext {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object::deserialize::<serde::de::IgnoredAny, D>(deserializer).map(|_| TraceContext)
    }
}

/// A value that is an object and not an array of its fields.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        object::deserialize(deserializer).map(Object)
    }
}

/// Reads a field that is there, be it `null`.
fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads the data of an error, whatever another implementation puts there.
fn if_understood<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ErrorData>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str::<Object<ErrorData>>(raw.get())
        .ok()
        .map(|Object(data)| data))
}
