//! `plugin.json` of Agent Plugins 1.0: stricter rules, and components in fixed places.
//!
//! The file counts only if it says which schema it follows; any other content is somebody else's.

use codex_path_uri::PathUri;

use super::component::ComponentDeclaration;
use super::fields::{FieldReader, optional_text, required_text, wrong_type};
use super::keys::{FieldTable, KeyReader};
use super::model::{ManifestFormat, PluginManifest};
use super::parse::{ParsedManifest, trimmed};
use super::strict::check_depth;
use crate::components::append;
use crate::diagnostics::DiagnosticSink;
use crate::escape::Escaped;
use crate::json::{Document, Value};
use crate::{DEFAULT_SKILLS_DIR, ManifestError, ManifestProblem, PluginDiagnosticCode};

/// The manifest's location below the root.
pub(crate) const AGENT_PLUGINS_MANIFEST: &str = "plugin.json";

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MCP_CONFIG: &str = "mcp.json";
const MAX_NAME_CHARS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Schema,
    Name,
    Version,
    Description,
    Author,
    Homepage,
    Repository,
    License,
    Keywords,
}

const FIELDS: &FieldTable<Key> = &[
    ("$schema", Key::Schema),
    ("name", Key::Name),
    ("version", Key::Version),
    ("description", Key::Description),
    ("author", Key::Author),
    ("homepage", Key::Homepage),
    ("repository", Key::Repository),
    ("license", Key::License),
    ("keywords", Key::Keywords),
];

const AUTHOR_FIELDS: &FieldTable<&str> = &[
    ("author.name", "name"),
    ("author.email", "email"),
    ("author.url", "url"),
];

/// Containers around a value of the manifest: the manifest itself.
const OUTER: usize = 1;

/// Parses a text if it is a manifest of Agent Plugins 1.0; `None` for any other text.
pub(crate) fn parse_agent_plugins_manifest(
    root: &PathUri,
    text: &str,
) -> Result<Option<ParsedManifest>, ManifestError> {
    let Ok(document) = Document::scan(text) else {
        return Ok(None);
    };
    let Ok(object) = document.root_object() else {
        return Ok(None);
    };
    let schema = object.member("$schema").and_then(|schema| schema.as_text());
    if schema.is_none_or(|schema| schema != SCHEMA) {
        return Ok(None);
    }
    let mut reader = FieldReader {
        root,
        diagnostics: DiagnosticSink::default(),
    };
    let mut manifest = PluginManifest::empty(ManifestFormat::AgentPlugins);
    read_members(object, &mut reader, &mut manifest)?;
    // A root that takes no names has no components.
    manifest.skills = append(root, &[DEFAULT_SKILLS_DIR]).into_iter().collect();
    let config = append(root, &[MCP_CONFIG]).ok();
    manifest.mcp_servers = config.map(|config| ComponentDeclaration::Files(vec![config]));
    Ok(Some((manifest, reader.diagnostics.finish())))
}

fn read_members(
    object: Value<'_>,
    reader: &mut FieldReader<'_>,
    manifest: &mut PluginManifest<PathUri>,
) -> Result<(), ManifestError> {
    let mut keys = KeyReader::new(FIELDS, "");
    for member in object.members().into_iter().flatten() {
        let value = member.value;
        let Some((key, field)) = keys.known(&member)? else {
            let key = member.key();
            let detail = format!("`{}` is no key of Agent Plugins 1.0", Escaped(&key));
            reader
                .diagnostics
                .report(PluginDiagnosticCode::UnknownKey, key, detail);
            continue;
        };
        check_depth(value, field, OUTER)?;
        match key {
            Key::Name => {
                manifest.name = read_name(value, field)?;
                manifest.declares_name = true;
            }
            Key::Version => manifest.version = optional_text(value, field)?.and_then(trimmed),
            Key::Description => manifest.description = optional_text(value, field)?,
            Key::Keywords => manifest.keywords = reader.required_texts(value, field)?,
            Key::Author => check_author(value, field)?,
            // Metadata that nothing here uses has to be of the right type all the same.
            Key::Homepage | Key::Repository | Key::License => {
                optional_text(value, field)?;
            }
            // The schema is known by now.
            Key::Schema => {}
        }
    }
    if manifest.name.is_empty() {
        return Err(broken_rule("name", object.place(), "the name is missing"));
    }
    Ok(())
}

fn read_name(value: Value<'_>, field: &str) -> Result<String, ManifestError> {
    let name = required_text(value, field)?;
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
    Err(broken_rule(field, value.place(), rule))
}

/// An object of strings with only the author's keys.
fn check_author(author: Value<'_>, field: &str) -> Result<(), ManifestError> {
    let members = author
        .members()
        .ok_or_else(|| wrong_type(author, field, "an object"))?;
    let mut keys = KeyReader::new(AUTHOR_FIELDS, "author.");
    for member in members {
        let Some((_, field)) = keys.known(&member)? else {
            let field = keys.unknown(&member.key());
            let rule = "an author has only `name`, `email` and `url`";
            return Err(broken_rule(&field, member.key_place(), rule));
        };
        required_text(member.value, field)?;
    }
    Ok(())
}

fn broken_rule(field: &str, place: (usize, usize), rule: &str) -> ManifestError {
    ManifestError::new(ManifestProblem::AgentPluginsRule, field, place).with_explanation(rule)
}
