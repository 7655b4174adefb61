//! Bursts of small reads over WebSocket on loopback: how long the last reply takes.

use std::io;
use std::time::Instant;

use codex_bench_support::{Bench, Figure, Spread};
use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::ExecutorFileSystem as _;
use futures::future::join_all;

use crate::on_this_thread;
use crate::scratch::Scratch;
use crate::servers::Program;

/// How often a burst is repeated.
const ROUNDS: usize = 101;
/// How long the worst of all replies may take, in milliseconds.
const WORST: f64 = 5.0;

pub(crate) fn compare(bench: &mut Bench, scratch: &Scratch) -> io::Result<()> {
    let home = scratch.home();
    let ours = (Program::own("socket", home)?, "both ours", [1.0, 3.0]);
    let theirs = Program::published(home).map(|program| (program, "published server", [2.0, 6.0]));
    for (program, side, marks) in std::iter::once(ours).chain(theirs) {
        for (reads, mark) in [8, 100].into_iter().zip(marks) {
            let name = format!("burst of {reads} reads over WebSocket");
            if bench.wants(&name) {
                let times = bursts(&program, scratch, reads)?;
                bench.figure(Figure::new(&name, side, times.median, "ms").at_most(mark));
                let name = format!("burst of {reads} reads over WebSocket, the worst of {ROUNDS}");
                bench.figure(Figure::new(&name, side, times.greatest, "ms").at_most(WORST));
            }
        }
    }
    Ok(())
}

/// How long bursts take from their first request to their last reply, in milliseconds.
fn bursts(program: &Program, scratch: &Scratch, reads: usize) -> io::Result<Spread> {
    let listening = program.listen()?;
    on_this_thread()?.block_on(async {
        let client = listening.client(ClientOptions::default()).await?;
        burst(&client, scratch, reads).await?;
        let mut times = Vec::with_capacity(ROUNDS);
        for _ in 0..ROUNDS {
            let start = Instant::now();
            burst(&client, scratch, reads).await?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Spread::of(&times).ok_or_else(|| io::Error::other("no burst was made"))
    })
}

async fn burst(client: &RemoteFileSystem, scratch: &Scratch, reads: usize) -> io::Result<()> {
    let reads = (0..reads).map(|_| client.read_file(&scratch.small, None));
    let answers: io::Result<Vec<_>> = join_all(reads).await.into_iter().collect();
    answers.map(drop)
}
