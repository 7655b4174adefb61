//! The plugins for people and for pipes: what a directory is, then its components and servers.

use codex_path_uri::PathUri;
use codex_plugin::mcp::{McpServerRegistration, McpServerSource, McpTransport, PluginMcpServers};

use super::components::{Component, components};
use super::{Plugin, Resolved};
use crate::commands::Run;
use crate::render::facts::Facts;
use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style, counted};

/// One block of facts for each directory; with `--mcp` its servers follow.
pub(super) fn shown(resolved: &[Resolved], run: &Run) -> String {
    let (width, painter) = (run.display.width, run.painter());
    let mut blocks = Vec::new();
    for resolved in resolved {
        blocks.push(facts(resolved).shown(width, painter));
        let servers = resolved.plugin().and_then(|it| it.servers.as_ref());
        if let Some(servers) = servers.filter(|it| !it.servers().is_empty()) {
            blocks.push(server_table(servers, &resolved.root).aligned(width, painter));
        }
    }
    blocks.join("\n")
}

fn facts(resolved: &Resolved) -> Facts {
    let mut facts = Facts::default();
    let root = resolved.root.inferred_native_path_string();
    facts.push_path("root", root, Style::Plain);
    match &resolved.result {
        Err(_) => facts.push_styled("kind", "unknown, for the reason told below", Style::Bad),
        Ok(None) => facts.push("kind", "standalone, no plugin manifest"),
        Ok(Some(plugin)) => plugin_facts(plugin, &resolved.root, &mut facts),
    }
    facts
}

fn plugin_facts(plugin: &Plugin, root: &PathUri, facts: &mut Facts) {
    let Plugin { plugin, servers } = plugin;
    let (manifest, namespace) = (plugin.manifest(), plugin.namespace());
    facts.push("kind", "plugin");
    facts.push_styled("name", manifest.name(), Style::Bold);
    if namespace.namespace() != manifest.name() {
        facts.push_styled("namespace", namespace.namespace(), Style::Warn);
    }
    if manifest.display_name() != manifest.name() {
        facts.push("shown as", manifest.display_name());
    }
    facts.push("version", manifest.version().unwrap_or("none"));
    let path = plugin.manifest_path().path();
    facts.push_path("manifest", below(path, root), Style::Plain);
    for component in components(plugin) {
        facts.push(component.label, described(&component, root));
    }
    if let Some(servers) = servers {
        let number = u64::try_from(servers.servers().len()).unwrap_or(u64::MAX);
        facts.push("registered", counted(number, "MCP server"));
    }
}

fn described(component: &Component, root: &PathUri) -> String {
    let paths = component.paths.iter().map(|path| below(path, root));
    let mut places: Vec<String> = paths.collect();
    if !component.inline.is_empty() {
        places.push("in the manifest".to_owned());
    }
    format!("{}, {}", places.join(", "), component.chosen_by())
}

fn below(path: &PathUri, root: &PathUri) -> String {
    let below = path.relative_path_from(root).filter(|it| !it.is_empty());
    below.unwrap_or_else(|| path.inferred_native_path_string())
}

fn server_table(servers: &PluginMcpServers, root: &PathUri) -> Table {
    let mut table = Table::new([
        Column::Text("MCP SERVER", Keep::Start),
        Column::Text("COMMAND", Keep::Start),
        Column::Text("DIRECTORY", Keep::End),
        Column::Text("SOURCE", Keep::End),
    ]);
    for registration in servers.servers() {
        let directory = match registration.transport() {
            McpTransport::Stdio(server) if server.cwd() == root => ".".to_owned(),
            McpTransport::Stdio(server) => below(server.cwd(), root),
            McpTransport::Http(_) => String::new(),
        };
        table.push([
            Cell::new(registration.name()),
            Cell::new(command(registration)),
            Cell::new(directory),
            Cell::new(match registration.source() {
                McpServerSource::File(file) => below(file.path(), root),
                McpServerSource::Inline { .. } => "the manifest".to_owned(),
            }),
        ]);
    }
    table
}

/// The program and its arguments, for the eye only: nothing is quoted.
fn command(registration: &McpServerRegistration) -> String {
    let server = match registration.transport() {
        McpTransport::Stdio(server) => server,
        McpTransport::Http(server) => return server.url().to_owned(),
    };
    let words = std::iter::once(server.command());
    let words = words.chain(server.args().iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}

/// Tab-separated rows; the first cell tells what a row is: a `root`, a `component` of the root
/// before it, or a `server`.
pub(super) fn rows(resolved: &[Resolved]) -> String {
    resolved.iter().map(rows_of).collect()
}

fn rows_of(resolved: &Resolved) -> String {
    let root = resolved.root.inferred_native_path_string();
    let mut table = Table::new([]);
    let mut push = |cells: &[&str]| table.push(cells.iter().map(Cell::new).collect::<Vec<_>>());
    let Some(Plugin { plugin, servers }) = resolved.plugin() else {
        let kind = if resolved.result.is_ok() {
            "standalone"
        } else {
            "unknown"
        };
        push(&["root", &root, kind, "", "", ""]);
        return table.tab_separated();
    };
    let manifest = plugin.manifest();
    let path = plugin.manifest_path().path().inferred_native_path_string();
    let version = manifest.version().unwrap_or_default();
    push(&["root", &root, "plugin", manifest.name(), version, &path]);
    for component in components(plugin) {
        let (key, chosen_by) = (component.key, component.chosen_by());
        for path in &component.paths {
            let path = path.inferred_native_path_string();
            push(&["component", &root, key, chosen_by, &path]);
        }
        if !component.inline.is_empty() {
            push(&["component", &root, key, chosen_by, &path]);
        }
    }
    for registration in servers.iter().flat_map(PluginMcpServers::servers) {
        let cwd = match registration.transport() {
            McpTransport::Stdio(server) => server.cwd().inferred_native_path_string(),
            McpTransport::Http(_) => String::new(),
        };
        let command = command(registration);
        push(&["server", &root, registration.name(), &command, &cwd]);
    }
    table.tab_separated()
}
