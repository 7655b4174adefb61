//! The log of calls: order, times, ends.

use std::time::Duration;

use codex_file_system::wrap::CallKind;
use codex_file_system::{CopyOptions, ExecutorFileSystem, Operation};
use codex_file_system_testkit::{Fault, Faulty, Trace, TraceEvent, TraceStep};
use futures::FutureExt;
use futures::future::join;
use pretty_assertions::assert_eq;

use crate::support::{posix, uri};

#[tokio::test(start_paused = true)]
async fn events_are_told_in_the_order_and_at_the_time_they_happen() {
    let slow = Fault::delay(Duration::from_millis(50)).at(uri("file:///slow"));
    let fast = Fault::delay(Duration::from_millis(20)).at(uri("file:///fast"));
    let fs = Trace::new(Faulty::new(posix("/slow = x\n/fast/")).on(slow).on(fast));
    let [slow, fast] = [uri("file:///slow"), uri("file:///fast")];
    tokio::time::sleep(Duration::from_secs(5)).await;
    let (read, list) = join(fs.read_file(&slow, None), fs.read_file(&fast, None)).await;
    assert!(read.is_ok() && list.is_err());
    let silent = fs.read_directory(&slow, None);
    assert!(silent.now_or_never().is_none());
    assert_eq!(
        fs.to_string(),
        "\
0ms #1 ReadFile file:///slow
0ms #2 ReadFile file:///fast
20ms #2 IsADirectory
50ms #1 ok
50ms #3 ReadDirectory file:///slow
50ms #3 dropped
"
    );
}

#[tokio::test(start_paused = true)]
async fn a_future_that_is_never_polled_is_no_event() {
    let fs = Trace::new(posix("/a = x"));
    drop(fs.read_file(&uri("file:///a"), None));
    assert_eq!(fs.events(), []);
    assert_eq!(fs.to_string(), "");
}

#[tokio::test(start_paused = true)]
async fn a_copy_tells_both_its_paths() {
    let refused = Fault::error(std::io::ErrorKind::StorageFull).of(Operation::Copy);
    let fs = Trace::new(Faulty::new(posix("/a = x")).on(refused));
    let [source, destination] = [uri("file:///a"), uri("file:///b")];
    let options = CopyOptions { recursive: false };
    fs.copy(&source, &destination, options, None)
        .await
        .unwrap_err();
    assert_eq!(
        fs.to_string(),
        "0ms #1 Copy file:///a file:///b\n0ms #1 StorageFull\n"
    );
    let started = TraceStep::Started {
        kind: CallKind::Copy,
        path: source,
        destination: Some(destination),
    };
    assert_eq!(
        fs.events()[0],
        TraceEvent {
            at: Duration::ZERO,
            call: 1,
            what: started
        }
    );
}
