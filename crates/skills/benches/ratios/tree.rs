//! A layout of skills on disk, and loading it inline.

use std::path::Path;
use std::sync::Arc;

use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, LocalFileSystem};
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use codex_skills::{
    SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope, load_skills,
};
use futures::executor::block_on;
use tempfile::TempDir;

use crate::layouts;

/// A layout on disk, and an environment that sees it.
pub(crate) struct Tree {
    _scratch: TempDir,
    pub(crate) native: String,
    project: Project,
}

impl Tree {
    pub(crate) fn new(layout: &str) -> Self {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        build_on_disk(&base, &layouts::layout(layout, layouts::ROOT)).unwrap();
        let native = format!("{}{}", base.to_str().unwrap(), layouts::ROOT);
        Self {
            _scratch: scratch,
            project: Project::at(&native),
            native,
        }
    }

    pub(crate) fn load(&self) -> SkillLoadOutcome {
        self.project.load()
    }
}

/// One root of skills on this host.
pub(crate) struct Project {
    root: SkillRoot,
    environments: EnvironmentSet,
}

impl Project {
    pub(crate) fn at(native: impl AsRef<Path>) -> Self {
        let id = EnvironmentId::new("local").unwrap();
        let root = PathUri::from_host_native_path(native).unwrap();
        let filesystem = Arc::new(LocalFileSystem::inline());
        let environment = Environment::new(id.clone(), root.clone(), filesystem);
        Self {
            root: SkillRoot::new(id, root, SkillScope::Repo),
            environments: EnvironmentSet::new(vec![environment]).unwrap(),
        }
    }

    pub(crate) fn load(&self) -> SkillLoadOutcome {
        let options = SkillLoadOptions {
            limits: SkillScanLimits {
                max_depth: 6,
                max_directories: 100_000,
                max_entries: 1_000_000,
            },
            ..SkillLoadOptions::default()
        };
        let roots = std::slice::from_ref(&self.root);
        block_on(load_skills(&self.environments, roots, &options))
    }
}
