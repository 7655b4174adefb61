//! Calls that are dropped, connections that end, servers that are silent.

use std::io::ErrorKind;
use std::time::Duration;

use codex_file_system::ExecutorFileSystem;
use codex_sftp::{SftpError, SftpOptions};
use futures::FutureExt;
use futures::future::join_all;
use pretty_assertions::assert_eq;
use tokio::time::{Instant, sleep};

use crate::peer::{Script, Tree};
use crate::support::{greeted, greeted_with, kind, settle, uri};

fn silent(request: &'static str) -> Script {
    Script {
        silent: vec![request],
        ..Script::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_server_is_given_up_after_the_deadline_and_the_connection_stays() {
    let (fs, _) = greeted(Tree::new().file("/a", "x"), silent("realpath")).await;
    // The greeting asks for the directory and gets no answer either.
    let begin = Instant::now();
    let answer = fs.get_metadata(&uri("/a"), None).await;
    assert_eq!(kind(answer), Some(ErrorKind::TimedOut));
    assert!(begin.elapsed() <= Duration::from_secs(30));

    let (fs, _) = greeted(Tree::new().file("/a", "x"), silent("opendir")).await;
    let begin = Instant::now();
    let error = fs.read_directory(&uri("/"), None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TimedOut);
    assert_eq!(error.to_string(), "no answer within 30s");
    assert_eq!(begin.elapsed(), Duration::from_secs(30));
    assert_eq!(fs.read_file(&uri("/a"), None).await.unwrap(), b"x");
}

#[tokio::test(start_paused = true)]
async fn nothing_happens_before_the_first_poll() {
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), Script::default()).await;
    let (path, new) = (uri("/a"), uri("/new"));
    let read = fs.read_file(&path, None);
    let write = fs.write_file(&new, b"x".to_vec(), None);
    sleep(Duration::from_secs(1)).await;
    assert!(peer.take_log().is_empty());
    drop((read, write));
    settle().await;
    assert!(peer.take_log().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_starts_nothing_more_and_gives_back_what_was_opened() {
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), Script::default()).await;
    let path = uri("/a");
    let mut read = fs.read_file(&path, None);
    assert!((&mut read).now_or_never().is_none());
    // The open is on its way.
    settle().await;
    drop(read);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(peer.take_log(), ["stat", "open", "close"]);
    assert_eq!(peer.open_now(), 0);

    let mut read = fs.read_file(&path, None);
    assert!((&mut read).now_or_never().is_none());
    // The answer has come, and nobody has looked at it.
    sleep(Duration::from_millis(75)).await;
    assert_eq!(peer.open_now(), 1);
    drop(read);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(peer.take_log(), ["stat", "open", "close"]);
    assert_eq!(peer.open_now(), 0);

    let mut read = fs.read_file(&path, None);
    tokio::select! {
        _ = &mut read => panic!("two round trips take longer"),
        () = sleep(Duration::from_millis(75)) => {}
    }
    drop(read);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(peer.take_log(), ["stat", "open", "read", "read", "close"]);
    assert_eq!(peer.open_now(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_was_not_written_when_its_call_was_dropped_is_never_sent() {
    let (fs, peer) = greeted(Tree::new(), Script::default()).await;
    let path = uri("/new");
    let mut write = fs.write_file(&path, b"x".to_vec(), None);
    // Polled once: queued, but nobody had a chance to write it.
    assert!((&mut write).now_or_never().is_none());
    drop(write);
    sleep(Duration::from_secs(1)).await;
    assert!(peer.take_log().is_empty());
    assert_eq!(peer.contents("/new"), None);
}

#[tokio::test(start_paused = true)]
async fn streams_that_end_fail_every_call_and_say_what_may_have_happened() {
    for (cut_at, sent) in [(Some(6), true), (Some(4), false)] {
        let script = Script {
            cut_at,
            ..Script::default()
        };
        // The greeting and its first call are three requests.
        let (fs, _) = greeted(Tree::new().file("/a", "x"), script).await;
        let (a, new) = (uri("/a"), uri("/new"));
        let error = match sent {
            true => {
                let calls = (
                    fs.get_metadata(&a, None),
                    fs.write_file(&new, vec![1], None),
                );
                let (read, write) = tokio::join!(calls.0, calls.1);
                assert_eq!(kind(read), Some(ErrorKind::BrokenPipe));
                write.unwrap_err()
            }
            false => {
                let read = fs.get_metadata(&a, None).await;
                assert_eq!(kind(read), Some(ErrorKind::BrokenPipe));
                fs.write_file(&new, vec![1], None).await.unwrap_err()
            }
        };
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
        match payload {
            Some(SftpError::ConnectionLost { sent: told }) => assert_eq!(*told, sent),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn calls_beyond_the_limit_wait_their_turn() {
    let mut tree = Tree::new();
    for index in 0..40 {
        tree = tree.file(&format!("/{index}"), format!("text {index}"));
    }
    let options = SftpOptions {
        max_in_flight: 7,
        ..SftpOptions::default()
    };
    let (fs, peer) = greeted_with(tree, Script::default(), options).await;
    let paths: Vec<_> = (0..40).map(|index| uri(&format!("/{index}"))).collect();
    let texts = join_all(paths.iter().map(|path| fs.read_file_text(path, None))).await;
    for (index, text) in texts.into_iter().enumerate() {
        assert_eq!(text.unwrap(), format!("text {index}"));
    }
    assert!(peer.most_open() <= 7, "{}", peer.most_open());
    settle().await;
    assert_eq!(peer.open_now(), 0);
}
