//! The plugins for programs: one document, or its records.

use codex_file_system::{Environment, EnvironmentId};
use codex_path_uri::PathUri;
use codex_plugin::mcp::McpServerRegistration;
use codex_plugin::{
    ComponentDeclaration, ComponentSource, InlineJson, PluginInterface, PluginResourceLocator,
    ResolvedPlugin,
};
use serde::Serialize;

use super::{Found, Resolved};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::SCHEMA_VERSION;

/// The lists that become lines of their own in `--format jsonl`.
pub(super) const LISTS: [(&str, &str); 2] = [("plugins", "plugin"), ("diagnostics", "diagnostic")];

/// What `--format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    schema_version: u32,
    plugins: Vec<Entry<'a>>,
    /// Ids of installed plugins that are switched off.
    disabled: &'a [String],
    diagnostics: &'a [Diagnostic],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a> {
    root: &'a PathUri,
    environment_id: &'a EnvironmentId,
    /// Null when that cannot be told.
    kind: Option<&'static str>,
    manifest: Option<&'a PathUri>,
    name: Option<&'a str>,
    display_name: Option<&'a str>,
    namespace: Option<&'a str>,
    version: Option<&'a str>,
    description: Option<&'a str>,
    keywords: &'a [String],
    components: Option<Components>,
    interface: Option<Interface<'a>>,
    /// Null without `--mcp`.
    mcp_servers: Option<&'a [McpServerRegistration]>,
    /// Null for a directory that was named.
    installed: Option<Installed<'a>>,
}

/// Where components are; null for one that the grammar of the manifest does not have, or that is not declared and not
/// there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Components {
    skills: Option<Component>,
    mcp_servers: Option<Component>,
    apps: Option<Component>,
    hooks: Option<Component>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Interface<'a> {
    display_name: Option<&'a str>,
    short_description: Option<&'a str>,
    long_description: Option<&'a str>,
    developer_name: Option<&'a str>,
    category: Option<&'a str>,
    website_url: Option<&'a str>,
    privacy_policy_url: Option<&'a str>,
    terms_of_service_url: Option<&'a str>,
    brand_color: Option<&'a str>,
    capabilities: &'a [String],
    default_prompt: &'a [String],
    composer_icon: Option<&'a PathUri>,
    logo: Option<&'a PathUri>,
    logo_dark: Option<&'a PathUri>,
    screenshots: Vec<&'a PathUri>,
}

/// An installed plugin.
#[derive(Serialize)]
struct Installed<'a> {
    id: &'a str,
    version: &'a str,
}

/// Everything that was found, as one document.
pub(super) fn document<'a>(
    found: &'a Found,
    environment: &'a Environment,
    diagnostics: &'a [Diagnostic],
) -> Document<'a> {
    Document {
        schema_version: SCHEMA_VERSION,
        plugins: found
            .roots
            .iter()
            .map(|it| entry(it, environment))
            .collect(),
        disabled: &found.disabled,
        diagnostics,
    }
}

fn entry<'a>(resolved: &'a Resolved, environment: &'a Environment) -> Entry<'a> {
    let plugin = resolved.plugin();
    let manifest = plugin.map(|it| it.manifest());
    let installed = resolved.installed.as_ref();
    Entry {
        root: &resolved.root,
        environment_id: environment.id(),
        kind: match &resolved.result {
            Ok(root) if root.plugin.is_some() => Some("plugin"),
            Ok(_) => Some("standalone"),
            Err(_) => None,
        },
        manifest: plugin.map(|it| it.manifest_path().path()),
        name: manifest.map(|it| it.name()),
        display_name: manifest.map(|it| it.display_name()),
        namespace: plugin.map(|it| it.namespace().namespace()),
        version: manifest.and_then(|it| it.version()),
        description: manifest.and_then(|it| it.description()),
        keywords: manifest.map(|it| it.keywords()).unwrap_or_default(),
        components: plugin.map(keyed),
        interface: manifest.and_then(|it| it.interface()).map(interface),
        mcp_servers: resolved.servers.as_deref(),
        installed: installed.map(|(id, version)| Installed { id, version }),
    }
}

/// Each component under its key.
fn keyed(plugin: &ResolvedPlugin) -> Components {
    let mut components = components(plugin);
    let mut take = |key| {
        let position = components.iter().position(|it| it.key == key)?;
        Some(components.swap_remove(position))
    };
    Components {
        skills: take("skills"),
        mcp_servers: take("mcpServers"),
        apps: take("apps"),
        hooks: take("hooks"),
    }
}

fn interface(interface: &PluginInterface<PluginResourceLocator>) -> Interface<'_> {
    Interface {
        display_name: interface.display_name(),
        short_description: interface.short_description(),
        long_description: interface.long_description(),
        developer_name: interface.developer_name(),
        category: interface.category(),
        website_url: interface.website_url(),
        privacy_policy_url: interface.privacy_policy_url(),
        terms_of_service_url: interface.terms_of_service_url(),
        brand_color: interface.brand_color(),
        capabilities: interface.capabilities(),
        default_prompt: interface.default_prompt(),
        composer_icon: interface.composer_icon().map(PluginResourceLocator::path),
        logo: interface.logo().map(PluginResourceLocator::path),
        logo_dark: interface.logo_dark().map(PluginResourceLocator::path),
        screenshots: interface.screenshots().iter().map(|it| it.path()).collect(),
    }
}

/// One kind of component.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Component {
    /// For people.
    #[serde(skip)]
    pub(super) label: &'static str,
    /// For programs: the key of a manifest that declares it.
    #[serde(skip)]
    pub(super) key: &'static str,
    /// Whether the manifest names the place, or it is the usual one.
    pub(super) is_declared: bool,
    pub(super) paths: Vec<PathUri>,
    /// The compact JSON texts that stand in the manifest itself.
    pub(super) inline: Vec<String>,
}

impl Component {
    /// Who chose the place.
    pub(super) fn chosen_by(&self) -> &'static str {
        if self.is_declared {
            "declared"
        } else {
            "default"
        }
    }
}

/// The components that the grammar of the plugin's manifest has, but for undeclared ones that are not there.
pub(super) fn components(plugin: &ResolvedPlugin) -> Vec<Component> {
    let skills = plugin.skill_sources();
    let mut components = vec![Component {
        label: "skills",
        key: "skills",
        is_declared: skills.is_declared(),
        paths: paths(skills.get()),
        inline: Vec::new(),
    }];
    let mcp = plugin.mcp_sources();
    components.extend(mcp.map(|it| declaration("MCP servers", "mcpServers", &it)));
    components.extend(plugin.apps_source().map(|source| Component {
        label: "apps",
        key: "apps",
        is_declared: source.is_declared(),
        paths: vec![source.get().path().clone()],
        inline: Vec::new(),
    }));
    let hooks = plugin.hook_sources();
    components.extend(hooks.map(|it| declaration("hooks", "hooks", &it)));
    let environment = plugin.environment_id();
    let is_missing = |path: &PathUri| {
        plugin.is_missing(&PluginResourceLocator::new(
            environment.clone(),
            path.clone(),
        ))
    };
    components.retain(|it| it.is_declared || !it.paths.iter().all(is_missing));
    components
}

fn declaration(
    label: &'static str,
    key: &'static str,
    source: &ComponentSource<ComponentDeclaration<PluginResourceLocator>>,
) -> Component {
    let (paths, inline) = match source.get() {
        ComponentDeclaration::Files(files) => (paths(files), Vec::new()),
        ComponentDeclaration::Inline(objects) => {
            let texts = objects.iter().map(InlineJson::as_str);
            (Vec::new(), texts.map(str::to_owned).collect())
        }
    };
    Component {
        label,
        key,
        is_declared: source.is_declared(),
        paths,
        inline,
    }
}

fn paths(locators: &[PluginResourceLocator]) -> Vec<PathUri> {
    locators.iter().map(|it| it.path().clone()).collect()
}
