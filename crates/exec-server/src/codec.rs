//! One message: its envelope, its id, its error, and the bytes it carries as base64.
//!
//! Reading is strict about the envelope and about what any end must refuse wherever it stands in
//! the parameters (nesting past the limit, a key that stands twice, half a surrogate pair), so no
//! method has to think of it. Results are looked into by the method that waits for them. A
//! `jsonrpc` field is never sent and never looked at.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::protocol::{MAX_OBJECT_KEYS, MAX_REQUEST_ID_BYTES, object};

/// The numbers of the errors on the wire.
pub(crate) mod code {
    /// A refused request: malformed, out of turn, or an error that asking again will not cure.
    pub(crate) const INVALID_REQUEST: i64 = -32600;
    /// A method the other end does not have.
    pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
    /// Parameters of another shape, or a path that is no `file:` URI.
    pub(crate) const INVALID_PARAMS: i64 = -32602;
    /// A failed operation.
    pub(crate) const INTERNAL_ERROR: i64 = -32603;
    /// A file, or a handle, that does not exist.
    pub(crate) const NOT_FOUND: i64 = -32004;
    /// The session to resume is in use by another connection.
    pub(crate) const SESSION_ATTACHED: i64 = -32010;
}

/// The id of a request, echoed by its answer: a number, or any text of bounded length.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum RequestId {
    Number(i64),
    Text(String),
}

impl RequestId {
    /// The id of an answer to a message whose own id cannot be told.
    pub(crate) const UNKNOWN: RequestId = RequestId::Number(-1);

    fn is_too_long(&self) -> bool {
        matches!(self, RequestId::Text(text) if text.len() > MAX_REQUEST_ID_BYTES)
    }
}

/// An error on the wire.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(crate) struct WireError {
    /// One of [`code`].
    pub(crate) code: i64,
    /// For people; the message of an error of the system ends in ` (os error N)`.
    pub(crate) message: String,
    /// For programs; what is not of this shape is left out.
    #[serde(default, deserialize_with = "if_understood")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) data: Option<ErrorData>,
}

/// What an error says to programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErrorData {
    /// The name of the `io::ErrorKind`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    /// The number of the system's error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) errno: Option<i32>,
    /// Whether the path is a link whose target cannot be reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) broken_link: bool,
}

/// What the other end sent.
#[derive(Clone, Debug)]
pub(crate) enum Message<'a> {
    /// A request, to be answered under its id.
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: Option<&'a RawValue>,
    },
    /// A request that is not answered.
    Notification { method: Cow<'a, str> },
    /// The result of a request.
    Success { id: RequestId, result: &'a RawValue },
    /// The failure of a request.
    Failure { id: RequestId, error: WireError },
}

/// Bytes that are no message.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Malformed {
    /// Not text. JSON that is skipped would not tell.
    #[error("malformed message: {0}")]
    NotUtf8(#[from] std::str::Utf8Error),
    /// Not JSON, or a field of the envelope is of another type or stands twice.
    #[error("malformed message: {0}")]
    Json(#[from] serde_json::Error),
    /// Not one object.
    #[error("malformed message: it is not an object")]
    NotAnObject,
    /// The id is longer than an answer may repeat.
    #[error("malformed message: the id is too long")]
    LongId,
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
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Malformed> {
        let text = std::str::from_utf8(bytes)?;
        if !text.trim_start().starts_with('{') {
            return Err(Malformed::NotAnObject);
        }
        let envelope: Envelope<'a> = serde_json::from_str(text)?;
        if let Some(params) = envelope.params {
            serde_json::from_str::<Strict>(params.get())?;
        }
        if envelope.id.as_ref().is_some_and(RequestId::is_too_long) {
            return Err(Malformed::LongId);
        }
        envelope.classify().ok_or(Malformed::NoEnvelope)
    }
}

/// Every field an envelope may have. Those that are `deserialize_with = "present"` tell a `null`
/// from a missing field.
#[derive(serde::Deserialize)]
struct Envelope<'a> {
    #[serde(default, rename = "jsonrpc")]
    _version: IgnoredAny,
    #[serde(default, deserialize_with = "present")]
    id: Option<RequestId>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    /// The context of a distributed trace, which is accepted and left alone.
    #[serde(default, rename = "trace")]
    _trace: Option<HashMap<String, IgnoredAny>>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "present_object")]
    error: Option<WireError>,
}

impl<'a> Envelope<'a> {
    fn classify(self) -> Option<Message<'a>> {
        let params = self.params;
        match (self.method, self.id, self.result, self.error) {
            (Some(method), Some(id), None, None) => Some(Message::Request { id, method, params }),
            (Some(method), None, None, None) => Some(Message::Notification { method }),
            (None, Some(id), Some(result), None) => Some(Message::Success { id, result }),
            (None, Some(id), None, Some(error)) => Some(Message::Failure { id, error }),
            _ => None,
        }
    }
}

/// The id of a message that is no answer of a sound shape, where it names one.
#[cfg(feature = "client")]
pub(crate) fn id_of_malformed(bytes: &[u8]) -> Option<RequestId> {
    #[derive(serde::Deserialize)]
    struct Identified {
        id: RequestId,
    }
    let identified: Identified = serde_json::from_slice(bytes).ok()?;
    Some(identified.id)
}

/// Reads a field that is there, be it `null`.
fn present<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    T::deserialize(deserializer).map(Some)
}

/// Reads an object that is there, and not an array of its fields.
fn present_object<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<WireError>, D::Error> {
    object(deserializer).map(Some)
}

/// Reads the data of an error, whatever another implementation puts there.
fn if_understood<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<ErrorData>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

/// Any value without the faults that make parameters unacceptable, whichever method they are for.
///
/// A method reads the fields it knows and skips the rest, so what it skips is looked at here. The
/// parser bounds the nesting: parameters are one level inside the message, which makes its 127
/// levels the limit of the protocol.
struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Strict)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_str<E>(self, _: &str) -> Result<Strict, E> {
        Ok(Strict)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        while items.next_element::<Strict>()?.is_some() {}
        Ok(Strict)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Strict, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = fields.next_key::<String>()? {
            fields.next_value::<Strict>()?;
            if !keys.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
            if keys.len() > MAX_OBJECT_KEYS {
                let message = format!("an object has more than {MAX_OBJECT_KEYS} keys");
                return Err(A::Error::custom(message));
            }
        }
        Ok(Strict)
    }
}

/// The text of a request.
#[cfg(feature = "client")]
pub(crate) fn encode_request(
    id: i64,
    method: &str,
    params: &impl Serialize,
) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Request<'a, P> {
        id: i64,
        method: &'a str,
        params: &'a P,
    }
    serde_json::to_string(&Request { id, method, params })
}

/// The text of a notification without parameters.
#[cfg(feature = "client")]
pub(crate) fn encode_notification(method: &str) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Notification<'a> {
        method: &'a str,
    }
    serde_json::to_string(&Notification { method })
}

/// The text of a successful answer, in a buffer that has room for so many bytes: one that grows to
/// megabytes is moved, and takes three times as much by then.
#[cfg(feature = "server")]
pub(crate) fn encode_success(
    id: &RequestId,
    result: &impl Serialize,
    bytes: usize,
) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Success<'a, R> {
        id: &'a RequestId,
        result: &'a R,
    }
    let mut text = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut text, &Success { id, result })?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

/// The text of an answer that tells an error.
#[cfg(feature = "server")]
pub(crate) fn encode_failure(id: &RequestId, error: &WireError) -> String {
    #[derive(Serialize)]
    struct Failure<'a> {
        error: &'a WireError,
        id: &'a RequestId,
    }
    // An id, a number and texts are always JSON, so there is nothing to say when they are not.
    serde_json::to_string(&Failure { error, id }).unwrap_or_default()
}

/// Bytes that travel as base64 of the standard alphabet, padded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Content(pub(crate) Vec<u8>);

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode_base64(&self.0))
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Base64;

        impl Visitor<'_> for Base64 {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("base64 text")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Content, E> {
                decode_base64(text).map(Content).map_err(E::custom)
            }
        }

        deserializer.deserialize_str(Base64)
    }
}

/// Text that is not padded base64 of the standard alphabet.
#[derive(Debug, thiserror::Error)]
#[error("invalid base64: {0}")]
pub(crate) struct InvalidBase64(#[from] base64::DecodeError);

/// The bytes as base64.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes of base64 text.
///
/// # Errors
/// Another alphabet, missing padding, a line break or any other character.
pub(crate) fn decode_base64(text: &str) -> Result<Vec<u8>, InvalidBase64> {
    Ok(STANDARD.decode(text)?)
}
