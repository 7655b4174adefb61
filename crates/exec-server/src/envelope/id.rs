//! The ids of requests: numbers or text, echoed as they came.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

use crate::protocol::MAX_REQUEST_ID_BYTES;

/// The id of a request, echoed by its answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestId {
    /// A number.
    Number(i64),
    /// Any text of at most [`MAX_REQUEST_ID_BYTES`], the empty one too.
    Text(String),
}

impl RequestId {
    /// The id of an answer to a message whose own id cannot be told.
    pub const UNKNOWN: RequestId = RequestId::Number(-1);
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RequestId::Number(number) => serializer.serialize_i64(*number),
            RequestId::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;
        impl Visitor<'_> for IdVisitor {
            type Value = RequestId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer or a text")
            }

            fn visit_i64<E>(self, number: i64) -> Result<RequestId, E> {
                Ok(RequestId::Number(number))
            }

            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<RequestId, E> {
                let number = i64::try_from(number).map_err(|_| E::custom("the id is too large"))?;
                Ok(RequestId::Number(number))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<RequestId, E> {
                // An answer repeats the id, and answers are bounded.
                if text.len() > MAX_REQUEST_ID_BYTES {
                    return Err(E::custom("the id is too long"));
                }
                Ok(RequestId::Text(text.to_owned()))
            }
        }
        deserializer.deserialize_any(IdVisitor)
    }
}
