//! What the tests share: trees, layouts, filesystems with one property more.

pub(crate) mod layouts;
pub(crate) mod seed;
pub(crate) mod without_listing_flags;

use std::sync::Arc;
use std::time::Duration;

use codex_file_system::wrap::{CallKind, Calls, Counting, Latency};
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, TokioTimer, Window,
};
use codex_file_system_testkit::{MemoryFileSystem, Trace, TraceStep};
use codex_path_uri::PathUri;
use codex_skills::{SkillLoadOptions, SkillLoadOutcome, SkillRoot, load_skills};

/// The one environment of most tests.
pub(crate) fn local() -> EnvironmentId {
    EnvironmentId::new("local").unwrap()
}

/// A path of a test.
pub(crate) fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
}

/// One environment, called `local`, with this filesystem.
pub(crate) fn only(fs: impl ExecutorFileSystem + 'static) -> EnvironmentSet {
    EnvironmentSet::new(vec![Environment::new(
        local(),
        uri("file:///"),
        Arc::new(fs),
    )])
    .unwrap()
}

/// What a load cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) calls: Calls,
    pub(crate) peak: usize,
    pub(crate) round_trips: u64,
}

/// Calls with whole reads and reads of a beginning counted as one kind: what a load reads is bounded,
/// whichever way a filesystem bounds it.
pub(crate) fn reads_together(calls: Calls) -> Calls {
    Calls {
        read_file: calls.read_file + calls.read_file_prefix,
        read_file_prefix: 0,
        ..calls
    }
}

/// Loads on a filesystem where every call takes the same time, on a paused clock, so that the time
/// of the load is the number of its round trips.
pub(crate) fn load_counted(
    fs: impl ExecutorFileSystem + 'static,
    roots: &[SkillRoot],
    options: &SkillLoadOptions,
) -> (SkillLoadOutcome, Cost) {
    const LATENCY: Duration = Duration::from_millis(50);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let counting = Arc::new(Counting::new(Latency::new(
            fs,
            TokioTimer,
            LATENCY,
            Duration::ZERO,
        )));
        let environments = only(Arc::clone(&counting));
        let start = tokio::time::Instant::now();
        let mut outcome = load_skills(&environments, roots, options).await;
        for report in &mut outcome.roots {
            report.calls = reads_together(report.calls);
        }
        let round_trips = start.elapsed().as_millis() / LATENCY.as_millis();
        let cost = Cost {
            calls: reads_together(counting.calls()),
            peak: counting.peak_in_flight(),
            round_trips: u64::try_from(round_trips).unwrap(),
        };
        assert_eq!(counting.in_flight(), 0);
        (outcome, cost)
    })
}

/// What a serial load asks about, in order.
pub(crate) fn asked(
    fs: &MemoryFileSystem,
    roots: &[SkillRoot],
    options: &SkillLoadOptions,
) -> Vec<(CallKind, PathUri)> {
    let trace = Arc::new(Trace::new(fs.clone()));
    let options = SkillLoadOptions {
        window: Window::SERIAL,
        ..options.clone()
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(load_skills(&only(Arc::clone(&trace)), roots, &options));
    let steps = trace.events().into_iter().map(|event| event.what);
    let started = steps.filter_map(|step| match step {
        TraceStep::Started { kind, path, .. } => Some((kind, path)),
        _ => None,
    });
    started.collect()
}

/// The codes of an outcome's diagnostics, in order.
pub(crate) fn codes(outcome: &SkillLoadOutcome) -> Vec<&'static str> {
    outcome
        .diagnostics
        .iter()
        .map(|found| found.code.as_str())
        .collect()
}
