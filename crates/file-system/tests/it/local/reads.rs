//! Metadata and bounded reads.

use std::io::ErrorKind;
use std::time::{Duration, SystemTime};

use codex_file_system::error::is_broken_link;
use codex_file_system::{ExecutorFileSystem, FileKind, LocalFileSystem};
use codex_file_system_testkit::Scalar;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::Scratch;
use crate::support::now;

fn local() -> LocalFileSystem {
    LocalFileSystem::inline()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_bounded_read_is_the_whole_read_cut(
        length in 0..20_u64,
        max_bytes in prop_oneof![0..24_u64, Just(u64::MAX)],
        hint in prop::option::of(0..30_u64),
    ) {
        let scratch = Scratch::new(&format!("/f =*{length}"));
        let path = scratch.uri("f");
        let bounded = now(local().read_file_prefix(&path, max_bytes, hint, None)).unwrap();
        let whole = now(Scalar(local()).read_file_prefix(&path, max_bytes, hint, None)).unwrap();
        prop_assert_eq!(bounded, whole);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_reports_no_length_is_read_all_the_same() {
    let path = crate::support::uri("file:///proc/self/status");
    let whole = now(local().read_file(&path, None)).unwrap();
    assert!(whole.starts_with(b"Name:"));
    let prefix = now(local().read_file_prefix(&path, 5, None, None)).unwrap();
    assert_eq!(
        (prefix.bytes, prefix.size, prefix.is_complete),
        (b"Name:".to_vec(), None, false)
    );
}

#[test]
fn times_are_milliseconds_since_the_epoch_of_the_target() {
    let scratch = Scratch::new("/f = hello\n/l -> f");
    let before = SystemTime::UNIX_EPOCH - Duration::from_millis(1500);
    let file = std::fs::File::options()
        .write(true)
        .open(scratch.path("f"))
        .unwrap();
    file.set_modified(before).unwrap();
    let metadata = now(local().get_metadata(&scratch.uri("l"), None)).unwrap();
    assert_eq!(metadata.modified_at_ms, Some(-1500));
    assert_eq!((metadata.is_symlink, metadata.size), (Some(true), Some(5)));
}

#[test]
fn only_a_regular_file_has_a_size() {
    let scratch = Scratch::new("/d/\n/pipe |");
    for (below, kind) in [("d", FileKind::Directory), ("pipe", FileKind::Other)] {
        let metadata = now(local().get_metadata(&scratch.uri(below), None)).unwrap();
        assert_eq!((metadata.kind, metadata.size), (kind, None));
    }
}

#[test]
fn links_that_lead_nowhere_are_listed_as_broken() {
    let scratch = Scratch::new("/d/gone -> nowhere\n/d/loop -> loop\n/d/f = x\n/d/l -> f");
    let listing = now(local().read_directory(&scratch.uri("d"), None)).unwrap();
    let told: Vec<_> = listing
        .iter()
        .map(|entry| {
            (
                entry.file_name.to_string_lossy(),
                entry.kind,
                entry.is_symlink,
            )
        })
        .collect();
    let expected = [
        ("f".into(), FileKind::File, Some(false)),
        ("gone".into(), FileKind::BrokenLink, Some(true)),
        ("l".into(), FileKind::File, Some(true)),
        ("loop".into(), FileKind::BrokenLink, Some(true)),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_is_not_found_tells_that_it_is_a_link() {
    let scratch = Scratch::new("/dead -> nowhere\n/d/");
    let is_told = |path: &str| {
        let path = scratch.uri(path);
        let failures = [
            now(local().get_metadata(&path, None)).map(drop),
            now(local().read_file(&path, None)).map(drop),
            now(local().read_file_prefix(&path, 1, None, None)).map(drop),
            now(local().read_directory(&path, None)).map(drop),
            now(local().canonicalize(&path, None)).map(drop),
        ];
        failures.map(|failed| {
            let error = failed.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
            is_broken_link(&error)
        })
    };
    assert_eq!(is_told("dead"), [true; 5]);
    assert_eq!(is_told("dead/below"), [false; 5]);
    assert_eq!(is_told("missing"), [false; 5]);
}

#[test]
fn a_name_above_the_limit_of_the_host_is_an_invalid_filename() {
    let scratch = Scratch::new("/d/");
    let path = scratch.uri(&format!("d/{}", "x".repeat(300)));
    let error = now(local().get_metadata(&path, None)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidFilename);
}

#[test]
fn a_file_above_the_limit_gives_its_beginning() {
    let scratch = Scratch::new("/a = hello");
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(scratch.path("a"))
        .unwrap();
    file.set_len(codex_file_system::MAX_READ_FILE_BYTES + 1)
        .unwrap();
    let local = LocalFileSystem::inline();
    let path = scratch.uri("a");
    let prefix = now(local.read_file_prefix(&path, 5, None, None)).unwrap();
    assert_eq!(
        (&prefix.bytes[..], prefix.is_complete),
        (&b"hello"[..], false)
    );
    let whole = now(local.read_file(&path, None)).map_err(|error| error.kind());
    assert_eq!(whole, Err(ErrorKind::FileTooLarge));
}
