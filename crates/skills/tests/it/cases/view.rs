//! Results in the shape in which the cases state them.

use codex_file_system::error::kind_name;
use codex_path_uri::PathUri;
use codex_skills::{
    SkillDiagnostic, SkillInterface, SkillMetadata, SkillReadError, ToolDependency,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// A path as the cases spell it.
pub(super) fn native(path: &PathUri) -> Value {
    json!(path.inferred_native_path_string())
}

pub(super) fn skill(skill: &SkillMetadata) -> Value {
    let mut view = Map::new();
    view.insert("name".to_owned(), text(&skill.name));
    view.insert("description".to_owned(), text(&skill.description));
    put(
        &mut view,
        "shortDescription",
        skill.short_description.as_deref().map(text),
    );
    view.insert("path".to_owned(), native(&skill.identity));
    view.insert("scope".to_owned(), json!(skill.scope));
    put(
        &mut view,
        "enabled",
        (!skill.enabled).then_some(json!(false)),
    );
    let implicit = skill.policy.allow_implicit_invocation;
    put(&mut view, "implicit", (!implicit).then_some(json!(false)));
    put(
        &mut view,
        "interface",
        skill.interface.as_ref().map(interface),
    );
    let tools: Vec<Value> = skill.dependencies.iter().map(tool).collect();
    put(
        &mut view,
        "dependencies",
        (!tools.is_empty()).then(|| json!({ "tools": tools })),
    );
    Value::Object(view)
}

/// Many skills: their number, the first and last names, and a digest of all.
pub(super) fn many_skills(skills: &[SkillMetadata]) -> Vec<(&'static str, Value)> {
    let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
    vec![
        ("skill_count", json!(names.len())),
        ("first", json!(names[..3])),
        ("last", json!(names[names.len() - 3..])),
        ("names_sha256", json!(digest(&names.join("\n")))),
    ]
}

pub(super) fn diagnostic(found: &SkillDiagnostic) -> Value {
    assert_eq!(found.severity, found.code.severity());
    let mut view = Map::new();
    put(&mut view, "path", found.path.as_ref().map(native));
    view.insert("code".to_owned(), json!(found.code.as_str()));
    put(
        &mut view,
        "field",
        found.field.as_ref().map(|field| json!(field)),
    );
    put(&mut view, "limit", found.limit.map(|limit| json!(limit)));
    put(
        &mut view,
        "notListed",
        found.not_listed.map(|number| json!(number)),
    );
    put(&mut view, "count", found.count.map(|number| json!(number)));
    let others: Vec<Value> = found.others.iter().map(native).collect();
    put(
        &mut view,
        "others",
        (!others.is_empty()).then(|| json!(others)),
    );
    Value::Object(view)
}

pub(super) fn lines(lines: &[String]) -> Value {
    if lines.len() <= 40 {
        return json!(lines);
    }
    json!({
        "count": lines.len(),
        "first": lines[..2],
        "last": lines[lines.len() - 2..],
        "sha256": digest(&lines.join("\n")),
    })
}

pub(super) fn read_error(error: &SkillReadError) -> Value {
    match error {
        SkillReadError::Io { source, .. } => {
            json!({ "error": error.code(), "kind": kind_name(source.kind()) })
        }
        error => json!({ "error": error.code() }),
    }
}

fn interface(interface: &SkillInterface) -> Value {
    let mut view = Map::new();
    for (key, value) in [
        ("displayName", &interface.display_name),
        ("shortDescription", &interface.short_description),
        ("defaultPrompt", &interface.default_prompt),
        ("brandColor", &interface.brand_color),
    ] {
        put(&mut view, key, value.as_deref().map(text));
    }
    put(
        &mut view,
        "iconSmall",
        interface.icon_small.as_ref().map(native),
    );
    put(
        &mut view,
        "iconLarge",
        interface.icon_large.as_ref().map(native),
    );
    Value::Object(view)
}

fn tool(tool: &ToolDependency) -> Value {
    let mut view = Map::new();
    view.insert("type".to_owned(), text(&tool.kind));
    view.insert("value".to_owned(), text(&tool.value));
    for (key, value) in [
        ("description", &tool.description),
        ("transport", &tool.transport),
        ("command", &tool.command),
        ("url", &tool.url),
    ] {
        put(&mut view, key, value.as_deref().map(text));
    }
    Value::Object(view)
}

fn text(text: &str) -> Value {
    match text.chars().count() {
        0..=400 => json!(text),
        chars => json!({ "chars": chars, "sha256": digest(text) }),
    }
}

fn put(view: &mut Map<String, Value>, key: &str, value: Option<Value>) {
    view.extend(value.map(|value| (key.to_owned(), value)));
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
