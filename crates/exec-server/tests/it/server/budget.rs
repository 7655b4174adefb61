//! How many bytes a server has on their way at once, however many requests are for them.

use std::sync::Arc;

use codex_exec_server::server::EnvironmentInfo;
use codex_exec_server::{Server, ServerOptions};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::stub::Stub;
use super::wire::{Transport, Wire};

fn write(id: usize, bytes: usize) -> Value {
    let params = json!({"path": "file:///srv/a", "dataBase64": "A".repeat(bytes)});
    json!({"id": id, "method": "fs/writeFile", "params": params})
}

/// Lets everybody run who can, without letting time pass.
async fn settle() {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_client_run_as_far_as_one_message_may_be_long() {
    let stub = Stub::waiting();
    let info = EnvironmentInfo::new(PathUri::parse("file:///srv").unwrap());
    let mut options = ServerOptions::new(info);
    options.limits.inbound_message = 1_000_000;
    let server = Server::new(Arc::new(stub.filesystem()), options);
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    for id in 0..5 {
        wire.send_text(&write(id, 400_000).to_string()).await;
        settle().await;
    }
    assert_eq!(stub.running(), 2);
    for _ in 0..5 {
        stub.release_one();
        assert!(wire.receive().await.unwrap()["result"].is_object());
    }
    assert_eq!(stub.peak(), 2);
}
