//! What a wrapper allocates on a call that is ready at once: its own future, and no more.

use std::time::Duration;

use allocation_counter::measure;
use codex_file_system::wrap::{
    Context, Counting, Latency, Limit, LimitHandle, ReadOnly, Scoped, Timeout,
};
use codex_file_system::{EnvironmentId, ExecutorFileSystem, FileKind, TokioTimer};
use pretty_assertions::assert_eq;

use crate::support::{Table, now, on_paused_clock, table, uri};

fn allocations(fs: &dyn ExecutorFileSystem) -> u64 {
    let path = uri("file:///a");
    let call = || assert!(now(fs.get_metadata(&path, None)).is_ok());
    // Once before, for what is allocated once in a lifetime.
    call();
    measure(call).count_total
}

fn one_file() -> Table {
    table([(uri("file:///a"), Ok(FileKind::File))])
}

#[test]
fn a_wrapper_adds_at_most_one_allocation_to_a_call() {
    let bare = allocations(&one_file());
    let id = EnvironmentId::new("far").unwrap();
    let added = |fs: &dyn ExecutorFileSystem| allocations(fs) - bare;
    assert_eq!(added(&Context::new(one_file(), Some(id))), 1);
    assert_eq!(added(&Counting::new(one_file())), 1);
    assert_eq!(added(&Limit::new(one_file(), LimitHandle::new(1))), 1);
    let zero = Duration::ZERO;
    assert_eq!(added(&Latency::new(one_file(), TokioTimer, zero, zero)), 1);
    assert_eq!(added(&Scoped::new(one_file(), uri("file:///"))), 0);
    assert_eq!(added(&ReadOnly::new(one_file())), 0);
}

#[test]
fn a_timeout_adds_its_timer() {
    let bare = allocations(&one_file());
    on_paused_clock(async {
        let fs = Timeout::new(one_file(), TokioTimer, Duration::from_secs(1));
        assert_eq!(allocations(&fs) - bare, 2);
    });
}

#[test]
fn pointers_add_nothing() {
    let bare = allocations(&one_file());
    let boxed: Box<dyn ExecutorFileSystem> = Box::new(one_file());
    assert_eq!(allocations(&boxed), bare);
    assert_eq!(allocations(&&std::sync::Arc::new(boxed)), bare);
}
