//! Connections that break are made again, once for everybody, and nothing happens twice.

use std::io;
use std::time::{Duration, Instant};

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::ExecutorFileSystem;
use futures::future::join_all;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::json;

use super::session::{
    TREE, assert_unchanged, run_all, run_uncut, runtime, steps, was_sent, written_once,
};
use crate::support::{Cut, FileServer, path};

async fn connect(server: &FileServer) -> RemoteFileSystem {
    RemoteFileSystem::connect_websocket(&server.url, ClientOptions::default())
        .await
        .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// A connection cut at any message changes no result of a read, and no write is sent twice.
    #[test]
    fn a_cut_at_any_message_changes_no_read_and_repeats_no_write(steps in steps()) {
        runtime().block_on(async {
            let server = FileServer::start(TREE, Cut::Never).await;
            let remote = connect(&server).await;
            let uncut = run_uncut(&remote, &steps).await;
            // In both directions; the proxy below cuts before each of them.
            let messages = 2 * server.messages().len();
            for cut in 0..=messages {
                let server = FileServer::start(TREE, Cut::FirstAfter(cut)).await;
                let remote = connect(&server).await;
                assert_unchanged(&uncut, run_all(&remote, &steps).await);
                written_once(&server.messages());
                assert!(remote.statistics().reconnections <= 1);
            }
        });
    }
}

#[tokio::test]
async fn one_reconnection_serves_all_and_goes_on_with_the_session() {
    let server = FileServer::start(TREE, Cut::FirstAfter(4)).await;
    let remote = connect(&server).await;
    // Handshake and answer, one request and its answer: that is the first connection.
    let first = remote.read_file(&path("file:///a.txt"), None).await;
    assert!(first.is_ok() || first.is_err());
    let paths = ["file:///a.txt", "file:///b.txt", "file:///d/c.txt"].map(path);
    let calls = join_all(paths.iter().map(|path| remote.read_file(path, None))).await;
    let read: Vec<_> = calls.into_iter().map(Result::unwrap).collect();
    assert_eq!(read, [b"a", b"b", b"c"]);
    assert_eq!(remote.statistics().reconnections, 1);
    let messages = server.messages().into_iter();
    let sessions: Vec<_> = messages
        .filter(|message| message["method"] == "initialize")
        .map(|message| message["params"]["resumeSessionId"].clone())
        .collect();
    assert_eq!(sessions, [json!(null), json!("the-session")]);
}

#[tokio::test]
async fn nothing_is_made_again_before_a_call_wants_it() {
    let server = FileServer::start(TREE, Cut::FirstAfter(3)).await;
    let remote = connect(&server).await;
    remote.server_info().await.unwrap();
    let a = path("file:///a.txt");
    assert_eq!(remote.read_file(&a, None).await.unwrap(), b"a");
    assert_eq!(server.methods().len(), 2);
}

#[tokio::test]
async fn a_read_that_loses_two_connections_fails() {
    // The handshake, its answer and the request: no answer ever comes.
    let server = FileServer::start(TREE, Cut::EveryAfter(4)).await;
    let remote = connect(&server).await;
    let error = remote.read_file(&path("file:///a.txt"), None).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    assert!(was_sent(&error));
    let reads = server.messages();
    let reads = reads
        .iter()
        .filter(|message| message["method"] == "fs/readFile");
    assert_eq!(reads.count(), 2);
}

#[tokio::test]
async fn a_session_that_is_still_attached_is_asked_for_again() {
    let attached = json!({"code": -32010, "message": "attached"});
    let server =
        FileServer::with_greetings(TREE, Cut::FirstAfter(3), vec![attached.clone(), attached])
            .await;
    let remote = connect(&server).await;
    let a = path("file:///a.txt");
    assert_eq!(remote.read_file(&a, None).await.unwrap(), b"a");
    let expected = [
        "initialize",
        "initialize",
        "initialize",
        "initialized",
        "fs/readFile",
    ];
    assert_eq!(server.methods().last().unwrap(), &expected);
    assert_eq!(remote.statistics().reconnections, 1);
}

#[tokio::test]
async fn a_session_that_stays_attached_is_asked_for_ten_times_more_on_a_connection() {
    let attached = json!({"code": -32010, "message": "attached"});
    let server = FileServer::with_greetings(TREE, Cut::FirstAfter(3), vec![attached; 11]).await;
    let remote = connect(&server).await;
    let begun = Instant::now();
    let a = path("file:///a.txt");
    assert_eq!(remote.read_file(&a, None).await.unwrap(), b"a");
    // 100 ms lie before each of them, and as much before the next connection.
    assert!(begun.elapsed() >= Duration::from_millis(1100));
    let [_, refused, resumed] = server.methods().try_into().unwrap();
    assert_eq!(refused, ["initialize"; 11]);
    assert_eq!(resumed, ["initialize", "initialized", "fs/readFile"]);
}

#[tokio::test]
async fn a_session_that_is_unknown_is_replaced_by_a_fresh_one() {
    let unknown = json!({"code": -32600, "message": "unknown session"});
    let server = FileServer::with_greetings(TREE, Cut::FirstAfter(3), vec![unknown]).await;
    let remote = connect(&server).await;
    remote.server_info().await.unwrap();
    let a = path("file:///a.txt");
    assert_eq!(remote.read_file(&a, None).await.unwrap(), b"a");
    let messages = server.messages().into_iter();
    let sessions: Vec<_> = messages
        .filter(|message| message["method"] == "initialize")
        .map(|message| message["params"]["resumeSessionId"].clone())
        .collect();
    assert_eq!(sessions, [json!(null), json!("the-session"), json!(null)]);
}

#[tokio::test]
async fn a_server_that_is_gone_fails_every_waiter_and_the_next_call_begins_anew() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let accepting = async {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    };
    let connecting = RemoteFileSystem::connect_websocket(&url, ClientOptions::default());
    let (remote, socket) = tokio::join!(connecting, accepting);
    let remote = remote.unwrap();
    drop(socket);
    drop(listener);
    let paths = [path("file:///a"), path("file:///b")];
    for _ in 0..2 {
        let begun = Instant::now();
        let calls = join_all(paths.iter().map(|path| remote.read_file(path, None))).await;
        for error in calls.into_iter().map(Result::unwrap_err) {
            assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        }
        // 100, 200, 400 and 800 ms lie between the attempts.
        assert!(begun.elapsed() >= Duration::from_millis(1500));
    }
    assert_eq!(remote.statistics().reconnections, 0);
}

#[tokio::test]
async fn without_reconnection_a_lost_connection_stays_lost() {
    let server = FileServer::start(TREE, Cut::FirstAfter(3)).await;
    let options = ClientOptions {
        reconnect: false,
        ..ClientOptions::default()
    };
    let remote = RemoteFileSystem::connect_websocket(&server.url, options)
        .await
        .unwrap();
    let a = path("file:///a.txt");
    for _ in 0..2 {
        let error = remote.read_file(&a, None).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    }
    assert_eq!(server.methods().len(), 1);
}
