//! What several test modules need: paths, environments and loads in one line.

use std::sync::Arc;
use std::time::Duration;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionDiagnostic, InstructionDiagnosticKind, InstructionsOptions,
    InstructionsOutcome, TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions_with,
};
use codex_config::{Config, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack};
use codex_file_system::wrap::{Counting, Latency};
use codex_file_system::{Environment, EnvironmentId, ExecutorFileSystem, TokioTimer};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{PathConvention, PathUri};
use tokio::time::Instant;

/// The duration of one call on a metered filesystem.
pub(crate) const UNIT: Duration = Duration::from_millis(50);

/// A filesystem on which each call takes one unit and is counted.
pub(crate) type Metered = Counting<Latency<MemoryFileSystem>>;

/// The URI of a native POSIX path, as bytes.
pub(crate) fn native(path: &[u8]) -> PathUri {
    let root = PathUri::parse("file:///").unwrap();
    root.join_native_bytes(path).unwrap()
}

/// The URI of an absolute native path of either convention.
pub(crate) fn uri(path: &str) -> PathUri {
    PathUri::from_native(path, PathConvention::infer_absolute(path).unwrap()).unwrap()
}

/// A POSIX machine with these entries.
pub(crate) fn memory(tree: &str) -> Arc<MemoryFileSystem> {
    Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap())
}

/// The same machine, metered.
pub(crate) fn metered(tree: &str) -> Arc<Metered> {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
    Arc::new(Counting::new(Latency::new(
        fs,
        TokioTimer,
        UNIT,
        Duration::ZERO,
    )))
}

/// A configuration whose one layer is this user file.
pub(crate) fn config(toml: &str) -> Config {
    let file = PathUri::parse("file:///home/config.toml").unwrap();
    let source = ConfigLayerSource::User {
        file,
        profile: None,
    };
    let layer = ConfigLayerEntry::from_toml_text(source, toml).unwrap();
    Config::from_stack(ConfigLayerStack::new(vec![layer]).unwrap())
        .unwrap()
        .0
}

/// An environment of a turn.
pub(crate) fn turn(
    id: &str,
    filesystem: Arc<impl ExecutorFileSystem + 'static>,
    cwd: PathUri,
) -> TurnEnvironment {
    let id = EnvironmentId::new(id).unwrap();
    let environment = Environment::new(id.clone(), cwd.clone(), filesystem);
    TurnEnvironment::new(id, environment, cwd)
}

/// These environments, in this order.
pub(crate) fn turns<const N: usize>(turns: [TurnEnvironment; N]) -> TurnEnvironmentSnapshot {
    TurnEnvironmentSnapshot {
        turn_environments: turns.into(),
    }
}

/// One environment named `local`.
pub(crate) fn one_turn(
    filesystem: Arc<impl ExecutorFileSystem + 'static>,
    cwd: PathUri,
) -> TurnEnvironmentSnapshot {
    turns([turn("local", filesystem, cwd)])
}

/// The default options, with this policy.
pub(crate) fn policy(policy: DocumentErrorPolicy) -> InstructionsOptions {
    InstructionsOptions {
        document_errors: policy,
        ..InstructionsOptions::default()
    }
}

/// Loads one environment named `local` under the default policy, without a user-level text.
pub(crate) fn load(
    toml: &str,
    filesystem: Arc<impl ExecutorFileSystem + 'static>,
    cwd: &str,
) -> InstructionsOutcome {
    load_with(
        toml,
        &one_turn(filesystem, uri(cwd)),
        &InstructionsOptions::default(),
    )
}

/// Loads the environments without a user-level text.
pub(crate) fn load_with(
    toml: &str,
    environments: &TurnEnvironmentSnapshot,
    options: &InstructionsOptions,
) -> InstructionsOutcome {
    paused(load_project_instructions_with(
        &config(toml),
        None,
        environments,
        options,
    ))
}

/// The text that was loaded; empty if there is none.
pub(crate) fn text(outcome: &InstructionsOutcome) -> String {
    outcome
        .loaded
        .as_ref()
        .map(|loaded| loaded.text())
        .unwrap_or_default()
}

/// Diagnostics as path and kind.
pub(crate) fn found(
    diagnostics: &[InstructionDiagnostic],
) -> Vec<(Option<PathUri>, InstructionDiagnosticKind)> {
    let found = diagnostics.iter();
    found
        .map(|found| (found.path.clone(), found.kind.clone()))
        .collect()
}

/// The codes of diagnostics.
pub(crate) fn codes(diagnostics: &[InstructionDiagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|found| found.code()).collect()
}

/// Runs a future on a paused clock, which jumps to the next timer whenever all wait.
pub(crate) fn paused<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(future)
}

/// Runs a future on a paused clock, and tells how many units it takes there.
pub(crate) fn timed<T>(future: impl Future<Output = T>) -> (T, u64) {
    paused(async {
        let begin = Instant::now();
        let output = future.await;
        (output, units(begin.elapsed()))
    })
}

/// A duration in units, which it must be a whole number of.
pub(crate) fn units(duration: Duration) -> u64 {
    assert_eq!(duration.as_nanos() % UNIT.as_nanos(), 0, "{duration:?}");
    u64::try_from(duration.as_nanos() / UNIT.as_nanos()).unwrap()
}
