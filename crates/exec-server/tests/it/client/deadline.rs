//! A server that does not answer costs the deadline of the call, and nothing else.

use std::io;
use std::time::Duration;

use codex_exec_server::{ClientOptions, RemoteCallError, RemoteFileSystem};
use codex_file_system::ExecutorFileSystem;
use futures::future::poll_immediate;
use pretty_assertions::assert_eq;
use serde_json::json;
use tokio::time::Instant;

use crate::support::{greeted_client, path};

fn source(error: &io::Error) -> Option<&RemoteCallError> {
    error.get_ref()?.downcast_ref()
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline_and_the_connection_lives() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let (a, b) = (path("file:///a"), path("file:///b"));
    let begun = Instant::now();
    let error = remote.read_file(&a, None).await.unwrap_err();
    assert_eq!(begun.elapsed(), Duration::from_secs(30));
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert_eq!(
        source(&error),
        Some(&RemoteCallError {
            method: "fs/readFile",
            code: None,
            message: "no answer within 30s".to_owned(),
            sent: true,
        })
    );
    let late = peer.expect("fs/readFile").await;
    peer.succeed(&late, json!({"dataBase64": "YQ=="})).await;
    let serving = async {
        let request = peer.expect("fs/readFile").await;
        peer.succeed(&request, json!({"dataBase64": "Yg=="})).await;
    };
    let (read, ()) = tokio::join!(remote.read_file(&b, None), serving);
    assert_eq!(read.unwrap(), b"b");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_answering_costs_every_call_its_deadline_and_no_more() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    for _ in 0..3 {
        let begun = Instant::now();
        let (read, written) = tokio::join!(
            remote.read_file(&a, None),
            remote.write_file(&a, Vec::new(), None)
        );
        assert_eq!(begun.elapsed(), Duration::from_secs(30));
        for error in [read.unwrap_err(), written.unwrap_err()] {
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
            assert_eq!(source(&error).map(|error| error.sent), Some(true));
        }
    }
    // It comes back: what it owed is nobody's, and what is asked is answered.
    for _ in 0..6 {
        let late = peer.next().await;
        peer.succeed(&late, json!({})).await;
    }
    let serving = async {
        let request = peer.expect("fs/readFile").await;
        peer.succeed(&request, json!({"dataBase64": "YQ=="})).await;
    };
    let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
    assert_eq!(read.unwrap(), b"a");
    assert_eq!(remote.statistics().protocol_errors, 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_any_more_costs_the_deadline_and_a_short_goodbye() {
    let (here, _there) = tokio::io::duplex(256);
    let (reader, writer) = tokio::io::split(here);
    let remote = RemoteFileSystem::from_streams(reader, writer, ClientOptions::default());
    let a = path("file:///a");
    for contents in [vec![0; 10_000], Vec::new()] {
        let begun = Instant::now();
        let error = remote.write_file(&a, contents, None).await.unwrap_err();
        // The handshake is not answered either, and may have the shorter deadline.
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() <= Duration::from_secs(30));
    }
    let begun = Instant::now();
    remote.close().await;
    assert!(begun.elapsed() <= Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn the_time_in_the_queue_counts() {
    let options = ClientOptions {
        max_in_flight: 1,
        call_timeout: Some(Duration::from_secs(5)),
        ..ClientOptions::default()
    };
    let (remote, _peer) = greeted_client(options).await;
    let (a, b) = (path("file:///a"), path("file:///b"));
    let mut first = remote.read_file(&a, None);
    assert!(poll_immediate(&mut first).await.is_none());
    let begun = Instant::now();
    let waiting = remote.read_file(&b, None);
    let (first, waiting) = tokio::join!(first, waiting);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert_eq!(first.unwrap_err().kind(), io::ErrorKind::TimedOut);
    let error = waiting.unwrap_err();
    assert_eq!(source(&error).map(|error| error.sent), Some(false));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_from_the_first_poll() {
    let (remote, _peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let call = remote.read_file(&a, None);
    tokio::time::advance(Duration::from_secs(20)).await;
    let begun = Instant::now();
    assert!(call.await.is_err());
    assert_eq!(begun.elapsed(), Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn without_a_deadline_a_call_waits() {
    let options = ClientOptions {
        call_timeout: None,
        ..ClientOptions::default()
    };
    let (remote, _peer) = greeted_client(options).await;
    let a = path("file:///a");
    let waited = tokio::time::timeout(Duration::from_secs(3600), remote.read_file(&a, None));
    assert!(waited.await.is_err());
}

#[test]
fn a_call_polled_outside_of_a_runtime_is_answered_or_refused() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let (remote, mut peer) = runtime.block_on(greeted_client(ClientOptions::default()));
    runtime.spawn(async move {
        let request = peer.expect("fs/readFile").await;
        peer.succeed(&request, json!({"dataBase64": "YQ=="})).await;
        peer
    });
    let a = path("file:///a");
    let read = futures::executor::block_on(remote.read_file(&a, None));
    assert_eq!(read.unwrap(), b"a");

    let (here, _there) = tokio::io::duplex(1024);
    let (reader, writer) = tokio::io::split(here);
    let stranded = RemoteFileSystem::from_streams(reader, writer, ClientOptions::default());
    let read = futures::executor::block_on(stranded.read_file(&a, None));
    assert_eq!(read.unwrap_err().kind(), io::ErrorKind::Unsupported);
}
