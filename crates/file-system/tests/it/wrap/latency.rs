//! `Latency`.

use std::pin::Pin;
use std::time::Duration;

use codex_file_system::wrap::{Counting, Latency, Timer};
use codex_file_system::{ExecutorFileSystem, TokioTimer};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use futures::future::join_all;
use pretty_assertions::assert_eq;

use crate::support::{is_pending, ms, now, on_paused_clock, uri};

fn memory() -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, "/a = x").unwrap()
}

#[test]
fn success_and_error_both_take_the_time_before_and_after() {
    let fs = Latency::new(memory(), TokioTimer, ms(30), ms(12));
    for path in ["file:///a", "file:///missing"] {
        let path = uri(path);
        let (answer, elapsed) = on_paused_clock(fs.get_metadata(&path, None));
        assert_eq!(answer.is_ok(), path == uri("file:///a"));
        assert_eq!(elapsed, ms(42));
    }
}

#[test]
fn the_inner_call_runs_between_the_two_delays() {
    let counting = Counting::new(memory());
    let fs = Latency::new(&counting, TokioTimer, ms(30), ms(12));
    let path = uri("file:///a");
    on_paused_clock(async {
        let mut call = fs.read_file(&path, None);
        assert!(is_pending(&mut call));
        tokio::time::sleep(ms(29)).await;
        assert!(is_pending(&mut call));
        assert_eq!(counting.calls().total(), 0);
        tokio::time::sleep(ms(2)).await;
        assert!(is_pending(&mut call));
        assert_eq!((counting.calls().total(), counting.in_flight()), (1, 0));
        call.await.unwrap();
    });
}

#[test]
fn one_path_has_a_total_of_its_own() {
    let fs = Latency::new(memory(), TokioTimer, ms(30), ms(12)).with_path(uri("file:///a"), ms(5));
    let (own, other) = (uri("file:///a"), uri("file:///b"));
    assert_eq!(on_paused_clock(fs.get_metadata(&own, None)).1, ms(5));
    assert_eq!(on_paused_clock(fs.get_metadata(&other, None)).1, ms(42));
}

#[test]
fn calls_in_flight_are_delayed_side_by_side() {
    let fs = Latency::new(memory(), TokioTimer, ms(20), ms(20));
    let path = uri("file:///a");
    let calls = (0..100).map(|_| fs.get_metadata(&path, None));
    assert_eq!(on_paused_clock(join_all(calls)).1, ms(40));
}

/// A timer that nobody may ask.
struct NoTimer;

impl Timer for NoTimer {
    fn sleep(&self, _: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        panic!("the timer was asked");
    }
}

#[test]
fn a_delay_of_zero_does_not_touch_the_timer() {
    let fs = Latency::new(memory(), NoTimer, Duration::ZERO, Duration::ZERO);
    assert!(now(fs.get_metadata(&uri("file:///a"), None)).is_ok());
}
