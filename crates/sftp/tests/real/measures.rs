//! How fast a server 20 ms away answers, printed: the best of some runs, since the host may be
//! busy. Requests and round trips are asserted on a paused clock, by `tests/it/cost.rs`.
//!
//! Only the server on pipes is measured: what `ssh` needs to encrypt is not ours.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use codex_file_system::ExecutorFileSystem;
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use codex_sftp::{SftpFileSystem, SftpOptions};
use futures::future::join_all;
use libtest_mimic::{Failed, Trial};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::time::{Instant as TokioInstant, sleep_until};

use crate::servers::Server;

/// One way.
const DELAY: Duration = Duration::from_millis(20);

const RUNS: usize = 5;

/// Name, tree, and the time of the round trips alone in milliseconds.
const MEASURES: &[(&str, &str, u64)] = &[
    ("256_metadata_calls", "a.txt = hello", 40),
    ("50_megabytes", "a.txt =*50000000", 13 * 40),
    ("1_kibibyte", "a.txt =*1024", 2 * 40),
];

pub(crate) fn trials(server: &Server) -> Vec<Trial> {
    let trial = |(name, tree, floor): &(&'static str, &'static str, u64)| {
        let (server, name, tree, floor) = (server.clone(), *name, *tree, *floor);
        Trial::test(format!("measure::{name}"), move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()?;
            let best = runtime.block_on(best(&server, name, tree))?;
            eprintln!("{name}: {best:.1?}, of which {floor} ms are round trips");
            Ok(())
        })
    };
    MEASURES.iter().map(trial).collect()
}

async fn best(server: &Server, name: &str, tree: &str) -> Result<Duration, Failed> {
    let scratch = tempfile::tempdir()?;
    build_on_disk(scratch.path(), tree)?;
    if let Some(owner) = server.owner {
        crate::subject::give_to(scratch.path(), owner)?;
    }
    let host_path = scratch.path().join("a.txt");
    let expected = std::fs::read(&host_path)?;
    let file = PathUri::from_host_native_path(host_path)?;
    let fs = far_away(server)?;
    // The greeting is no part of any call.
    fs.get_metadata(&file, None).await?;
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let begin = Instant::now();
        if name == "256_metadata_calls" {
            let calls = (0..256).map(|_| fs.get_metadata(&file, None));
            let answers = join_all(calls).await;
            best = best.min(begin.elapsed());
            answers.into_iter().collect::<io::Result<Vec<_>>>()?;
        } else {
            let contents = fs.read_file(&file, None).await?;
            best = best.min(begin.elapsed());
            if contents != expected {
                return Err(Failed::from("the file has other contents"));
            }
        }
    }
    Ok(best)
}

/// A filesystem whose every byte takes a while, in both directions.
fn far_away(server: &Server) -> io::Result<SftpFileSystem> {
    let mut child = Command::new(&server.command.program)
        .args(&server.command.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()?;
    let (near, far) = tokio::io::duplex(16 * 1024 * 1024);
    let (from_client, to_client) = tokio::io::split(far);
    if let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) {
        carry(from_client, stdin);
        carry(stdout, to_client);
    }
    tokio::spawn(async move { child.wait().await });
    let (reader, writer) = tokio::io::split(near);
    Ok(SftpFileSystem::from_streams(
        reader,
        writer,
        SftpOptions::default(),
    ))
}

/// Hands on what is read, later.
fn carry(
    mut from: impl AsyncRead + Send + Unpin + 'static,
    mut to: impl AsyncWrite + Send + Unpin + 'static,
) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut buffer = vec![0; 256 * 1024];
        while let Ok(length @ 1..) = from.read(&mut buffer).await {
            let arrival = TokioInstant::now() + DELAY;
            if sender.send((arrival, buffer[..length].to_vec())).is_err() {
                return;
            }
        }
    });
    tokio::spawn(async move {
        while let Some((arrival, bytes)) = receiver.recv().await {
            // A timer rounds up to the millisecond, which would be counted as distance.
            sleep_until(arrival - Duration::from_millis(2)).await;
            while TokioInstant::now() < arrival {
                tokio::task::yield_now().await;
            }
            if to.write_all(&bytes).await.is_err() {
                return;
            }
        }
    });
}
