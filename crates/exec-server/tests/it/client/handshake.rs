//! The handshake costs nothing and fails for everybody.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use codex_exec_server::Shell;
use codex_exec_server::{ClientOptions, RemoteCallError};
use codex_file_system::ExecutorFileSystem;
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{client, path};

#[tokio::test(start_paused = true)]
async fn the_handshake_and_the_first_calls_leave_in_one_burst() {
    let (remote, mut peer) = client(ClientOptions::new("me"));
    let (a, b) = (path("file:///a"), path("file:///b"));
    let calls = async {
        let _ = tokio::join!(remote.get_metadata(&a, None), remote.canonicalize(&b, None));
    };
    let burst = async { peer.burst().await };
    let burst = tokio::select! {
        () = calls => panic!("nobody answers"),
        burst = burst => burst,
    };
    assert_eq!(
        burst,
        [
            json!({"id": 1, "method": "initialize",
                "params": {"clientName": "me", "resumeSessionId": null}}),
            json!({"method": "initialized"}),
            json!({"id": 2, "method": "fs/getMetadata",
                "params": {"path": "file:///a", "sandbox": null}}),
            json!({"id": 3, "method": "fs/canonicalize",
                "params": {"path": "file:///b", "sandbox": null}}),
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_refused_handshake_is_the_error_of_every_call() {
    let (remote, mut peer) = client(ClientOptions::default());
    let a = path("file:///a");
    let serving = async {
        let initialize = peer.expect("initialize").await;
        peer.expect("initialized").await;
        let call = peer.next().await;
        // The order of the answers must not matter.
        peer.fail(&call, json!({"code": -32600, "message": "not initialized"}))
            .await;
        peer.fail(&initialize, json!({"code": -32600, "message": "go away"}))
            .await;
        peer
    };
    let (first, info, _peer) =
        tokio::join!(remote.read_file(&a, None), remote.server_info(), serving);
    let refused = RemoteCallError {
        method: "initialize",
        code: Some(-32600),
        message: "go away".to_owned(),
        sent: true,
    };
    assert_eq!(source(&first.unwrap_err()), Some(&refused));
    assert_eq!(source(&info.unwrap_err()), Some(&refused));
    let later = remote.read_file(&a, None).await.unwrap_err();
    assert_eq!(later.kind(), io::ErrorKind::InvalidInput);
    assert_eq!(
        source(&later).map(|error| (error.method, error.sent)),
        Some(("initialize", false))
    );
}

fn source(error: &io::Error) -> Option<&RemoteCallError> {
    error.get_ref()?.downcast_ref()
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_handshake_times_out() {
    let options = ClientOptions {
        initialize_timeout: Duration::from_secs(3),
        call_timeout: None,
        ..ClientOptions::default()
    };
    let (remote, _peer) = client(options);
    let begun = tokio::time::Instant::now();
    let error = remote.get_metadata(&path("file:///a"), None).await;
    assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(begun.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn whatever_the_server_leaves_out_is_unknown() {
    let (remote, mut peer) = client(ClientOptions::default());
    peer.greet().await;
    let info = remote.server_info().await.unwrap();
    assert_eq!(info.session_id, "s");
    assert_eq!(
        (
            info.executor_version,
            info.cwd,
            info.user_home,
            info.platform,
            info.shell
        ),
        (None, None, None, None, None)
    );
    assert_eq!(info.capabilities, BTreeMap::new());
    assert!(peer.is_silent().await);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_tells_is_kept() {
    let (remote, mut peer) = client(ClientOptions::default());
    let request = peer.expect("initialize").await;
    peer.succeed(
        &request,
        json!({"sessionId": "s", "environmentInfo": {
            "shell": {"name": "bash", "path": "/bin/bash"},
            "executorVersion": "0.171.0",
            "cwd": "file:///C:/work",
            "userHomeDir": "not a uri",
            "platformOs": "windows",
            "capabilities": {"fsWatchMissing": true, "level": 3},
            "later": [],
        }}),
    )
    .await;
    let info = remote.server_info().await.unwrap();
    let shell = Shell {
        name: "bash".to_owned(),
        path: "/bin/bash".to_owned(),
    };
    assert_eq!(info.executor_version.as_deref(), Some("0.171.0"));
    assert_eq!(info.cwd, Some(path("file:///C:/work")));
    assert_eq!(info.user_home, None);
    assert_eq!(info.platform.as_deref(), Some("windows"));
    assert_eq!(info.shell, Some(shell));
    assert_eq!(
        info.capabilities,
        BTreeMap::from([("fsWatchMissing".to_owned(), true)])
    );
}

#[tokio::test(start_paused = true)]
async fn a_handshake_of_another_shape_is_invalid_data() {
    let (remote, mut peer) = client(ClientOptions::default());
    let request = peer.expect("initialize").await;
    peer.succeed(&request, json!(["s"])).await;
    let error = remote.server_info().await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidData);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_speaks_something_else_is_quoted() {
    let (remote, mut peer) = client(ClientOptions::default());
    peer.send("Welcome to example!").await;
    peer.send("bye").await;
    let error = remote.read_file(&path("file:///a"), None).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "initialize: no answer within 10s; what came is no exec-server's and begins \"Welcome to example!\""
    );
}
