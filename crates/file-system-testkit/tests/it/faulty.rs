//! Scripts of faults: what they speak of, how they count, what they do.

use std::io::ErrorKind;
use std::time::Duration;

use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{ExecutorFileSystem, Operation, WalkOptions};
use codex_file_system_testkit::{Fault, Faulty, Scalar};
use futures::FutureExt;
use pretty_assertions::assert_eq;
use tokio::time::Instant;

use crate::support::{now, posix, read, stat_kind, uri};

const DENIED: Fault = Fault::error(ErrorKind::PermissionDenied);

#[test]
fn a_fault_that_is_not_narrowed_down_speaks_of_every_call() {
    let counting = Counting::new(posix("/d/a = x"));
    let fs = Faulty::new(&counting).on(DENIED);
    assert_eq!(read(&fs, "file:///d/a"), Err(ErrorKind::PermissionDenied));
    assert_eq!(
        stat_kind(&fs, "file:///d"),
        Err(ErrorKind::PermissionDenied)
    );
    // A call that fails by script is none for the filesystem below.
    assert_eq!(counting.calls(), Calls::default());
}

#[test]
fn a_fault_speaks_of_one_operation_on_one_path() {
    let fs = Faulty::new(posix("/a = x\n/b = x"))
        .on(DENIED.of(Operation::ReadFile).at(uri("file:///a")));
    assert_eq!(read(&fs, "file:///a"), Err(ErrorKind::PermissionDenied));
    assert!(stat_kind(&fs, "file:///a").is_ok());
    assert!(read(&fs, "file:///b").is_ok());
}

#[test]
fn a_provided_call_is_the_operation_it_is_made_of() {
    let fs = Faulty::new(posix("/d/a = x"))
        .on(DENIED.of(Operation::ReadFile).nth(2))
        .on(Fault::error(ErrorKind::TimedOut).of(Operation::ReadDirectory));
    let path = uri("file:///d/a");
    assert!(read(&fs, "file:///d/a").is_ok());
    let prefix = now(fs.read_file_prefix(&path, 1, None, None)).map(drop);
    assert_eq!(prefix, Err(ErrorKind::PermissionDenied));
    let walk = now(fs.walk(&uri("file:///d"), &WalkOptions::new(1, 1, 1), None)).map(drop);
    assert_eq!(walk, Err(ErrorKind::TimedOut));
}

#[test]
fn a_fault_below_a_walk_is_seen_by_the_default_body() {
    let denied = DENIED.of(Operation::ReadDirectory).at(uri("file:///d/sub"));
    let fs = Scalar(Faulty::new(posix("/d/sub/a = x")).on(denied));
    let walk = now(fs.walk(&uri("file:///d"), &WalkOptions::new(9, 9, 9), None)).unwrap();
    let errors: Vec<_> = walk
        .errors
        .iter()
        .map(|bad| (&bad.path, bad.error.kind()))
        .collect();
    assert_eq!(
        errors,
        [(&uri("file:///d/sub"), ErrorKind::PermissionDenied)]
    );
}

#[test]
fn the_nth_call_is_counted_among_those_spoken_of() {
    let fs = Faulty::new(posix("/a = x\n/b = x")).on(DENIED.at(uri("file:///a")).nth(2));
    let answers =
        ["a", "b", "a", "a"].map(|name| stat_kind(&fs, &format!("file:///{name}")).is_ok());
    assert_eq!(answers, [true, true, false, true]);
}

#[test]
fn the_fault_added_first_decides_and_each_counts_all_its_calls() {
    let fs = Faulty::new(posix("/a = x"))
        .on(DENIED.nth(1))
        .on(Fault::error(ErrorKind::TimedOut).nth(2))
        .on(Fault::error(ErrorKind::ResourceBusy).nth(1));
    let kinds = [(); 3].map(|()| stat_kind(&fs, "file:///a").map(drop));
    let expected = [
        Err(ErrorKind::PermissionDenied),
        Err(ErrorKind::TimedOut),
        Ok(()),
    ];
    assert_eq!(kinds, expected);
    fs.add(Fault::error(ErrorKind::StorageFull));
    assert_eq!(stat_kind(&fs, "file:///a"), Err(ErrorKind::StorageFull));
}

#[test]
fn a_call_counts_at_its_first_poll() {
    let fs = Faulty::new(posix("/a = x")).on(DENIED.nth(1));
    let path = uri("file:///a");
    drop(fs.get_metadata(&path, None));
    assert_eq!(
        stat_kind(&fs, "file:///a"),
        Err(ErrorKind::PermissionDenied)
    );
}

#[test]
fn a_copy_is_spoken_of_by_either_of_its_paths() {
    let fs = Faulty::new(posix("/a = x")).on(DENIED.at(uri("file:///b")));
    let options = codex_file_system::CopyOptions { recursive: false };
    let copied = now(fs.copy(&uri("file:///a"), &uri("file:///b"), options, None));
    assert_eq!(copied, Err(ErrorKind::PermissionDenied));
}

#[tokio::test(start_paused = true)]
async fn a_delay_is_waited_before_the_call() {
    let fs = Faulty::new(posix("/a = x")).on(Fault::delay(Duration::from_millis(70)).nth(1));
    let path = uri("file:///a");
    let start = Instant::now();
    fs.read_file(&path, None).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_millis(70));
    fs.read_file(&path, None).await.unwrap();
    assert_eq!(start.elapsed(), Duration::from_millis(70));
}

#[tokio::test(start_paused = true)]
async fn silence_is_never_broken() {
    let fs = Faulty::new(posix("/a = x")).on(Fault::silence().nth(1));
    let path = uri("file:///a");
    let call = fs.read_file(&path, None);
    assert!(
        tokio::time::timeout(Duration::from_secs(86_400), call)
            .await
            .is_err()
    );
    assert!(fs.read_file(&path, None).now_or_never().unwrap().is_ok());
}
