//! A session of mixed calls, and what it may come to on a connection that is cut.

use std::io;

use codex_exec_server::{RemoteCallError, RemoteFileSystem};
use codex_file_system::{ExecutorFileSystem, FilePrefix, WalkOptions};
use futures::future::join_all;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::path;

pub(super) const TREE: &str = "/a.txt = a\n/b.txt = b\n/d/c.txt = c\n/big =*1100000";

/// One step of a session.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Stat(&'static str),
    Read(&'static str),
    List(&'static str),
    Walk(&'static str),
    Prefix(u64),
    Write(u8),
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let file = prop_oneof![
        Just("/a.txt"),
        Just("/b.txt"),
        Just("/missing"),
        Just("/d/c.txt")
    ];
    let step = prop_oneof![
        3 => file.clone().prop_map(Step::Stat),
        3 => file.prop_map(Step::Read),
        1 => Just(Step::List("/d")),
        1 => Just(Step::Walk("/d")),
        1 => (1u64..1_200_000).prop_map(Step::Prefix),
        2 => Just(Step::Write(0)),
    ];
    proptest::collection::vec(step, 1..6).prop_map(|mut steps| {
        // Every write is another one, so that a repeated one shows.
        for (at, step) in steps.iter_mut().enumerate() {
            if let Step::Write(number) = step {
                *number = at as u8;
            }
        }
        steps
    })
}

/// What a step came to, in a form that can be compared.
async fn run(remote: &RemoteFileSystem, step: &Step) -> io::Result<String> {
    let at = |text: &str| path(&format!("file://{text}"));
    Ok(match step {
        Step::Stat(text) => format!("{:?}", remote.get_metadata(&at(text), None).await?),
        Step::Read(text) => format!("{:?}", remote.read_file(&at(text), None).await?),
        Step::List(text) => format!("{:?}", remote.read_directory(&at(text), None).await?),
        Step::Walk(text) => {
            let options = WalkOptions::new(6, 2_000, 20_000);
            format!("{:?}", remote.walk(&at(text), &options, None).await?)
        }
        Step::Prefix(max) => {
            let big = at("/big");
            let read = remote.read_file_prefix(&big, *max, Some(1_100_000), None);
            let FilePrefix {
                bytes, is_complete, ..
            } = read.await?;
            let sum: u64 = bytes.iter().map(|byte| u64::from(*byte)).sum();
            format!("{} {sum} {is_complete}", bytes.len())
        }
        Step::Write(number) => {
            let target = at(&format!("/w{number}"));
            let written = remote.write_file(&target, vec![*number], None);
            format!("{:?}", written.await?)
        }
    })
}

pub(super) async fn run_all(
    remote: &RemoteFileSystem,
    steps: &[Step],
) -> Vec<(Step, io::Result<String>)> {
    let results = join_all(steps.iter().map(|step| run(remote, step))).await;
    steps.iter().cloned().zip(results).collect()
}

/// What the session comes to on a connection that is not cut.
pub(super) async fn run_uncut(
    remote: &RemoteFileSystem,
    steps: &[Step],
) -> Vec<(Step, io::Result<String>)> {
    let results = run_all(remote, steps).await;
    for error in results
        .iter()
        .filter_map(|(_, result)| result.as_ref().err())
    {
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
    results
}

pub(super) fn was_sent(error: &io::Error) -> bool {
    let source = error.get_ref().and_then(|source| source.downcast_ref());
    let source: &RemoteCallError = source.unwrap();
    source.sent
}

/// Asserts that a cut connection that was made again changed no result, but for a write of which
/// nobody knows.
pub(super) fn assert_unchanged(
    uncut: &[(Step, io::Result<String>)],
    results: Vec<(Step, io::Result<String>)>,
) {
    for ((_, expected), (step, result)) in uncut.iter().zip(results) {
        match (step, expected, result) {
            (Step::Write(_), _, Err(error)) => {
                assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
                assert!(was_sent(&error));
            }
            (_, Ok(expected), Ok(result)) => assert_eq!(*expected, result),
            (_, Err(expected), Err(error)) => assert_eq!(expected.kind(), error.kind()),
            (step, expected, result) => panic!("{step:?}: {expected:?}, {result:?}"),
        }
    }
}

/// The paths that were written, each of which is written once.
pub(super) fn written_once(messages: &[Value]) -> Vec<String> {
    let mut writes: Vec<String> = messages
        .iter()
        .filter(|message| message["method"] == "fs/writeFile")
        .map(|message| message["params"]["path"].to_string())
        .collect();
    let all = writes.len();
    writes.sort();
    writes.dedup();
    assert_eq!(all, writes.len(), "a write was sent twice");
    writes
}

pub(super) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}
