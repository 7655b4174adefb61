//! The skills for programs: one document, or its records.

use std::collections::HashMap;

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_skills::{
    CatalogBudget, LineExtent, Product, RenderedSkills, RootReport, SkillInterface,
    SkillLoadOutcome, SkillMetadata, SkillScope, ToolDependency,
};
use serde::Serialize;

use super::Loaded;
use super::list::{estimated_tokens, line_tokens};
use crate::output::diagnostic::Diagnostic;
use crate::output::json::SCHEMA_VERSION;

/// The lists that become lines of their own in `--format jsonl`.
pub(super) const LISTS: [(&str, &str); 3] = [
    ("skills", "skill"),
    ("roots", "root"),
    ("diagnostics", "diagnostic"),
];

/// What `--format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    schema_version: u32,
    cwd: &'a PathUri,
    skills: Vec<Skill<'a>>,
    roots: Vec<Root<'a>>,
    /// Null when the model is told of no skill.
    catalog: Option<Catalog<'a>>,
    diagnostics: &'a [Diagnostic],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Skill<'a> {
    name: &'a str,
    description: &'a str,
    short_description: Option<&'a str>,
    scope: SkillScope,
    environment_id: &'a EnvironmentId,
    path: &'a PathUri,
    entrypoint: &'a PathUri,
    directory: &'a PathUri,
    root: Option<&'a PathUri>,
    namespace: Option<&'a str>,
    base_name: &'a str,
    enabled: bool,
    policy: Policy<'a>,
    interface: Option<Interface<'a>>,
    dependencies: Vec<Dependency<'a>>,
    /// Null when the model is not told of it.
    tokens: Option<u64>,
    /// What the budget leaves of that line; null where there is none to begin with.
    catalog_line: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Policy<'a> {
    allow_implicit_invocation: bool,
    products: &'a [Product],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Interface<'a> {
    display_name: Option<&'a str>,
    short_description: Option<&'a str>,
    default_prompt: Option<&'a str>,
    brand_color: Option<&'a str>,
    icon_small: Option<&'a PathUri>,
    icon_large: Option<&'a PathUri>,
}

#[derive(Serialize)]
struct Dependency<'a> {
    r#type: &'a str,
    value: &'a str,
    description: Option<&'a str>,
    transport: Option<&'a str>,
    command: Option<&'a str>,
    url: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Root<'a> {
    path: &'a PathUri,
    scope: SkillScope,
    environment_id: &'a EnvironmentId,
    root_id: Option<&'a str>,
    skills: u64,
    directories: u64,
    entries: u64,
    calls: u64,
    truncated: bool,
}

#[derive(Serialize)]
struct Catalog<'a> {
    text: &'a str,
    tokens: u64,
    budget: Budget,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Budget {
    Tokens(u64),
    Characters(u64),
}

/// Everything that was found, as one document.
pub(super) fn document<'a>(
    loaded: &'a Loaded<'_>,
    rendered: Option<&'a RenderedSkills>,
    cwd: &'a PathUri,
    diagnostics: &'a [Diagnostic],
) -> Document<'a> {
    let outcome = &loaded.skills.outcome;
    let tokens = line_tokens(outcome);
    let extents: HashMap<_, _> = rendered
        .into_iter()
        .flat_map(|section| &section.extents)
        .map(|(handle, extent)| (handle, *extent))
        .collect();
    let skills = outcome.skills.iter().map(|it| Skill {
        tokens: tokens.get(&it.handle).copied(),
        catalog_line: extents.get(&it.handle).copied().and_then(catalog_line),
        ..skill(it, outcome)
    });
    Document {
        schema_version: SCHEMA_VERSION,
        cwd,
        skills: skills.collect(),
        roots: outcome.roots.iter().map(root).collect(),
        catalog: rendered.map(|section| Catalog {
            text: &section.text,
            tokens: estimated_tokens(&section.text),
            budget: match loaded.skills.budget {
                CatalogBudget::Tokens(tokens) => Budget::Tokens(tokens),
                CatalogBudget::Characters(characters) => Budget::Characters(characters),
            },
        }),
        diagnostics,
    }
}

fn catalog_line(extent: LineExtent) -> Option<&'static str> {
    match extent {
        LineExtent::Whole => Some("whole"),
        LineExtent::Shortened => Some("shortened"),
        LineExtent::Omitted => Some("omitted"),
        _ => None,
    }
}

/// What is known of a skill without the catalog.
fn skill<'a>(skill: &'a SkillMetadata, outcome: &'a SkillLoadOutcome) -> Skill<'a> {
    let root = outcome.roots.get(skill.root);
    Skill {
        name: &skill.name,
        description: &skill.description,
        short_description: skill.short_description.as_deref(),
        scope: skill.scope,
        environment_id: skill.handle.environment_id(),
        path: &skill.identity,
        entrypoint: skill.handle.entrypoint(),
        directory: &skill.directory,
        root: root.map(|report| &report.root.path),
        namespace: skill.namespace.as_deref(),
        base_name: &skill.base_name,
        enabled: skill.enabled,
        policy: Policy {
            allow_implicit_invocation: skill.policy.allow_implicit_invocation,
            products: &skill.policy.products,
        },
        interface: skill.interface.as_ref().map(interface),
        dependencies: skill.dependencies.iter().map(dependency).collect(),
        tokens: None,
        catalog_line: None,
    }
}

fn interface(interface: &SkillInterface) -> Interface<'_> {
    Interface {
        display_name: interface.display_name.as_deref(),
        short_description: interface.short_description.as_deref(),
        default_prompt: interface.default_prompt.as_deref(),
        brand_color: interface.brand_color.as_deref(),
        icon_small: interface.icon_small.as_ref(),
        icon_large: interface.icon_large.as_ref(),
    }
}

fn dependency(dependency: &ToolDependency) -> Dependency<'_> {
    Dependency {
        r#type: &dependency.kind,
        value: &dependency.value,
        description: dependency.description.as_deref(),
        transport: dependency.transport.as_deref(),
        command: dependency.command.as_deref(),
        url: dependency.url.as_deref(),
    }
}

fn root(report: &RootReport) -> Root<'_> {
    Root {
        path: &report.root.path,
        scope: report.root.scope,
        environment_id: &report.root.environment_id,
        root_id: report.root.root_id.as_deref(),
        skills: report.skills,
        directories: report.directories,
        entries: report.entries,
        calls: report.calls.total(),
        truncated: report.truncated,
    }
}
