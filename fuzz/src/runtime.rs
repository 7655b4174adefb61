//! One thread, and a clock that stands still while there is something to do.

use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

/// Longer than any deadline that a client sets.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Runs what must end by itself.
pub(crate) fn run<T>(task: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build();
    runtime.expect("a runtime starts").block_on(async {
        let ended = tokio::time::timeout(PATIENCE, task).await;
        ended.expect("everything that begins ends")
    })
}

/// Runs what asks beside what answers, until nobody asks any more. Who answers may end first.
pub(crate) async fn answered(
    answering: impl Future<Output = ()>,
    asking: impl Future<Output = ()>,
) {
    match select(pin!(answering), pin!(asking)).await {
        Either::Left(((), asking)) => asking.await,
        Either::Right(((), _)) => {}
    }
}
