//! Where the parts of a plugin are below its root: the places of a manifest, and the default places of components.
//!
//! Resolving a root, checking an installed plugin and naming skills all go through these locations in this order.

use std::io;

use codex_file_system::{ExecutorFileSystem, FileSystemSandboxContext};
use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};
use futures::future::join3;

/// The locations of a manifest below a plugin's root, the first that is a regular file first.
pub const DISCOVERABLE_PLUGIN_MANIFEST_PATHS: [&str; 3] = [
    ".codex-plugin/plugin.json",
    ".claude-plugin/plugin.json",
    ".cursor-plugin/plugin.json",
];

/// The manifest of Agent Plugins 1.0, below the root.
pub(crate) const AGENT_PLUGINS_MANIFEST: &str = "plugin.json";

/// Directory of skills, below the plugin root, when the manifest declares none.
pub const DEFAULT_SKILLS_DIR: &str = "skills";

/// File of MCP servers, below the plugin root, when the manifest declares none.
pub const DEFAULT_MCP_CONFIG: &str = ".mcp.json";

/// File of MCP servers of an Agent Plugins 1.0 plugin.
pub(crate) const AGENT_PLUGINS_MCP_CONFIG: &str = "mcp.json";

/// File of apps, below the plugin root, when the manifest declares none.
pub const DEFAULT_APPS_CONFIG: &str = ".app.json";

/// File of hooks, below the plugin root, when the manifest declares none.
pub const DEFAULT_HOOKS_CONFIG: &str = "hooks/hooks.json";

/// Name of a plugin whose manifest has none and whose root has no name either.
pub const FALLBACK_PLUGIN_NAME: &str = "plugin";

/// The three locations below `root`, in order. Makes no call.
///
/// # Errors
/// The path error of a root that takes no child names.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
///
/// let [first, ..] = codex_plugin::manifest_candidates(&PathUri::parse("file:///C:/demo")?)?;
/// assert_eq!(first.as_str(), "file:///C:/demo/.codex-plugin/plugin.json");
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn manifest_candidates(root: &PathUri) -> Result<[PathUri; 3], PathUriError> {
    let [first, second, third] = DISCOVERABLE_PLUGIN_MANIFEST_PATHS;
    Ok([root.join(first)?, root.join(second)?, root.join(third)?])
}

/// Finds the manifest of the plugin at `root` without reading it.
///
/// # Round trips
/// One: the three probes together.
///
/// # Errors
/// The first failure in order other than `NotFound`, unless an earlier location is the manifest;
/// `InvalidInput` for a root that takes no child names.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::find_plugin_manifest;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/p/.cursor-plugin/plugin.json = {}")?;
/// let found = find_plugin_manifest(&fs, &PathUri::parse("file:///p")?, None).await?;
/// assert_eq!(found.unwrap().as_str(), "file:///p/.cursor-plugin/plugin.json");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn find_plugin_manifest(
    fs: &(impl ExecutorFileSystem + ?Sized),
    root: &PathUri,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Option<PathUri>> {
    let candidates = manifest_candidates(root)?;
    let [first, second, third] = &candidates;
    let (first, second, third) = join3(
        fs.get_metadata(first, sandbox),
        fs.get_metadata(second, sandbox),
        fs.get_metadata(third, sandbox),
    )
    .await;
    for (path, answer) in candidates.into_iter().zip([first, second, third]) {
        match answer {
            Ok(metadata) if metadata.is_file => return Ok(Some(path)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

const LOCATIONS: usize = DISCOVERABLE_PLUGIN_MANIFEST_PATHS.len();

/// A set of manifest directories, in the order of [`DISCOVERABLE_PLUGIN_MANIFEST_PATHS`].
///
/// # Examples
/// ```
/// use codex_plugin::ManifestDirectories;
///
/// let shown = ManifestDirectories::from_names(["skills", ".cursor-plugin", ".codex-plugin"]);
/// assert_eq!(shown.iter().collect::<Vec<_>>(), [0, 2]);
/// assert_eq!(shown.intersection(ManifestDirectories::first(2)).iter().collect::<Vec<_>>(), [0]);
/// assert!(ManifestDirectories::from_names(["skills"]).is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ManifestDirectories([bool; LOCATIONS]);

impl ManifestDirectories {
    /// All three directories: nothing is known, so every location is tried.
    pub const ALL: Self = Self([true; LOCATIONS]);

    /// No directory: there is nothing to try.
    pub const EMPTY: Self = Self([false; LOCATIONS]);

    /// The first `count` directories in the order of the constant; all three if `count` is larger.
    pub const fn first(count: usize) -> Self {
        let mut set = [false; LOCATIONS];
        let mut index = 0;
        while index < LOCATIONS && index < count {
            set[index] = true;
            index += 1;
        }
        Self(set)
    }

    /// The manifest directories among `names`, compared exactly; other names are ignored.
    pub fn from_names(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut set = Self::EMPTY;
        for name in names {
            set.insert(name.as_ref(), |directory, name| directory == name);
        }
        set
    }

    /// The manifest directories among the names of a listing.
    ///
    /// Names are compared exactly on POSIX; on Windows without regard to ASCII case, because there
    /// the path of a location reaches the directory whatever the spelling on disk.
    pub fn from_listing<'a>(names: impl IntoIterator<Item = &'a FileName>) -> Self {
        let mut set = Self::EMPTY;
        for name in names {
            let Some(text) = name.as_str() else { continue };
            match name.convention() {
                PathConvention::Posix => set.insert(text, |directory, name| directory == name),
                PathConvention::Windows => set.insert(text, str::eq_ignore_ascii_case),
            }
        }
        set
    }

    /// Whether the directory of the location with this index is in the set.
    pub fn contains(self, location: usize) -> bool {
        self.0.get(location).copied().unwrap_or(false)
    }

    /// The directories in both sets.
    pub fn intersection(self, other: Self) -> Self {
        Self(std::array::from_fn(|location| {
            self.contains(location) && other.contains(location)
        }))
    }

    /// Whether no directory is in the set.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// The indices of the locations to try, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..LOCATIONS).filter(move |location| self.contains(*location))
    }

    fn insert(&mut self, name: &str, are_same: fn(&str, &str) -> bool) {
        for (shown, path) in self.0.iter_mut().zip(DISCOVERABLE_PLUGIN_MANIFEST_PATHS) {
            let parts = path.split_at_checked(name.len());
            let directory = parts.filter(|(_, file)| file.starts_with('/'));
            *shown |= directory.is_some_and(|(directory, _)| are_same(directory, name));
        }
    }
}
