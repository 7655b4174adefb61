//! The skills for people and for pipes: one row per skill, one per root, the totals.

use codex_path_uri::PathUri;
use codex_skills::{
    CatalogBudget, LineExtent, RenderedSkills, RootReport, SkillDiagnosticCode, SkillLoadOutcome,
    SkillMetadata, SkillRoot, SkillSelector,
};

use super::Loaded;
use crate::commands::Run;
use crate::environments::choice::LOCAL;
use crate::render::catalog::{estimated_tokens, line_extents, line_tokens};
use crate::render::facts::Facts;
use crate::render::project_root::root_facts;
use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style, counted, grouped};
use crate::render::words;
use crate::session::Session;

/// Whose file it is.
const ENVIRONMENT: Column = Column::Word("ENVIRONMENT");

/// Blocks for a terminal: why this root, the skills, where they were looked for, the totals.
pub(super) fn shown(
    loaded: &Loaded,
    rendered: Option<&RenderedSkills>,
    cwd: &PathUri,
    run: &Run,
) -> String {
    let (width, painter) = (run.display.width, run.painter());
    let outcome = &loaded.skills.outcome;
    let mut blocks = vec![root_facts(cwd, loaded.session.located()).shown(width, painter)];
    if !outcome.skills.is_empty() {
        let skills = skills(loaded, grouped, |skill| loaded.source(skill));
        blocks.push(skills.aligned(width, painter));
    }
    blocks.push(roots(loaded).aligned(width, painter));
    blocks.push(totals(loaded, rendered).shown(width, painter));
    blocks.join("\n")
}

/// Tab-separated rows, one per skill. Numbers are plain, and paths are whole.
pub(super) fn rows(loaded: &Loaded) -> String {
    let source = |skill: &SkillMetadata| skill.handle.entrypoint().inferred_native_path_string();
    skills(loaded, |number| number.to_string(), source).tab_separated()
}

/// Whether a path alone does not say whose file it is: the user's skills are on this machine
/// wherever the project is.
fn names_environments(loaded: &Loaded) -> bool {
    let Session { first, .. } = &loaded.session;
    loaded.session.is_about_several() || first.environment.id().as_str() != LOCAL
}

fn skills(
    loaded: &Loaded,
    number: fn(u64) -> String,
    source: impl Fn(&SkillMetadata) -> String,
) -> Table {
    let (outcome, is_named) = (&loaded.skills.outcome, names_environments(loaded));
    let mut columns = vec![
        Column::Text("NAME", Keep::Start),
        Column::Word("SCOPE"),
        Column::Word("STATE"),
        Column::Number("TOKENS"),
        Column::Text("DESCRIPTION", Keep::Start),
        Column::Text("SOURCE", Keep::End),
    ];
    columns.extend(is_named.then_some(ENVIRONMENT));
    let mut table = Table::new(columns);
    let tokens = line_tokens(outcome);
    let extents = line_extents(outcome, loaded.skills.budget);
    for skill in &outcome.skills {
        let (state, style) = state(skill, extents.get(&skill.handle).copied());
        let tokens = tokens.get(&skill.handle).copied();
        let mut cells = vec![
            Cell::new(&skill.name),
            Cell::new(words::skill_scope(skill.scope)),
            Cell::new(state).styled(style),
            Cell::new(tokens.map(number).unwrap_or_default()),
            Cell::new(&skill.description),
            Cell::new(source(skill)).styled(Style::Dim),
        ];
        if is_named {
            cells.push(Cell::new(skill.handle.environment_id().as_str()));
        }
        table.push(cells);
    }
    table
}

/// Whether the model is told of a skill, and if not or not all of it, why.
fn state(skill: &SkillMetadata, extent: Option<LineExtent>) -> (&'static str, Style) {
    match extent {
        None if !skill.enabled => ("disabled", Style::Warn),
        None => ("on request", Style::Dim),
        Some(LineExtent::Shortened) => ("shortened", Style::Warn),
        Some(LineExtent::Omitted) => ("left out", Style::Bad),
        Some(_) => ("shown", Style::Good),
    }
}

fn roots(loaded: &Loaded) -> Table {
    let (outcome, is_named) = (&loaded.skills.outcome, names_environments(loaded));
    let mut columns = vec![
        Column::Word("SCOPE"),
        Column::Word("STATE"),
        Column::Number("SKILLS"),
        Column::Number("DIRECTORIES"),
        Column::Text("ROOT", Keep::End),
    ];
    columns.extend(is_named.then_some(ENVIRONMENT));
    let mut table = Table::new(columns);
    for report in &outcome.roots {
        let (state, style) = root_state(report, outcome);
        let count = |number: u64| {
            Cell::new(if report.directories == 0 {
                String::new()
            } else {
                grouped(number)
            })
        };
        let mut cells = vec![
            Cell::new(words::skill_scope(report.root.scope)),
            Cell::new(state).styled(style),
            count(report.skills),
            count(report.directories),
            Cell::new(loaded.short(&report.root.environment_id, &report.root.path)),
        ];
        if is_named {
            cells.push(Cell::new(report.root.environment_id.as_str()));
        }
        table.push(cells);
    }
    table
}

fn root_state(report: &RootReport, outcome: &SkillLoadOutcome) -> (&'static str, Style) {
    let is_about_root = |code| {
        let SkillRoot {
            environment_id,
            path,
            ..
        } = &report.root;
        let place = (Some(environment_id), Some(path));
        let mut found = outcome.diagnostics.iter();
        found.any(|it| it.code == code && (it.environment_id.as_ref(), it.path.as_ref()) == place)
    };
    if report.truncated {
        ("cut", Style::Warn)
    } else if report.directories > 0 {
        ("walked", Style::Good)
    } else if is_about_root(SkillDiagnosticCode::RootNotDirectory) {
        ("no directory", Style::Bad)
    } else if is_about_root(SkillDiagnosticCode::DirectoryUnreadable) {
        ("unreadable", Style::Bad)
    } else {
        ("absent", Style::Dim)
    }
}

fn totals(loaded: &Loaded, rendered: Option<&RenderedSkills>) -> Facts {
    let skills = &loaded.skills.outcome.skills;
    let count = |is_counted: fn(&SkillMetadata) -> bool| {
        let counted = skills.iter().filter(|skill| is_counted(skill)).count();
        u64::try_from(counted).unwrap_or(u64::MAX)
    };
    let disabled = count(|skill| !skill.enabled);
    let shown = count(SkillMetadata::is_shown);
    let all = count(|_| true);
    let on_request = all - disabled - shown;
    let mut facts = Facts::default();
    let all = grouped(all);
    facts.push(
        "skills",
        format!("{all} found: {shown} shown, {on_request} on request, {disabled} disabled"),
    );
    for selector in &loaded.skills.idle_selectors {
        facts.push_styled("rule", idle(selector), Style::Dim);
    }
    match rendered {
        None => facts.push("catalog", "none"),
        Some(section) => {
            let tokens = counted(estimated_tokens(&section.text), "token");
            let style = match section.diagnostics.is_empty() {
                true => Style::Plain,
                false => Style::Warn,
            };
            facts.push_styled("catalog", format!("about {tokens}{}", cut(section)), style);
        }
    }
    facts.push("budget", budget(loaded.skills.budget));
    facts
}

/// A rule that may be meant for another project, or be misspelled.
fn idle(selector: &SkillSelector) -> String {
    let (named, lacks) = match selector {
        SkillSelector::Name(name) => (format!("`{name}`"), "which no skill is called"),
        SkillSelector::Path(path) => (path.inferred_native_path_string(), "where no skill is"),
    };
    format!("[[skills.config]] names {named}, {lacks}")
}

/// What the budget took away.
fn cut(section: &RenderedSkills) -> String {
    let cuts = section.diagnostics.iter().filter_map(|found| {
        let count = found.count.unwrap_or(0);
        match found.code {
            SkillDiagnosticCode::DescriptionsShortened => {
                Some(format!(", {} shortened", counted(count, "description")))
            }
            SkillDiagnosticCode::SkillsOmitted => {
                Some(format!(", {} left out", counted(count, "skill")))
            }
            _ => None,
        }
    });
    cuts.collect()
}

fn budget(budget: CatalogBudget) -> String {
    match budget {
        CatalogBudget::Tokens(tokens) => {
            let tokens = counted(tokens, "token");
            format!("{tokens}, 2 percent of the model's context window")
        }
        CatalogBudget::Characters(characters) => {
            let characters = counted(characters, "character");
            format!(
                "{characters}, as the model's context window is unknown: \
                 set `model_context_window` in config.toml or with -c"
            )
        }
    }
}
