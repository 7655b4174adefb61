//! Calls on pipes: small ones, 32 at a time, and two with a large answer.

use std::io;

use codex_bench_support::{Bench, Mark};
use codex_exec_server::RemoteFileSystem;
use codex_file_system::{ExecutorFileSystem as _, WalkOptions};
use futures::StreamExt as _;
use tokio::runtime::Runtime;

use crate::on_this_thread;
use crate::scratch::{LARGE_BYTES, Scratch};
use crate::servers::Program;

/// How many requests are in flight.
const WINDOW: usize = 32;
/// How many requests one turn makes.
const TURN: usize = 512;

/// The servers, each behind a client.
struct Peers<'s> {
    runtime: Runtime,
    ours: RemoteFileSystem,
    floor: RemoteFileSystem,
    published: Option<RemoteFileSystem>,
    scratch: &'s Scratch,
}

pub(crate) fn compare(bench: &mut Bench, scratch: &Scratch) -> io::Result<()> {
    let runtime = on_this_thread()?;
    let home = scratch.home();
    let start = |program: Program| runtime.block_on(program.on_pipes());
    let peers = Peers {
        ours: start(Program::own("pipes", home)?)?,
        floor: start(Program::own("floor", home)?)?,
        published: Program::published(home).map(start).transpose()?,
        scratch,
        runtime,
    };
    small(
        bench,
        &peers,
        "512 x metadata, 32 at a time",
        Peers::metadata,
    );
    small(bench, &peers, "512 x 1 KiB read, 32 at a time", Peers::read);
    large(bench, &peers, "walk of 200 entries", 4.0, Peers::walk);
    large(bench, &peers, "one file of 8 MiB", 5.0, Peers::read_large);
    Ok(())
}

type Work<'s> = fn(&Peers<'s>, &RemoteFileSystem);

fn small<'s>(bench: &mut Bench, peers: &Peers<'s>, name: &str, work: Work<'s>) {
    let mut contest = bench
        .contest(name, "server", || work(peers, &peers.ours))
        .against("floor", Mark::FasterBy(0.35), || work(peers, &peers.floor));
    if let Some(published) = &peers.published {
        contest = contest.against("published", Mark::FasterBy(3.0), || work(peers, published));
    }
    contest.run();
}

fn large<'s>(bench: &mut Bench, peers: &Peers<'s>, name: &str, mark: f64, work: Work<'s>) {
    if let Some(published) = &peers.published {
        bench
            .contest(name, "server", || work(peers, &peers.ours))
            .against("published", Mark::FasterBy(mark), || work(peers, published))
            .run();
    }
}

impl Peers<'_> {
    fn metadata(&self, client: &RemoteFileSystem) {
        self.runtime.block_on(async {
            let calls = (0..TURN).map(|_| client.get_metadata(&self.scratch.small, None));
            let mut calls = futures::stream::iter(calls).buffered(WINDOW);
            while let Some(answer) = calls.next().await {
                assert!(answer.is_ok());
            }
        });
    }

    fn read(&self, client: &RemoteFileSystem) {
        self.runtime.block_on(async {
            let calls = (0..TURN).map(|_| client.read_file(&self.scratch.small, None));
            let mut calls = futures::stream::iter(calls).buffered(WINDOW);
            while let Some(answer) = calls.next().await {
                assert!(answer.is_ok());
            }
        });
    }

    fn walk(&self, client: &RemoteFileSystem) {
        let options = WalkOptions::new(6, 2000, 20_000);
        let walk = client.walk(&self.scratch.tree, &options, None);
        let walk = self.runtime.block_on(walk).expect("a walk");
        assert_eq!(walk.entries.len(), 200);
    }

    fn read_large(&self, client: &RemoteFileSystem) {
        let bytes = client.read_file(&self.scratch.large, None);
        let bytes = self.runtime.block_on(bytes).expect("a file");
        assert_eq!(bytes.len(), LARGE_BYTES);
    }
}
