//! What a manifest declares, over any kind of resource.
//!
//! The parser makes a manifest over paths; resolving a plugin turns the paths into locators.

use super::component::{ComponentDeclaration, try_map_list};
use super::interface::PluginInterface;

/// The declarations of one plugin, with resources of type `R`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginManifest<R> {
    pub(super) format: ManifestFormat,
    pub(super) name: String,
    /// Whether the name is the manifest's own, not a stand-in.
    pub(super) declares_name: bool,
    pub(super) version: Option<String>,
    pub(super) description: Option<String>,
    pub(super) keywords: Vec<String>,
    pub(super) skills: Vec<R>,
    pub(super) mcp_servers: Option<ComponentDeclaration<R>>,
    pub(super) apps: Option<R>,
    pub(super) hooks: Option<ComponentDeclaration<R>>,
    pub(super) interface: Option<PluginInterface<R>>,
}

/// The grammar a manifest was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ManifestFormat {
    /// A manifest at one of the three discoverable locations.
    Plugin,
    /// `plugin.json` of Agent Plugins 1.0, whose components are in fixed places.
    AgentPlugins,
}

impl<R> PluginManifest<R> {
    /// A manifest of this format that declares nothing.
    pub(super) fn empty(format: ManifestFormat) -> Self {
        Self {
            format,
            name: String::new(),
            declares_name: false,
            version: None,
            description: None,
            keywords: Vec::new(),
            skills: Vec::new(),
            mcp_servers: None,
            apps: None,
            hooks: None,
            interface: None,
        }
    }

    /// The grammar the manifest was written in.
    pub fn format(&self) -> ManifestFormat {
        self.format
    }

    /// The name as declared, or the stand-in for a missing one. Any text: never a path, and shown
    /// only after escaping.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as declared; none if a stand-in is its [`name`](Self::name).
    pub fn declared_name(&self) -> Option<&str> {
        self.declares_name.then_some(self.name.as_str())
    }

    /// The name for people: the trimmed display name unless it is blank, else the name.
    pub fn display_name(&self) -> &str {
        let declared = self
            .interface
            .as_ref()
            .and_then(PluginInterface::display_name);
        declared
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .unwrap_or(&self.name)
    }

    /// The version, trimmed and otherwise not judged.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The description, verbatim.
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The keywords, verbatim.
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// The declared directories of skills.
    pub fn skills(&self) -> &[R] {
        &self.skills
    }

    /// The declared MCP servers.
    pub fn mcp_servers(&self) -> Option<&ComponentDeclaration<R>> {
        self.mcp_servers.as_ref()
    }

    /// The declared file of apps.
    pub fn apps(&self) -> Option<&R> {
        self.apps.as_ref()
    }

    /// The declared hooks.
    pub fn hooks(&self) -> Option<&ComponentDeclaration<R>> {
        self.hooks.as_ref()
    }

    /// How the plugin presents itself, if it says anything about that.
    pub fn interface(&self) -> Option<&PluginInterface<R>> {
        self.interface.as_ref()
    }

    /// Turns every resource into another, in the order skills, MCP servers, hooks, apps,
    /// screenshots, composer icon, logo, dark logo.
    ///
    /// `f` is given the field of the resource, such as `skills[0]` or `interface.logo`; the index is
    /// that of the kept list.
    ///
    /// # Errors
    /// The first error of `f`; it is not called again after that.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::PathUri;
    /// use codex_plugin::parse_plugin_manifest;
    ///
    /// let root = PathUri::parse("file:///plugins/demo")?;
    /// let (manifest, _) = parse_plugin_manifest(&root, r#"{"apps":"./a.json"}"#).unwrap();
    /// let texts = manifest.try_map_resources(|field, path| {
    ///     Ok::<_, std::convert::Infallible>(format!("{field}: {path}"))
    /// });
    /// assert_eq!(texts.unwrap().apps().unwrap(), "apps: file:///plugins/demo/a.json");
    /// # Ok::<(), codex_path_uri::PathUriError>(())
    /// ```
    pub fn try_map_resources<S, E>(
        self,
        mut f: impl FnMut(&str, R) -> Result<S, E>,
    ) -> Result<PluginManifest<S>, E> {
        let f = &mut f;
        let skills = try_map_list(self.skills, "skills", f)?;
        let mcp_servers = self
            .mcp_servers
            .map(|it| it.try_map_files("mcpServers", f))
            .transpose()?;
        let hooks = self
            .hooks
            .map(|it| it.try_map_files("hooks", f))
            .transpose()?;
        let apps = self.apps.map(|it| f("apps", it)).transpose()?;
        let interface = self
            .interface
            .map(|it| it.try_map_resources(f))
            .transpose()?;
        Ok(PluginManifest {
            format: self.format,
            name: self.name,
            declares_name: self.declares_name,
            version: self.version,
            description: self.description,
            keywords: self.keywords,
            skills,
            mcp_servers,
            apps,
            hooks,
            interface,
        })
    }
}
