//! Which directories are skill roots, in which order, and what that makes of their skills.
//!
//! Everything here is pure: a root that does not exist is still a root, and a listing finds out. No
//! project root is searched and no other vendor's folder is a root.

use std::collections::HashSet;

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_plugin::{PluginNamespace, SelectedCapabilityRoot};
use serde::{Deserialize, Serialize};

/// Whose skills a root holds. The order of declaration is the order of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkillScope {
    /// Bundled with the host. Links below such a root are not followed.
    System,
    /// Set up by an administrator.
    Admin,
    /// Part of the project.
    Repo,
    /// The user's own, installed plugins included.
    User,
    /// Of a capability root that was selected in an environment.
    Environment,
}

/// A directory whose skills are loaded.
///
/// # Examples
/// ```
/// use codex_file_system::EnvironmentId;
/// use codex_path_uri::PathUri;
/// use codex_skills::{SkillRoot, SkillScope};
///
/// let path = PathUri::parse("file:///srv/skills")?;
/// let root = SkillRoot { required: true, ..SkillRoot::new(EnvironmentId::new("box")?, path, SkillScope::User) };
/// assert_eq!((root.canonical, root.plugin, root.root_id), (None, None, None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillRoot {
    /// The environment that owns the directory; every call goes there.
    pub environment_id: EnvironmentId,
    /// The directory as given. It may be a link.
    pub path: PathUri,
    /// Whose skills these are.
    pub scope: SkillScope,
    /// The id of a selected capability root.
    pub root_id: Option<String>,
    /// The canonical location of `path`, if the caller knows it: spares one call.
    pub canonical: Option<PathUri>,
    /// The namespace of an installed plugin. It beats every manifest, and none is looked for.
    pub plugin: Option<PluginNamespace>,
    /// Whether a missing directory is reported.
    pub required: bool,
}

impl SkillRoot {
    /// A directory of this scope about which nothing else is known.
    pub fn new(environment_id: EnvironmentId, path: PathUri, scope: SkillScope) -> Self {
        Self {
            environment_id,
            path,
            scope,
            root_id: None,
            canonical: None,
            plugin: None,
            required: false,
        }
    }
}

/// Where roots may come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillRootsInput {
    /// The project, if there is one.
    pub project: Option<ProjectSkillRoots>,
    /// The host's own directories, unless they are left out.
    pub host: Option<HostSkillRoots>,
    /// Skill directories of installed plugins, each with its namespace.
    pub plugins: Vec<SkillRoot>,
    /// Directories the user asked for.
    pub extra: Vec<SkillRoot>,
    /// Capability roots selected in environments.
    pub selected: Vec<SelectedCapabilityRoot>,
}

/// The directories of a project that may hold skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectSkillRoots {
    /// The environment of the project.
    pub environment_id: EnvironmentId,
    /// From the project root down to the working directory: `ProjectRootSearch::directories`.
    pub directories: Vec<PathUri>,
    /// The project's configuration folders (`.codex`), in any order; trusted or not.
    pub config_folders: Vec<PathUri>,
}

/// The directories of the host that may hold skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSkillRoots {
    /// The environment of the host.
    pub environment_id: EnvironmentId,
    /// The configuration home (`~/.codex`).
    pub config_home: PathUri,
    /// The user's home directory.
    pub home: PathUri,
    /// The administrator's folder (`/etc/codex` on Unix).
    pub admin_folder: Option<PathUri>,
    /// Whether bundled skills are wanted: `skills.bundled.enabled`.
    pub bundled: bool,
}

/// The skill roots of an input in load order. Makes no call.
///
/// A root equal to an earlier one of its environment is dropped. Configuration folders come nearest
/// first, directories from the project root down.
///
/// # Examples
/// ```
/// use codex_file_system::EnvironmentId;
/// use codex_path_uri::PathUri;
/// use codex_skills::{ProjectSkillRoots, SkillRootsInput, skill_roots};
///
/// let repo = PathUri::parse("file:///repo")?;
/// let roots = skill_roots(&SkillRootsInput {
///     project: Some(ProjectSkillRoots {
///         environment_id: EnvironmentId::new("local")?,
///         config_folders: vec![repo.join(".codex")?],
///         directories: vec![repo],
///     }),
///     ..SkillRootsInput::default()
/// });
/// let paths: Vec<_> = roots.iter().map(|root| root.path.as_str()).collect();
/// assert_eq!(paths, ["file:///repo/.codex/skills", "file:///repo/.agents/skills"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn skill_roots(input: &SkillRootsInput) -> Vec<SkillRoot> {
    let mut roots = Roots::default();
    if let Some(project) = &input.project {
        let mut folders: Vec<&PathUri> = project.config_folders.iter().collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.lexical_depth()));
        for folder in folders {
            roots.add_below(&project.environment_id, folder, "skills", SkillScope::Repo);
        }
    }
    if let Some(host) = &input.host {
        let id = &host.environment_id;
        roots.add_below(id, &host.config_home, "skills", SkillScope::User);
        roots.add_below(id, &host.home, ".agents/skills", SkillScope::User);
        if host.bundled {
            roots.add_below(id, &host.config_home, "skills/.system", SkillScope::System);
        }
        if let Some(folder) = &host.admin_folder {
            roots.add_below(id, folder, "skills", SkillScope::Admin);
        }
    }
    for root in input.plugins.iter().chain(&input.extra) {
        roots.add(SkillRoot {
            scope: SkillScope::User,
            required: true,
            ..root.clone()
        });
    }
    if let Some(project) = &input.project {
        for directory in &project.directories {
            let id = &project.environment_id;
            roots.add_below(id, directory, ".agents/skills", SkillScope::Repo);
        }
    }
    for selected in &input.selected {
        let (id, path) = (selected.environment_id(), selected.path());
        roots.add(SkillRoot {
            root_id: Some(selected.id.clone()),
            required: true,
            ..SkillRoot::new(id.clone(), path.clone(), SkillScope::Environment)
        });
    }
    roots.list
}

#[derive(Default)]
struct Roots {
    list: Vec<SkillRoot>,
    known: HashSet<(EnvironmentId, PathUri)>,
}

impl Roots {
    fn add(&mut self, root: SkillRoot) {
        if self
            .known
            .insert((root.environment_id.clone(), root.path.clone()))
        {
            self.list.push(root);
        }
    }

    fn add_below(&mut self, id: &EnvironmentId, base: &PathUri, below: &str, scope: SkillScope) {
        // A base that takes no names holds no directory.
        if let Ok(path) = base.join(below) {
            self.add(SkillRoot::new(id.clone(), path, scope));
        }
    }
}
