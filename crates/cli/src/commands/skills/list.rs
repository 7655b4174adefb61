//! `skills [DIR]`: every skill that was found, what of it the model is told, and every root.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use clap::builder::ValueHint;
use codex_skills::{
    CatalogBudget, LineExtent, RenderedSkills, RootReport, SkillDiagnosticCode, SkillHandle,
    SkillLoadOutcome, SkillMetadata, SkillRoot, SkillSelector, render_skills,
};

use super::{Loaded, document, start};
use crate::commands::root::root_facts;
use crate::environments::target::LOCAL;
use crate::exit::Failure;
use crate::options::{CapabilityRootOptions, CommonOptions, Format};
use crate::output::table::{Cell, Column, Facts, Table};
use crate::output::text::{Keep, Style, counted, grouped};
use crate::output::{json, words};
use crate::run::{CommandContext, CommandOutput, found_in, shown_diagnostics};

/// `skills [DIR]`
#[derive(Debug, Args)]
pub(crate) struct SkillsListArguments {
    /// The directory the agent starts in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Print exactly the section that the model is given, and nothing else
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) catalog: bool,
    #[command(flatten)]
    pub(crate) capability_roots: CapabilityRootOptions,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// Loads the skills and shows them.
///
/// # Errors
/// When the directory is none or configuration cannot be used. Skills that cannot be loaded are
/// diagnostics.
pub(super) fn run(
    arguments: &SkillsListArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let (common, roots) = (&arguments.common, &arguments.capability_roots);
    let start = start(context, common, arguments.directory.as_ref(), roots)?;
    let (session, mut diagnostics) = start.load(context)?;
    diagnostics.extend(shown_diagnostics(found_in(&session))?);
    let loaded = Loaded::new(&start, &session)?;
    let rendered = loaded.skills.rendered.as_ref();
    let cwd = &loaded.first.cwd;
    let output = match context.display.format {
        _ if arguments.catalog => {
            let catalog = session.skills().to_string();
            return CommandOutput::verbatim(catalog, diagnostics, context);
        }
        Format::Tsv => rows(&loaded),
        Format::Table => shown(&loaded, context),
        format => {
            let document = document::document(&loaded, rendered, cwd, &diagnostics);
            json::document(format, "skills", &document, &document::LISTS)?
        }
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

/// The state of a root that does not exist.
const ABSENT: &str = "absent";

/// Whose file it is.
const ENVIRONMENT: Column = Column::Word("ENVIRONMENT");

/// Blocks for a terminal: why this root, the skills, where they were looked for, the totals.
fn shown(loaded: &Loaded<'_>, context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let outcome = &loaded.skills.outcome;
    let mut blocks = vec![root_facts(&loaded.first.cwd, loaded.project).shown(width, painter)];
    if !outcome.skills.is_empty() {
        let skills = skills(loaded, grouped, |skill| loaded.source(skill));
        blocks.push(skills.aligned(width, painter));
    }
    if !outcome.roots.iter().all(|it| is_absent(it, outcome)) {
        blocks.push(roots(loaded).aligned(width, painter));
    }
    blocks.push(totals(loaded).shown(width, painter));
    blocks.join("\n")
}

/// Tab-separated rows, one per skill. Numbers are plain, and paths are whole.
fn rows(loaded: &Loaded<'_>) -> String {
    let source = |skill: &SkillMetadata| skill.handle.entrypoint().inferred_native_path_string();
    skills(loaded, |number| number.to_string(), source).tab_separated()
}

/// Whether a path alone does not say whose file it is: the user's skills are on this machine
/// wherever the project is.
fn names_environments(loaded: &Loaded<'_>) -> bool {
    loaded.session.environments().len() > 1 || loaded.first.id.as_str() != LOCAL
}

fn skills(
    loaded: &Loaded<'_>,
    number: fn(u64) -> String,
    source: impl Fn(&SkillMetadata) -> String,
) -> Table {
    let (outcome, is_named) = (&loaded.skills.outcome, names_environments(loaded));
    let mut columns = vec![
        Column::Name("NAME"),
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

fn roots(loaded: &Loaded<'_>) -> Table {
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
    for report in outcome.roots.iter().filter(|it| !is_absent(it, outcome)) {
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

fn is_absent(report: &RootReport, outcome: &SkillLoadOutcome) -> bool {
    root_state(report, outcome).0 == ABSENT
}

/// The roots that are not there, which are most of the usual ones: `3 roots: a, b, c`.
fn absent_roots(loaded: &Loaded<'_>) -> Option<String> {
    let outcome = &loaded.skills.outcome;
    let absent = outcome.roots.iter().filter(|it| is_absent(it, outcome));
    let absent = absent.map(|it| loaded.short(&it.root.environment_id, &it.root.path));
    let absent: Vec<String> = absent.collect();
    let number = counted(u64::try_from(absent.len()).unwrap_or(u64::MAX), "root");
    (!absent.is_empty()).then(|| format!("{number}: {}", absent.join(", ")))
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
        (ABSENT, Style::Dim)
    }
}

fn totals(loaded: &Loaded<'_>) -> Facts {
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
    if let Some(absent) = absent_roots(loaded) {
        facts.push_styled("absent", absent, Style::Dim);
    }
    for selector in &loaded.skills.idle_selectors {
        facts.push_styled("rule", idle(selector), Style::Dim);
    }
    match &loaded.skills.rendered {
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
    if let CatalogBudget::Characters(_) = loaded.skills.budget {
        // On a line of its own, since it would be what a narrow terminal cuts off.
        facts.push("", "set `model_context_window` in config.toml or with -c");
    }
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
            format!("{characters}, as the model's context window is unknown")
        }
    }
}

/// The tokens of `text` as a line, its end included.
pub(crate) fn estimated_tokens(text: &str) -> u64 {
    u64::try_from((text.len() + 1).div_ceil(4)).unwrap_or(u64::MAX)
}

/// The tokens that each skill's whole line would cost; skills that the model is not told of have
/// none.
pub(crate) fn line_tokens(outcome: &SkillLoadOutcome) -> HashMap<SkillHandle, u64> {
    // Without a limit every such skill has a line.
    let whole = render_skills(outcome, CatalogBudget::Tokens(u64::MAX), None);
    let (extents, lines) = whole.map_or_else(Default::default, |it| (it.extents, it.lines));
    let handles = extents.into_iter().map(|(handle, _)| handle);
    let costs = lines.iter().map(|line| estimated_tokens(line));
    handles.zip(costs).collect()
}

/// How much the budget leaves of each skill's line; skills that the model is not told of have none.
pub(crate) fn line_extents(
    outcome: &SkillLoadOutcome,
    budget: CatalogBudget,
) -> HashMap<SkillHandle, LineExtent> {
    let rendered = render_skills(outcome, budget, None);
    let extents = rendered.map(|section| section.extents);
    extents.into_iter().flatten().collect()
}
