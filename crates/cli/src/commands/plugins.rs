//! `plugins [PATH...]`: what each directory declares as a plugin, and where its components are; without a path, the
//! plugins that the configuration enables.
//!
//! Nothing is started. With paths no configuration is read: a plugin says the same on every machine. With `--mcp` the
//! files of MCP servers are read, too.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::builder::ValueHint;
use codex_config::TomlValue;
use codex_context::{Context, Parts};
use codex_file_system::{Environment, Lookahead};
use codex_path_uri::PathUri;
use codex_plugin::mcp::{
    McpCatalog, McpServerRegistration, McpServerSource, McpTransport, load_mcp_servers_with,
};
use codex_plugin::{
    PluginEntry, PluginOptions, PluginProviderError, ResolvedPlugin, ResolvedRoot,
    SelectedCapabilityRoot, find_installed_plugins_with, resolve_all_with,
};
use document::{Component, components};

use crate::environments::{self, Arity};
use crate::exit::Failure;
use crate::options::{CommonOptions, Format};
use crate::output::diagnostic::{Diagnostic, chain};
use crate::output::json;
use crate::output::table::Facts;
use crate::output::table::{Cell, Column, Table};
use crate::output::text::{Keep, Style, counted};
use crate::run::{CommandContext, CommandOutput, StartPoint, bind_at};

mod document;

/// `plugins [PATH...]`
#[derive(Debug, Args)]
pub(crate) struct PluginsArguments {
    /// Directories that may hold a plugin; the installed plugins if not given
    #[arg(value_name = "PATH", value_hint = ValueHint::DirPath)]
    pub(crate) paths: Vec<PathBuf>,
    /// Also show the MCP servers that plugins register; none is started
    #[arg(long)]
    pub(crate) mcp: bool,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// What was found, of directories or of the configuration.
#[derive(Default)]
struct Found {
    roots: Vec<Resolved>,
    /// Ids of plugins that are switched off.
    disabled: Vec<String>,
    /// What is told of the configuration and of all plugins together.
    diagnostics: Vec<Diagnostic>,
}

/// What one directory turned out to be.
struct Resolved {
    root: PathUri,
    /// Id and version of an installed plugin.
    installed: Option<(String, String)>,
    result: Result<ResolvedRoot, PluginProviderError>,
    /// The MCP servers of a plugin, if they were asked for.
    servers: Option<Vec<McpServerRegistration>>,
}

impl Resolved {
    fn plugin(&self) -> Option<&ResolvedPlugin> {
        self.result.as_ref().ok()?.plugin.as_ref()
    }
}

/// Resolves every directory, in order, or the installed plugins.
///
/// # Errors
/// When a path cannot be made absolute, no directory is there, or the configuration cannot be used. A single directory
/// that cannot be resolved is a diagnostic.
pub(crate) fn run(
    arguments: &PluginsArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let mut options = PluginOptions::default();
    if let Some(window) = arguments.common.cost.window {
        options.window = window;
    }
    let paths = arguments.paths.iter();
    let paths: Vec<PathUri> = paths
        .map(|path| environments::path(&arguments.common, path))
        .collect::<Result<_, _>>()?;
    let (found, environment) = match paths.first() {
        Some(first) => {
            let bound = bind_at(context, &arguments.common, first.clone())?;
            let environment = bound.only()?.clone();
            let resolve = selected(&environment, &paths, &options, arguments.mcp);
            (context.load(bound.greeted(resolve))???, environment)
        }
        None => {
            let mut start = StartPoint::new(context, &arguments.common, None, Arity::One)?;
            start.request.parts = Parts {
                configuration: true,
                ..Parts::NONE
            };
            let (session, told) = start.load(context)?;
            let host = &start.bound.host;
            let (id, cwd) = (host.id.clone(), host.cwd.clone());
            let host = Environment::new(id, cwd, Arc::clone(&host.filesystem));
            let find = installed(&host, &session, told, &options, arguments.mcp);
            (context.load(find)??, host)
        }
    };
    if let Some(failure) = nothing_there(&found) {
        return Err(failure);
    }
    let diagnostics = diagnostics(&found)?;
    let output = match context.display.format {
        Format::Tsv => rows(&found),
        Format::Table => shown(&found, context),
        format => {
            let document = document::document(&found, &environment, &diagnostics);
            json::document(format, "plugins", &document, &document::LISTS)?
        }
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

/// The failure of a run that was given directories none of which is there.
fn nothing_there(found: &Found) -> Option<Failure> {
    let error = |resolved: &Resolved| {
        let error = resolved.result.as_ref().err()?;
        matches!(error.code(), "inspect_root" | "root_not_directory").then(|| error.clone())
    };
    let errors: Vec<PluginProviderError> = found.roots.iter().map_while(error).collect();
    let first = errors
        .first()
        .filter(|_| errors.len() == found.roots.len())?;
    let sentence = chain(first).join(": ");
    Some(Failure::new(sentence, "name an existing directory"))
}

/// The directories at `paths`.
async fn selected(
    environment: &Environment,
    paths: &[PathUri],
    options: &PluginOptions,
    with_servers: bool,
) -> Result<Found, Failure> {
    let roots = paths.iter().enumerate().map(|(number, path)| {
        let id = format!("cap{number}");
        SelectedCapabilityRoot::new(id, environment.id().clone(), path.clone())
    });
    let roots: Vec<SelectedCapabilityRoot> = roots.collect();
    let lookahead = Lookahead::new(environment.filesystem().as_ref(), options.window);
    let load = async {
        let results = resolve_all_with(&lookahead, &roots, options).await;
        let resolved = paths.iter().zip(results).map(|(root, result)| Resolved {
            root: root.clone(),
            installed: None,
            result,
            servers: None,
        });
        let mut found = Found {
            roots: resolved.collect(),
            ..Found::default()
        };
        if with_servers {
            add_servers(&mut found, &lookahead, options).await?;
        }
        Ok(found)
    };
    lookahead.drive(load).await
}

/// The plugins that the configuration enables, in the cache of the config home.
async fn installed(
    host: &Environment,
    session: &Context,
    told: Vec<Diagnostic>,
    options: &PluginOptions,
    with_servers: bool,
) -> Result<Found, Failure> {
    let mut found = Found {
        diagnostics: told,
        ..Found::default()
    };
    let Some(home) = &session.request().sources.config_home else {
        return Ok(found);
    };
    let entries = entries(&session.config().config_layer_stack.effective_config());
    let lookahead = Lookahead::new(host.filesystem().as_ref(), options.window);
    let load = async {
        let plugins =
            find_installed_plugins_with(&lookahead, host.id(), home, &entries, options).await;
        found.disabled = plugins.disabled.iter().map(ToString::to_string).collect();
        for diagnostic in &plugins.diagnostics {
            found.diagnostics.push(Diagnostic::of_plugin(diagnostic)?);
        }
        let resolved = plugins.plugins.into_iter().map(|installed| Resolved {
            root: installed.plugin.root().clone(),
            installed: Some((installed.id.to_string(), installed.version)),
            result: Ok(ResolvedRoot {
                plugin: Some(installed.plugin),
                diagnostics: Vec::new(),
            }),
            servers: None,
        });
        found.roots = resolved.collect();
        if with_servers {
            add_servers(&mut found, &lookahead, options).await?;
        }
        Ok(found)
    };
    lookahead.drive(load).await
}

/// The entries of the table `plugins`.
fn entries(config: &TomlValue) -> Vec<PluginEntry> {
    let plugins = config.get("plugins").and_then(TomlValue::as_table);
    let entry = |(id, value): (&String, &TomlValue)| PluginEntry {
        id: id.clone(),
        enabled: value.get("enabled").and_then(TomlValue::as_bool) != Some(false),
    };
    plugins.into_iter().flatten().map(entry).collect()
}

/// Reads the MCP servers of all plugins and gives each its own.
async fn add_servers(
    found: &mut Found,
    lookahead: &Lookahead<'_>,
    options: &PluginOptions,
) -> Result<(), Failure> {
    let plugins: Vec<&ResolvedPlugin> = found.roots.iter().filter_map(Resolved::plugin).collect();
    let catalog = McpCatalog::new(load_mcp_servers_with(lookahead, &plugins, options).await);
    for resolved in &mut found.roots {
        if let Some(id) = resolved.plugin().map(ResolvedPlugin::selected_root_id) {
            let own = catalog
                .servers
                .iter()
                .filter(|it| it.selected_root_id() == id);
            resolved.servers = Some(own.cloned().collect());
        }
    }
    for diagnostic in &catalog.diagnostics {
        found.diagnostics.push(Diagnostic::of_plugin(diagnostic)?);
    }
    Ok(())
}

/// What each directory had to say, then what is told of all of them.
fn diagnostics(found: &Found) -> Result<Vec<Diagnostic>, Failure> {
    let mut told = Vec::new();
    for resolved in &found.roots {
        match &resolved.result {
            Err(error) => told.push(Diagnostic::of_plugin_error(error)?),
            Ok(root) => {
                let of_manifest = root.plugin.iter().flat_map(ResolvedPlugin::diagnostics);
                let all = of_manifest.chain(&root.diagnostics);
                let all = all.map(Diagnostic::of_plugin);
                told.extend(all.collect::<Result<Vec<_>, _>>()?);
            }
        }
    }
    told.extend(found.diagnostics.iter().cloned());
    Ok(told)
}

/// One block of facts for each directory; with `--mcp` its servers follow.
fn shown(found: &Found, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let mut blocks = Vec::new();
    for resolved in &found.roots {
        blocks.push(facts(resolved).shown(width, painter));
        if let Some(servers) = resolved.servers.as_deref().filter(|it| !it.is_empty()) {
            blocks.push(server_table(servers, &resolved.root).aligned(width, painter));
        }
    }
    for id in &found.disabled {
        let mut facts = Facts::default();
        facts.push("installed", id);
        facts.push("kind", "disabled");
        blocks.push(facts.shown(width, painter));
    }
    if blocks.is_empty() {
        return "no plugin is enabled in the configuration; name a directory to see what it declares\n".to_owned();
    }
    blocks.join("\n")
}

fn facts(resolved: &Resolved) -> Facts {
    let mut facts = Facts::default();
    let root = resolved.root.inferred_native_path_string();
    facts.push_path("root", root, Style::Plain);
    match &resolved.result {
        Err(_) => facts.push_styled("kind", "unknown, for the reason told below", Style::Bad),
        Ok(ResolvedRoot { plugin: None, .. }) => {
            facts.push("kind", "standalone, no plugin manifest");
        }
        Ok(ResolvedRoot {
            plugin: Some(plugin),
            ..
        }) => plugin_facts(plugin, resolved, &mut facts),
    }
    facts
}

fn plugin_facts(plugin: &ResolvedPlugin, resolved: &Resolved, facts: &mut Facts) {
    let root = &resolved.root;
    let (manifest, namespace) = (plugin.manifest(), plugin.namespace());
    facts.push("kind", "plugin");
    if let Some((id, version)) = &resolved.installed {
        facts.push("installed", format!("{id} {version}"));
    }
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
    if let Some(servers) = &resolved.servers {
        let number = u64::try_from(servers.len()).unwrap_or(u64::MAX);
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

fn server_table(servers: &[McpServerRegistration], root: &PathUri) -> Table {
    let mut table = Table::new([
        Column::Text("MCP SERVER", Keep::Start),
        Column::Text("COMMAND", Keep::Start),
        Column::Text("DIRECTORY", Keep::End),
        Column::Text("SOURCE", Keep::End),
    ]);
    for registration in servers {
        let directory = match registration.transport() {
            McpTransport::Stdio(server) if &server.resolved().cwd == root => ".".to_owned(),
            McpTransport::Stdio(server) => below(&server.resolved().cwd, root),
            McpTransport::Http(_) => String::new(),
        };
        table.push([
            Cell::new(registration.qualified_name()),
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

/// The program and its arguments as they are written, for the eye only: nothing is quoted. Or the URL.
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
/// before it, a `server`, or a plugin that is `disabled`.
fn rows(found: &Found) -> String {
    let mut rows: String = found.roots.iter().map(rows_of).collect();
    for id in &found.disabled {
        let mut table = Table::new([]);
        table.push(["disabled", id].map(Cell::new).to_vec());
        rows.push_str(&table.tab_separated());
    }
    rows
}

fn rows_of(resolved: &Resolved) -> String {
    let root = resolved.root.inferred_native_path_string();
    let mut table = Table::new([]);
    let mut push = |cells: &[&str]| table.push(cells.iter().map(Cell::new).collect::<Vec<_>>());
    let Some(plugin) = resolved.plugin() else {
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
    for registration in resolved.servers.iter().flatten() {
        let cwd = match registration.transport() {
            McpTransport::Stdio(server) => server.resolved().cwd.inferred_native_path_string(),
            McpTransport::Http(_) => String::new(),
        };
        let (name, command) = (registration.qualified_name(), command(registration));
        push(&["server", &root, name, &command, &cwd]);
    }
    table.tab_separated()
}
