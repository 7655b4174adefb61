//! Where a plugin's components come from: what it declares, or the default place.
//!
//! Pure: a source is a place to look, and nothing here knows whether something is there.

use crate::components::append;
use crate::{
    ComponentDeclaration, DEFAULT_APPS_CONFIG, DEFAULT_HOOKS_CONFIG, DEFAULT_MCP_CONFIG,
    DEFAULT_SKILLS_DIR, ManifestFormat, PluginResourceLocator, ResolvedPlugin,
};

/// A component's source, and who chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ComponentSource<T> {
    /// The manifest names it; a missing file is worth a report.
    Declared(T),
    /// The grammar fixes it; a missing file is normal.
    Default(T),
}

impl<T> ComponentSource<T> {
    /// Whether the manifest names the source.
    pub fn is_declared(&self) -> bool {
        matches!(self, Self::Declared(_))
    }

    /// The source.
    pub fn get(&self) -> &T {
        match self {
            Self::Declared(source) | Self::Default(source) => source,
        }
    }
}

impl ResolvedPlugin {
    /// The directories of skills: declared, or `skills` below the root.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system::EnvironmentId;
    /// use codex_path_uri::PathUri;
    /// use codex_plugin::{ResolvedPlugin, parse_plugin_manifest};
    ///
    /// let root = PathUri::parse("file:///plugins/demo")?;
    /// // A declaration whose paths are all dropped is no declaration.
    /// let (manifest, diagnostics) = parse_plugin_manifest(&root, r#"{"skills":"../x"}"#)?;
    /// let path = root.join(".codex-plugin/plugin.json")?;
    /// let id = EnvironmentId::new("box")?;
    /// let plugin = ResolvedPlugin::from_environment("demo", id, root, path, manifest, diagnostics)?;
    /// let sources = plugin.skill_sources();
    /// assert!(!sources.is_declared());
    /// assert_eq!(sources.get()[0].path().as_str(), "file:///plugins/demo/skills");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skill_sources(&self) -> ComponentSource<Vec<PluginResourceLocator>> {
        let declared = self.manifest().skills();
        if declared.is_empty() {
            let default = self.default_below(DEFAULT_SKILLS_DIR);
            return ComponentSource::Default(default.into_iter().collect());
        }
        self.fixed_or_declared(declared.to_vec())
    }

    /// The MCP servers: declared, or the file `.mcp.json` below the root.
    ///
    /// `None` only if the root takes no file names.
    pub fn mcp_sources(
        &self,
    ) -> Option<ComponentSource<ComponentDeclaration<PluginResourceLocator>>> {
        match self.manifest().mcp_servers() {
            Some(declared) => Some(self.fixed_or_declared(declared.clone())),
            None => self.default_file(DEFAULT_MCP_CONFIG),
        }
    }

    /// The file of apps: declared, or `.app.json` below the root.
    ///
    /// `None` for a format without apps, and if the root takes no file names.
    pub fn apps_source(&self) -> Option<ComponentSource<PluginResourceLocator>> {
        match (self.manifest().apps(), self.manifest().format()) {
            (_, ManifestFormat::AgentPlugins) => None,
            (Some(declared), _) => Some(ComponentSource::Declared(declared.clone())),
            (None, _) => self
                .default_below(DEFAULT_APPS_CONFIG)
                .map(ComponentSource::Default),
        }
    }

    /// The hooks: declared, or the file `hooks/hooks.json` below the root.
    ///
    /// `None` for a format without hooks, and if the root takes no file names.
    pub fn hook_sources(
        &self,
    ) -> Option<ComponentSource<ComponentDeclaration<PluginResourceLocator>>> {
        match (self.manifest().hooks(), self.manifest().format()) {
            (_, ManifestFormat::AgentPlugins) => None,
            (Some(declared), _) => Some(ComponentSource::Declared(declared.clone())),
            (None, _) => self.default_file(DEFAULT_HOOKS_CONFIG),
        }
    }

    /// Agent Plugins 1.0 fixes its components, so there nothing is declared.
    fn fixed_or_declared<T>(&self, source: T) -> ComponentSource<T> {
        match self.manifest().format() {
            ManifestFormat::AgentPlugins => ComponentSource::Default(source),
            ManifestFormat::Plugin => ComponentSource::Declared(source),
        }
    }

    fn default_file(
        &self,
        path: &str,
    ) -> Option<ComponentSource<ComponentDeclaration<PluginResourceLocator>>> {
        let files = vec![self.default_below(path)?];
        Some(ComponentSource::Default(ComponentDeclaration::Files(files)))
    }

    /// The place of a default below the root; none if the root takes no names.
    fn default_below(&self, path: &str) -> Option<PluginResourceLocator> {
        let names: Vec<&str> = path.split('/').collect();
        let path = append(self.root(), &names).ok()?;
        Some(PluginResourceLocator::new(
            self.environment_id().clone(),
            path,
        ))
    }
}
