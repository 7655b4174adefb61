//! What most tests begin with.

use std::collections::BTreeMap;
use std::io;

use codex_file_system::ExecutorFileSystem;
use codex_path_uri::PathUri;
use codex_sftp::{SftpFileSystem, SftpOptions};
use tokio::time::Instant;

use crate::peer::{LATENCY, Peer, Script, Tree};

pub(crate) fn uri(path: &str) -> PathUri {
    PathUri::parse(&format!("file://{path}")).unwrap()
}

/// A filesystem whose server has been greeted, so that only calls are counted from here on.
pub(crate) async fn greeted(tree: Tree, script: Script) -> (SftpFileSystem, Peer) {
    greeted_with(tree, script, SftpOptions::default()).await
}

pub(crate) async fn greeted_with(
    tree: Tree,
    script: Script,
    options: SftpOptions,
) -> (SftpFileSystem, Peer) {
    let (fs, peer) = Peer::start(tree, script, options);
    let _ = fs.get_metadata(&uri("/missing"), None).await;
    peer.take_log();
    (fs, peer)
}

/// What a call cost.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) requests: BTreeMap<&'static str, usize>,
    pub(crate) round_trips: u32,
}

impl Cost {
    pub(crate) fn new<const N: usize>(
        requests: [(&'static str, usize); N],
        round_trips: usize,
    ) -> Self {
        Self {
            requests: requests
                .into_iter()
                .filter(|(_, count)| *count > 0)
                .collect(),
            round_trips: u32::try_from(round_trips).unwrap(),
        }
    }
}

/// What a call returns, and what it cost on the paused clock.
pub(crate) async fn measured<T>(peer: &Peer, call: impl Future<Output = T>) -> (T, Cost) {
    peer.take_log();
    let begin = Instant::now();
    let answer = call.await;
    let taken = begin.elapsed();
    assert_eq!(taken.as_nanos() % LATENCY.as_nanos(), 0, "{taken:?}");
    let round_trips = (taken.as_nanos() / LATENCY.as_nanos()) as u32;
    settle().await;
    let requests = peer.take_counts();
    let cost = Cost {
        requests,
        round_trips,
    };
    (answer, cost)
}

/// Lets everything happen that needs no time to pass.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

pub(crate) fn kind<T>(answer: io::Result<T>) -> Option<io::ErrorKind> {
    answer.err().map(|error| error.kind())
}
