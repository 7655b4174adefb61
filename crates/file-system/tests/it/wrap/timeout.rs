//! `Timeout`.

use std::io::ErrorKind;

use codex_file_system::wrap::{Counting, Timeout};
use codex_file_system::{ExecutorFileSystem, TokioTimer};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::support::{delayed, ms, on_paused_clock, uri};

fn memory() -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, "/a = x").unwrap()
}

#[test]
fn a_slow_call_ends_after_the_duration_and_its_inner_future_is_dropped() {
    let counting = Counting::new(delayed(memory(), 500));
    let fs = Timeout::new(&counting, TokioTimer, ms(70));
    let path = uri("file:///a");
    let (answer, elapsed) = on_paused_clock(fs.read_file(&path, None));
    let error = answer.unwrap_err();
    assert_eq!((error.kind(), elapsed), (ErrorKind::TimedOut, ms(70)));
    assert_eq!(error.to_string(), "no answer within 70ms");
    assert_eq!((counting.calls().total(), counting.in_flight()), (1, 0));
}

#[test]
fn an_answer_in_time_passes_unchanged() {
    let fs = Timeout::new(delayed(memory(), 69), TokioTimer, ms(70));
    let path = uri("file:///a");
    let (answer, elapsed) = on_paused_clock(fs.read_file(&path, None));
    assert_eq!((answer.unwrap(), elapsed), (b"x".to_vec(), ms(69)));
}

#[test]
fn an_answer_in_the_same_moment_wins() {
    let fs = Timeout::new(delayed(memory(), 70), TokioTimer, ms(70));
    let path = uri("file:///a");
    let (answer, _) = on_paused_clock(fs.read_file(&path, None));
    assert_eq!(answer.unwrap(), b"x");
}

#[test]
fn time_runs_from_the_first_poll() {
    let fs = Timeout::new(delayed(memory(), 60), TokioTimer, ms(70));
    let path = uri("file:///a");
    let (answer, _) = on_paused_clock(async {
        let call = fs.read_file(&path, None);
        tokio::time::sleep(ms(1000)).await;
        call.await
    });
    assert_eq!(answer.unwrap(), b"x");
}
