//! One message per WebSocket message, text or binary, whole or in fragments.
//!
//! Both ends send text. Compression is never offered. What differs from end to end is the limit
//! of a message and, on the client, how the socket is read.

use bytes::Bytes;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::protocol::MAX_CLIENT_INBOUND_MESSAGE;

/// How much may wait to be written beside the largest message.
const WRITE_SLACK: usize = 1024 * 1024;

/// The configuration of an end that reads messages of at most `limit` bytes.
///
/// What waits to be written is bounded too: a peer that sends pings and takes no answers would
/// make it grow for as long as it likes.
pub(crate) fn config(limit: usize) -> WebSocketConfig {
    let largest = limit.max(MAX_CLIENT_INBOUND_MESSAGE);
    WebSocketConfig::default()
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit))
        .max_write_buffer_size(largest.saturating_add(WRITE_SLACK))
}

/// What one item of a WebSocket stream means here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// A message of the protocol.
    Message(Bytes),
    /// A ping or pong, which the library answers.
    Liveness,
    /// The other end says goodbye.
    Close,
}

/// Sorts an item of the stream.
pub(crate) fn received(message: Message) -> Received {
    match message {
        Message::Text(text) => Received::Message(text.into()),
        Message::Binary(bytes) => Received::Message(bytes),
        Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => Received::Liveness,
        Message::Close(_) => Received::Close,
    }
}

/// Whether the stream ended because a message was past the limit.
pub(crate) fn is_oversize(error: &Error) -> bool {
    matches!(error, Error::Capacity(CapacityError::MessageTooLong { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_to_be_written_is_bounded_by_the_largest_message_and_a_little_more() {
        for limit in [
            0,
            MAX_CLIENT_INBOUND_MESSAGE,
            2 * MAX_CLIENT_INBOUND_MESSAGE,
        ] {
            let most = config(limit).max_write_buffer_size;
            let largest = limit.max(MAX_CLIENT_INBOUND_MESSAGE);
            assert!(
                (largest + 1..=largest + WRITE_SLACK).contains(&most),
                "{most}"
            );
        }
    }
}
