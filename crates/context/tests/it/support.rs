//! Machines in memory, and what asking them costs.

use std::collections::HashSet;
use std::sync::Arc;

use codex_context::file_system::{EnvironmentId, ExecutorFileSystem, Window};
use codex_context::{ContextRequest, Environment, HostSources, StartDirectory, absolute_path};
use codex_file_system_testkit::meter::{Cost, Metered};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};

pub(crate) const HOME: &str = "/home/ada";

/// A filesystem that several environments share.
pub(crate) type Shared = Arc<dyn ExecutorFileSystem>;

pub(crate) fn memory(flavor: Flavor, tree: &str) -> Shared {
    Arc::new(MemoryFileSystem::from_tree(flavor, tree).unwrap())
}

/// The same with a round trip for each call, written down.
pub(crate) fn metered(tree: &str) -> Arc<Metered<MemoryFileSystem>> {
    let memory = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
    Arc::new(Metered::new(memory))
}

/// The host itself as the machine that an agent works on.
pub(crate) fn here(cwd: &str, filesystem: Shared) -> Environment {
    Environment {
        id: EnvironmentId::new("local").unwrap(),
        cwd: absolute_path(cwd).unwrap(),
        filesystem,
        call_timeout: None,
        start_directory: StartDirectory::Known,
    }
}

/// The user's files below [`HOME`].
pub(crate) fn sources(filesystem: Shared) -> HostSources {
    let path = |text: &str| absolute_path(text).unwrap();
    HostSources {
        environment: Some(here(HOME, filesystem)),
        config_home: Some(path(&format!("{HOME}/.codex"))),
        home: Some(path(HOME)),
        ..HostSources::default()
    }
}

/// A session that starts in `cwd` of the machine that holds the user's files too.
pub(crate) fn at_home(cwd: &str, filesystem: Shared, window: usize) -> ContextRequest {
    ContextRequest {
        environments: vec![here(cwd, Arc::clone(&filesystem))],
        sources: sources(filesystem),
        window: Window::new(window).unwrap(),
        ..ContextRequest::default()
    }
}

/// The calls of which an earlier one asked the same.
pub(crate) fn made_twice(cost: &Cost) -> Vec<String> {
    let mut seen = HashSet::new();
    let calls = cost.calls.iter();
    let texts = calls.map(|call| format!("{:?} {}", call.kind, call.path));
    texts.filter(|text| !seen.insert(text.clone())).collect()
}
