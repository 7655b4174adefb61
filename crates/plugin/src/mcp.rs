//! Inert registrations of MCP servers: what plugins declare, where it would run, and nothing started.
//!
//! The host's variables and paths are never consulted. A server that runs is a program of the plugin's own environment;
//! a server behind a URL is kept as it is written.

mod environment;
mod parse;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;

use codex_file_system::error::kind_name;
use codex_file_system::{
    EnvironmentId, EnvironmentSet, ExecutorFileSystem, FileSystemError, Lookahead, ReadCall,
};
use codex_path_uri::PathUri;
use futures::future::join_all;
use serde::{Serialize, Serializer};
use tracing::{Instrument, debug_span};

pub use self::environment::ResolvedCommand;
pub use self::parse::{ParsedMcpConfig, parse_mcp_config};
use self::parse::{ParsedServer, ServerCollector};
use crate::diagnostic::Escaped;
use crate::error::ErrorPlace;
use crate::read::{ContainedFile, FileFault, canonical_root, contained_calls, decode_utf8};
use crate::{
    ComponentDeclaration, ComponentSource, InlineJson, McpProblem, PluginDiagnostic, PluginOptions,
    PluginProviderError, PluginResourceLocator, ResolvedPlugin, SymlinkPolicy,
};

/// Largest file of MCP server registrations, in bytes (1 MiB).
pub const MAX_MCP_CONFIG_BYTES: usize = 1024 * 1024;

/// Most MCP server registrations of one plugin.
pub const MAX_MCP_SERVERS: usize = 256;

/// The MCP servers of one plugin: sources in order, servers in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginMcpServers {
    servers: Vec<McpServerRegistration>,
    diagnostics: Vec<PluginDiagnostic>,
}

impl PluginMcpServers {
    /// The servers.
    pub fn servers(&self) -> &[McpServerRegistration] {
        &self.servers
    }

    /// What was dropped, with its file or server.
    pub fn diagnostics(&self) -> &[PluginDiagnostic] {
        &self.diagnostics
    }
}

/// One server of a plugin. Its name is unique within the plugin.
///
/// Serialized, it is the object that reports show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerRegistration {
    plugin_root: PluginResourceLocator,
    selected_root_id: String,
    namespace: String,
    name: String,
    qualified_name: String,
    source: McpServerSource,
    transport: McpTransport,
    raw: InlineJson,
}

/// Where a registration is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpServerSource {
    /// In a file of the plugin.
    File(PluginResourceLocator),
    /// In the manifest.
    Inline {
        /// Index of the object among the declared ones.
        index: usize,
    },
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum McpTransport {
    /// A program of the plugin's environment that speaks MCP on its standard input and output.
    Stdio(StdioServer),
    /// A server behind a URL.
    Http(HttpServer),
}

/// A program and how to start it. All text is verbatim; [`resolved`](Self::resolved) has the variables filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StdioServer {
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    pub(crate) env: Vec<(String, String)>,
    pub(crate) env_vars: Vec<String>,
    pub(crate) cwd: PathUri,
    pub(crate) resolved: ResolvedCommand,
}

/// A server behind a URL. The values of its headers are only in [`McpServerRegistration::raw`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpServer {
    pub(crate) url: String,
    pub(crate) header_names: Vec<String>,
}

impl McpServerRegistration {
    /// The environment of the plugin, in which a program would run.
    pub fn environment_id(&self) -> &EnvironmentId {
        self.plugin_root.environment_id()
    }

    /// Id of the plugin's selected root: any text.
    pub fn selected_root_id(&self) -> &str {
        &self.selected_root_id
    }

    /// The server's name: not empty, without control characters, `/` and `\`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name in a catalog of several plugins: the name, unless [`McpCatalog::new`] had to tell two apart.
    pub fn qualified_name(&self) -> &str {
        &self.qualified_name
    }

    /// Where the registration is written.
    pub fn source(&self) -> &McpServerSource {
        &self.source
    }

    /// How the server is reached.
    pub fn transport(&self) -> &McpTransport {
        &self.transport
    }

    /// The registration as it is written, keys that are not read here included.
    pub fn raw(&self) -> &InlineJson {
        &self.raw
    }
}

impl StdioServer {
    /// The program to start; not blank.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Its arguments.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// Variables to set, in document order.
    pub fn env(&self) -> &[(String, String)] {
        &self.env
    }

    /// Names of variables to pass on from the server's own environment, never from the host.
    pub fn env_vars(&self) -> &[String] {
        &self.env_vars
    }

    /// The directory as it is written, lexically at or below the plugin's root.
    pub fn cwd(&self) -> &PathUri {
        &self.cwd
    }

    /// The same with `${PLUGIN_ROOT}` and `${CLAUDE_PLUGIN_ROOT}` filled in.
    pub fn resolved(&self) -> &ResolvedCommand {
        &self.resolved
    }
}

impl HttpServer {
    /// The URL, not judged and not blank.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Names of the headers to send, in document order.
    pub fn header_names(&self) -> &[String] {
        &self.header_names
    }
}

impl Serialize for McpServerRegistration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "snake_case")]
        enum Source<'a> {
            File { path: &'a PathUri },
            Inline { index: usize },
        }

        #[derive(Serialize)]
        #[serde(
            rename_all = "camelCase",
            rename_all_fields = "camelCase",
            tag = "transport"
        )]
        enum Transport<'a> {
            Stdio {
                command: &'a str,
                args: &'a [String],
                #[serde(serialize_with = "environment::serialize_variables")]
                env: &'a [(String, String)],
                env_vars: &'a [String],
                cwd: &'a PathUri,
                resolved: &'a ResolvedCommand,
            },
            Http {
                url: &'a str,
                header_names: &'a [String],
            },
        }

        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Report<'a> {
            name: &'a str,
            qualified_name: &'a str,
            source: Source<'a>,
            #[serde(flatten)]
            transport: Transport<'a>,
            raw: &'a str,
        }

        let report = Report {
            name: &self.name,
            qualified_name: &self.qualified_name,
            source: match &self.source {
                McpServerSource::File(file) => Source::File { path: file.path() },
                McpServerSource::Inline { index } => Source::Inline { index: *index },
            },
            transport: match &self.transport {
                McpTransport::Stdio(server) => Transport::Stdio {
                    command: &server.command,
                    args: &server.args,
                    env: &server.env,
                    env_vars: &server.env_vars,
                    cwd: &server.cwd,
                    resolved: &server.resolved,
                },
                McpTransport::Http(server) => Transport::Http {
                    url: &server.url,
                    header_names: &server.header_names,
                },
            },
            raw: self.raw.as_str(),
        };
        report.serialize(serializer)
    }
}

/// The servers of several plugins, no two of them under one name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpCatalog {
    /// The servers, plugin by plugin.
    pub servers: Vec<McpServerRegistration>,
    /// What the plugins have to tell, and each name that two of them use.
    pub diagnostics: Vec<PluginDiagnostic>,
}

impl McpCatalog {
    /// Puts servers together. Those that share a name are all kept and called `namespace:name` or, where the plugins
    /// share that too, `namespace@root-id:name`; each is told.
    pub fn new(plugins: impl IntoIterator<Item = PluginMcpServers>) -> Self {
        let mut catalog = Self::default();
        for plugin in plugins {
            catalog.servers.extend(plugin.servers);
            catalog.diagnostics.extend(plugin.diagnostics);
        }
        catalog.qualify(
            |it| it.name.clone(),
            |it| format!("{}:{}", it.namespace, it.name),
        );
        catalog.qualify(
            |it| it.qualified_name.clone(),
            |it| format!("{}@{}:{}", it.namespace, it.selected_root_id, it.name),
        );
        let shared = catalog
            .servers
            .iter()
            .filter(|it| it.name != it.qualified_name);
        for server in shared {
            let others = catalog.servers.iter().filter(|it| it.name == server.name);
            let mut others = others.filter(|it| it.qualified_name != server.qualified_name);
            let other = others.next().unwrap_or(server).plugin_root.clone();
            catalog.diagnostics.push(PluginDiagnostic::Mcp {
                root: Some(server.plugin_root.clone()),
                field: server.name.clone(),
                problem: McpProblem::NameShared {
                    name: server.name.clone(),
                    qualified: server.qualified_name.clone(),
                    other,
                },
            });
        }
        catalog
    }

    /// Gives servers that share a name a longer one.
    fn qualify(
        &mut self,
        name: fn(&McpServerRegistration) -> String,
        longer: fn(&McpServerRegistration) -> String,
    ) {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for server in &self.servers {
            *counts.entry(name(server)).or_default() += 1;
        }
        for server in &mut self.servers {
            if counts.get(&name(server)).is_some_and(|count| *count > 1) {
                server.qualified_name = longer(server);
            }
        }
    }
}

/// Loads the MCP servers of plugins, those of an environment together. The results have the length and order of
/// `plugins`.
///
/// # Round trips
/// Those of [`load_mcp_servers_with`] for each environment, side by side.
///
/// # Errors
/// [`UnavailableEnvironment`](PluginProviderError::UnavailableEnvironment) for a plugin whose environment is not in the
/// set. Everything else is a diagnostic beside the servers that are left.
///
/// # Examples
/// ```
/// use std::sync::Arc;
///
/// use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
/// use codex_plugin::mcp::{McpTransport, load_mcp_servers};
/// use codex_plugin::{ExecutorPluginProvider, PluginOptions, PluginProvider, SelectedCapabilityRoot};
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, r#"
///     /p/.codex-plugin/plugin.json = {}
///     /p/.mcp.json = {"git": {"command": "${PLUGIN_ROOT}/git-mcp"}, "web": {"url": "https://example.com"}}
/// "#)?;
/// let (id, cwd) = (EnvironmentId::new("box")?, PathUri::parse("file:///p")?);
/// let environments = Arc::new(EnvironmentSet::new(vec![Environment::new(id, cwd, Arc::new(fs))])?);
/// let provider = ExecutorPluginProvider::new(environments.clone());
/// let plugin = provider.resolve(&SelectedCapabilityRoot::parse("p", "box", "/p")?).await?.unwrap();
///
/// let loaded = load_mcp_servers(&environments, &[&plugin], &PluginOptions::default()).await;
/// let servers = loaded[0].as_ref().unwrap().servers();
/// let McpTransport::Stdio(git) = servers[0].transport() else { panic!("a program") };
/// assert_eq!((git.command(), git.resolved().command.as_str()), ("${PLUGIN_ROOT}/git-mcp", "/p/git-mcp"));
/// assert!(matches!(servers[1].transport(), McpTransport::Http(web) if web.url() == "https://example.com"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub async fn load_mcp_servers(
    environments: &EnvironmentSet,
    plugins: &[&ResolvedPlugin],
    options: &PluginOptions,
) -> Vec<Result<PluginMcpServers, PluginProviderError>> {
    let mut by_environment: HashMap<&EnvironmentId, Vec<usize>> = HashMap::new();
    for (index, plugin) in plugins.iter().enumerate() {
        by_environment
            .entry(plugin.environment_id())
            .or_default()
            .push(index);
    }
    let loads = by_environment.into_iter().filter_map(|(id, indices)| {
        let environment = environments.get(id.as_str()).ok()?;
        let own: Vec<_> = indices
            .iter()
            .filter_map(|it| plugins.get(*it).copied())
            .collect();
        Some(async move {
            let lookahead = Lookahead::new(environment.filesystem().as_ref(), options.window);
            let load = load_mcp_servers_with(&lookahead, &own, options);
            indices
                .into_iter()
                .zip(lookahead.drive(load).await)
                .collect::<Vec<_>>()
        })
    });
    let mut loaded: HashMap<usize, _> = join_all(loads).await.into_iter().flatten().collect();
    let result = |(index, plugin): (usize, &&ResolvedPlugin)| {
        loaded
            .remove(&index)
            .ok_or_else(|| PluginProviderError::UnavailableEnvironment {
                place: ErrorPlace {
                    root_id: plugin.selected_root_id().to_owned(),
                    environment_id: Some(plugin.environment_id().clone()),
                    path: None,
                },
            })
    };
    plugins.iter().enumerate().map(result).collect()
}

/// Loads the MCP servers of plugins of the environment that `lookahead` asks.
///
/// # Round trips
/// One. For G files over all plugins that are not known to be missing: 2G calls under
/// [`RefuseEscape`](SymlinkPolicy::RefuseEscape), and one more for each root with files whose canonical path is not
/// known; G calls under [`Follow`](SymlinkPolicy::Follow). None for servers written in the manifest.
pub async fn load_mcp_servers_with<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    plugins: &[&ResolvedPlugin],
    options: &PluginOptions,
) -> Vec<PluginMcpServers> {
    for plugin in plugins {
        expect_mcp_servers(lookahead, plugin, options);
    }
    let span = debug_span!("plugin_mcp", plugins = plugins.len());
    let load = async {
        let mut texts = HashMap::new();
        let mut loaded = Vec::with_capacity(plugins.len());
        for plugin in plugins {
            for file in files_of(plugin) {
                let key = (plugin.root().clone(), file.path().clone());
                if let Entry::Vacant(entry) = texts.entry(key) {
                    entry.insert(read_text(lookahead, plugin, &file, options).await);
                }
            }
            loaded.push(collect(plugin, &texts));
        }
        loaded
    };
    load.instrument(span).await
}

/// Says which calls loading the servers of a plugin will make. Makes none.
pub fn expect_mcp_servers<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    plugin: &ResolvedPlugin,
    options: &PluginOptions,
) {
    let symlinks = options.symlinks_of(plugin.manifest().format());
    let files = files_of(plugin);
    let needs_root = symlinks == SymlinkPolicy::RefuseEscape && plugin.canonical_root().is_none();
    if needs_root && !files.is_empty() {
        lookahead.expect_all([ReadCall::canonical(plugin.root())]);
    }
    for file in files {
        lookahead.expect_all(contained_calls(file.path(), MAX_MCP_CONFIG_BYTES, symlinks));
    }
}

/// The files to read: declared ones, and the default one unless it is known to be missing.
fn files_of(plugin: &ResolvedPlugin) -> Vec<PluginResourceLocator> {
    match plugin.mcp_sources() {
        Some(ComponentSource::Declared(ComponentDeclaration::Files(files))) => files,
        Some(ComponentSource::Default(ComponentDeclaration::Files(files))) => files
            .into_iter()
            .filter(|file| !plugin.is_missing(file))
            .collect(),
        _ => Vec::new(),
    }
}

/// The texts of files, by plugin root and path.
type Texts = HashMap<(PathUri, PathUri), Result<String, McpProblem>>;

async fn read_text<F: ExecutorFileSystem + ?Sized>(
    lookahead: &Lookahead<'_, F>,
    plugin: &ResolvedPlugin,
    file: &PluginResourceLocator,
    options: &PluginOptions,
) -> Result<String, McpProblem> {
    let canonical_root = match options.symlinks_of(plugin.manifest().format()) {
        SymlinkPolicy::Follow => None,
        SymlinkPolicy::RefuseEscape => Some(canonical_root(lookahead, plugin).await),
    };
    let canonical_root = canonical_root.transpose();
    let file = ContainedFile {
        field: "mcpServers",
        root: plugin.root(),
        canonical_root: canonical_root.as_ref().ok().and_then(Option::as_ref),
        path: file.path(),
        limit: MAX_MCP_CONFIG_BYTES,
    };
    let bytes = file.read(lookahead).await.map_err(|fault| match fault {
        FileFault::Read(error) if error.kind() == io::ErrorKind::NotFound => {
            McpProblem::ConfigMissing
        }
        FileFault::Read(error) | FileFault::Canonicalize(error) => unreadable(&error),
        FileFault::Outside(outside) => McpProblem::ConfigUnreadable {
            reason: outside.to_string(),
        },
        FileFault::TooLarge { limit, actual } => McpProblem::ConfigUnreadable {
            reason: format!("the file has {actual} bytes, more than {limit}"),
        },
    })?;
    canonical_root.map_err(|error| unreadable(&error))?;
    let text = decode_utf8(&bytes).map_err(|error| unreadable(&error))?;
    Ok(text.to_owned())
}

fn unreadable(error: &io::Error) -> McpProblem {
    // The diagnostic names the file, so the context of the call would only repeat it.
    let reason = FileSystemError::find(error).map_or(error, |context| &context.source);
    let (reason, kind) = (reason.to_string(), kind_name(error.kind()));
    McpProblem::ConfigUnreadable {
        reason: format!("the file cannot be read: {} ({kind})", Escaped(&reason)),
    }
}

/// Goes through the sources of a plugin in order.
fn collect(plugin: &ResolvedPlugin, texts: &Texts) -> PluginMcpServers {
    let mut collector = ServerCollector::new(plugin.root(), plugin.manifest().format());
    let source = plugin.mcp_sources();
    let is_declared = source.as_ref().is_some_and(ComponentSource::is_declared);
    for file in files_of(plugin) {
        let key = (plugin.root().clone(), file.path().clone());
        let origin = McpServerSource::File(file.clone());
        let outcome = match texts.get(&key) {
            Some(Ok(text)) => collector
                .add_text(text, &origin)
                .map_err(McpProblem::ConfigInvalid),
            Some(Err(McpProblem::ConfigMissing)) if !is_declared => Ok(()),
            Some(Err(problem)) => Err(problem.clone()),
            None => Ok(()),
        };
        if let Err(problem) = outcome {
            let below = file.path().relative_path_from(plugin.root());
            collector.report(below.unwrap_or_else(|| file.path().to_string()), problem);
        }
    }
    if let Some(ComponentDeclaration::Inline(objects)) = source.as_ref().map(ComponentSource::get) {
        for (index, object) in objects.iter().enumerate() {
            // The manifest's parser keeps only objects that pass here too.
            let added = collector.add_text(object.as_str(), &McpServerSource::Inline { index });
            if let Err(error) = added {
                let problem = McpProblem::ConfigInvalid(error);
                collector.report(format!("mcpServers[{index}]"), problem);
            }
        }
    }
    let root = PluginResourceLocator::new(plugin.environment_id().clone(), plugin.root().clone());
    let (servers, diagnostics) = collector.finish();
    let register = |(server, source): (ParsedServer, McpServerSource)| McpServerRegistration {
        plugin_root: root.clone(),
        selected_root_id: plugin.selected_root_id().to_owned(),
        namespace: plugin.namespace().namespace().to_owned(),
        qualified_name: server.name.clone(),
        name: server.name,
        source,
        transport: server.transport,
        raw: server.raw,
    };
    PluginMcpServers {
        servers: servers.into_iter().map(register).collect(),
        diagnostics: diagnostics.into_iter().map(|it| it.at(&root)).collect(),
    }
}
