//! What several test modules need: paths, environments and options in one line.

use std::sync::Arc;
use std::time::Duration;

use codex_agents_md::{ProjectRootInput, TurnEnvironment, TurnEnvironmentSnapshot};
use codex_config::{Config, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack};
use codex_file_system::{Environment, EnvironmentId, ExecutorFileSystem};
use codex_path_uri::PathUri;
use tokio::time::Instant;

/// The URI of a native POSIX path, as bytes.
pub(crate) fn native(path: &[u8]) -> PathUri {
    let root = PathUri::parse("file:///").unwrap();
    root.join_native_bytes(path).unwrap()
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

/// One environment named `local`.
pub(crate) fn one_turn(
    filesystem: Arc<impl ExecutorFileSystem + 'static>,
    cwd: PathUri,
    project_root: ProjectRootInput,
) -> TurnEnvironmentSnapshot {
    let turn = turn("local", filesystem, cwd).with_project_root(project_root);
    TurnEnvironmentSnapshot {
        turn_environments: vec![turn],
    }
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

/// Runs a future on a paused clock, which jumps to the next timer whenever all wait.
pub(crate) fn paused<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(future)
}

/// Runs a future on a paused clock, and tells how long it takes there.
pub(crate) fn timed<T>(future: impl Future<Output = T>) -> (T, Duration) {
    paused(async {
        let begin = Instant::now();
        let output = future.await;
        (output, begin.elapsed())
    })
}
