//! A FIFO must not be opened: its server would wait, and every other call with it.

use std::io::ErrorKind;

use codex_file_system::ExecutorFileSystem;
use pretty_assertions::assert_eq;
use tokio::time::{Duration, Instant};

use crate::peer::{Script, Tree};
use crate::support::{Cost, greeted, kind, measured, uri};

#[tokio::test(start_paused = true)]
async fn a_path_that_was_seen_to_be_a_fifo_is_asked_about_and_not_opened() {
    let tree = Tree::new().fifo("/d/p").link("/d/l", "p");
    let (fs, peer) = greeted(tree, Script::default()).await;
    fs.read_directory(&uri("/d"), None).await.unwrap();
    for path in ["/d/p", "/d/l"] {
        let (answer, cost) = measured(&peer, fs.read_file(&uri(path), None)).await;
        assert_eq!(kind(answer), Some(ErrorKind::InvalidInput));
        assert_eq!(cost, Cost::new([("stat", 1)], 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_hint_of_no_bytes_asks_before_it_opens() {
    let tree = Tree::new().fifo("/p").file("/empty", "");
    let (fs, peer) = greeted(tree, Script::default()).await;
    let path = uri("/p");
    let (answer, cost) = measured(&peer, fs.read_file_prefix(&path, 9, Some(0), None)).await;
    assert_eq!(kind(answer), Some(ErrorKind::InvalidInput));
    assert_eq!(cost, Cost::new([("stat", 1)], 1));
    let path = uri("/empty");
    let (answer, cost) = measured(&peer, fs.read_file_prefix(&path, 9, Some(0), None)).await;
    assert!(answer.unwrap().is_complete);
    let requests = [("stat", 1), ("open", 1), ("read", 1), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 3));
}

#[tokio::test(start_paused = true)]
async fn a_fifo_nobody_knew_of_is_refused_at_once_and_costs_the_connection() {
    let (fs, _) = greeted(Tree::new().fifo("/p"), Script::default()).await;
    let begin = Instant::now();
    let read = fs.read_file(&uri("/p"), None).await;
    assert_eq!(kind(read), Some(ErrorKind::InvalidInput));
    assert_eq!(begin.elapsed(), Duration::from_millis(50));
    // Nobody waits for a server that is stuck.
    let next = fs.get_metadata(&uri("/p"), None).await;
    assert_eq!(kind(next), Some(ErrorKind::BrokenPipe));
    assert_eq!(begin.elapsed(), Duration::from_millis(50));
}

#[tokio::test(start_paused = true)]
async fn a_fifo_is_not_written_into() {
    let (fs, _) = greeted(Tree::new().fifo("/p"), Script::default()).await;
    let write = fs.write_file(&uri("/p"), b"x".to_vec(), None).await;
    assert_eq!(kind(write), Some(ErrorKind::InvalidInput));
}

#[tokio::test(start_paused = true)]
async fn a_prefix_opens_nothing_but_a_regular_file_and_keeps_the_connection() {
    let tree = Tree::new().fifo("/p").directory("/d").file("/a", "x");
    let (fs, peer) = greeted(tree, Script::default()).await;
    for (path, expected) in [
        ("/p", ErrorKind::InvalidInput),
        ("/d", ErrorKind::IsADirectory),
        ("/missing", ErrorKind::NotFound),
    ] {
        let path = uri(path);
        let (answer, cost) = measured(&peer, fs.read_file_prefix(&path, 9, None, None)).await;
        assert_eq!(kind(answer), Some(expected));
        assert_eq!(cost, Cost::new([("stat", 1)], 1), "{path}");
    }
    assert_eq!(fs.read_file(&uri("/a"), None).await.unwrap(), b"x");
}
