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
    check_name_and_transport(name, server)?;
    let bad = |key: &str, expected: &str| {
        let detail = format!("expected {expected}");
        PluginDiagnostic::new(Code::McpServerInvalid, format!("{name}.{key}"), detail)
    };
    let stdio = StdioServer {
        command: present(server, "command")
            .and_then(|value| value.as_text())
            .filter(|command| !command.trim().is_empty())
            .ok_or_else(|| bad("command", "a string that is not blank"))?
            .into_owned(),
        args: present(server, "args")
            .map_or_else(|| Some(Vec::new()), read_texts)
            .ok_or_else(|| bad("args", "an array of strings"))?,
        env: present(server, "env")
            .map_or_else(|| Some(Vec::new()), read_variables)
            .ok_or_else(|| bad("env", "an object of strings"))?,
        env_vars: present(server, "env_vars")
            .map_or_else(|| Some(Vec::new()), read_variable_names)
            .ok_or_else(|| bad("env_vars", "names of variables that are not the host's"))?,
        cwd: resolve_cwd(root, present(server, "cwd"))
            .ok_or_else(|| bad("cwd", "a directory inside the plugin's root, without `..`"))?,
    };
    match present(server, "url") {
        Some(_) => Err(bad("url", "no `url` beside `command`")),
        None => Ok(stdio),
    }
}

/// What does not depend on the keys of a stdio server.
fn check_name_and_transport(name: &str, server: Value<'_>) -> Result<(), PluginDiagnostic> {
    let refuse = |code, detail: String| Err(PluginDiagnostic::new(code, name, detail));
    if !is_server_name(name) {
        return refuse(
            Code::McpServerInvalid,
            format!("`{}` is no server name", Escaped(name)),
        );
    }
    if server.kind() != Kind::Object {
        return refuse(
            Code::McpServerInvalid,
            format!("expected an object, found {}", server.shape()),
        );
    }
    let transport = present(server, "type");
    let is_stdio = transport.is_none_or(|it| it.as_text().is_some_and(|it| it == "stdio"));
    let is_remote = present(server, "url").is_some() && present(server, "command").is_none();
    if !is_stdio || is_remote {
        return refuse(
            Code::McpTransportUnsupported,
            "only stdio servers are registered".to_owned(),
        );
    }
    Ok(())
}

/// The value of a key that is there; `null` is as good as missing.
fn present<'d>(server: Value<'d>, key: &str) -> Option<Value<'d>> {
    server.member(key).filter(|value| !value.is_null())
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
