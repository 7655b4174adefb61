//! A plugin bound to its environment.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

use crate::{
    PluginDiagnostic, PluginManifest, PluginNamespace, PluginResourceLocator, ResourceOutsideRoot,
};

/// A plugin: what its manifest declares, every resource bound to the environment and below the root.
///
/// It is inert. Holding one starts, installs and caches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPlugin {
    selected_root_id: String,
    environment_id: EnvironmentId,
    root: PathUri,
    canonical_root: Option<PathUri>,
    manifest_path: PluginResourceLocator,
    manifest: PluginManifest<PluginResourceLocator>,
    namespace: PluginNamespace,
    diagnostics: Vec<PluginDiagnostic>,
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
            diagnostics,
        })
    }

    /// Adds the root's canonical path, which spares later calls.
    pub(crate) fn with_canonical_root(mut self, canonical_root: Option<PathUri>) -> Self {
        self.canonical_root = canonical_root;
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
}
