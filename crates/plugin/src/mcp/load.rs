//! Loading the servers of several plugins together.

use codex_file_system::{EnvironmentSet, ExecutorFileSystem};
use tracing::{Instrument, debug_span};

use super::collect::{Collected, ServerCollector};
use super::config_file::ConfigFile;
use super::reads::Reads;
use super::types::{McpServerRegistration, McpServerSource, PluginMcpServers};
use crate::trip::run;
use crate::{
    ComponentDeclaration, ComponentSource, InlineJson, PluginDiagnosticCode as Code, PluginOptions,
    PluginProviderError, PluginResourceLocator, ResolvedPlugin,
};

/// A plugin whose environment is there, and what declares its servers.
struct Job<'a> {
    fs: &'a dyn ExecutorFileSystem,
    plugin: &'a ResolvedPlugin,
    source: Option<ComponentSource<ComponentDeclaration<PluginResourceLocator>>>,
}

/// Loads the MCP servers of plugins. The results have the length and order of `plugins`.
///
/// # Round trips
/// For G distinct files over all plugins: 2G calls under
/// [`RefuseEscape`](crate::SymlinkPolicy::RefuseEscape), and one more for each root with files whose
/// canonical path is not known; G calls under [`Follow`](crate::SymlinkPolicy::Follow). All in one ordered
/// window of W calls: `ceil(calls/W)` round trips. None for servers written in the manifest.
///
/// # Errors
/// [`UnavailableEnvironment`](PluginProviderError::UnavailableEnvironment) for a plugin whose
/// environment is not in the set. Everything else is a diagnostic beside the servers that are left.
///
/// # Cancellation
/// Dropping the future sends nothing more; no task is spawned.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::mcp::load_mcp_servers;
/// use codex_plugin::{
///     ExecutorPluginProvider, PluginOptions, PluginProvider, SelectedCapabilityRoot,
/// };
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, r#"
///     /p/.codex-plugin/plugin.json = {}
///     /p/.mcp.json = {"git": {"command": "git-mcp"}, "web": {"url": "https://example.com"}}
/// "#)?;
/// let (id, root) = (EnvironmentId::new("box")?, PathUri::parse("file:///p")?);
/// let environment = Environment::new(id.clone(), root.clone(), Arc::new(fs));
/// let environments = Arc::new(EnvironmentSet::new(vec![environment])?);
/// let provider = ExecutorPluginProvider::new(environments.clone());
/// let selected = SelectedCapabilityRoot::new("p", id, root);
/// let plugin = provider.resolve(&selected).await?.unwrap();
///
/// let loaded = load_mcp_servers(&environments, &[&plugin], &PluginOptions::default()).await;
/// let servers = loaded[0].as_ref().unwrap();
/// assert_eq!(servers.servers()[0].name(), "git");
/// assert_eq!(servers.diagnostics()[0].code().as_str(), "mcp_transport_unsupported");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn load_mcp_servers(
    environments: &EnvironmentSet,
    plugins: &[&ResolvedPlugin],
    options: &PluginOptions,
) -> Vec<Result<PluginMcpServers, PluginProviderError>> {
    let mut jobs = Vec::with_capacity(plugins.len());
    for plugin in plugins {
        jobs.push(Job::new(environments, plugin));
    }
    let mut reads = Reads::new(options.symlinks());
    let mut questions = Vec::new();
    for job in jobs.iter().flatten() {
        questions.extend(reads.questions(job.fs, job.plugin, job.files()));
    }
    let span = debug_span!(
        "plugin_mcp",
        plugins = plugins.len(),
        calls = questions.len()
    );
    run(options.window(), questions, &mut reads)
        .instrument(span)
        .await;
    let mut loaded = Vec::with_capacity(jobs.len());
    for job in &jobs {
        loaded.push(match job {
            Ok(job) => Ok(job.servers(&reads)),
            Err(error) => Err(error.clone()),
        });
    }
    loaded
}

impl<'a> Job<'a> {
    fn new(
        environments: &'a EnvironmentSet,
        plugin: &'a ResolvedPlugin,
    ) -> Result<Self, PluginProviderError> {
        match environments.get(plugin.environment_id().as_str()) {
            Ok(environment) => {
                let fs = environment.filesystem().as_ref();
                Ok(Self {
                    fs,
                    plugin,
                    source: plugin.mcp_sources(),
                })
            }
            Err(_) => Err(PluginProviderError::UnavailableEnvironment {
                root_id: plugin.selected_root_id().to_owned(),
                environment_id: plugin.environment_id().clone(),
            }),
        }
    }

    fn files(&self) -> &[PluginResourceLocator] {
        match self.source.as_ref().map(ComponentSource::get) {
            Some(ComponentDeclaration::Files(files)) => files,
            Some(ComponentDeclaration::Inline(_)) | None => &[],
        }
    }

    fn objects(&self) -> &[InlineJson] {
        match self.source.as_ref().map(ComponentSource::get) {
            Some(ComponentDeclaration::Inline(objects)) => objects,
            Some(ComponentDeclaration::Files(_)) | None => &[],
        }
    }

    /// Judges the sources in order.
    fn servers(&self, reads: &Reads<'_>) -> PluginMcpServers {
        let mut collector = ServerCollector::new(self.plugin.root());
        for locator in self.files() {
            let is_declared = self
                .source
                .as_ref()
                .is_some_and(ComponentSource::is_declared);
            let file = ConfigFile {
                plugin: self.plugin,
                locator,
                is_declared,
            };
            let source = McpServerSource::File(locator.clone());
            let finding = match file.text(reads) {
                Ok(text) => collector
                    .add_text(text, &source)
                    .err()
                    .map(|it| file.invalid(&it)),
                Err(finding) => finding,
            };
            if let Some(finding) = finding {
                collector.diagnostics.push(finding);
            }
        }
        for (index, object) in self.objects().iter().enumerate() {
            // The manifest's parser keeps only objects that pass here too.
            if let Err(error) =
                collector.add_text(object.as_str(), &McpServerSource::Inline { index })
            {
                let field = format!("mcpServers[{index}]");
                collector
                    .diagnostics
                    .report(Code::McpConfigInvalid, field, error.to_string());
            }
        }
        let (servers, diagnostics) = collector.finish();
        let servers = servers
            .into_iter()
            .map(|collected| self.register(collected))
            .collect();
        PluginMcpServers {
            servers,
            diagnostics,
        }
    }

    fn register(&self, collected: Collected<McpServerSource>) -> McpServerRegistration {
        McpServerRegistration {
            environment_id: self.plugin.environment_id().clone(),
            selected_root_id: self.plugin.selected_root_id().to_owned(),
            name: collected.name,
            source: collected.source,
            server: collected.server,
            raw: collected.raw,
        }
    }
}
