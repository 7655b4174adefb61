//! How many bytes a server has on their way at once, however many requests are for them.

use std::sync::Arc;
use std::time::Duration;

use codex_exec_server::server::{EnvironmentInfo, Limits};
use codex_exec_server::{Server, ServerOptions};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::stub::Stub;
use super::wire::{Transport, Wire};

/// How long an operation counts that does not end.
const PATIENCE: Duration = Duration::from_secs(1);

fn server(stub: &Stub, limits: Limits) -> Server {
    let info = EnvironmentInfo::new(PathUri::parse("file:///srv").unwrap());
    let options = ServerOptions::new(info).with_limits(limits);
    Server::new(Arc::new(stub.filesystem()), options)
}

/// Room for so many listings.
fn listings(count: usize) -> Limits {
    let mut limits = Limits::default();
    limits.listings = u32::try_from(count * limits.directory_response).unwrap();
    limits
}

async fn greeted(server: &Server) -> Wire {
    let mut wire = Wire::open(server, Transport::Pipe).await;
    wire.greet().await;
    wire
}

fn list(id: usize) -> Value {
    json!({"id": id, "method": "fs/readDirectory", "params": {"path": "file:///srv"}})
}

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
async fn listings_of_all_clients_run_as_far_as_there_are_bytes_for_them_and_the_rest_waits() {
    let stub = Stub::waiting();
    let server = server(&stub, listings(4));
    let mut wires = Vec::new();
    for _ in 0..3 {
        let mut wire = greeted(&server).await;
        for id in 0..5 {
            wire.send_text(&list(id).to_string()).await;
        }
        wires.push(wire);
    }
    settle().await;
    assert_eq!(stub.running(), 4);
    for _ in 0..15 {
        stub.release_one();
        settle().await;
    }
    assert_eq!((stub.running(), stub.peak()), (0, 4));
    for wire in &mut wires {
        for _ in 0..5 {
            assert!(wire.receive().await.unwrap()["result"].is_object());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn one_client_takes_half_of_the_bytes_for_listings() {
    let stub = Stub::waiting();
    let server = server(&stub, listings(4));
    let mut greedy = greeted(&server).await;
    for id in 0..5 {
        greedy.send_text(&list(id).to_string()).await;
    }
    settle().await;
    assert_eq!(stub.running(), 2);
    let mut other = greeted(&server).await;
    other.send_text(&list(0).to_string()).await;
    settle().await;
    assert_eq!(stub.running(), 3);
    // Neither do other requests of the first one wait.
    let status = json!({"id": "s", "method": "environment/status"});
    assert_eq!(greedy.request(&status).await["result"]["status"], "ready");
}

#[tokio::test(start_paused = true)]
async fn listings_that_hang_stop_their_own_client_and_nobody_else() {
    let stub = Stub::waiting();
    let server = server(&stub, listings(4));
    let mut wires = Vec::new();
    for _ in 0..2 {
        let mut wire = greeted(&server).await;
        for id in 0..2 {
            wire.send_text(&list(id).to_string()).await;
        }
        wires.push(wire);
    }
    let mut other = greeted(&server).await;
    other.send_text(&list(0).to_string()).await;
    settle().await;
    assert_eq!(stub.running(), 4);
    tokio::time::advance(PATIENCE).await;
    settle().await;
    assert_eq!(stub.running(), 5);
}

#[tokio::test(start_paused = true)]
async fn requests_of_a_client_run_as_far_as_one_message_may_be_long() {
    let stub = Stub::waiting();
    let mut limits = Limits::default();
    limits.inbound_message = 1_000_000;
    let server = server(&stub, limits);
    let mut wire = greeted(&server).await;
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

#[tokio::test(start_paused = true)]
async fn long_beginnings_of_files_are_read_one_after_the_other_to_get_at_their_blocks() {
    let stub = Stub::waiting();
    let server = server(&stub, Limits::default());
    let mut wire = greeted(&server).await;
    for handle in ["a", "b"] {
        let params = json!({"handleId": handle, "path": "file:///srv/a"});
        let open = json!({"id": 1, "method": "fs/open", "params": params});
        stub.release_one();
        assert!(wire.request(&open).await["result"].is_object());
    }
    for handle in ["a", "b"] {
        let params = json!({"handleId": handle, "offset": 40 * 1024 * 1024, "len": 1});
        let block = json!({"id": 1, "method": "fs/readBlock", "params": params});
        wire.send_text(&block.to_string()).await;
    }
    settle().await;
    assert_eq!(stub.running(), 1);
    stub.release_one();
    settle().await;
    assert_eq!(stub.running(), 1);
    stub.release_one();
    for _ in 0..2 {
        assert_eq!(wire.receive().await.unwrap()["result"]["eof"], true);
    }
}
