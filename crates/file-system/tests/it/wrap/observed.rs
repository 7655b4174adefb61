//! `Observed`.

use std::io::ErrorKind;
use std::sync::Mutex;

use codex_file_system::ExecutorFileSystem;
use codex_file_system::wrap::{CallEnd, CallKind, Observed, Observer};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::support::{delayed, is_pending, now, on_paused_clock, uri};

/// What was seen, in order.
#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Log {
    fn add(&self, line: String) {
        self.0.lock().unwrap().push(line);
    }
}

impl Observer for &Log {
    type Started = String;

    fn started(&self, kind: CallKind, path: &PathUri) -> String {
        self.add(format!("{kind:?} {path}"));
        path.to_string()
    }

    fn ended(&self, call: String, end: CallEnd) {
        self.add(format!("{end:?} {call}"));
    }
}

fn memory() -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, "/a = hello\n/b = x").unwrap()
}

#[test]
fn a_call_is_seen_from_its_first_poll_to_its_answer() {
    let log = Log::default();
    let fs = Observed::new(memory(), &log);
    let (a, missing) = (uri("file:///a"), uri("file:///missing"));
    drop(fs.read_file(&a, None));
    now(fs.read_file(&a, None)).unwrap();
    let failed = now(fs.get_metadata(&missing, None)).unwrap_err();
    assert_eq!(failed.kind(), ErrorKind::NotFound);
    assert_eq!(
        *log.0.lock().unwrap(),
        [
            "ReadFile file:///a",
            "Answered { bytes: 5 } file:///a",
            "GetMetadata file:///missing",
            "Failed(NotFound) file:///missing",
        ]
    );
}

#[test]
fn a_call_that_is_dropped_ends_as_dropped() {
    let log = Log::default();
    let fs = Observed::new(delayed(memory(), 50), &log);
    let (a, b) = (uri("file:///a"), uri("file:///b"));
    on_paused_clock(async {
        let mut left = Box::pin(fs.read_file(&a, None));
        assert!(is_pending(&mut left));
        fs.read_file_text(&b, None).await.unwrap();
        drop(left);
    });
    assert_eq!(
        *log.0.lock().unwrap(),
        [
            "ReadFile file:///a",
            "ReadFileText file:///b",
            "Answered { bytes: 1 } file:///b",
            "Dropped file:///a",
        ]
    );
}
