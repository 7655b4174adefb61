//! The plugins for programs: one document, or its records.

use codex_file_system::{Environment, EnvironmentId};
use codex_path_uri::PathUri;
use codex_plugin::mcp::{McpServerRegistration, McpServerSource};
use codex_plugin::{
    ComponentDeclaration, ComponentSource, InlineJson, PluginInterface, PluginResourceLocator,
    ResolvedPlugin,
};
use serde::Serialize;

use super::{Plugin, Resolved};
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
    mcp_servers: Option<Vec<Server<'a>>>,
}

/// Where components are; null for one that the grammar of the manifest does not have.
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Server<'a> {
    name: &'a str,
    source: Source<'a>,
    command: &'a str,
    args: &'a [String],
    env: Vec<Variable<'a>>,
    env_vars: &'a [String],
    cwd: &'a PathUri,
    raw: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Source<'a> {
    File { path: &'a PathUri },
    Inline { index: usize },
}

#[derive(Serialize)]
struct Variable<'a> {
    name: &'a str,
    value: &'a str,
}

/// Everything that was found, as one document.
pub(super) fn document<'a>(
    resolved: &'a [Resolved],
    environment: &'a Environment,
    diagnostics: &'a [Diagnostic],
) -> Document<'a> {
    Document {
        schema_version: SCHEMA_VERSION,
        plugins: resolved.iter().map(|it| entry(it, environment)).collect(),
        diagnostics,
    }
}

fn entry<'a>(resolved: &'a Resolved, environment: &'a Environment) -> Entry<'a> {
    let plugin = resolved.plugin();
    let manifest = plugin.map(|it| it.plugin.manifest());
    let servers = plugin.and_then(|it| it.servers.as_ref());
    Entry {
        root: &resolved.root,
        environment_id: environment.id(),
        kind: match &resolved.result {
            Ok(Some(_)) => Some("plugin"),
            Ok(None) => Some("standalone"),
            Err(_) => None,
        },
        manifest: plugin.map(|it| it.plugin.manifest_path().path()),
        name: manifest.map(|it| it.name()),
        display_name: manifest.map(|it| it.display_name()),
        namespace: plugin.map(|it| it.plugin.namespace().namespace()),
        version: manifest.and_then(|it| it.version()),
        description: manifest.and_then(|it| it.description()),
        keywords: manifest.map(|it| it.keywords()).unwrap_or_default(),
        components: plugin.map(keyed),
        interface: manifest.and_then(|it| it.interface()).map(interface),
        mcp_servers: servers.map(|it| it.servers().iter().map(server).collect()),
    }
}

/// Each component under its key.
fn keyed(plugin: &Plugin) -> Components {
    let mut components = components(&plugin.plugin);
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

fn server(registration: &McpServerRegistration) -> Server<'_> {
    let server = registration.server();
    let variables = server.env().iter();
    Server {
        name: registration.name(),
        source: match registration.source() {
            McpServerSource::File(file) => Source::File { path: file.path() },
            McpServerSource::Inline { index } => Source::Inline { index: *index },
        },
        command: server.command(),
        args: server.args(),
        env: variables
            .map(|(name, value)| Variable { name, value })
            .collect(),
        env_vars: server.env_vars(),
        cwd: server.cwd(),
        raw: registration.raw().as_str(),
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

/// The components that the grammar of the plugin's manifest has.
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
