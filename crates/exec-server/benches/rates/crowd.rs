//! Many requests and many connections: each is answered, and nothing of them stays behind.

use std::io;
use std::time::Duration;

use codex_bench_support::{Bench, Figure};
use codex_exec_server::ClientOptions;
use codex_file_system::ExecutorFileSystem as _;
use futures::future::join_all;

use crate::on_this_thread;
use crate::process::Process;
use crate::scratch::Scratch;
use crate::servers::{Listening, Program};

const REQUESTS: usize = 10_000;
const CONNECTIONS: usize = 1_000;
/// How many connections there are at once: less than half of what a server lets in, as those before
/// may still be leaving.
const AT_ONCE: usize = 25;
/// How much memory may be told apart from growth, in MiB.
const NOISE: f64 = 1.0;

pub(crate) fn count(bench: &mut Bench, scratch: &Scratch) -> io::Result<()> {
    let ours = Program::own("socket", scratch.home())?;
    let name = format!("{REQUESTS} pipelined requests");
    if bench.wants(&name) {
        let listening = ours.listen()?;
        report(bench, &name, REQUESTS, &listening, |listening| {
            requests(listening, scratch)
        })?;
    }
    let name = format!("{CONNECTIONS} connections");
    if bench.wants(&name) {
        let listening = ours.listen()?;
        report(bench, &name, CONNECTIONS, &listening, |listening| {
            connections(listening, scratch)
        })?;
    }
    Ok(())
}

/// Does the work twice: the second time finds whatever the first left behind.
fn report(
    bench: &mut Bench,
    name: &str,
    all: usize,
    listening: &Listening,
    work: impl Fn(&Listening) -> io::Result<usize>,
) -> io::Result<()> {
    let server = listening.process();
    let files = server.open_files()?;
    let mut answered = work(listening)?;
    let before = settled(server, files)?;
    answered += work(listening)?;
    let after = settled(server, files)?;
    let lost = (2 * all - answered) as f64;
    bench.figure(Figure::new(name, "lost", lost, "").at_most(0.0));
    bench.figure(Figure::new(name, "growth", after - before, "MiB").at_most(NOISE));
    let left = server.open_files()?.saturating_sub(files) as f64;
    bench.figure(Figure::new(name, "sockets left open", left, "").at_most(0.0));
    Ok(())
}

/// The memory of a server once its connections are closed, which may take a moment.
fn settled(server: Process, files: usize) -> io::Result<f64> {
    for _ in 0..100 {
        if server.open_files()? <= files {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    server.memory()
}

fn requests(listening: &Listening, scratch: &Scratch) -> io::Result<usize> {
    on_this_thread()?.block_on(async {
        let options = ClientOptions {
            max_in_flight: REQUESTS,
            ..ClientOptions::default()
        };
        let client = listening.client(options).await?;
        let calls = (0..REQUESTS).map(|_| client.get_metadata(&scratch.small, None));
        let answers = join_all(calls).await;
        client.close().await;
        Ok(answers.iter().filter(|answer| answer.is_ok()).count())
    })
}

fn connections(listening: &Listening, scratch: &Scratch) -> io::Result<usize> {
    on_this_thread()?.block_on(async {
        let mut answered = 0;
        for _ in 0..CONNECTIONS / AT_ONCE {
            let clients = (0..AT_ONCE).map(|_| async {
                let client = listening.client(ClientOptions::default()).await?;
                let answer = client.get_metadata(&scratch.small, None).await;
                client.close().await;
                answer
            });
            let answers = join_all(clients).await;
            answered += answers.iter().filter(|answer| answer.is_ok()).count();
        }
        Ok(answered)
    })
}
