//! A text of registrations: which servers, by which transport, and what is wrong with the others.

use std::collections::HashSet;

use codex_path_uri::PathUri;

use super::environment::{ResolvedCommand, expand, resolve_directory};
use super::{HttpServer, McpServerSource, McpTransport, StdioServer};
use crate::diagnostic::{Escaped, capped};
use crate::json::{Kind, Member, Value};
use crate::{
    InlineJson, MAX_MCP_SERVERS, ManifestError, ManifestFormat, ManifestProblem, McpProblem,
    PluginDiagnostic,
};

const AGENT_PLUGINS_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";

/// The servers of one text by name, each with its registration as written, and the diagnostics.
pub type ParsedMcpConfig = (
    Vec<(String, McpTransport, InlineJson)>,
    Vec<PluginDiagnostic>,
);

/// Parses the text of a file of MCP servers of the plugin at `root`. Pure: nothing is looked up.
///
/// The object is the map from names to servers, or holds it under `mcpServers`. What is wrong with a single server drops
/// that server and is reported.
///
/// # Errors
/// The first problem of syntax, if there is one; else the first repeated key or too deep value anywhere in the text.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
/// use codex_plugin::mcp::{McpTransport, parse_mcp_config};
///
/// let root = PathUri::parse("file:///plugins/demo")?;
/// let text = r#"{"git": {"command": "git-mcp", "cwd": "tools"}, "bad": {"command": 7}}"#;
/// let (servers, diagnostics) = parse_mcp_config(&root, text).unwrap();
/// let (name, McpTransport::Stdio(server), _) = &servers[0] else { panic!("a program") };
/// assert_eq!((name.as_str(), server.command()), ("git", "git-mcp"));
/// assert_eq!(server.cwd().as_str(), "file:///plugins/demo/tools");
/// assert_eq!(diagnostics[0].field(), "bad.command");
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn parse_mcp_config(root: &PathUri, text: &str) -> Result<ParsedMcpConfig, ManifestError> {
    let mut collector = ServerCollector::new(root, ManifestFormat::Plugin);
    collector.add_text(text, &McpServerSource::Inline { index: 0 })?;
    let (servers, diagnostics) = collector.finish();
    let servers = servers
        .into_iter()
        .map(|(it, _)| (it.name, it.transport, it.raw));
    Ok((servers.collect(), diagnostics))
}

/// A server before it is bound to a plugin.
pub(super) struct ParsedServer {
    pub(super) name: String,
    pub(super) transport: McpTransport,
    pub(super) raw: InlineJson,
}

/// Gathers servers; an earlier one keeps its name.
pub(super) struct ServerCollector<'r> {
    root: &'r PathUri,
    format: ManifestFormat,
    names: HashSet<String>,
    servers: Vec<(ParsedServer, McpServerSource)>,
    left_out: usize,
    diagnostics: Vec<PluginDiagnostic>,
}

impl<'r> ServerCollector<'r> {
    pub(super) fn new(root: &'r PathUri, format: ManifestFormat) -> Self {
        Self {
            root,
            format,
            names: HashSet::new(),
            servers: Vec::new(),
            left_out: 0,
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, field: impl Into<String>, problem: McpProblem) {
        self.diagnostics.push(PluginDiagnostic::Mcp {
            root: None,
            field: field.into(),
            problem,
        });
    }

    /// Adds the servers of a text, all or, if the text is refused, none.
    pub(super) fn add_text(
        &mut self,
        text: &str,
        source: &McpServerSource,
    ) -> Result<(), ManifestError> {
        let value = Value::parse(text)?;
        let members = value.object()?;
        let mut keys = HashSet::new();
        for member in &members {
            if !keys.insert(&member.key) {
                return Err(member.repeated(&member.key));
            }
            member.value.check(&member.key, 1, true)?;
        }
        if self.format == ManifestFormat::AgentPlugins {
            check_agent_plugins(value, &members)?;
        }
        let wrapped = value.member("mcpServers");
        let wrapped = wrapped.filter(|map| map.kind() == Kind::Object);
        for member in wrapped.and_then(Value::members).unwrap_or(members) {
            if wrapped.is_none() && is_wrapper(&member) {
                let found = member.key.clone();
                self.report(member.key, McpProblem::WrapperUnknown { found });
            } else if !is_note(&member) {
                self.add_server(&member, source);
            }
        }
        Ok(())
    }

    fn add_server(&mut self, member: &Member<'_>, source: &McpServerSource) {
        if self.servers.len() == MAX_MCP_SERVERS {
            self.left_out += 1;
            return;
        }
        let reader = ServerReader {
            root: self.root,
            format: self.format,
            name: &member.key,
            server: member.value,
        };
        let (transport, variables) = match reader.read() {
            Ok(read) => read,
            Err((field, problem)) => return self.report(field, problem),
        };
        let name = member.key.clone();
        if !self.names.insert(name.clone()) {
            return self.report(name.clone(), McpProblem::ServerDuplicate { name });
        }
        for (field, variable) in variables {
            self.report(field, McpProblem::VariableUnknown { variable });
        }
        let raw = member.value.to_inline();
        let server = ParsedServer {
            name,
            transport,
            raw,
        };
        self.servers.push((server, source.clone()));
    }

    /// The servers and the diagnostics.
    pub(super) fn finish(
        mut self,
    ) -> (Vec<(ParsedServer, McpServerSource)>, Vec<PluginDiagnostic>) {
        if self.left_out > 0 {
            let left_out = self.left_out;
            self.report("mcpServers", McpProblem::TooManyServers { left_out });
        }
        (self.servers, capped(self.diagnostics))
    }
}

/// The file of Agent Plugins names its schema and holds servers under one key, nothing else.
fn check_agent_plugins(value: Value<'_>, members: &[Member<'_>]) -> Result<(), ManifestError> {
    let rule = |error: ManifestError, rule: &str| Err(error.with_explanation(rule));
    let schema = value.member("$schema");
    if schema.and_then(Value::as_text).as_deref() != Some(AGENT_PLUGINS_SCHEMA) {
        let error = schema.unwrap_or(value);
        let error = error.error(ManifestProblem::AgentPluginsRule, "$schema");
        return rule(error, &format!("expected `{AGENT_PLUGINS_SCHEMA}`"));
    }
    for member in members {
        let error = |problem| member.key_error(problem, &member.key);
        match member.key.as_str() {
            "$schema" => {}
            "mcpServers" if member.value.kind() == Kind::Object => {}
            "mcpServers" => return rule(error(ManifestProblem::WrongType), "expected an object"),
            _ => {
                let expected = "only `$schema` and `mcpServers` stand here";
                return rule(error(ManifestProblem::AgentPluginsRule), expected);
            }
        }
    }
    Ok(())
}

/// Whether a key looks like that of a map of servers and its value like one, not like a server.
fn is_wrapper(member: &Member<'_>) -> bool {
    let letters = member.key.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let is_server = ["command", "url", "type"]
        .iter()
        .any(|key| member.value.member(key).is_some());
    matches!(letters.as_str(), "mcpservers" | "servers")
        && member.value.kind() == Kind::Object
        && !is_server
}

/// Whether a member is for people and editors, as `$schema` and `_comment` are.
fn is_note(member: &Member<'_>) -> bool {
    member.key.starts_with(['$', '_']) && member.value.kind() != Kind::Object
}

/// Field and problem of a server that is dropped.
type Refusal = (String, McpProblem);

/// Fields, each with a variable that stands for nothing.
type Variables = Vec<(String, String)>;

/// One member of a map of servers. The first thing wrong with it is the one that is reported.
struct ServerReader<'a> {
    root: &'a PathUri,
    format: ManifestFormat,
    name: &'a str,
    server: Value<'a>,
}

impl ServerReader<'_> {
    fn read(&self) -> Result<(McpTransport, Variables), Refusal> {
        let name = self.name;
        let is_bad = |it: char| it.is_control() || matches!(it, '/' | '\\');
        if name.is_empty() || name.chars().any(is_bad) {
            let expected = "a name without control characters, `/` and `\\`";
            return Err(self.invalid_self(expected, format!("`{}`", Escaped(name))));
        }
        if self.server.kind() != Kind::Object {
            return Err(self.invalid_self("an object", self.server.shape().to_owned()));
        }
        if self.is_http()? {
            return Ok((McpTransport::Http(self.http()?), Vec::new()));
        }
        let (server, variables) = self.stdio()?;
        if self.server.member("url").is_some() {
            return Err(self.invalid("url", "no `url` beside `command`"));
        }
        Ok((McpTransport::Stdio(server), variables))
    }

    fn invalid_self(&self, expected: &'static str, found: String) -> Refusal {
        let found = Some(found);
        let problem = McpProblem::ServerInvalid { expected, found };
        (self.name.to_owned(), problem)
    }

    fn invalid(&self, key: &str, expected: &'static str) -> Refusal {
        let found = None;
        let problem = McpProblem::ServerInvalid { expected, found };
        (format!("{}.{key}", self.name), problem)
    }

    /// Whether the server is behind a URL: by its type or, where that may be missing, by its keys.
    fn is_http(&self) -> Result<bool, Refusal> {
        let declared = self.server.member("type");
        let text = declared.and_then(Value::as_text);
        let is_agent_plugin = self.format == ManifestFormat::AgentPlugins;
        match (declared, text.as_deref()) {
            (None, _) if is_agent_plugin => {
                Err(self.invalid("type", "`stdio` or `streamable-http`"))
            }
            (None, _) => {
                let has = |key| self.server.member(key).is_some();
                Ok(has("url") && !has("command"))
            }
            (_, Some("stdio")) => Ok(false),
            (_, Some("streamable-http")) => Ok(true),
            (_, Some("http" | "streamable_http")) if !is_agent_plugin => Ok(true),
            (Some(other), text) => {
                let transport = text.map_or_else(
                    || other.shape().to_owned(),
                    |text| format!("`{}`", Escaped(text)),
                );
                let problem = McpProblem::TransportUnsupported { transport };
                Err((self.name.to_owned(), problem))
            }
        }
    }

    fn http(&self) -> Result<HttpServer, Refusal> {
        let url = self.server.member("url").and_then(Value::as_text);
        let url = url.filter(|url| !url.trim().is_empty());
        let url = url.ok_or_else(|| self.invalid("url", "a string that is not blank"))?;
        if self.server.member("command").is_some() {
            return Err(self.invalid("command", "no `command` beside a `url`"));
        }
        let tables = ["headers", "http_headers", "env_http_headers"];
        let tables = tables
            .iter()
            .filter_map(|key| self.server.member(key)?.members());
        let header_names = tables.flatten().map(|member| member.key).collect();
        Ok(HttpServer { url, header_names })
    }

    fn stdio(&self) -> Result<(StdioServer, Variables), Refusal> {
        let key = |key| self.server.member(key);
        let command = key("command").and_then(Value::as_text);
        let command = command.filter(|command| !command.trim().is_empty());
        let command =
            command.ok_or_else(|| self.invalid("command", "a string that is not blank"))?;
        let args = key("args").map_or_else(|| Some(Vec::new()), read_texts);
        let args = args.ok_or_else(|| self.invalid("args", "an array of strings"))?;
        let env = key("env").map_or_else(|| Some(Vec::new()), read_variables);
        let env = env.ok_or_else(|| self.invalid("env", "an object of strings"))?;
        let env_vars = key("env_vars").map_or_else(|| Some(Vec::new()), read_variable_names);
        let env_vars = env_vars.ok_or_else(|| {
            self.invalid("env_vars", "names of variables that are not the host's")
        })?;
        let directory = match key("cwd") {
            Some(value) => value.as_text(),
            None => Some(String::new()),
        };
        let directory = directory
            .and_then(|text| Some((resolve_directory(self.root, &text)?, text)))
            .ok_or_else(|| {
                self.invalid("cwd", "a directory inside the plugin's root, without `..`")
            })?;
        if self.format == ManifestFormat::AgentPlugins {
            self.check_agent_plugins_program(&command)?;
        }
        Ok(self.fill_in(command, args, env, env_vars, directory))
    }

    /// The stricter rules of Agent Plugins 1.0.
    fn check_agent_plugins_program(&self, command: &str) -> Result<(), Refusal> {
        for member in self.server.members().into_iter().flatten() {
            if !matches!(
                member.key.as_str(),
                "type" | "command" | "args" | "env" | "cwd"
            ) {
                return Err(self.invalid(&member.key, "no such key in Agent Plugins 1.0"));
            }
        }
        let is_bare = !command.contains(['/', '\\']);
        let is_contained =
            command.starts_with("./") && resolve_directory(self.root, command).is_some();
        if is_bare || is_contained {
            Ok(())
        } else {
            Err(self.invalid(
                "command",
                "the name of a program, or a `./` path inside the root",
            ))
        }
    }

    /// The server, with what its text means in the plugin's environment and the variables that mean nothing.
    fn fill_in(
        &self,
        command: String,
        args: Vec<String>,
        env: Vec<(String, String)>,
        env_vars: Vec<String>,
        (cwd, cwd_text): (PathUri, String),
    ) -> (StdioServer, Variables) {
        let mut unknown = Vec::new();
        let mut expand = |key: &str, text: &str| {
            let (expanded, variables) = expand(self.root, text);
            let field = format!("{}.{key}", self.name);
            unknown.extend(variables.into_iter().map(|it| (field.clone(), it)));
            expanded
        };
        let is_path = self.format == ManifestFormat::AgentPlugins && command.starts_with("./");
        let program = match resolve_directory(self.root, &command) {
            Some(path) if is_path => path.inferred_native_path_string(),
            _ => expand("command", &command),
        };
        let indexed = args.iter().enumerate();
        let resolved = ResolvedCommand {
            command: program,
            args: indexed
                .map(|(index, it)| expand(&format!("args[{index}]"), it))
                .collect(),
            env: env
                .iter()
                .map(|(name, value)| (name.clone(), expand(&format!("env.{name}"), value)))
                .collect(),
            cwd: resolve_directory(self.root, &expand("cwd", &cwd_text))
                .unwrap_or_else(|| cwd.clone()),
        };
        let server = StdioServer {
            command,
            args,
            env,
            env_vars,
            cwd,
            resolved,
        };
        (server, unknown)
    }
}

fn read_texts(value: Value<'_>) -> Option<Vec<String>> {
    value.elements()?.into_iter().map(Value::as_text).collect()
}

fn read_variables(value: Value<'_>) -> Option<Vec<(String, String)>> {
    let members = value.members()?.into_iter();
    members
        .map(|member| Some((member.key, member.value.as_text()?)))
        .collect()
}

/// Names, alone or in objects whose source is the server's own environment.
fn read_variable_names(value: Value<'_>) -> Option<Vec<String>> {
    let name = |element: Value<'_>| {
        if let Some(name) = element.as_text() {
            return Some(name);
        }
        let source = element.member("source");
        let is_remote = source.is_none_or(|it| it.as_text().is_some_and(|it| it == "remote"));
        element.member("name").filter(|_| is_remote)?.as_text()
    };
    value.elements()?.into_iter().map(name).collect()
}
