//! `plugins PATH...`: what each directory declares as a plugin, and where its components are.
//!
//! Nothing is started, and no configuration is read: a plugin says the same on every machine. With
//! `--mcp` the files of MCP servers are read, too.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::ValueHint;
use codex_file_system::{Environment, EnvironmentSet};
use codex_path_uri::PathUri;
use codex_plugin::mcp::{
    McpServerRegistration, McpServerSource, PluginMcpServers, load_mcp_servers,
};
use codex_plugin::{
    ExecutorPluginProvider, PluginOptions, PluginProviderError, PluginResourceLocator,
    ResolvedPlugin, SelectedCapabilityRoot,
};
use document::{Component, components};

use crate::environments;
use crate::exit::Failure;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::Diagnostic;
use crate::output::json;
use crate::output::table::Facts;
use crate::output::table::{Cell, Column, Table};
use crate::output::text::{Keep, Style, counted};
use crate::run::{CommandContext, CommandOutput, bind_at};

mod document;

/// `plugins PATH...`
#[derive(Debug, Args)]
pub(crate) struct PluginsArguments {
    /// Directories that may hold a plugin
    #[arg(value_name = "PATH", required = true, value_hint = ValueHint::DirPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Also show the MCP servers that plugins register; none is started
    #[arg(long)]
    pub(crate) mcp: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// What one directory turned out to be.
struct Resolved {
    root: PathUri,
    result: Result<Option<Plugin>, PluginProviderError>,
}

/// A plugin, and its MCP servers if they were asked for.
struct Plugin {
    plugin: ResolvedPlugin,
    servers: Option<PluginMcpServers>,
}

impl Resolved {
    fn plugin(&self) -> Option<&Plugin> {
        self.result.as_ref().ok()?.as_ref()
    }
}

/// Resolves every directory, in order.
///
/// # Errors
/// When a path cannot be made absolute. A directory that cannot be judged is a finding.
pub(crate) fn run(
    arguments: &PluginsArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let paths: Vec<PathUri> = arguments
        .paths
        .iter()
        .map(|path| environments::path(&arguments.common, path))
        .collect::<Result<_, _>>()?;
    let Some(first) = paths.first() else {
        return Err(Failure::new("cannot resolve nothing", "name a directory"));
    };
    let bound = bind_at(context, &arguments.common, first.clone())?;
    let environment = bound.only()?;
    let environments = Arc::new(bound.environments.clone());
    let mut options = PluginOptions::default();
    if let Some(window) = arguments.common.cost.window {
        options = options.with_window(window);
    }
    let resolved = resolve(&environments, environment, paths, &options, arguments.mcp);
    let resolved = context.load(bound.greeted(resolved))??;

    let diagnostics = diagnostics(&resolved)?;
    let output = match context.display.format {
        Format::Tsv => rows(&resolved),
        Format::Table => shown(&resolved, context),
        format => {
            let document = document::document(&resolved, environment, &diagnostics);
            json::document(format, "plugins", &document, &document::LISTS)?
        }
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

async fn resolve(
    environments: &Arc<EnvironmentSet>,
    environment: &Environment,
    paths: Vec<PathUri>,
    options: &PluginOptions,
    with_servers: bool,
) -> Vec<Resolved> {
    let roots = paths.iter().enumerate().map(|(number, path)| {
        SelectedCapabilityRoot::new(
            format!("cap{number}"),
            environment.id().clone(),
            path.clone(),
        )
    });
    let roots: Vec<SelectedCapabilityRoot> = roots.collect();
    let provider = ExecutorPluginProvider::new(Arc::clone(environments));
    let provider = provider.with_options(options.clone());
    let results = provider.resolve_all(&roots).await;
    let mut servers = Vec::new();
    if with_servers {
        let plugins: Vec<&ResolvedPlugin> = results.iter().flatten().flatten().collect();
        servers = load_mcp_servers(environments, &plugins, options).await;
    }
    // One answer for each plugin, in their order.
    let mut servers = servers.into_iter();
    let mut with_its_servers = |plugin| {
        let servers = servers.next().transpose()?;
        Ok(Plugin { plugin, servers })
    };
    let resolved = paths.into_iter().zip(results).map(|(root, result)| {
        let result = result.and_then(|plugin| plugin.map(&mut with_its_servers).transpose());
        Resolved { root, result }
    });
    resolved.collect()
}

/// What each directory had to say, the manifest before the servers.
fn diagnostics(resolved: &[Resolved]) -> Result<Vec<Diagnostic>, Failure> {
    let mut found = Vec::new();
    for resolved in resolved {
        match &resolved.result {
            Err(error) => found.push(Diagnostic::of_plugin_error(error)?),
            Ok(None) => {}
            Ok(Some(Plugin { plugin, servers })) => {
                for diagnostic in plugin.diagnostics() {
                    found.push(Diagnostic::of_plugin(diagnostic, plugin.manifest_path())?);
                }
                let root = PluginResourceLocator::new(
                    plugin.environment_id().clone(),
                    plugin.root().clone(),
                );
                for diagnostic in servers.iter().flat_map(PluginMcpServers::diagnostics) {
                    found.push(Diagnostic::of_plugin(diagnostic, &root)?);
                }
            }
        }
    }
    Ok(found)
}

/// One block of facts for each directory; with `--mcp` its servers follow.
fn shown(resolved: &[Resolved], context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
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
        let cwd = registration.server().cwd();
        let directory = if cwd == root {
            ".".to_owned()
        } else {
            below(cwd, root)
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
    let server = registration.server();
    let words = std::iter::once(server.command());
    let words = words.chain(server.args().iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}

/// Tab-separated rows; the first cell tells what a row is: a `root`, a `component` of the root
/// before it, or a `server`.
fn rows(resolved: &[Resolved]) -> String {
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
        let cwd = registration.server().cwd().inferred_native_path_string();
        let command = command(registration);
        push(&["server", &root, registration.name(), &command, &cwd]);
    }
    table.tab_separated()
}
