//! What a manifest declares, over any kind of resource.
//!
//! The parser makes a manifest over paths; resolving a plugin turns the paths into locators.

mod agent_plugins;
mod parse;
mod paths;

use std::fmt;

use serde::{Deserialize, Serialize};

pub(crate) use self::agent_plugins::{parse_agent_plugins_manifest, read_overlay};
pub use self::parse::{ParsedManifest, parse_plugin_manifest};
pub(crate) use self::paths::{
    append, begins_with_separator, components, convention_of, find_fault,
};
use crate::ManifestError;
use crate::json::Value;

/// Largest manifest, in bytes (1 MiB). Exactly this many are accepted; one more is
/// [`ManifestTooLarge`](crate::PluginProviderError::ManifestTooLarge).
pub const MAX_MANIFEST_BYTES: usize = 1024 * 1024;

/// Deepest nesting of JSON containers inside values of known keys, the manifest object included. A deeper value is
/// [`TooDeep`](crate::ManifestProblem::TooDeep).
pub const MAX_MANIFEST_DEPTH: usize = 127;

/// Most elements of one list that are read; the rest gives one
/// [`ListTruncated`](crate::FieldProblem::ListTruncated).
pub const MAX_LIST_ITEMS: usize = 256;

/// Most default prompts that are kept; the rest gives one [`PromptLimit`](crate::FieldProblem::PromptLimit).
pub const MAX_DEFAULT_PROMPTS: usize = 3;

/// Longest default prompt, in Unicode scalar values after its white space is folded.
pub const MAX_DEFAULT_PROMPT_CHARS: usize = 512;

/// The declarations of one plugin, with resources of type `R`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginManifest<R> {
    pub(crate) format: ManifestFormat,
    pub(crate) name: String,
    /// Whether the name is the manifest's own, not a stand-in.
    pub(crate) declares_name: bool,
    pub(crate) version: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) skills: Vec<R>,
    pub(crate) mcp_servers: Option<ComponentDeclaration<R>>,
    pub(crate) apps: Option<R>,
    pub(crate) hooks: Option<ComponentDeclaration<R>>,
    pub(crate) interface: Option<PluginInterface<R>>,
}

/// The grammar a manifest was written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ManifestFormat {
    /// A manifest at one of the three discoverable locations.
    Plugin,
    /// `plugin.json` of Agent Plugins 1.0, whose components are in fixed places.
    AgentPlugins,
}

impl<R> PluginManifest<R> {
    /// A manifest of this format that declares nothing.
    pub(crate) fn empty(format: ManifestFormat) -> Self {
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

/// The presentation of a plugin. Texts are verbatim: URLs, colours and categories are not judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginInterface<R> {
    pub(crate) display_name: Option<String>,
    pub(crate) short_description: Option<String>,
    pub(crate) long_description: Option<String>,
    pub(crate) developer_name: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) website_url: Option<String>,
    pub(crate) privacy_policy_url: Option<String>,
    pub(crate) terms_of_service_url: Option<String>,
    pub(crate) brand_color: Option<String>,
    pub(crate) capabilities: Vec<String>,
    pub(crate) default_prompt: Vec<String>,
    pub(crate) composer_icon: Option<R>,
    pub(crate) logo: Option<R>,
    pub(crate) logo_dark: Option<R>,
    pub(crate) screenshots: Vec<R>,
}

impl<R> PluginInterface<R> {
    /// The name for people, not trimmed; see [`PluginManifest::display_name`].
    ///
    /// [`PluginManifest::display_name`]: crate::PluginManifest::display_name
    pub fn display_name(&self) -> Option<&str> {
        self.display_name.as_deref()
    }

    /// One line about the plugin.
    pub fn short_description(&self) -> Option<&str> {
        self.short_description.as_deref()
    }

    /// A longer text about the plugin.
    pub fn long_description(&self) -> Option<&str> {
        self.long_description.as_deref()
    }

    /// Who made the plugin.
    pub fn developer_name(&self) -> Option<&str> {
        self.developer_name.as_deref()
    }

    /// The category the plugin puts itself in.
    pub fn category(&self) -> Option<&str> {
        self.category.as_deref()
    }

    /// The plugin's site.
    pub fn website_url(&self) -> Option<&str> {
        self.website_url.as_deref()
    }

    /// The plugin's privacy policy.
    pub fn privacy_policy_url(&self) -> Option<&str> {
        self.privacy_policy_url.as_deref()
    }

    /// The plugin's terms of service.
    pub fn terms_of_service_url(&self) -> Option<&str> {
        self.terms_of_service_url.as_deref()
    }

    /// The plugin's colour.
    pub fn brand_color(&self) -> Option<&str> {
        self.brand_color.as_deref()
    }

    /// What the plugin says it can do.
    pub fn capabilities(&self) -> &[String] {
        &self.capabilities
    }

    /// Prompts to offer, white space folded: at most
    /// [`MAX_DEFAULT_PROMPTS`](crate::MAX_DEFAULT_PROMPTS), each of 1 to
    /// [`MAX_DEFAULT_PROMPT_CHARS`](crate::MAX_DEFAULT_PROMPT_CHARS) characters.
    pub fn default_prompt(&self) -> &[String] {
        &self.default_prompt
    }

    /// The icon beside the composer.
    pub fn composer_icon(&self) -> Option<&R> {
        self.composer_icon.as_ref()
    }

    /// The logo.
    pub fn logo(&self) -> Option<&R> {
        self.logo.as_ref()
    }

    /// The logo on dark ground.
    pub fn logo_dark(&self) -> Option<&R> {
        self.logo_dark.as_ref()
    }

    /// Pictures of the plugin at work.
    pub fn screenshots(&self) -> &[R] {
        &self.screenshots
    }

    pub(crate) fn try_map_resources<S, E>(
        self,
        f: &mut impl FnMut(&str, R) -> Result<S, E>,
    ) -> Result<PluginInterface<S>, E> {
        let screenshots = try_map_list(self.screenshots, "interface.screenshots", f)?;
        let mut map = |field, resource: Option<R>| resource.map(|it| f(field, it)).transpose();
        Ok(PluginInterface {
            composer_icon: map("interface.composerIcon", self.composer_icon)?,
            logo: map("interface.logo", self.logo)?,
            logo_dark: map("interface.logoDark", self.logo_dark)?,
            screenshots,
            display_name: self.display_name,
            short_description: self.short_description,
            long_description: self.long_description,
            developer_name: self.developer_name,
            category: self.category,
            website_url: self.website_url,
            privacy_policy_url: self.privacy_policy_url,
            terms_of_service_url: self.terms_of_service_url,
            brand_color: self.brand_color,
            capabilities: self.capabilities,
            default_prompt: self.default_prompt,
        })
    }
}

// Not derived: a derive would ask that `R` has a default too.
impl<R> Default for PluginInterface<R> {
    fn default() -> Self {
        Self {
            display_name: None,
            short_description: None,
            long_description: None,
            developer_name: None,
            category: None,
            website_url: None,
            privacy_policy_url: None,
            terms_of_service_url: None,
            brand_color: None,
            capabilities: Vec::new(),
            default_prompt: Vec::new(),
            composer_icon: None,
            logo: None,
            logo_dark: None,
            screenshots: Vec::new(),
        }
    }
}

/// A declared component that is either in files or in the manifest itself. Never an empty list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ComponentDeclaration<R> {
    /// The component is in these files.
    Files(Vec<R>),
    /// The component is written in the manifest, one object each.
    Inline(Vec<InlineJson>),
}

/// The compact JSON text of one object, its keys in document order.
///
/// It is data: valid JSON in which no key stands twice, and nothing more is known or done about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InlineJson(pub(crate) String);

impl<R> ComponentDeclaration<R> {
    /// Applies `f` to each file with its field (`field[0]`, ...), first error wins.
    fn try_map_files<S, E>(
        self,
        field: &str,
        f: &mut impl FnMut(&str, R) -> Result<S, E>,
    ) -> Result<ComponentDeclaration<S>, E> {
        Ok(match self {
            Self::Files(files) => ComponentDeclaration::Files(try_map_list(files, field, f)?),
            Self::Inline(objects) => ComponentDeclaration::Inline(objects),
        })
    }
}

/// Applies `f` to each element with its field (`field[0]`, ...), first error wins.
fn try_map_list<R, S, E>(
    list: Vec<R>,
    field: &str,
    f: &mut impl FnMut(&str, R) -> Result<S, E>,
) -> Result<Vec<S>, E> {
    let elements = list.into_iter().enumerate();
    elements
        .map(|(index, element)| f(&format!("{field}[{index}]"), element))
        .collect()
}

impl InlineJson {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for InlineJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<InlineJson> for String {
    fn from(json: InlineJson) -> Self {
        json.0
    }
}

impl TryFrom<String> for InlineJson {
    type Error = ManifestError;

    fn try_from(text: String) -> Result<Self, ManifestError> {
        let value = Value::parse(&text)?;
        value.object()?;
        value.check("", 0, true)?;
        Ok(value.to_inline())
    }
}
