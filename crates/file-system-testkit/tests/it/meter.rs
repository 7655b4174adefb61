//! The meter counts what started, exactly.

use codex_file_system::ExecutorFileSystem;
use codex_file_system::call::CallKind;
use codex_file_system_testkit::meter::{Metered, ROUND_TRIP, measure, on_paused_clock};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use futures::future::join3;

fn uri(text: &str) -> PathUri {
    text.parse().unwrap()
}

fn memory() -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, "/a = 1\n/b = 2").unwrap()
}

#[test]
fn calls_that_wait_for_each_other_are_round_trips() {
    let (a, b) = (uri("file:///a"), uri("file:///b"));
    let (_, cost) = measure(memory(), async |fs| {
        let both = join3(
            fs.read_file(&a, None),
            fs.read_file(&b, None),
            fs.get_metadata(&b, None),
        );
        let _ = both.await;
        fs.canonicalize(&a, None).await
    });
    assert_eq!(
        (cost.total(), cost.round_trips(), cost.most_in_flight),
        (4, 2, 3)
    );
    assert_eq!(
        cost.by_operation(),
        "2 ReadFile, 1 GetMetadata, 1 Canonicalize"
    );
    assert_eq!(cost.paths(CallKind::ReadFile), [&a, &b]);
}

#[test]
fn a_call_that_is_not_polled_is_none_and_a_dropped_one_has_ended() {
    let a = uri("file:///a");
    let fs = Metered::with_delay(memory(), 2 * ROUND_TRIP);
    on_paused_clock(async {
        drop(fs.read_file(&a, None));
        let timeout = tokio::time::timeout(ROUND_TRIP, fs.read_file(&a, None)).await;
        assert!(timeout.is_err());
        assert!(fs.read_file(&a, None).await.is_ok());
    });
    assert_eq!((fs.cost().total(), fs.cost().most_in_flight), (2, 1));
    fs.reset();
    assert_eq!((fs.cost().total(), fs.cost().round_trips()), (0, 0));
}
