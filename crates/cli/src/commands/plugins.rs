//! `plugins PATH...`: what each directory declares as a plugin, and where its components are.
//!
//! Nothing is started, and no configuration is read: a plugin says the same on every machine. With
//! `--mcp` the files of MCP servers are read, too.

use std::sync::Arc;

use codex_file_system::{Environment, EnvironmentSet};
use codex_path_uri::PathUri;
use codex_plugin::mcp::{PluginMcpServers, load_mcp_servers};
use codex_plugin::{
    ExecutorPluginProvider, PluginOptions, PluginProviderError, ResolvedPlugin,
    SelectedCapabilityRoot,
};

use super::{Answer, Run, bind_at};
use crate::args::{Format, PluginsArguments};
use crate::environments;
use crate::exit::Failure;
use crate::render::finding::Finding;
use crate::render::json::{self, to_json};

mod components;
mod document;
mod table;

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
pub(crate) fn run(arguments: &PluginsArguments, run: &Run) -> Result<Answer, Failure> {
    let paths: Vec<PathUri> = arguments
        .paths
        .iter()
        .map(|path| environments::path(&arguments.common, path))
        .collect::<Result<_, _>>()?;
    let Some(first) = paths.first() else {
        return Err(Failure::new("cannot resolve nothing", "name a directory"));
    };
    let bound = bind_at(run, &arguments.common, first.clone())?;
    let environment = bound.only()?;
    let environments = Arc::new(bound.environments.clone());
    let mut options = PluginOptions::default();
    if let Some(window) = arguments.common.cost.window {
        options.window = window;
    }
    let resolved = resolve(&environments, environment, paths, &options, arguments.mcp);
    let resolved = run.load(bound.greeted(resolved))??;

    let findings = findings(&resolved)?;
    let output = match run.display.format {
        None => table::rows(&resolved),
        Some(Format::Table) => table::shown(&resolved, run),
        Some(format) => {
            let document = document::document(&resolved, environment, &findings);
            let document = to_json(&document)?;
            if format == Format::Json {
                json::object(&document)?
            } else {
                json::lines(json::split("plugins", document, &document::LISTS))?
            }
        }
    };
    Ok(Answer { output, findings })
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
fn findings(resolved: &[Resolved]) -> Result<Vec<Finding>, Failure> {
    let mut found = Vec::new();
    for resolved in resolved {
        match &resolved.result {
            Err(error) => found.push(Finding::of_plugin_error(error)?),
            Ok(None) => {}
            Ok(Some(Plugin { plugin, servers })) => {
                for diagnostic in plugin.diagnostics() {
                    found.push(Finding::of_plugin(diagnostic)?);
                }
                for diagnostic in servers.iter().flat_map(PluginMcpServers::diagnostics) {
                    found.push(Finding::of_plugin(diagnostic)?);
                }
            }
        }
    }
    Ok(found)
}
