//! A pipe that ends, and a client that does.

use std::io;

use codex_exec_server::{ClientOptions, RemoteCallError};
use codex_file_system::ExecutorFileSystem;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{client, greeted_client, path};

fn source(error: &io::Error) -> (io::ErrorKind, bool) {
    let source = error.get_ref().and_then(|source| source.downcast_ref());
    let source: &RemoteCallError = source.unwrap();
    (error.kind(), source.sent)
}

#[tokio::test(start_paused = true)]
async fn calls_fail_with_broken_pipe_and_say_whether_they_were_sent() {
    let options = ClientOptions {
        max_in_flight: 1,
        ..ClientOptions::default()
    };
    let (remote, mut peer) = greeted_client(options).await;
    let (a, b) = (path("file:///a"), path("file:///b"));
    let serving = async {
        peer.expect("fs/writeFile").await;
        drop(peer);
    };
    let (sent, waiting, ()) = tokio::join!(
        remote.write_file(&a, Vec::new(), None),
        remote.write_file(&b, Vec::new(), None),
        serving
    );
    assert_eq!(
        source(&sent.unwrap_err()),
        (io::ErrorKind::BrokenPipe, true)
    );
    assert_eq!(
        source(&waiting.unwrap_err()),
        (io::ErrorKind::BrokenPipe, false)
    );
    let later = remote.read_file(&a, None).await.unwrap_err();
    assert_eq!(source(&later), (io::ErrorKind::BrokenPipe, false));
}

#[tokio::test(start_paused = true)]
async fn answers_before_the_end_of_the_pipe_count() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let request = peer.expect("fs/readFile").await;
        peer.succeed(&request, json!({"dataBase64": "YQ=="})).await;
        drop(peer);
    };
    let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
    assert_eq!(read.unwrap(), b"a");
}

#[tokio::test(start_paused = true)]
async fn the_last_clone_closes_the_connection() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let clone = remote.clone();
    drop(remote);
    assert!(peer.is_silent().await);
    drop(clone);
    assert!(peer.is_at_end().await);
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_calls_of_every_clone() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let clone = remote.clone();
    let a = path("file:///a");
    let closing = async {
        peer.expect("fs/readFile").await;
        remote.close().await;
        assert!(peer.is_at_end().await);
    };
    let (read, ()) = tokio::join!(clone.read_file(&a, None), closing);
    assert_eq!(
        source(&read.unwrap_err()),
        (io::ErrorKind::BrokenPipe, true)
    );
    let later = clone.read_file(&a, None).await.unwrap_err();
    assert_eq!(source(&later), (io::ErrorKind::BrokenPipe, false));
    assert!(clone.server_info().await.is_ok());
    clone.close().await;
}

#[test]
fn a_runtime_that_ends_takes_the_connection_with_it() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (remote, _peer) = runtime.block_on(async { client(ClientOptions::default()) });
    drop(runtime);
    let a = path("file:///a");
    let read = futures::executor::block_on(remote.read_file(&a, None));
    assert_eq!(
        source(&read.unwrap_err()),
        (io::ErrorKind::BrokenPipe, false)
    );
}
