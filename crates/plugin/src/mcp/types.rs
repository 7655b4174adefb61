//! Registrations and where they come from.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

use crate::{InlineJson, PluginDiagnostic, PluginResourceLocator};

/// The MCP servers of one plugin: sources in order, servers in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginMcpServers {
    pub(super) servers: Vec<McpServerRegistration>,
    pub(super) diagnostics: Vec<PluginDiagnostic>,
}

/// One server of a plugin. Names are unique within the plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServerRegistration {
    pub(super) environment_id: EnvironmentId,
    pub(super) selected_root_id: String,
    pub(super) name: String,
    pub(super) source: McpServerSource,
    pub(super) server: StdioServer,
    pub(super) raw: InlineJson,
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

/// A program that speaks MCP on its standard input and output. All text is verbatim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StdioServer {
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) env_vars: Vec<String>,
    pub(super) cwd: PathUri,
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

impl McpServerRegistration {
    /// The environment the server would run in.
    pub fn environment_id(&self) -> &EnvironmentId {
        &self.environment_id
    }

    /// Id of the plugin's selected root: any text.
    pub fn selected_root_id(&self) -> &str {
        &self.selected_root_id
    }

    /// The server's name: not empty, without control characters, `/` and `\`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the registration is written.
    pub fn source(&self) -> &McpServerSource {
        &self.source
    }

    /// The program.
    pub fn server(&self) -> &StdioServer {
        &self.server
    }

    /// The registration as it is written, keys that are not judged here included.
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

    /// The directory to start it in, lexically at or below the plugin's root.
    pub fn cwd(&self) -> &PathUri {
        &self.cwd
    }
}
