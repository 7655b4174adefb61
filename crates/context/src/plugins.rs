//! The plugins of a session: those that the host selected, and those that the user installed.

use codex_config::{ConfigLayerStack, TomlValue};
use codex_file_system::EnvironmentId;
use codex_plugin::mcp::{McpCatalog, PluginMcpServers, load_mcp_servers_with};
use codex_plugin::{
    ErrorPlace, InstalledPlugins, PluginEntry, PluginOptions, PluginProviderError, PluginSkillRoot,
    ResolvedPlugin, ResolvedRoot, SelectedCapabilityRoot, find_installed_plugins_with,
    resolve_one_with,
};
use codex_skills::{SkillRoot, SkillScope};
use futures::future::{join, join_all};

use crate::session::{Base, Session};

const PLUGINS_KEY: &str = "plugins";
const ENABLED_KEY: &str = "enabled";

/// The plugins of a session. Nothing of them is started.
#[derive(Clone, Debug, Default)]
pub struct Plugins {
    /// What each selected directory turned out to be, in the order of the request.
    pub selected: Vec<SelectedPlugin>,
    /// The plugins that the user's configuration enables.
    pub installed: InstalledPlugins,
    /// The servers that all of them register, no two under one name.
    pub servers: McpCatalog,
}

/// What a selected directory turned out to be.
#[derive(Clone, Debug)]
pub struct SelectedPlugin {
    /// The directory.
    pub root: SelectedCapabilityRoot,
    /// What is in it, or why that is not known.
    pub resolved: Result<ResolvedRoot, PluginProviderError>,
}

impl Plugins {
    /// Every plugin: the selected ones, then the installed ones.
    pub fn iter(&self) -> impl Iterator<Item = &ResolvedPlugin> {
        let selected = self.selected.iter().filter_map(SelectedPlugin::plugin);
        selected.chain(self.installed.plugins.iter().map(|it| &it.plugin))
    }

    /// The directories of skills of the selected ones.
    pub(crate) fn selected_skill_roots(&self) -> Vec<SkillRoot> {
        let roots = self.selected.iter().flat_map(SelectedPlugin::skill_roots);
        roots.collect()
    }

    /// The directories of skills of the installed ones.
    pub(crate) fn installed_skill_roots(&self) -> Vec<SkillRoot> {
        let roots = self
            .installed
            .plugins
            .iter()
            .flat_map(|it| it.skill_roots());
        roots
            .map(|root| skill_root(root, SkillScope::User))
            .collect()
    }
}

impl SelectedPlugin {
    /// The plugin, if there is one.
    pub fn plugin(&self) -> Option<&ResolvedPlugin> {
        self.resolved.as_ref().ok()?.plugin.as_ref()
    }

    /// Those of a plugin; the directory itself where it is none.
    fn skill_roots(&self) -> Vec<SkillRoot> {
        match &self.resolved {
            Err(_) => Vec::new(),
            Ok(ResolvedRoot { plugin: None, .. }) => vec![SkillRoot {
                root_id: Some(self.root.id.clone()),
                ..SkillRoot::new(
                    self.root.environment_id().clone(),
                    self.root.path().clone(),
                    SkillScope::Environment,
                )
            }],
            Ok(ResolvedRoot {
                plugin: Some(plugin),
                ..
            }) => {
                let roots = plugin.skill_roots().into_iter();
                roots
                    .map(|root| skill_root(root, SkillScope::Environment))
                    .collect()
            }
        }
    }
}

fn skill_root(root: PluginSkillRoot, scope: SkillScope) -> SkillRoot {
    SkillRoot {
        root_id: root.root_id,
        plugin: Some(root.namespace),
        required: root.is_declared,
        ..SkillRoot::new(root.environment_id, root.path, scope)
    }
}

impl Session<'_, '_> {
    /// Finds all plugins and the servers that they register.
    pub(crate) async fn find_plugins(&self, base: Base<'_>) -> Plugins {
        let options = PluginOptions::default();
        let selected = self.request.plugins.iter().map(async |root| {
            let resolved = match self.machines.get(root.environment_id()) {
                Some(machine) => {
                    let resolving = resolve_one_with(&machine.files, root, &options);
                    machine.phase("plugins", resolving).await
                }
                None => Err(unavailable(root)),
            };
            SelectedPlugin {
                root: root.clone(),
                resolved,
            }
        });
        let installed = self.installed_plugins(base, &options);
        let (selected, installed) = join(join_all(selected), installed).await;
        let mut plugins = Plugins {
            selected,
            installed,
            ..Plugins::default()
        };
        let servers = self.servers(&plugins, &options).await;
        plugins.servers = McpCatalog::new(servers);
        plugins
    }

    async fn installed_plugins(&self, base: Base<'_>, options: &PluginOptions) -> InstalledPlugins {
        let config_home = self.request.sources.config_home.as_ref();
        let (Some(host), Some(config_home), Ok(base)) = (self.host(), config_home, base.await)
        else {
            return InstalledPlugins::default();
        };
        let (id, entries) = (host.environment.id(), plugin_entries(&base.stack));
        let found = find_installed_plugins_with(&host.files, id, config_home, &entries, options);
        host.phase("installed plugins", found).await
    }

    /// The servers of each plugin, every machine asked at the same time.
    async fn servers(&self, plugins: &Plugins, options: &PluginOptions) -> Vec<PluginMcpServers> {
        let loads = plugins.iter().map(async |plugin| {
            let machine = self.machines.get(plugin.environment_id())?;
            let load =
                load_mcp_servers_with(&machine.files, std::slice::from_ref(&plugin), options);
            machine.phase("servers", load).await.into_iter().next()
        });
        join_all(loads).await.into_iter().flatten().collect()
    }
}

fn unavailable(root: &SelectedCapabilityRoot) -> PluginProviderError {
    let environment_id: EnvironmentId = root.environment_id().clone();
    PluginProviderError::UnavailableEnvironment {
        place: ErrorPlace {
            root_id: root.id.clone(),
            environment_id: Some(environment_id),
            path: None,
        },
    }
}

/// The `[plugins]` table, which project layers cannot set.
fn plugin_entries(config: &ConfigLayerStack) -> Vec<PluginEntry> {
    let merged = config.effective_config_without_project();
    let Some(TomlValue::Table(plugins)) = merged.get(PLUGINS_KEY) else {
        return Vec::new();
    };
    let entries = plugins.iter().map(|(id, entry)| PluginEntry {
        id: id.clone(),
        enabled: entry.get(ENABLED_KEY).and_then(TomlValue::as_bool) != Some(false),
    });
    entries.collect()
}
