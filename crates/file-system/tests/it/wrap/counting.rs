//! `Counting`.

use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions, WalkOptions,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::support::{delayed, is_pending, now, on_paused_clock, uri};

fn memory() -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, "/d/a.txt = hello").unwrap()
}

#[test]
fn a_call_counts_at_its_first_poll_and_leaves_when_it_is_dropped() {
    let fs = Counting::new(delayed(memory(), 50));
    let path = uri("file:///d/a.txt");
    on_paused_clock(async {
        let mut call = Box::pin(fs.read_file(&path, None));
        assert_eq!(
            (fs.calls().total(), fs.in_flight(), fs.peak_in_flight()),
            (0, 0, 0)
        );
        assert!(is_pending(&mut call));
        assert!(is_pending(&mut call));
        assert_eq!(
            (fs.calls().total(), fs.in_flight(), fs.peak_in_flight()),
            (1, 1, 1)
        );
        drop(call);
        assert_eq!(
            (fs.calls().total(), fs.in_flight(), fs.peak_in_flight()),
            (1, 0, 1)
        );
        assert_eq!(fs.bytes_read(), 0);
    });
}

#[test]
fn every_method_counts_as_itself() {
    let fs = Counting::new(memory());
    let (d, a, b) = (
        uri("file:///d"),
        uri("file:///d/a.txt"),
        uri("file:///d/b.txt"),
    );
    let options = WalkOptions::new(1, 1, 1);
    now(fs.get_metadata(&a, None)).unwrap();
    now(fs.read_file(&a, None)).unwrap();
    now(fs.read_directory(&d, None)).unwrap();
    now(fs.canonicalize(&a, None)).unwrap();
    now(fs.write_file(&b, vec![1], None)).unwrap();
    now(fs.create_directory(&d, CreateDirectoryOptions::default(), None)).unwrap();
    now(fs.remove(
        &b,
        RemoveOptions {
            recursive: false,
            force: false,
        },
        None,
    ))
    .unwrap();
    now(fs.copy(&a, &b, CopyOptions { recursive: false }, None)).unwrap();
    now(fs.read_file_text(&a, None)).unwrap();
    now(fs.read_file_prefix(&a, 2, None, None)).unwrap();
    now(fs.walk(&d, &options, None)).unwrap();
    let once = Calls {
        get_metadata: 1,
        read_file: 1,
        read_directory: 1,
        canonicalize: 1,
        write_file: 1,
        create_directory: 1,
        remove: 1,
        copy: 1,
        read_file_text: 1,
        read_file_prefix: 1,
        walk: 1,
    };
    assert_eq!(fs.calls(), once);
    assert_eq!(once.total(), 11);
    // Five bytes twice and two of the prefix.
    assert_eq!(fs.bytes_read(), 12);
}

#[test]
fn a_failed_call_counts_and_a_call_that_is_never_polled_does_not() {
    let fs = Counting::new(memory());
    let missing = uri("file:///missing");
    drop(fs.read_file(&missing, None));
    assert_eq!(fs.calls(), Calls::default());
    now(fs.read_file(&missing, None)).unwrap_err();
    assert_eq!(
        fs.calls(),
        Calls {
            read_file: 1,
            ..Calls::default()
        }
    );
    assert_eq!((fs.in_flight(), fs.bytes_read()), (0, 0));
}

#[test]
fn a_reset_keeps_the_calls_in_flight_as_the_first_peak() {
    let fs = Counting::new(delayed(memory(), 50));
    let path = uri("file:///d/a.txt");
    on_paused_clock(async {
        let mut calls = [fs.read_file(&path, None), fs.read_file(&path, None)];
        for call in &mut calls {
            assert!(is_pending(call));
        }
        fs.reset();
        assert_eq!(
            (fs.calls().total(), fs.in_flight(), fs.peak_in_flight()),
            (0, 2, 2)
        );
        for call in calls {
            call.await.unwrap();
        }
        assert_eq!(
            (fs.calls().total(), fs.in_flight(), fs.bytes_read()),
            (0, 0, 10)
        );
    });
}
