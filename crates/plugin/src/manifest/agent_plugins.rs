//! `plugin.json` of Agent Plugins 1.0: stricter rules, and components in fixed places.
//!
//! The file counts only if it names a schema of the standard; any other content belongs to something else.

use codex_path_uri::PathUri;

use super::parse::{
    ParsedManifest, Reader, SeenKeys, optional_text, parse_plugin_manifest, required_text, trimmed,
    wrong_type,
};
use super::{ComponentDeclaration, ManifestFormat, PluginInterface, PluginManifest, append};
use crate::diagnostic::capped;
use crate::json::{Member, Value, child};
use crate::locations::{AGENT_PLUGINS_MCP_CONFIG, DEFAULT_SKILLS_DIR};
use crate::{FieldProblem, ManifestError, ManifestProblem};

const SCHEMAS: &str = "https://agent-plugins.org/schemas/";
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MAX_NAME_CHARS: usize = 64;

/// Parses a text that names a schema of Agent Plugins.
///
/// # Errors
/// `Err(Ok(reason))` for a text that is something else, `Err(Err(error))` for a refused manifest.
pub(crate) fn parse_agent_plugins_manifest(
    root: &PathUri,
    text: &str,
) -> Result<ParsedManifest, Result<String, ManifestError>> {
    let not_ours = |error: ManifestError| Ok(error.to_string());
    let value = Value::parse(text).map_err(not_ours)?;
    let members = value.object().map_err(not_ours)?;
    let schema = value.member("$schema");
    let name = schema.and_then(Value::as_text);
    if !name.as_deref().is_some_and(|it| it.starts_with(SCHEMAS)) {
        return Err(Ok("it names no `$schema` of Agent Plugins".to_owned()));
    }
    if let (Some(schema), true) = (schema, name.as_deref() != Some(SCHEMA)) {
        let rule = format!("only `{SCHEMA}` is supported");
        return Err(Err(broken_rule(schema, "$schema", &rule)));
    }
    let mut reader = Reader::new(root);
    let mut manifest = PluginManifest::empty(ManifestFormat::AgentPlugins);
    let mut seen = SeenKeys::default();
    for member in &members {
        read_member(member, &mut reader, &mut manifest, &mut seen).map_err(Err)?;
    }
    if manifest.name.is_empty() {
        return Err(Err(broken_rule(value, "name", "the name is missing")));
    }
    manifest.declares_name = true;
    // A root that takes no names has no components.
    manifest.skills = append(root, &[DEFAULT_SKILLS_DIR]).into_iter().collect();
    let config = append(root, &[AGENT_PLUGINS_MCP_CONFIG]).ok();
    manifest.mcp_servers = config.map(|config| ComponentDeclaration::Files(vec![config]));
    Ok((manifest, capped(reader.diagnostics)))
}

/// The presentation that `.codex-plugin/plugin.json` adds to a manifest of Agent Plugins; nothing else of it counts.
///
/// # Errors
/// Those of [`parse_plugin_manifest`]: an overlay that cannot be read refuses the plugin.
pub(crate) fn read_overlay(
    root: &PathUri,
    text: &str,
) -> Result<Option<PluginInterface<PathUri>>, ManifestError> {
    let (manifest, _) = parse_plugin_manifest(root, text)?;
    Ok(manifest.interface)
}

fn read_member(
    member: &Member<'_>,
    reader: &mut Reader<'_>,
    manifest: &mut PluginManifest<PathUri>,
    seen: &mut SeenKeys,
) -> Result<(), ManifestError> {
    let (key, value) = (member.key.as_str(), member.value);
    let is_known = matches!(
        key,
        "$schema"
            | "name"
            | "version"
            | "description"
            | "author"
            | "homepage"
            | "repository"
            | "license"
            | "keywords"
    );
    if !is_known {
        let (key, meant) = (key.to_owned(), None);
        reader.report(key.clone(), FieldProblem::UnknownKey { key, meant });
        return Ok(());
    }
    seen.check(member, key)?;
    value.check(key, 1, false)?;
    match key {
        "name" => manifest.name = read_name(value)?,
        "version" => manifest.version = optional_text(value, key)?.and_then(trimmed),
        "description" => manifest.description = optional_text(value, key)?,
        "keywords" => manifest.keywords = reader.required_texts(value, key)?,
        "author" => check_author(value)?,
        "$schema" => {}
        // Metadata that nothing here uses has to be of the right type all the same.
        _ => drop(optional_text(value, key)?),
    }
    Ok(())
}

fn read_name(value: Value<'_>) -> Result<String, ManifestError> {
    let name = required_text(value, "name")?;
    let is_inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
    let is_outer = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
    let is_valid = name.len() <= MAX_NAME_CHARS
        && name.bytes().all(is_inner)
        && is_outer(name.bytes().next())
        && is_outer(name.bytes().last())
        && !name.contains("--")
        && !name.contains("..");
    if is_valid {
        return Ok(name);
    }
    let rule =
        "1 to 64 of `a-z`, `0-9`, `.` and `-`, a letter or digit at both ends, no `--` or `..`";
    Err(broken_rule(value, "name", rule))
}

/// An object of strings with only the author's keys.
fn check_author(author: Value<'_>) -> Result<(), ManifestError> {
    let members = author.members();
    let members = members.ok_or_else(|| wrong_type(author, "author", "an object"))?;
    let mut seen = SeenKeys::default();
    for member in &members {
        let field = child("author", &member.key);
        if !matches!(member.key.as_str(), "name" | "email" | "url") {
            let rule = "an author has only `name`, `email` and `url`";
            return Err(member
                .key_error(ManifestProblem::AgentPluginsRule, &field)
                .with_explanation(rule));
        }
        seen.check(member, &field)?;
        required_text(member.value, &field)?;
    }
    Ok(())
}

fn broken_rule(value: Value<'_>, field: &str, rule: &str) -> ManifestError {
    value
        .error(ManifestProblem::AgentPluginsRule, field)
        .with_explanation(rule)
}
