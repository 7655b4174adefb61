//! How a socket ends when the client says goodbye.

use std::sync::Arc;

use codex_exec_server::server::EnvironmentInfo;
use codex_exec_server::{Server, ServerOptions};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

use super::wire::{Transport, Wire};

fn server() -> Server {
    let files = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/a = a").unwrap();
    let info = EnvironmentInfo::new(PathUri::parse("file:///srv").unwrap());
    Server::new(Arc::new(files), ServerOptions::new(info))
}

/// The frames the server sends after this goodbye, until the connection ends as it should.
async fn answers_to(goodbye: Option<CloseFrame>) -> Vec<Message> {
    let mut wire = Wire::open(&server(), Transport::Socket).await;
    wire.greet().await;
    wire.send_frame(Message::Close(goodbye)).await;
    wire.rest().await
}

#[tokio::test]
async fn a_goodbye_is_answered_with_its_own_code() {
    for code in [1000, 1001, 3000, 4999] {
        let frame = CloseFrame {
            code: code.into(),
            reason: "done".into(),
        };
        let answers = answers_to(Some(frame.clone())).await;
        assert_eq!(answers, [Message::Close(Some(frame))], "{code}");
    }
}

#[tokio::test]
async fn a_goodbye_without_a_code_is_answered_without_one() {
    assert_eq!(answers_to(None).await, [Message::Close(None)]);
}
