//! Messages of the executor protocol: what is read and written again is what was read.

use codex_exec_server::envelope::{
    Message, RequestId, encode_failure, encode_notification, encode_request, encode_success,
};
use serde::de::IgnoredAny;

/// The bytes are one message.
pub fn exec_messages(data: &[u8]) {
    let Ok(message) = Message::parse(data) else {
        return;
    };
    assert!(serde_json::from_slice::<IgnoredAny>(data).is_ok());
    let written = match &message {
        Message::Request {
            id: RequestId::Number(id),
            method,
            params: Some(params),
        } => encode_request(*id, method, params),
        Message::Notification {
            method,
            params: None,
        } => encode_notification(method),
        Message::Success { id, result } => encode_success(id, result),
        Message::Failure { id, error } => encode_failure(id, error),
        // Neither end of this crate writes these.
        Message::Request { .. } | Message::Notification { .. } => return,
    };
    let written = written.expect("what was read can be written");
    let again = Message::parse(written.as_bytes()).expect("what was written can be read");
    assert_eq!(format!("{again:?}"), format!("{message:?}"));
}
