//! The manifest of a plugin at one of the discoverable locations: one arm per key.
//!
//! A wrong type *fails* (the manifest is refused: `?`) or *drops* (the key is absent, one diagnostic).

use std::collections::HashSet;
use std::fmt;

use codex_path_uri::PathUri;

use super::paths::resolve_path;
use super::{ComponentDeclaration, InlineJson, ManifestFormat, PluginInterface, PluginManifest};
use crate::diagnostic::capped;
use crate::json::{Kind, Member, Value, child};
use crate::namespace::NameQuality;
use crate::{
    FieldProblem, MAX_DEFAULT_PROMPT_CHARS, MAX_DEFAULT_PROMPTS, MAX_LIST_ITEMS, ManifestError,
    ManifestProblem, PluginDiagnostic, PluginNamespace,
};

/// A manifest and what was dropped, cut or normalised in it.
pub type ParsedManifest = (PluginManifest<PathUri>, Vec<PluginDiagnostic>);

const KEYS: [&str; 9] = [
    "name",
    "version",
    "description",
    "keywords",
    "skills",
    "mcpServers",
    "apps",
    "hooks",
    "interface",
];

const INTERFACE_KEYS: [&str; 18] = [
    "displayName",
    "shortDescription",
    "longDescription",
    "developerName",
    "category",
    "websiteUrl",
    "websiteURL",
    "privacyPolicyUrl",
    "privacyPolicyURL",
    "termsOfServiceUrl",
    "termsOfServiceURL",
    "brandColor",
    "capabilities",
    "defaultPrompt",
    "composerIcon",
    "logo",
    "logoDark",
    "screenshots",
];

const TEXTS: &str = "an array of strings";
const DECLARATION: &str = "a string, an object, or an array of strings or of objects";

/// Parses the text of a manifest below `root`. Pure: nothing is looked up.
///
/// Every path of the result is lexically below `root`; whether it exists is not known. Diagnostics about the name come
/// first, the others in document order.
///
/// # Errors
/// The first problem of syntax, if there is one; else the first repeated key, too deep value or wrong type in document
/// order.
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
/// assert_eq!((diagnostics[0].code(), diagnostics[0].field()), ("path_prefix", "skills[1]"));
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
pub fn parse_plugin_manifest(root: &PathUri, text: &str) -> Result<ParsedManifest, ManifestError> {
    let mut reader = Reader::new(root);
    let mut manifest = PluginManifest::empty(ManifestFormat::Plugin);
    let mut seen = SeenKeys::default();
    for member in Value::parse(text)?.object()? {
        let (key, value) = (member.key.as_str(), member.value);
        if !KEYS.contains(&key) {
            reader.report_unknown(key, "", &KEYS);
            continue;
        }
        seen.check(&member, key)?;
        // What lies below unknown keys of the interface may be of any depth.
        if key != "interface" || value.kind() != Kind::Object {
            value.check(key, 1, matches!(key, "mcpServers" | "hooks"))?;
        }
        match key {
            "name" => manifest.name = required_text(value, key)?,
            "version" => manifest.version = optional_text(value, key)?.and_then(trimmed),
            "description" => manifest.description = optional_text(value, key)?,
            "keywords" => manifest.keywords = reader.required_texts(value, key)?,
            "skills" => manifest.skills = reader.path_or_paths(value, key),
            "mcpServers" => manifest.mcp_servers = reader.declaration(value, key, inline),
            "apps" => manifest.apps = reader.optional_path(value, key)?,
            "hooks" => manifest.hooks = reader.declaration(value, key, hook_events),
            _ => manifest.interface = reader.interface(value)?,
        }
    }
    // A name that is not declared is empty here, and an empty one counts as missing.
    let namespace = PluginNamespace::new(Some(&manifest.name), root);
    manifest.declares_name = namespace.is_declared();
    namespace.name().clone_into(&mut manifest.name);
    let mut diagnostics = reader.diagnostics;
    if let Some(problem) = name_problem(&namespace) {
        diagnostics.insert(0, about_field("name", problem));
    }
    Ok((manifest, capped(diagnostics)))
}

fn name_problem(namespace: &PluginNamespace) -> Option<FieldProblem> {
    let name = namespace.name().to_owned();
    match namespace.quality() {
        NameQuality::Installable => None,
        NameQuality::Plain => Some(FieldProblem::InvalidPluginName { name }),
        NameQuality::Unsafe => Some(FieldProblem::UnsafePluginName {
            name,
            replacement: namespace.namespace().to_owned(),
        }),
    }
}

fn about_field(field: impl Into<String>, problem: FieldProblem) -> PluginDiagnostic {
    PluginDiagnostic::Manifest {
        file: None,
        field: field.into(),
        problem,
    }
}

/// The known keys that an object had so far; spellings of one key count as one.
#[derive(Default)]
pub(super) struct SeenKeys(HashSet<String>);

impl SeenKeys {
    /// Refuses a known key that was seen.
    pub(super) fn check(&mut self, member: &Member<'_>, field: &str) -> Result<(), ManifestError> {
        if self.0.insert(member.key.replace("URL", "Url")) {
            Ok(())
        } else {
            Err(member.repeated(field))
        }
    }
}

/// The refusal of a value whose type its field does not take.
pub(super) fn wrong_type(value: Value<'_>, field: &str, expected: &str) -> ManifestError {
    value
        .error(ManifestProblem::WrongType, field)
        .with_explanation(format!("expected {expected}, found {}", shape(value)))
}

/// A string.
pub(super) fn required_text(value: Value<'_>, field: &str) -> Result<String, ManifestError> {
    value
        .as_text()
        .ok_or_else(|| wrong_type(value, field, "a string"))
}

/// A string or `null`.
pub(super) fn optional_text(
    value: Value<'_>,
    field: &str,
) -> Result<Option<String>, ManifestError> {
    match value.kind() {
        Kind::Null => Ok(None),
        _ => required_text(value, field).map(Some),
    }
}

/// The text without white space at its ends, unless nothing is left.
pub(super) fn trimmed(text: String) -> Option<String> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.to_owned())
}

/// The kind of a value and, of an array, of its elements.
fn shape(value: Value<'_>) -> String {
    let Some(elements) = value.elements() else {
        return value.shape().to_owned();
    };
    let mut shapes: Vec<&str> = Vec::new();
    for element in elements.iter().take(MAX_LIST_ITEMS) {
        if !shapes.contains(&element.shape()) {
            shapes.push(element.shape());
        }
    }
    match shapes.as_slice() {
        [] => "an empty array".to_owned(),
        shapes => format!("an array of {}", shapes.join(" and ")),
    }
}

/// Reads the values of one manifest below one root, collecting diagnostics.
pub(super) struct Reader<'r> {
    root: &'r PathUri,
    pub(super) diagnostics: Vec<PluginDiagnostic>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(root: &'r PathUri) -> Self {
        Self {
            root,
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn report(&mut self, field: impl Into<String>, problem: FieldProblem) {
        self.diagnostics.push(about_field(field, problem));
    }

    fn drop_wrong_type(&mut self, value: Value<'_>, field: &str, expected: &'static str) {
        let found = shape(value);
        self.report(field, FieldProblem::WrongType { expected, found });
    }

    /// The presentation, if anything of it is left; an array is dropped, other types fail.
    pub(super) fn interface(
        &mut self,
        value: Value<'_>,
    ) -> Result<Option<PluginInterface<PathUri>>, ManifestError> {
        let Some(members) = value.members() else {
            return match value.kind() {
                Kind::Null => Ok(None),
                Kind::Array => {
                    self.drop_wrong_type(value, "interface", "an object");
                    Ok(None)
                }
                _ => Err(wrong_type(value, "interface", "an object")),
            };
        };
        let mut interface = PluginInterface::default();
        let mut seen = SeenKeys::default();
        for member in members {
            let key = member.key.as_str();
            if INTERFACE_KEYS.contains(&key) {
                let field = child("interface", key);
                seen.check(&member, &field)?;
                member.value.check(&field, 2, false)?;
                self.interface_member(&mut interface, key, member.value, &field)?;
            } else {
                self.report_unknown(key, "interface", &INTERFACE_KEYS);
            }
        }
        Ok((interface != PluginInterface::default()).then_some(interface))
    }

    fn interface_member(
        &mut self,
        interface: &mut PluginInterface<PathUri>,
        key: &str,
        value: Value<'_>,
        field: &str,
    ) -> Result<(), ManifestError> {
        let text = || optional_text(value, field);
        match key {
            "displayName" => interface.display_name = text()?,
            "shortDescription" => interface.short_description = text()?,
            "longDescription" => interface.long_description = text()?,
            "developerName" => interface.developer_name = text()?,
            "category" => interface.category = text()?,
            "websiteUrl" | "websiteURL" => interface.website_url = text()?,
            "privacyPolicyUrl" | "privacyPolicyURL" => interface.privacy_policy_url = text()?,
            "termsOfServiceUrl" | "termsOfServiceURL" => interface.terms_of_service_url = text()?,
            "brandColor" => interface.brand_color = text()?,
            "capabilities" => interface.capabilities = self.required_texts(value, field)?,
            "defaultPrompt" => interface.default_prompt = self.default_prompts(value, field),
            "composerIcon" => interface.composer_icon = self.optional_path(value, field)?,
            "logo" => interface.logo = self.optional_path(value, field)?,
            "logoDark" => interface.logo_dark = self.optional_path(value, field)?,
            _ => interface.screenshots = self.required_paths(value, field)?,
        }
        Ok(())
    }

    /// An array of strings.
    pub(super) fn required_texts(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Vec<String>, ManifestError> {
        let elements = value.elements();
        let elements = elements.ok_or_else(|| wrong_type(value, field, TEXTS))?;
        let judged = elements.iter().take(MAX_LIST_ITEMS).enumerate();
        let texts = judged.map(|(index, it)| required_text(*it, &format!("{field}[{index}]")));
        let texts = texts.collect::<Result<_, _>>()?;
        self.report_cut(elements.len(), field);
        Ok(texts)
    }

    fn report_cut(&mut self, count: usize, field: &str) {
        if count > MAX_LIST_ITEMS {
            self.report(field, FieldProblem::ListTruncated { count });
        }
    }

    /// A string with a path, or `null`.
    fn optional_path(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Option<PathUri>, ManifestError> {
        let text = optional_text(value, field)?;
        Ok(text.and_then(|text| self.path(&text, field)))
    }

    /// An array of strings with paths; bad paths are dropped one by one.
    fn required_paths(
        &mut self,
        value: Value<'_>,
        field: &str,
    ) -> Result<Vec<PathUri>, ManifestError> {
        let cut = self.diagnostics.len();
        let texts = self.required_texts(value, field)?;
        let cut = self.diagnostics.split_off(cut);
        let paths = self.paths(&texts, field);
        self.diagnostics.extend(cut);
        Ok(paths)
    }

    /// A string with a path, an array of them, or `null`; anything else is dropped.
    fn path_or_paths(&mut self, value: Value<'_>, field: &str) -> Vec<PathUri> {
        if let Some(text) = value.as_text() {
            return self.path(&text, field).into_iter().collect();
        }
        let elements = value.elements();
        let texts = elements.as_deref().and_then(texts_of);
        match (texts, elements) {
            (Some(texts), Some(elements)) => {
                let paths = self.paths(&texts, field);
                self.report_cut(elements.len(), field);
                return paths;
            }
            _ if value.kind() == Kind::Null => {}
            _ => self.drop_wrong_type(value, field, "a string or an array of strings"),
        }
        Vec::new()
    }

    fn paths(&mut self, texts: &[String], field: &str) -> Vec<PathUri> {
        let texts = texts.iter().enumerate();
        texts
            .filter_map(|(index, text)| self.path(text, format_args!("{field}[{index}]")))
            .collect()
    }

    /// The resource of a path, unless it is dropped.
    fn path(&mut self, text: &str, field: impl fmt::Display) -> Option<PathUri> {
        let (path, fault) = match resolve_path(self.root, text) {
            Ok((path, fault)) => (Some(path), fault),
            Err(fault) => (None, Some(fault)),
        };
        if let Some(fault) = fault {
            let text = text.to_owned();
            self.report(field.to_string(), FieldProblem::Path { text, fault });
        }
        path
    }

    /// Files, objects, or `null`; what is wrong is dropped. An array is all files or all objects, and is never read
    /// by position.
    fn declaration(
        &mut self,
        value: Value<'_>,
        field: &str,
        keep: fn(Value<'_>) -> Option<(InlineJson, bool)>,
    ) -> Option<ComponentDeclaration<PathUri>> {
        let elements = match value.kind() {
            Kind::Null => return None,
            Kind::String => {
                let path = self.path(&value.as_text().unwrap_or_default(), field)?;
                return Some(ComponentDeclaration::Files(vec![path]));
            }
            Kind::Object => return self.inline_objects(&[value], field, keep),
            _ => value.elements().unwrap_or_default(),
        };
        let judged = elements.get(..MAX_LIST_ITEMS).unwrap_or(&elements);
        let holds = |kind| judged.iter().any(|it| it.kind() == kind);
        if value.kind() == Kind::Array && judged.is_empty() {
            return None;
        }
        let declared = if let Some(texts) = texts_of(judged).filter(|it| !it.is_empty()) {
            let files = self.paths(&texts, field);
            (!files.is_empty()).then_some(ComponentDeclaration::Files(files))
        } else if !judged.is_empty() && judged.iter().all(|it| it.kind() == Kind::Object) {
            Some(self.inline_objects(judged, field, keep)?)
        } else {
            if holds(Kind::String) && holds(Kind::Object) {
                self.report(field, FieldProblem::MixedList);
            } else {
                self.drop_wrong_type(value, field, DECLARATION);
            }
            return None;
        };
        self.report_cut(elements.len(), field);
        declared
    }

    /// Keeps objects by the rule of their field; one that does not follow it drops the field.
    fn inline_objects(
        &mut self,
        objects: &[Value<'_>],
        field: &str,
        keep: fn(Value<'_>) -> Option<(InlineJson, bool)>,
    ) -> Option<ComponentDeclaration<PathUri>> {
        let kept: Option<Vec<_>> = objects.iter().map(|it| keep(*it)).collect();
        let Some(kept) = kept else {
            let problem = FieldProblem::WrongType {
                expected: "objects that map events to arrays",
                found: "an object of other values".to_owned(),
            };
            self.report(field, problem);
            return None;
        };
        if kept.iter().any(|(_, is_wrapped_here)| *is_wrapped_here) {
            self.report(field, FieldProblem::HooksUnwrapped);
        }
        let objects = kept.into_iter().map(|(object, _)| object).collect();
        Some(ComponentDeclaration::Inline(objects))
    }

    /// The prompts of a string, of an array, or none of `null`; anything else is dropped.
    fn default_prompts(&mut self, value: Value<'_>, field: &str) -> Vec<String> {
        if value.kind() == Kind::Null {
            return Vec::new();
        }
        let Some(elements) = value.elements() else {
            let prompt = self.prompt(value, field, "a string or an array");
            return prompt.into_iter().collect();
        };
        let mut prompts = Vec::new();
        let mut judged = 0;
        for (index, element) in elements.iter().enumerate() {
            if prompts.len() == MAX_DEFAULT_PROMPTS {
                break;
            }
            prompts.extend(self.prompt(*element, &format!("{field}[{index}]"), "a string"));
            judged = index + 1;
        }
        let left_out = elements.len() - judged;
        if left_out > 0 {
            self.report(field, FieldProblem::PromptLimit { left_out });
        }
        prompts
    }

    /// A prompt, its white space folded.
    fn prompt(&mut self, value: Value<'_>, field: &str, expected: &'static str) -> Option<String> {
        let Some(text) = value.as_text() else {
            let found = value.shape().to_owned();
            self.report(field, FieldProblem::WrongType { expected, found });
            return None;
        };
        let prompt = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let length = prompt.chars().count();
        if length == 0 {
            self.report(field, FieldProblem::PromptEmpty);
        } else if length > MAX_DEFAULT_PROMPT_CHARS {
            self.report(field, FieldProblem::PromptTooLong { length });
        } else {
            return Some(prompt);
        }
        None
    }

    /// Reports an unknown key that looks like a known one, or that stands outside `interface`.
    fn report_unknown(&mut self, key: &str, parent: &str, known: &[&'static str]) {
        let interface_key = || {
            let mut keys = INTERFACE_KEYS.iter().filter(|_| parent.is_empty());
            keys.find(|it| **it == key).map(|it| ("interface.", *it))
        };
        let prefix = if parent.is_empty() { "" } else { "interface." };
        let meant = suggest(key, known).map(|meant| (prefix, meant));
        if let Some((prefix, meant)) = meant.or_else(interface_key) {
            let problem = FieldProblem::UnknownKey {
                key: key.to_owned(),
                meant: Some(format!("{prefix}{meant}")),
            };
            self.report(child(parent, key), problem);
        }
    }
}

/// The texts of elements that are all strings.
fn texts_of(elements: &[Value<'_>]) -> Option<Vec<String>> {
    let judged = elements.iter().take(MAX_LIST_ITEMS);
    judged.map(|element| element.as_text()).collect()
}

/// An object as it stands.
fn inline(object: Value<'_>) -> Option<(InlineJson, bool)> {
    Some((object.to_inline(), false))
}

/// An object of hook events under its key `hooks`, and whether that key is added here; nothing if it is no map of
/// events. Names of events are not judged.
fn hook_events(object: Value<'_>) -> Option<(InlineJson, bool)> {
    let members = object.members()?;
    if let Some(events) = members.iter().find(|member| member.key == "hooks") {
        let is_wrapped = events.value.kind() == Kind::Object;
        return is_wrapped.then(|| (object.to_inline(), false));
    }
    let is_event_map = members.iter().all(|it| it.value.kind() == Kind::Array);
    let wrapped = InlineJson(format!("{{\"hooks\":{}}}", object.to_inline()));
    is_event_map.then_some((wrapped, !members.is_empty()))
}

/// The known key with the letters of `key`, else the first of at least four letters that is one edit away.
fn suggest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let letters = key.replace(['_', '-', ' '], "").to_ascii_lowercase();
    let is_same = |it: &&&str| it.eq_ignore_ascii_case(&letters);
    let is_near =
        |it: &&&str| it.len() >= 4 && strsim::levenshtein(&it.to_ascii_lowercase(), &letters) == 1;
    let same = known.iter().find(is_same);
    same.or_else(|| known.iter().find(is_near)).copied()
}
