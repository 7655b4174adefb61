//! One server: its name, its transport, its keys.

use codex_path_uri::PathUri;

use super::cwd::resolve_cwd;
use super::types::StdioServer;
use crate::escape::Escaped;
use crate::json::{Kind, Value};
use crate::{PluginDiagnostic, PluginDiagnosticCode as Code};

/// Judges one member of a server map. The first thing wrong with it is the one that is reported.
pub(super) fn judge_server(
    root: &PathUri,
    name: &str,
    server: Value<'_>,
) -> Result<StdioServer, PluginDiagnostic> {
    if !is_server_name(name) {
        let detail = format!("`{}` is no server name", Escaped(name));
        return Err(PluginDiagnostic::new(Code::McpServerInvalid, name, detail));
    }
    if server.kind() != Kind::Object {
        let detail = format!("expected an object, found {}", server.shape());
        return Err(PluginDiagnostic::new(Code::McpServerInvalid, name, detail));
    }
    let key = |key: &str| server.member(key).filter(|value| !value.is_null());
    let (command, url, transport) = (key("command"), key("url"), key("type"));
    let is_stdio = transport.is_none_or(|it| it.as_text().is_some_and(|it| it == "stdio"));
    if !is_stdio || (url.is_some() && command.is_none()) {
        let detail = "only stdio servers are registered";
        return Err(PluginDiagnostic::new(
            Code::McpTransportUnsupported,
            name,
            detail,
        ));
    }
    let bad = |key: &str, expected: &str| {
        let detail = format!("expected {expected}");
        PluginDiagnostic::new(Code::McpServerInvalid, format!("{name}.{key}"), detail)
    };
    let server = StdioServer {
        command: command
            .and_then(|value| value.as_text())
            .filter(|command| !command.trim().is_empty())
            .ok_or_else(|| bad("command", "a string that is not blank"))?
            .into_owned(),
        args: key("args")
            .map_or_else(|| Some(Vec::new()), read_texts)
            .ok_or_else(|| bad("args", "an array of strings"))?,
        env: key("env")
            .map_or_else(|| Some(Vec::new()), read_variables)
            .ok_or_else(|| bad("env", "an object of strings"))?,
        env_vars: key("env_vars")
            .map_or_else(|| Some(Vec::new()), read_variable_names)
            .ok_or_else(|| bad("env_vars", "names of variables that are not the host's"))?,
        cwd: resolve_cwd(root, key("cwd"))
            .ok_or_else(|| bad("cwd", "a directory inside the plugin's root, without `..`"))?,
    };
    match url {
        Some(_) => Err(bad("url", "no `url` beside `command`")),
        None => Ok(server),
    }
}

fn is_server_name(name: &str) -> bool {
    let is_bad = |character: char| character.is_control() || matches!(character, '/' | '\\');
    !name.is_empty() && !name.chars().any(is_bad)
}

fn read_texts(value: Value<'_>) -> Option<Vec<String>> {
    value
        .elements()?
        .map(|element| element.as_text().map(Into::into))
        .collect()
}

fn read_variables(value: Value<'_>) -> Option<Vec<(String, String)>> {
    value
        .members()?
        .map(|member| {
            Some((
                member.key().into_owned(),
                member.value.as_text()?.into_owned(),
            ))
        })
        .collect()
}

/// Names, alone or in objects whose source is the server's own environment.
fn read_variable_names(value: Value<'_>) -> Option<Vec<String>> {
    let name = |element: Value<'_>| {
        if let Some(name) = element.as_text() {
            return Some(name.into_owned());
        }
        let source = element.member("source").filter(|source| !source.is_null());
        let is_remote = source.is_none_or(|it| it.as_text().is_some_and(|it| it == "remote"));
        let name = element.member("name").filter(|_| is_remote)?;
        name.as_text().map(Into::into)
    };
    value.elements()?.map(name).collect()
}
