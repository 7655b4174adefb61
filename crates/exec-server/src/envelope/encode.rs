//! Writing messages.

use serde::Serialize;

use super::{RequestId, WireError};

/// The text of a request.
///
/// # Errors
/// Only a value that cannot be JSON; none of [`protocol`](crate::protocol) is one.
pub fn encode_request(
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
///
/// # Errors
/// None in practice.
pub fn encode_notification(method: &str) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Notification<'a> {
        method: &'a str,
    }
    serde_json::to_string(&Notification { method })
}

/// The text of a successful answer.
///
/// # Errors
/// Only a value that cannot be JSON; none of [`protocol`](crate::protocol) is one.
pub fn encode_success(
    id: &RequestId,
    result: &impl Serialize,
) -> Result<String, serde_json::Error> {
    serde_json::to_string(&Success { id, result })
}

/// The same, in a buffer that has room for so many bytes: one that grows to megabytes is moved, and
/// takes three times as much by then.
#[cfg(feature = "server")]
pub(crate) fn encode_large_success(
    id: &RequestId,
    result: &impl Serialize,
    bytes: usize,
) -> Result<String, serde_json::Error> {
    let mut text = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut text, &Success { id, result })?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

#[derive(Serialize)]
struct Success<'a, R> {
    id: &'a RequestId,
    result: &'a R,
}

/// The text of an answer that tells an error.
///
/// # Errors
/// None in practice.
pub fn encode_failure(id: &RequestId, error: &WireError) -> Result<String, serde_json::Error> {
    #[derive(Serialize)]
    struct Failure<'a> {
        error: &'a WireError,
        id: &'a RequestId,
    }
    serde_json::to_string(&Failure { error, id })
}
