//! `Limit`.

use codex_file_system::wrap::{Counting, Latency, Limit, LimitHandle};
use codex_file_system::{ExecutorFileSystem, TokioTimer};
use codex_path_uri::PathUri;
use futures::future::{join, join_all};
use futures::stream::{FuturesUnordered, StreamExt};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::{delayed, is_pending, ms, on_paused_clock, table, uri};

fn paths(count: usize) -> Vec<PathUri> {
    (0..count)
        .map(|index| uri(&format!("file:///p{index:02}")))
        .collect()
}

#[test]
fn at_most_n_calls_run_and_the_rest_follow_in_waves() {
    let fs = Limit::new(Counting::new(delayed(table([]), 50)), LimitHandle::new(3));
    let counting = Counting::new(&fs);
    let paths = paths(10);
    let calls = paths.iter().map(|path| counting.get_metadata(path, None));
    let (_, elapsed) = on_paused_clock(join_all(calls));
    assert_eq!((counting.peak_in_flight(), elapsed), (10, ms(200)));
}

#[test]
fn waiters_go_first_come_first_served_whoever_is_polled_first() {
    let table = table([]);
    let fs = Limit::new(delayed(&table, 50), LimitHandle::new(1));
    let paths = paths(4);
    on_paused_clock(async {
        let mut calls: Vec<_> = paths
            .iter()
            .map(|path| fs.get_metadata(path, None))
            .collect();
        for call in &mut calls {
            assert!(is_pending(call));
        }
        // Polled again in the opposite order, they still go in the order of arrival.
        calls.reverse();
        join_all(calls).await;
    });
    assert_eq!(table.alteration().asked(), paths);
}

#[test]
fn nobody_overtakes_a_waiter_that_may_go_but_has_not_been_polled() {
    let table = table([]);
    let fs = Limit::new(delayed(&table, 50), LimitHandle::new(1));
    let paths = paths(3);
    on_paused_clock(async {
        let mut first = fs.get_metadata(&paths[0], None);
        let mut second = fs.get_metadata(&paths[1], None);
        assert!(is_pending(&mut first));
        assert!(is_pending(&mut second));
        first.await.unwrap_err();
        let mut third = fs.get_metadata(&paths[2], None);
        assert!(is_pending(&mut third));
        assert_eq!(table.alteration().asked().len(), 1);
        join(third, second).await
    })
    .0
    .0
    .unwrap_err();
    assert_eq!(table.alteration().asked(), paths);
}

#[test]
fn a_dropped_waiter_leaves_the_queue() {
    let table = table([]);
    let fs = Limit::new(delayed(&table, 50), LimitHandle::new(1));
    let paths = paths(3);
    on_paused_clock(async {
        let mut calls: Vec<_> = paths
            .iter()
            .map(|path| fs.get_metadata(path, None))
            .collect();
        for call in &mut calls {
            assert!(is_pending(call));
        }
        drop(calls.remove(1));
        join_all(calls).await;
    });
    assert_eq!(
        table.alteration().asked(),
        [paths[0].clone(), paths[2].clone()]
    );
}

#[test]
fn a_waiter_dropped_after_it_was_woken_passes_its_turn_on() {
    let table = table([]);
    let fs = Limit::new(delayed(&table, 50), LimitHandle::new(1));
    let paths = paths(3);
    let (answer, elapsed) = on_paused_clock(async {
        let mut first = fs.get_metadata(&paths[0], None);
        let mut second = fs.get_metadata(&paths[1], None);
        assert!(is_pending(&mut first));
        assert!(is_pending(&mut second));
        let third = fs.get_metadata(&paths[2], None);
        let pass_on = async {
            first.await.unwrap_err();
            drop(second);
        };
        join(pass_on, third).await.1
    });
    answer.unwrap_err();
    assert_eq!(elapsed, ms(100));
    assert_eq!(
        table.alteration().asked(),
        [paths[0].clone(), paths[2].clone()]
    );
}

#[test]
fn a_dropped_call_frees_its_place() {
    let fs = Limit::new(delayed(table([]), 50), LimitHandle::new(1));
    let paths = paths(2);
    let (_, elapsed) = on_paused_clock(async {
        let mut first = fs.get_metadata(&paths[0], None);
        assert!(is_pending(&mut first));
        drop(first);
        fs.get_metadata(&paths[1], None).await.unwrap_err()
    });
    assert_eq!(elapsed, ms(50));
}

#[test]
fn a_handle_is_one_bound_for_all_its_wrappers() {
    let handle = LimitHandle::new(2);
    let inner = Counting::new(delayed(table([]), 50));
    let (one, other) = (
        Limit::new(&inner, handle.clone()),
        Limit::new(&inner, handle),
    );
    let paths = paths(6);
    let (_, elapsed) = on_paused_clock(join(
        join_all(paths[..3].iter().map(|path| one.get_metadata(path, None))),
        join_all(paths[3..].iter().map(|path| other.get_metadata(path, None))),
    ));
    assert_eq!((inner.peak_in_flight(), elapsed), (2, ms(150)));
}

#[test]
fn zero_counts_as_one() {
    let fs = Limit::new(delayed(table([]), 50), LimitHandle::new(0));
    let path = uri("file:///a");
    assert_eq!(on_paused_clock(fs.get_metadata(&path, None)).1, ms(50));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Calls of any length, some given up after any time, waiting or running.
    #[test]
    fn the_bound_holds_and_no_waiter_is_forgotten(
        n in 1..5_usize,
        calls in prop::collection::vec((0..40_u64, prop::option::of(0..80_u64)), 1..40),
    ) {
        let paths = paths(calls.len());
        let mut slow = Latency::new(table([]), TokioTimer, ms(1), ms(0));
        for (path, (length, _)) in paths.iter().zip(&calls) {
            slow = slow.with_path(path.clone(), ms(*length));
        }
        let inner = Counting::new(slow);
        let handle = LimitHandle::new(n);
        let fs = Limit::new(&inner, handle.clone());
        let (answered, _) = on_paused_clock(async {
            let attempts = paths.iter().zip(&calls).map(async |(path, (_, patience))| {
                let call = fs.get_metadata(path, None);
                match patience {
                    Some(patience) => tokio::time::timeout(ms(*patience), call).await.is_ok(),
                    None => call.await.is_err(),
                }
            });
            let attempts = attempts.collect::<FuturesUnordered<_>>();
            let all = attempts.filter(|answered| std::future::ready(*answered)).count();
            tokio::time::timeout(ms(60_000), all).await
        });
        let patient = calls.iter().filter(|(_, patience)| patience.is_none()).count();
        prop_assert!(answered.unwrap() >= patient);
        prop_assert!(inner.peak_in_flight() <= n);
        prop_assert_eq!(inner.in_flight(), 0);
        // Every place is free again.
        let (_, elapsed) = on_paused_clock(async {
            let again = Limit::new(delayed(table([]), 50), handle);
            join_all(paths.iter().take(n).map(|path| again.get_metadata(path, None))).await
        });
        prop_assert_eq!(elapsed, ms(50));
    }
}
