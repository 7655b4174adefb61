//! The manifest of a plugin at one of the discoverable locations.

use codex_path_uri::PathUri;

use super::declarations::ObjectRule;
use super::fields::{FieldReader, optional_text, required_text};
use super::interface_fields::interface_field;
use super::keys::{FieldTable, KeyReader};
use super::model::{ManifestFormat, PluginManifest};
use super::name::report_name;
use super::strict::{check_depth, refuse_repeated_keys};
use crate::diagnostics::DiagnosticSink;
use crate::json::{Document, Kind, Value};
use crate::{ManifestError, PluginDiagnostic, PluginNamespace};

/// A manifest and what was dropped, cut or normalised in it.
pub type ParsedManifest = (PluginManifest<PathUri>, Vec<PluginDiagnostic>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Name,
    Version,
    Description,
    Keywords,
    Skills,
    McpServers,
    Apps,
    Hooks,
    Interface,
}

const FIELDS: &FieldTable<Key> = &[
    ("name", Key::Name),
    ("version", Key::Version),
    ("description", Key::Description),
    ("keywords", Key::Keywords),
    ("skills", Key::Skills),
    ("mcpServers", Key::McpServers),
    ("apps", Key::Apps),
    ("hooks", Key::Hooks),
    ("interface", Key::Interface),
];

/// Containers around a value of the manifest: the manifest itself.
const OUTER: usize = 1;

/// Parses the text of a manifest below `root`. Pure: nothing is looked up.
///
/// Every path of the result is lexically below `root`; whether it exists is not known. Diagnostics
/// about the name come first, the others in document order.
///
/// # Errors
/// The first problem of syntax, if there is one; else the first repeated key, too deep value or
/// wrong type in document order.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
/// use codex_plugin::parse_plugin_manifest;
///
/// let root = PathUri::parse("file:///plugins/demo")?;
/// let text = r#"{"name": "demo", "skills": ["./skills", "../elsewhere"]}"#;
/// let (manifest, diagnostics) = parse_plugin_manifest(&root, text).unwrap();
/// assert_eq!(manifest.name(), "demo");
/// assert_eq!(manifest.skills(), [PathUri::parse("file:///plugins/demo/skills")?]);
/// assert_eq!(diagnostics[0].field(), "skills[1]");
/// assert_eq!(diagnostics[0].code().as_str(), "path_prefix");
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn parse_plugin_manifest(root: &PathUri, text: &str) -> Result<ParsedManifest, ManifestError> {
    let document = Document::scan(text)?;
    let object = document.root_object()?;
    let mut reader = FieldReader {
        root,
        diagnostics: DiagnosticSink::default(),
    };
    let mut manifest = PluginManifest::empty(ManifestFormat::Plugin);
    let mut keys = KeyReader::new(FIELDS, "");
    for member in object.members().into_iter().flatten() {
        match keys.known(&member)? {
            Some((key, field)) => {
                read_member(&mut reader, &mut manifest, key, member.value, field)?;
            }
            None => {
                keys.report_unknown(&member.key(), interface_field, &mut reader.diagnostics);
            }
        }
    }
    // A name that is not declared is empty here, and an empty one counts as missing.
    let (namespace, finding) = PluginNamespace::judge(Some(&manifest.name), root);
    manifest.declares_name = namespace.is_declared();
    let diagnostics = report_name(&namespace, finding, reader.diagnostics);
    namespace.name().clone_into(&mut manifest.name);
    Ok((manifest, diagnostics.finish()))
}

fn read_member(
    reader: &mut FieldReader<'_>,
    manifest: &mut PluginManifest<PathUri>,
    key: Key,
    value: Value<'_>,
    field: &str,
) -> Result<(), ManifestError> {
    // What lies below unknown keys of the interface may be of any depth.
    if !(key == Key::Interface && value.kind() == Kind::Object) {
        check_depth(value, field, OUTER)?;
    }
    match key {
        Key::Name => manifest.name = required_text(value, field)?,
        Key::Version => manifest.version = optional_text(value, field)?.and_then(trimmed),
        Key::Description => manifest.description = optional_text(value, field)?,
        Key::Keywords => manifest.keywords = reader.required_texts(value, field)?,
        Key::Skills => manifest.skills = reader.path_or_paths(value, field),
        Key::McpServers => {
            refuse_repeated_keys(value, field)?;
            manifest.mcp_servers = reader.declaration(value, field, ObjectRule::Verbatim);
        }
        Key::Apps => manifest.apps = reader.optional_path(value, field)?,
        Key::Hooks => {
            refuse_repeated_keys(value, field)?;
            manifest.hooks = reader.declaration(value, field, ObjectRule::HookEvents);
        }
        Key::Interface => manifest.interface = reader.interface(value, field)?,
    }
    Ok(())
}

/// The text without white space at its ends, unless nothing is left.
pub(super) fn trimmed(text: String) -> Option<String> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}
