//! The servers of one plugin, gathered source by source.

use std::collections::HashSet;

use codex_path_uri::PathUri;

use super::check::check_object;
use super::server::judge_server;
use super::types::StdioServer;
use crate::diagnostics::DiagnosticSink;
use crate::escape::Escaped;
use crate::json::{Document, Kind, Value};
use crate::{
    InlineJson, MAX_MCP_SERVERS, ManifestError, PluginDiagnostic, PluginDiagnosticCode as Code,
};

/// The servers of one text by name, each with its registration as written, and the findings.
pub type ParsedMcpConfig = (
    Vec<(String, StdioServer, InlineJson)>,
    Vec<PluginDiagnostic>,
);

/// A server and what is kept beside it, before it is bound to a plugin.
pub(super) struct Collected<S> {
    pub(super) name: String,
    pub(super) server: StdioServer,
    pub(super) raw: InlineJson,
    pub(super) source: S,
}

/// Gathers servers; an earlier one keeps its name.
pub(super) struct ServerCollector<'r, S> {
    root: &'r PathUri,
    names: HashSet<String>,
    servers: Vec<Collected<S>>,
    left_out: usize,
    pub(super) diagnostics: DiagnosticSink,
}

/// Parses the text of a file of MCP servers of the plugin at `root`. Pure: nothing is looked up.
///
/// The object is the map from names to servers, or holds it under `mcpServers`. What is wrong with
/// a single server drops that server and is reported.
///
/// # Errors
/// The first problem of syntax, if there is one; else the first repeated key or too deep value
/// anywhere in the text.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
/// use codex_plugin::mcp::parse_mcp_config;
///
/// let root = PathUri::parse("file:///plugins/demo")?;
/// let text = r#"{"git": {"command": "git-mcp", "cwd": "tools"}, "bad": {"command": 7}}"#;
/// let (servers, diagnostics) = parse_mcp_config(&root, text).unwrap();
/// let (name, server, _) = &servers[0];
/// assert_eq!((name.as_str(), server.command()), ("git", "git-mcp"));
/// assert_eq!(server.cwd().as_str(), "file:///plugins/demo/tools");
/// assert_eq!(diagnostics[0].field(), "bad.command");
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn parse_mcp_config(root: &PathUri, text: &str) -> Result<ParsedMcpConfig, ManifestError> {
    let mut collector = ServerCollector::new(root);
    collector.add_text(text, &())?;
    let (servers, diagnostics) = collector.finish();
    let servers = servers
        .into_iter()
        .map(|it| (it.name, it.server, it.raw))
        .collect();
    Ok((servers, diagnostics))
}

impl<'r, S: Clone> ServerCollector<'r, S> {
    pub(super) fn new(root: &'r PathUri) -> Self {
        Self {
            root,
            names: HashSet::new(),
            servers: Vec::new(),
            left_out: 0,
            diagnostics: DiagnosticSink::default(),
        }
    }

    /// Adds the servers of a text, all or, if the text is refused, none.
    pub(super) fn add_text(&mut self, text: &str, source: &S) -> Result<(), ManifestError> {
        let document = Document::scan(text)?;
        let object = document.root_object()?;
        check_object(object)?;
        let map = object
            .member("mcpServers")
            .filter(|map| map.kind() == Kind::Object);
        for member in map.unwrap_or(object).members().into_iter().flatten() {
            self.add_server(&member.key(), member.value, source);
        }
        Ok(())
    }

    fn add_server(&mut self, name: &str, value: Value<'_>, source: &S) {
        if self.servers.len() == MAX_MCP_SERVERS {
            self.left_out += 1;
            return;
        }
        match judge_server(self.root, name, value) {
            Err(diagnostic) => self.diagnostics.push(diagnostic),
            Ok(_) if self.names.contains(name) => {
                let detail = format!("an earlier server is named `{}`", Escaped(name));
                self.diagnostics
                    .report(Code::McpServerDuplicate, name, detail);
            }
            Ok(server) => {
                self.names.insert(name.to_owned());
                self.servers.push(Collected {
                    name: name.to_owned(),
                    server,
                    raw: InlineJson::from_object(value),
                    source: source.clone(),
                });
            }
        }
    }

    /// The servers and the findings.
    pub(super) fn finish(mut self) -> (Vec<Collected<S>>, Vec<PluginDiagnostic>) {
        if self.left_out > 0 {
            let detail = format!(
                "{MAX_MCP_SERVERS} servers are kept, {} left out",
                self.left_out
            );
            self.diagnostics
                .report(Code::ListTruncated, "mcpServers", detail);
        }
        (self.servers, self.diagnostics.finish())
    }
}
