//! What is over leaves nothing behind: after many calls and connections, as much memory is in use
//! as before.
//!
//! Memory is counted on this thread, which runs both ends, so the numbers do not depend on time.

use std::sync::Arc;

use allocation_counter::measure;
use codex_exec_server::server::{EnvironmentInfo, Server, ServerOptions};
use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::ExecutorFileSystem;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use futures::future::{join_all, poll_immediate};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::support::path;

/// More than tables and buffers that have grown keep for later, and less than a byte for each of
/// what was done.
const SLACK_BYTES: i64 = 8 * 1024;

const CALLS: usize = 10_000;
const CONNECTIONS: usize = 1_000;

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn server() -> Server {
    let files = MemoryFileSystem::from_tree(Flavor::Posix, "/a = a\n/big = much more").unwrap();
    let info = EnvironmentInfo::new(path("file:///"));
    Server::new(Arc::new(files), ServerOptions::new(info))
}

fn connect(server: &Server) -> (RemoteFileSystem, JoinHandle<std::io::Result<()>>) {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(there);
    let server = server.clone();
    let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
    let (reader, writer) = tokio::io::split(here);
    let options = ClientOptions::default();
    let remote = RemoteFileSystem::from_streams(reader, writer, options);
    (remote, serving)
}

/// Reads the file, and a part of another through a handle.
async fn read_both(remote: &RemoteFileSystem) {
    let (a, big) = (path("file:///a"), path("file:///big"));
    assert_eq!(remote.read_file(&a, None).await.unwrap(), b"a");
    let prefix = remote.read_file_prefix(&big, 10, None, None).await.unwrap();
    assert_eq!(prefix.bytes, b"much more");
}

#[track_caller]
fn assert_nothing_stays(work: impl FnOnce()) {
    let kept = measure(work).bytes_current;
    assert!(kept <= SLACK_BYTES, "{kept} bytes stay in use");
}

#[test]
fn calls_leave_nothing_behind() {
    let runtime = runtime();
    let (remote, _serving) = runtime.block_on(async { connect(&server()) });
    let calls = |calls: usize| {
        runtime.block_on(async {
            for _ in 0..calls / 100 {
                join_all((0..50).map(|_| read_both(&remote))).await;
            }
        });
    };
    calls(CALLS / 10);
    assert_nothing_stays(|| calls(CALLS));
}

#[test]
fn dropped_calls_leave_nothing_behind() {
    let runtime = runtime();
    let (remote, _serving) = runtime.block_on(async { connect(&server()) });
    let dropped_calls = |calls: usize| {
        runtime.block_on(async {
            let big = path("file:///big");
            for turns in 0..calls {
                let mut call = remote.read_file_prefix(&big, 10, None, None);
                // Before it is sent, while it is answered, or in the middle of its blocks.
                for _ in 0..turns % 8 {
                    if poll_immediate(&mut call).await.is_some() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            read_both(&remote).await;
        });
    };
    dropped_calls(CALLS / 10);
    assert_nothing_stays(|| dropped_calls(CALLS));
}

#[test]
fn connections_leave_nothing_behind() {
    let runtime = runtime();
    let server = server();
    let connections = |connections: usize| {
        runtime.block_on(async {
            for _ in 0..connections {
                let (remote, serving) = connect(&server);
                read_both(&remote).await;
                remote.close().await;
                serving.await.unwrap().unwrap();
            }
        });
    };
    // A server knows this many sessions to resume, and no more.
    connections(300);
    assert_nothing_stays(|| connections(CONNECTIONS));
}

/// Directories of so many files are listed, each in about 0.8 MB of text.
const FILES: usize = 10_000;
/// As many requests as run at once.
const UNREAD: usize = 32;
/// The 8 MiB of answers that wait, and as much for the one that is written, the one that is made and
/// what it is made from.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Asks for all of it and reads none until the server has come to rest.
async fn leave_unread(server: &Server, request: &str) {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(there);
    let server = server.clone();
    let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
    let (reader, mut writer) = tokio::io::split(here);
    let hello = "{\"id\":0,\"method\":\"initialize\",\"params\":{\"clientName\":\"t\"}}\n\
         {\"method\":\"initialized\"}\n";
    writer.write_all(hello.as_bytes()).await.unwrap();
    writer
        .write_all(request.repeat(UNREAD).as_bytes())
        .await
        .unwrap();
    writer.shutdown().await.unwrap();
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    let mut answers = BufReader::new(reader).split(b'\n');
    let mut large = 0;
    while let Some(answer) = answers.next_segment().await.unwrap() {
        large += usize::from(answer.len() > 400_000);
    }
    assert_eq!(large, UNREAD);
    serving.await.unwrap().unwrap();
}

#[test]
fn listings_and_walks_that_nobody_reads_do_not_fill_the_memory() {
    let tree: String = (0..FILES)
        .map(|file| format!("/d/file-{file} =\n"))
        .collect();
    let files = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let info = EnvironmentInfo::new(path("file:///"));
    let server = Server::new(Arc::new(files), ServerOptions::new(info));
    let listing = r#"{"id":1,"method":"fs/readDirectory","params":{"path":"file:///d"}}"#;
    let walk = r#"{"id":1,"method":"fs/walk","params":{"path":"file:///d","options":{"maxDepth":1,
        "maxDirectories":10,"maxEntries":50000,"followDirectorySymlinks":false}}}"#;
    for request in [listing, walk] {
        let request = request.replace('\n', "") + "\n";
        let used = measure(|| runtime().block_on(leave_unread(&server, &request)));
        assert!(
            used.bytes_max <= MOST_BYTES,
            "{} bytes for {request}",
            used.bytes_max
        );
    }
}
