//! What is on the wire at once, in which order, and what a dropped call leaves behind.

use std::time::Duration;

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::{ExecutorFileSystem, FileKind, FileMetadata};
use futures::future::{join_all, poll_immediate};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Peer, greeted_client, path};

fn names(burst: &[Value]) -> Vec<&str> {
    burst
        .iter()
        .filter_map(|request| request["params"]["path"].as_str())
        .collect()
}

async fn answer_file(peer: &mut Peer, request: &Value) {
    peer.succeed(request, json!({"isDirectory": false, "isFile": true}))
        .await;
}

#[tokio::test(start_paused = true)]
async fn calls_past_the_limit_wait_in_order() {
    let options = ClientOptions {
        max_in_flight: 2,
        ..ClientOptions::default()
    };
    let (remote, mut peer) = greeted_client(options).await;
    let paths: Vec<_> = (0..5).map(|n| path(&format!("file:///{n}"))).collect();
    let calls = join_all(paths.iter().map(|path| remote.get_metadata(path, None)));
    let serving = async {
        let first = peer.burst().await;
        assert_eq!(names(&first), ["file:///0", "file:///1"]);
        assert!(peer.is_silent().await);
        answer_file(&mut peer, &first[1]).await;
        let second = peer.burst().await;
        assert_eq!(names(&second), ["file:///2"]);
        answer_file(&mut peer, &second[0]).await;
        answer_file(&mut peer, &first[0]).await;
        for expected in ["file:///3", "file:///4"] {
            let request = peer.next().await;
            assert_eq!(request["params"]["path"], expected);
            answer_file(&mut peer, &request).await;
        }
    };
    let (results, ()) = tokio::join!(calls, serving);
    assert!(results.iter().all(Result::is_ok));
    assert_eq!(remote.statistics().peak_in_flight, 2);
    assert_eq!(remote.statistics().requests, 5);
}

#[tokio::test(start_paused = true)]
async fn answers_may_come_in_any_order() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let paths: Vec<_> = (0..3).map(|n| path(&format!("file:///{n}"))).collect();
    let calls = join_all(paths.iter().map(|path| remote.canonicalize(path, None)));
    let serving = async {
        for request in peer.burst().await.iter().rev() {
            let asked = request["params"]["path"].as_str().unwrap();
            peer.succeed(request, json!({"path": format!("{asked}/real")}))
                .await;
        }
    };
    let (results, ()) = tokio::join!(calls, serving);
    let results: Vec<_> = results.into_iter().map(Result::unwrap).collect();
    let expected = ["file:///0/real", "file:///1/real", "file:///2/real"].map(path);
    assert_eq!(results, expected);
}

#[tokio::test]
async fn a_server_that_floods_lets_others_run() {
    const LINES: usize = 100_000;
    let flood = std::io::Cursor::new(b"nonsense\n".repeat(LINES));
    let remote = RemoteFileSystem::from_streams(flood, tokio::io::sink(), ClientOptions::default());
    tokio::task::yield_now().await;
    let taken = remote.statistics().protocol_errors;
    assert!((1..10_000).contains(&taken), "{taken} of {LINES} at once");
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_not_polled_is_none() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    drop(remote.get_metadata(&path("file:///a"), None));
    assert!(peer.is_silent().await);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_sends_nothing_and_its_late_answer_is_dropped() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let (a, b) = (path("file:///a"), path("file:///b"));
    let dropped = tokio::time::timeout(Duration::from_millis(1), remote.get_metadata(&a, None));
    assert!(dropped.await.is_err());
    let first = peer.expect("fs/getMetadata").await;
    assert!(peer.is_silent().await);
    answer_file(&mut peer, &first).await;
    let serving = async {
        let second = peer.expect("fs/getMetadata").await;
        assert!(second["id"] != first["id"]);
        answer_file(&mut peer, &second).await;
    };
    let (result, ()) = tokio::join!(remote.get_metadata(&b, None), serving);
    assert_eq!(result.unwrap(), FileMetadata::new(FileKind::File));
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_while_it_waits_is_never_sent() {
    let options = ClientOptions {
        max_in_flight: 1,
        ..ClientOptions::default()
    };
    let (remote, mut peer) = greeted_client(options).await;
    let (a, b, c) = (path("file:///a"), path("file:///b"), path("file:///c"));
    let mut first = remote.get_metadata(&a, None);
    let mut third = remote.get_metadata(&c, None);
    assert!(poll_immediate(&mut first).await.is_none());
    {
        let mut second = remote.get_metadata(&b, None);
        assert!(poll_immediate(&mut second).await.is_none());
        assert!(poll_immediate(&mut third).await.is_none());
    }
    let serving = async {
        for expected in ["file:///a", "file:///c"] {
            let request = peer.next().await;
            assert_eq!(request["params"]["path"], expected);
            answer_file(&mut peer, &request).await;
        }
    };
    let (first, third, ()) = tokio::join!(first, third, serving);
    assert!(first.is_ok() && third.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_makes_room_for_the_next() {
    let options = ClientOptions {
        max_in_flight: 1,
        ..ClientOptions::default()
    };
    let (remote, mut peer) = greeted_client(options).await;
    let (a, b) = (path("file:///a"), path("file:///b"));
    let mut first = remote.get_metadata(&a, None);
    let mut second = remote.get_metadata(&b, None);
    assert!(poll_immediate(&mut first).await.is_none());
    assert!(poll_immediate(&mut second).await.is_none());
    peer.expect("fs/getMetadata").await;
    drop(first);
    let request = peer.expect("fs/getMetadata").await;
    answer_file(&mut peer, &request).await;
    assert!(second.await.is_ok());
}
