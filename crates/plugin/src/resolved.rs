//! A plugin bound to its environment, and where its components come from.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use serde::{Deserialize, Serialize};

use crate::manifest::append;
use crate::{
    ComponentDeclaration, DEFAULT_APPS_CONFIG, DEFAULT_HOOKS_CONFIG, DEFAULT_MCP_CONFIG,
    DEFAULT_SKILLS_DIR, ManifestFormat, PluginDiagnostic, PluginManifest, PluginNamespace,
    PluginResourceLocator, ResourceOutsideRoot,
};

/// A plugin: what its manifest declares, every resource bound to the environment and below the root.
///
/// It is inert: holding one starts, installs and caches nothing. It serializes, so that a session that is resumed need
/// not resolve it again; its [`diagnostics`](Self::diagnostics) are told once and left out. What is deserialized is
/// checked as [`from_environment`](Self::from_environment) checks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SavedPlugin", into = "SavedPlugin")]
pub struct ResolvedPlugin {
    selected_root_id: String,
    environment_id: EnvironmentId,
    root: PathUri,
    canonical_root: Option<PathUri>,
    manifest_path: PluginResourceLocator,
    manifest: PluginManifest<PluginResourceLocator>,
    namespace: PluginNamespace,
    /// Entries of the root that a listing showed to be missing.
    missing: Vec<PathUri>,
    diagnostics: Vec<PluginDiagnostic>,
}

/// A plugin as it is serialized: one environment for all paths.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedPlugin {
    selected_root_id: String,
    environment_id: EnvironmentId,
    root: PathUri,
    canonical_root: Option<PathUri>,
    manifest_path: PathUri,
    manifest: PluginManifest<PathUri>,
    missing: Vec<PathUri>,
}

/// A directory of a plugin's skills, with what loading them needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginSkillRoot {
    /// The environment that owns the directory.
    pub environment_id: EnvironmentId,
    /// The directory.
    pub path: PathUri,
    /// The id of the selected root; none for an installed plugin, whose skills are the user's.
    pub root_id: Option<String>,
    /// What the skills are named after. No manifest has to be read for it.
    pub namespace: PluginNamespace,
    /// Whether the manifest names the directory: then a missing one is worth a report.
    pub is_declared: bool,
}

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
    /// Binds a manifest and its resources to the environment they are in.
    ///
    /// Containment is judged by whole names (`/a/bc` is not below `/a/b`) and lexically: what links
    /// do is the concern of whoever opens a resource.
    ///
    /// # Errors
    /// The first resource outside `root`, in the order of
    /// [`try_map_resources`](PluginManifest::try_map_resources), the manifest itself before all.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system::EnvironmentId;
    /// use codex_path_uri::PathUri;
    /// use codex_plugin::{ResolvedPlugin, parse_plugin_manifest};
    ///
    /// let root = PathUri::parse("file:///plugins/demo")?;
    /// let other = PathUri::parse("file:///plugins/demo2")?;
    /// let (manifest, diagnostics) = parse_plugin_manifest(&other, r#"{"apps":"./a.json"}"#)?;
    /// let path = root.join(".codex-plugin/plugin.json")?;
    /// let id = EnvironmentId::new("box")?;
    /// let outside =
    ///     ResolvedPlugin::from_environment("demo", id, root, path, manifest, diagnostics).unwrap_err();
    /// assert_eq!(outside.field(), "apps");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_environment(
        root_id: impl Into<String>,
        environment_id: EnvironmentId,
        root: PathUri,
        manifest_path: PathUri,
        manifest: PluginManifest<PathUri>,
        diagnostics: Vec<PluginDiagnostic>,
    ) -> Result<Self, ResourceOutsideRoot> {
        let bind = |field: &str, path: PathUri| {
            ResourceOutsideRoot::check(field, &root, &path)?;
            Ok(PluginResourceLocator::new(environment_id.clone(), path))
        };
        let manifest_path = bind("manifest", manifest_path)?;
        let manifest = manifest.try_map_resources(bind)?;
        Ok(Self {
            selected_root_id: root_id.into(),
            namespace: PluginNamespace::new(manifest.declared_name(), &root),
            environment_id,
            root,
            canonical_root: None,
            manifest_path,
            manifest,
            missing: Vec::new(),
            diagnostics,
        })
    }

    /// Adds what looking at the root has told, which spares later calls.
    pub(crate) fn with_layout(
        mut self,
        canonical_root: Option<PathUri>,
        missing: Vec<PathUri>,
    ) -> Self {
        self.canonical_root = canonical_root;
        self.missing = missing;
        self
    }

    /// The same plugin, selected under another id.
    pub(crate) fn with_root_id(mut self, id: &str) -> Self {
        id.clone_into(&mut self.selected_root_id);
        self
    }

    /// Id of the selected root: any text.
    pub fn selected_root_id(&self) -> &str {
        &self.selected_root_id
    }

    /// The environment that owns every file of the plugin.
    pub fn environment_id(&self) -> &EnvironmentId {
        &self.environment_id
    }

    /// The root, as it was selected.
    pub fn root(&self) -> &PathUri {
        &self.root
    }

    /// Where the root really is; known when it was resolved under
    /// [`SymlinkPolicy::RefuseEscape`](crate::SymlinkPolicy::RefuseEscape).
    pub fn canonical_root(&self) -> Option<&PathUri> {
        self.canonical_root.as_ref()
    }

    /// The manifest's file.
    pub fn manifest_path(&self) -> &PluginResourceLocator {
        &self.manifest_path
    }

    /// What the manifest declares.
    pub fn manifest(&self) -> &PluginManifest<PluginResourceLocator> {
        &self.manifest
    }

    /// The plugin's name and the namespace of its skills.
    pub fn namespace(&self) -> &PluginNamespace {
        &self.namespace
    }

    /// What was dropped, cut or normalised in the manifest.
    pub fn diagnostics(&self) -> &[PluginDiagnostic] {
        &self.diagnostics
    }

    /// Whether the listing of the root showed that a resource is not there. What lies deeper than the entries of the
    /// root is not known to be missing, and nothing is of a plugin that no provider has resolved.
    pub fn is_missing(&self, resource: &PluginResourceLocator) -> bool {
        let is_below = |entry: &PathUri| resource.path().starts_with(entry);
        resource.environment_id() == &self.environment_id && self.missing.iter().any(is_below)
    }

    /// The places of components that the manifest does not declare.
    pub(crate) fn default_places(&self) -> Vec<PluginResourceLocator> {
        let mut places = Vec::new();
        if let ComponentSource::Default(skills) = self.skill_sources() {
            places.extend(skills);
        }
        if let Some(ComponentSource::Default(apps)) = self.apps_source() {
            places.push(apps);
        }
        for source in [self.mcp_sources(), self.hook_sources()]
            .into_iter()
            .flatten()
        {
            if let ComponentSource::Default(ComponentDeclaration::Files(files)) = source {
                places.extend(files);
            }
        }
        places
    }

    /// The directories of skills that are not known to be missing: what a loader of skills is given.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system::EnvironmentId;
    /// use codex_path_uri::PathUri;
    /// use codex_plugin::{ResolvedPlugin, parse_plugin_manifest};
    ///
    /// let root = PathUri::parse("file:///plugins/demo")?;
    /// let (manifest, diagnostics) = parse_plugin_manifest(&root, r#"{"skills":["./a","./b"]}"#)?;
    /// let path = root.join(".codex-plugin/plugin.json")?;
    /// let id = EnvironmentId::new("box")?;
    /// let plugin = ResolvedPlugin::from_environment("demo-1", id, root, path, manifest, diagnostics)?;
    /// let roots = plugin.skill_roots();
    /// assert_eq!(roots[1].path.as_str(), "file:///plugins/demo/b");
    /// assert_eq!(roots[1].root_id.as_deref(), Some("demo-1"));
    /// assert_eq!(roots[1].namespace.namespace(), "demo");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skill_roots(&self) -> Vec<PluginSkillRoot> {
        let sources = self.skill_sources();
        let present = sources.get().iter().filter(|it| !self.is_missing(it));
        let root = |locator: &PluginResourceLocator| PluginSkillRoot {
            environment_id: self.environment_id.clone(),
            path: locator.path().clone(),
            root_id: Some(self.selected_root_id.clone()),
            namespace: self.namespace.clone(),
            is_declared: sources.is_declared(),
        };
        present.map(root).collect()
    }

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

impl From<ResolvedPlugin> for SavedPlugin {
    fn from(plugin: ResolvedPlugin) -> Self {
        let path = |_: &str, locator: PluginResourceLocator| {
            Ok::<_, std::convert::Infallible>(locator.path().clone())
        };
        let Ok(manifest) = plugin.manifest.try_map_resources(path);
        Self {
            selected_root_id: plugin.selected_root_id,
            environment_id: plugin.environment_id,
            root: plugin.root,
            canonical_root: plugin.canonical_root,
            manifest_path: plugin.manifest_path.path().clone(),
            manifest,
            missing: plugin.missing,
        }
    }
}

impl TryFrom<SavedPlugin> for ResolvedPlugin {
    type Error = ResourceOutsideRoot;

    fn try_from(saved: SavedPlugin) -> Result<Self, ResourceOutsideRoot> {
        let plugin = Self::from_environment(
            saved.selected_root_id,
            saved.environment_id,
            saved.root,
            saved.manifest_path,
            saved.manifest,
            Vec::new(),
        )?;
        Ok(plugin.with_layout(saved.canonical_root, saved.missing))
    }
}
