//! Machines in memory.

use std::sync::Arc;

use codex_context::file_system::{EnvironmentId, ExecutorFileSystem};
use codex_context::{Environment, HostSources, StartDirectory, absolute_path};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};

pub(crate) const HOME: &str = "/home/ada";

/// A filesystem that several environments share.
pub(crate) type Shared = Arc<dyn ExecutorFileSystem>;

pub(crate) fn memory(flavor: Flavor, tree: &str) -> Shared {
    Arc::new(MemoryFileSystem::from_tree(flavor, tree).unwrap())
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
