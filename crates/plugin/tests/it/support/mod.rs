//! Scenes for the tests: a tree, the filesystems around it, and a clock that stands still.

mod forged;
mod tree;

use std::sync::Arc;
use std::time::Duration;

use codex_file_system::wrap::{Calls, Counting, Latency};
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, ExecutorFileSystem, TokioTimer,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{PathConvention, PathUri};
use codex_plugin::{
    ExecutorPluginProvider, PluginOptions, PluginProvider, PluginProviderError, ResolvedPlugin,
    SelectedCapabilityRoot,
};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::Instant;

pub(crate) use forged::Forged;
pub(crate) use tree::{literal_path, memory_with};

/// Time between a call and its answer.
pub(crate) const LATENCY: Duration = Duration::from_millis(50);

/// A filesystem that counts, and that answers [`LATENCY`] after it is asked.
pub(crate) type Measured = Counting<Latency<Arc<dyn ExecutorFileSystem>>>;

/// What a piece of work cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    pub(crate) calls: u64,
    pub(crate) round_trips: u64,
    pub(crate) peak: usize,
}

/// One environment named `env-1` whose filesystem is measured.
pub(crate) struct Scene {
    pub(crate) fs: Arc<Measured>,
    pub(crate) environments: Arc<EnvironmentSet>,
}

impl Scene {
    pub(crate) fn new(fs: impl ExecutorFileSystem + 'static) -> Self {
        let fs: Arc<dyn ExecutorFileSystem> = Arc::new(fs);
        let fs = Arc::new(Counting::new(Latency::new(
            fs,
            TokioTimer,
            LATENCY,
            Duration::ZERO,
        )));
        let environments = environments(vec![("env-1", fs.clone())]);
        Self { fs, environments }
    }

    /// A scene in memory of the flavor that the root's convention asks for.
    pub(crate) fn in_memory(root: &PathUri, files: &[(&str, &str)]) -> Self {
        Self::new(memory_with(root, files))
    }

    pub(crate) fn provider(&self, options: PluginOptions) -> ExecutorPluginProvider {
        ExecutorPluginProvider::new(self.environments.clone()).with_options(options)
    }

    /// Resolves one root with default options.
    pub(crate) fn resolve(
        &self,
        root: &PathUri,
    ) -> Result<Option<ResolvedPlugin>, PluginProviderError> {
        let provider = self.provider(PluginOptions::default());
        block_on(async { provider.resolve(&selected(root)).await })
    }

    /// Runs work and says what it cost since the last measure.
    pub(crate) async fn measure<T>(&self, work: impl Future<Output = T>) -> (T, Cost) {
        self.fs.reset();
        let start = Instant::now();
        let result = work.await;
        let elapsed = start.elapsed();
        let cost = Cost {
            calls: self.fs.calls().total(),
            round_trips: u64::try_from(elapsed.as_millis() / LATENCY.as_millis()).unwrap(),
            peak: self.fs.peak_in_flight(),
        };
        assert_eq!(
            elapsed.as_millis() % LATENCY.as_millis(),
            0,
            "time passes in round trips only"
        );
        (result, cost)
    }

    pub(crate) fn calls(&self) -> Calls {
        self.fs.calls()
    }
}

pub(crate) fn environments(bound: Vec<(&str, Arc<dyn ExecutorFileSystem>)>) -> Arc<EnvironmentSet> {
    let environments = bound
        .into_iter()
        .map(|(id, fs)| Environment::new(env(id), uri("file:///"), fs));
    Arc::new(EnvironmentSet::new(environments.collect()).unwrap())
}

/// Runs a future on a paused clock.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(future)
}

pub(crate) fn uri(text: &str) -> PathUri {
    PathUri::parse(text).unwrap()
}

pub(crate) fn env(id: &str) -> EnvironmentId {
    EnvironmentId::new(id).unwrap()
}

pub(crate) fn selected(root: &PathUri) -> SelectedCapabilityRoot {
    SelectedCapabilityRoot::new("root-1", env("env-1"), root.clone())
}

pub(crate) fn flavor_of(root: &PathUri) -> Flavor {
    match root.convention() {
        Some(PathConvention::Windows) => Flavor::Windows,
        _ => Flavor::Posix,
    }
}

pub(crate) fn empty_memory(root: &PathUri) -> MemoryFileSystem {
    match flavor_of(root) {
        Flavor::Posix => MemoryFileSystem::posix(),
        Flavor::Windows => MemoryFileSystem::windows(),
    }
}

/// Codes and fields of diagnostics, in order.
pub(crate) fn codes(diagnostics: &[codex_plugin::PluginDiagnostic]) -> Vec<(&'static str, &str)> {
    diagnostics
        .iter()
        .map(|it| (it.code(), it.field()))
        .collect()
}

/// A JSON value of any depth.
pub(crate) fn parse_json(text: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    Value::deserialize(&mut deserializer).unwrap()
}
