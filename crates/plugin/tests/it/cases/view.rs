//! What the table writes and what the crate gives, as comparable JSON.

use codex_plugin::mcp::{McpTransport, PluginMcpServers};
use codex_plugin::{
    ComponentDeclaration, ManifestError, PluginDiagnostic, PluginInterface, PluginProviderError,
    PluginResourceLocator, ResolvedPlugin,
};
use serde_json::{Map, Value, json};

use crate::support::parse_json;

/// The text of `{"repeat": [prefix, unit, count, suffix]}`.
pub(super) fn repeated(value: &Value) -> String {
    let parts = value["repeat"].as_array().unwrap();
    let count = usize::try_from(parts[2].as_u64().unwrap()).unwrap();
    let text = |index: usize| parts[index].as_str().unwrap();
    format!("{}{}{}", text(0), text(1).repeat(count), text(3))
}

/// The expectation with its repeated texts written out.
pub(super) fn expand(value: &Value) -> Value {
    match value {
        Value::Object(object) if object.contains_key("repeat") => Value::String(repeated(value)),
        Value::Object(object) => object
            .iter()
            .map(|(key, value)| (key.clone(), expand(value)))
            .collect(),
        other => other.clone(),
    }
}

/// The part of `actual` that `expected` speaks of: its keys, and those of its error.
pub(super) fn project(actual: &Value, expected: &Value) -> Value {
    let Some(expected) = expected.as_object() else {
        return actual.clone();
    };
    let mut projected = Map::new();
    for (key, expected) in expected {
        let actual = &actual[key];
        let nested = key == "error";
        projected.insert(
            key.clone(),
            if nested {
                project(actual, expected)
            } else {
                actual.clone()
            },
        );
    }
    Value::Object(projected)
}

/// A resolved plugin in the shape of the table.
pub(super) fn plugin(plugin: &ResolvedPlugin) -> Value {
    let manifest = plugin.manifest();
    json!({
        "outcome": "some",
        "manifest": plugin.manifest_path().path(),
        "name": manifest.name(),
        "version": manifest.version(),
        "description": manifest.description(),
        "keywords": manifest.keywords(),
        "skills": manifest.skills().iter().map(locator).collect::<Vec<_>>(),
        "mcp_servers": manifest.mcp_servers().map(declaration),
        "apps": manifest.apps().map(locator),
        "hooks": manifest.hooks().map(declaration),
        "interface": manifest.interface().map(interface),
        "namespace": plugin.namespace().namespace(),
        "diagnostics": diagnostics(plugin.diagnostics()),
    })
}

pub(super) fn diagnostics(diagnostics: &[PluginDiagnostic]) -> Value {
    let view = |it: &PluginDiagnostic| json!({"code": it.code(), "field": it.field()});
    diagnostics.iter().map(view).collect()
}

fn locator(locator: &PluginResourceLocator) -> Value {
    assert_eq!(locator.environment_id().as_str(), "env-1");
    json!(locator.path())
}

fn declaration(declaration: &ComponentDeclaration<PluginResourceLocator>) -> Value {
    match declaration {
        ComponentDeclaration::Files(files) => {
            json!({"files": files.iter().map(locator).collect::<Vec<_>>()})
        }
        ComponentDeclaration::Inline(objects) => {
            let objects: Vec<Value> = objects.iter().map(|it| parse_json(it.as_str())).collect();
            json!({"inline": objects})
        }
    }
}

/// The fields that hold something, under the manifest's keys.
fn interface(interface: &PluginInterface<PluginResourceLocator>) -> Value {
    let all = json!({
        "displayName": interface.display_name(),
        "shortDescription": interface.short_description(),
        "longDescription": interface.long_description(),
        "developerName": interface.developer_name(),
        "category": interface.category(),
        "websiteUrl": interface.website_url(),
        "privacyPolicyUrl": interface.privacy_policy_url(),
        "termsOfServiceUrl": interface.terms_of_service_url(),
        "brandColor": interface.brand_color(),
        "capabilities": interface.capabilities(),
        "defaultPrompt": interface.default_prompt(),
        "composerIcon": interface.composer_icon().map(locator),
        "logo": interface.logo().map(locator),
        "logoDark": interface.logo_dark().map(locator),
        "screenshots": interface.screenshots().iter().map(locator).collect::<Vec<_>>(),
    });
    let is_something = |value: &Value| !value.is_null() && *value != json!([]);
    let fields = all
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, value)| is_something(value));
    fields
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// An error in the shape of the table.
pub(super) fn error(error: &PluginProviderError) -> Value {
    let debug = format!("{error:?}");
    let variant: String = debug
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    let mut view = json!({"variant": variant});
    if let Some(kind) = error.io_kind() {
        view["io_kind"] = json!(format!("{kind:?}"));
    }
    match error {
        PluginProviderError::ParseManifest { source, .. } => add_manifest_error(&mut view, source),
        PluginProviderError::ConstructDescriptor { source, .. } => {
            view["problem"] = json!(source.code());
            view["field"] = json!(source.field());
        }
        _ => {}
    }
    json!({"outcome": "err", "error": view})
}

fn add_manifest_error(view: &mut Value, error: &ManifestError) {
    view["problem"] = json!(error.problem().code());
    view["field"] = json!(error.field());
    view["line"] = json!(error.line());
    view["column"] = json!(error.column());
}

/// The servers of a plugin in the shape of the table.
pub(super) fn servers(loaded: &PluginMcpServers) -> Value {
    let server = |it: &codex_plugin::mcp::McpServerRegistration| {
        assert_eq!(it.environment_id().as_str(), "env-1");
        let program = match it.transport() {
            McpTransport::Stdio(program) => program,
            McpTransport::Http(server) => return json!({"name": it.name(), "url": server.url()}),
        };
        json!({
            "name": it.name(),
            "command": program.command(),
            "args": program.args(),
            "env": program.env(),
            "env_vars": program.env_vars(),
            "cwd": program.cwd(),
        })
    };
    json!({
        "servers": loaded.servers().iter().map(server).collect::<Vec<_>>(),
        "diagnostics": diagnostics(loaded.diagnostics()),
    })
}
