//! The plugins for programs: one document, or its records.

use codex_file_system::{Environment, EnvironmentId};
use codex_path_uri::PathUri;
use codex_plugin::mcp::McpServerRegistration;
use codex_plugin::{PluginInterface, PluginResourceLocator};
use serde::Serialize;
use serde_json::Value;

use super::components::{Component, components};
use super::{Plugin, Resolved};
use crate::render::finding::Finding;
use crate::render::json::SCHEMA_VERSION;

/// The lists that become lines of their own in `--format jsonl`.
pub(super) const LISTS: [(&str, &str); 2] = [("plugins", "plugin"), ("diagnostics", "diagnostic")];

/// What `--format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    schema_version: u32,
    plugins: Vec<Entry<'a>>,
    diagnostics: Vec<Value>,
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

/// Everything that was found, as one document.
pub(super) fn document<'a>(
    resolved: &'a [Resolved],
    environment: &'a Environment,
    findings: &[Finding],
) -> Document<'a> {
    Document {
        schema_version: SCHEMA_VERSION,
        plugins: resolved.iter().map(|it| entry(it, environment)).collect(),
        diagnostics: findings.iter().map(Finding::to_value).collect(),
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
        mcp_servers: servers.map(|it| it.servers()),
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
