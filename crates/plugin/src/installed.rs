//! Installed plugins: which version of which enabled plugin is in the cache of the configuration home.

use std::cmp::Ordering;
use std::error::Error;
use std::io;

use codex_file_system::{
    Answer, EnvironmentId, ExecutorFileSystem, Expectation, FileKind, Lookahead, ReadCall,
    ReadDirectoryEntry,
};
use codex_path_uri::PathUri;
use semver::Version;

use crate::resolve::{inspect, plugin_root_calls};
use crate::{
    InstalledProblem, PluginDiagnostic, PluginId, PluginOptions, PluginProviderError,
    PluginResourceLocator, PluginSkillRoot, ResolvedPlugin, SelectedCapabilityRoot,
};

/// The cache below the configuration home; below it are `MARKETPLACE/PLUGIN/VERSION`.
const CACHE: &str = "plugins/cache";

/// The version that goes before all others.
const LOCAL_VERSION: &str = "local";

/// An entry `[plugins."<plugin>@<marketplace>"]` of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginEntry {
    /// The key.
    pub id: String,
    /// `enabled`, which is true where it is missing.
    pub enabled: bool,
}

/// The plugins that a configuration enables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstalledPlugins {
    /// Those that are there, in the order of their entries.
    pub plugins: Vec<InstalledPlugin>,
    /// Those that are switched off; nothing is asked about them.
    pub disabled: Vec<PluginId>,
    /// Entries without an installed plugin, and what is wrong with the roots of the others.
    pub diagnostics: Vec<PluginDiagnostic>,
}

/// An enabled plugin in the cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// Its id, which is also the id of its root.
    pub id: PluginId,
    /// The name of the chosen directory.
    pub version: String,
    /// What its manifest declares.
    pub plugin: ResolvedPlugin,
}

impl InstalledPlugin {
    /// The directories of skills, which are the user's: see [`ResolvedPlugin::skill_roots`].
    pub fn skill_roots(&self) -> Vec<PluginSkillRoot> {
        let of_user = |root| PluginSkillRoot {
            root_id: None,
            ..root
        };
        self.plugin.skill_roots().into_iter().map(of_user).collect()
    }
}

/// Finds the enabled plugins of `entries` in the cache of `config_home`, a directory of the environment that
/// `lookahead` asks.
///
/// Of the directories of a plugin (links do not count) `local` is chosen, else the greatest version: by the rules of
/// semantic versions, or as text where one of two is none.
///
/// # Round trips
/// 3, all plugins together: the versions, then what [`resolve_all_with`](crate::resolve_all_with) asks of the chosen
/// ones. One more call per enabled plugin than that. None without enabled plugins.
///
/// # Examples
/// ```
/// use codex_file_system::{EnvironmentId, Lookahead, Window};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::{PluginEntry, PluginOptions, find_installed_plugins_with};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, r#"
///     /home/plugins/cache/team/git/1.9.0/.codex-plugin/plugin.json = {"name": "git"}
///     /home/plugins/cache/team/git/1.10.0/.codex-plugin/plugin.json = {"name": "git"}
/// "#)?;
/// let entry = |id: &str| PluginEntry { id: id.to_owned(), enabled: true };
/// let (id, home) = (EnvironmentId::new("local")?, PathUri::parse("file:///home")?);
/// let lookahead = Lookahead::new(&fs, Window::default());
/// let (entries, options) = ([entry("git@team"), entry("gone@team")], PluginOptions::default());
/// let find = find_installed_plugins_with(&lookahead, &id, &home, &entries, &options);
/// let found = lookahead.drive(find).await;
/// assert_eq!(found.plugins[0].version, "1.10.0");
/// assert_eq!(found.diagnostics[0].code(), "plugin_not_installed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn find_installed_plugins_with<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    environment_id: &EnvironmentId,
    config_home: &PathUri,
    entries: &[PluginEntry],
    options: &PluginOptions,
) -> InstalledPlugins {
    expect_installed_plugins(lookahead, config_home, entries, options);
    let mut found = InstalledPlugins::default();
    for entry in entries {
        let locator = |path| PluginResourceLocator::new(environment_id.clone(), path);
        let id = match PluginId::parse(&entry.id) {
            Ok(id) if entry.enabled => id,
            Ok(id) => {
                found.disabled.push(id);
                continue;
            }
            Err(_) if !entry.enabled => continue,
            Err(error) => {
                let cache = config_home
                    .join(CACHE)
                    .unwrap_or_else(|_| config_home.clone());
                found.diagnostics.push(PluginDiagnostic::Installed {
                    directory: locator(cache),
                    id: entry.id.clone(),
                    problem: InstalledProblem::InvalidId(error),
                });
                continue;
            }
        };
        let directory = versions_directory(config_home, &id);
        let outcome = match &directory {
            Some(directory) => find_one(lookahead, environment_id, &id, directory, options).await,
            None => Err(InstalledProblem::NotInstalled),
        };
        match outcome {
            Ok((plugin, diagnostics)) => {
                found.plugins.push(plugin);
                found.diagnostics.extend(diagnostics);
            }
            Err(problem) => found.diagnostics.push(PluginDiagnostic::Installed {
                directory: locator(directory.unwrap_or_else(|| config_home.clone())),
                id: entry.id.clone(),
                problem,
            }),
        }
    }
    found
}

/// Says which calls finding the installed plugins will probably make. Makes none.
pub fn expect_installed_plugins<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    config_home: &PathUri,
    entries: &[PluginEntry],
    options: &PluginOptions,
) {
    let ids = entries.iter().filter(|entry| entry.enabled);
    let directories =
        ids.filter_map(|entry| versions_directory(config_home, &PluginId::parse(&entry.id).ok()?));
    lookahead.expect_all(directories.map(|directory| {
        let (path, options) = (directory.clone(), options.clone());
        ReadCall::listing(&directory).then(move |answer| version_calls(&path, answer, &options))
    }));
}

fn version_calls<'f>(
    directory: &PathUri,
    answer: &Answer,
    options: &PluginOptions,
) -> Vec<Expectation<'f>> {
    let version = choose_version(answer.listing().unwrap_or_default());
    let root = version.and_then(|version| directory.join(&version).ok());
    root.map(|root| plugin_root_calls(&root, options))
        .unwrap_or_default()
}

fn versions_directory(config_home: &PathUri, id: &PluginId) -> Option<PathUri> {
    let cache = config_home.join(CACHE).ok()?;
    let marketplace = cache.join(id.marketplace().as_str()).ok()?;
    marketplace.join(id.plugin().as_str()).ok()
}

async fn find_one<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    environment_id: &EnvironmentId,
    id: &PluginId,
    directory: &PathUri,
    options: &PluginOptions,
) -> Result<(InstalledPlugin, Vec<PluginDiagnostic>), InstalledProblem> {
    let entries = match lookahead.read_directory(directory, None).await {
        Ok(entries) => entries,
        Err(error) => {
            let is_absent = matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            );
            return Err(if is_absent {
                InstalledProblem::NotInstalled
            } else {
                InstalledProblem::Broken {
                    code: "inspect_root",
                    reason: error.to_string(),
                }
            });
        }
    };
    let version = choose_version(&entries).ok_or(InstalledProblem::NotInstalled)?;
    let root = directory
        .join(&version)
        .map_err(|_| InstalledProblem::NotInstalled)?;
    let root = SelectedCapabilityRoot::new(id.as_key(), environment_id.clone(), root);
    let resolved = inspect(lookahead, &root, options).await.map_err(broken)?;
    let plugin = resolved.plugin.ok_or(InstalledProblem::NoManifest)?;
    let installed = InstalledPlugin {
        id: id.clone(),
        version,
        plugin,
    };
    Ok((installed, resolved.diagnostics))
}

fn broken(error: PluginProviderError) -> InstalledProblem {
    let mut reason = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        reason = format!("{reason}: {cause}");
        source = cause.source();
    }
    InstalledProblem::Broken {
        code: error.code(),
        reason,
    }
}

/// The version that counts among the entries of a plugin's directory.
fn choose_version(entries: &[ReadDirectoryEntry]) -> Option<String> {
    let is_name = |name: &&str| {
        name.bytes()
            .all(|it| it.is_ascii_alphanumeric() || matches!(it, b'.' | b'_' | b'-' | b'+'))
    };
    let directories = entries
        .iter()
        .filter(|entry| entry.kind == FileKind::Directory && entry.is_symlink != Some(true));
    let names = directories
        .filter_map(|entry| entry.file_name.as_str())
        .filter(is_name);
    names
        .max_by(|left, right| compare_versions(left, right))
        .map(str::to_owned)
}

fn compare_versions(left: &str, right: &str) -> Ordering {
    let is_local = |version: &str| version == LOCAL_VERSION;
    is_local(left).cmp(&is_local(right)).then_with(|| {
        match (Version::parse(left), Version::parse(right)) {
            (Ok(left), Ok(right)) => left.cmp(&right),
            _ => left.cmp(right),
        }
    })
}
