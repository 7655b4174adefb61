//! `show [DIR]`: everything that an agent starts with, on one page.
//!
//! One load of the library; the page, the text and the document are views of it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::ValueHint;
use codex_config::RootReason;
use codex_context::{
    BYTES_PER_TOKEN, Context, EnvironmentContext, EnvironmentState, Measure, Source, SourceKind,
};
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_plugin::mcp::McpServerRegistration;
use codex_skills::SkillScope;
use serde::Serialize;

use crate::commands::root::root_reason;
use crate::environments::Arity;
use crate::exit::Failure;
use crate::options::{CapabilityRootOptions, CommonOptions, Format};
use crate::output::diagnostic::{Diagnostic, Spelling};
use crate::output::json::{self, SCHEMA_VERSION};
use crate::output::table::{Cell, Column, Facts, Table};
use crate::output::text::{Keep, Painter, Style, counted, grouped};
use crate::output::words;
use crate::run::{CommandContext, CommandOutput, StartPoint, found_in};

mod watch;

/// `show [DIR]`
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The directory the agent starts in; the current directory if not given
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,
    /// Print exactly what the model is given, the instructions and then the skills, and nothing else
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(crate) text: bool,
    /// Load again whenever Enter is pressed, and print what changed; ends when the input ends
    #[arg(long, conflicts_with_all = ["text", "format", "json", "check"])]
    pub(crate) watch: bool,
    /// Load again at least this often, too
    #[arg(long, value_name = "SECONDS", requires = "watch", value_parser = parse_interval)]
    pub(crate) interval: Option<Duration>,
    #[command(flatten)]
    pub(crate) roots: CapabilityRootOptions,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

/// The lists that become lines of their own in `--format jsonl`.
const LISTS: [(&str, &str); 6] = [
    ("environments", "environment"),
    ("sources", "source"),
    ("skills", "skill"),
    ("plugins", "plugin"),
    ("mcpServers", "mcpServer"),
    ("diagnostics", "diagnostic"),
];
/// How long the bar of the largest row is.
const BAR_COLUMNS: u64 = 20;

/// Loads the context of a session and shows it.
///
/// # Errors
/// When the directory is none, no environment is reached or configuration cannot be used.
pub(crate) fn run(
    arguments: &ShowArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let common = &arguments.common;
    let directory = arguments.directory.as_ref();
    let mut start = StartPoint::new(context, common, directory, Arity::Several)?;
    start.request.plugins = start.selected(common, &arguments.roots)?;
    let (loaded, mut diagnostics) = start.load(context)?;
    for found in found_in(&loaded) {
        diagnostics.push(Diagnostic::of_context(found)?);
    }
    if arguments.watch {
        return watch::run(arguments, context, loaded, diagnostics);
    }
    let output = match context.display.format {
        _ if arguments.text => {
            return CommandOutput::verbatim(text(&loaded), diagnostics, context);
        }
        Format::Table => page(&loaded, &diagnostics, context),
        Format::Tsv => table(&loaded).tab_separated(),
        format => json::document(format, "show", &document(&loaded, &diagnostics), &LISTS)?,
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

/// What the model is given: the instructions, then the skills.
fn text(loaded: &Context) -> String {
    let texts = [
        loaded.instructions().to_string(),
        loaded.skills().to_string(),
    ];
    let texts = texts.into_iter().filter(|text| !text.is_empty());
    texts.collect::<Vec<_>>().join("\n")
}

/// Blocks for people: the environments, the parts, the totals.
fn page(loaded: &Context, diagnostics: &[Diagnostic], context: &CommandContext) -> String {
    let (width, painter) = (context.display.width, context.painter());
    let is_about_several = loaded.environments().len() > 1;
    let environments = loaded.environments().iter();
    let mut blocks: Vec<String> = environments
        .map(|it| environment(it, is_about_several).shown(width, painter))
        .collect();
    blocks.push(table(loaded).aligned(width, painter));

    let mut totals = Facts::default();
    let size = Measure::of(&text(loaded));
    let (bytes, tokens) = (counted(size.bytes, "byte"), grouped(size.estimated_tokens));
    let total = format!("{bytes}, about {tokens} tokens ({BYTES_PER_TOKEN} bytes each)");
    totals.push_styled("the model is given", total, Style::Bold);
    let lost = diagnostics.iter().find(|it| it.is_serious()).map(|first| {
        first.shown(Spelling {
            painter: Painter { colored: false },
            has_native_paths: true,
            names_environments: is_about_several,
        })
    });
    match lost.as_deref().and_then(|lost| lost.lines().next()) {
        Some(lost) => totals.push_styled("lost first", lost, Style::Warn),
        None => totals.push("lost first", "nothing was lost"),
    }
    blocks.push(totals.shown(width, painter));
    blocks.join("\n")
}

fn environment(it: &EnvironmentContext, is_about_several: bool) -> Facts {
    let mut facts = Facts::default();
    if is_about_several {
        facts.push_styled("environment", it.environment.id.as_str(), Style::Bold);
    }
    let directory = it.environment.cwd.inferred_native_path_string();
    facts.push_path("directory", directory, Style::Plain);
    match &it.state {
        EnvironmentState::Unreachable(error) => {
            facts.push_styled("unreachable", error.to_string(), Style::Bad);
        }
        EnvironmentState::Reached(project) => match &project.search {
            Err(error) => facts.push_styled("root", format!("unknown: {error}"), Style::Bad),
            Ok(search) => {
                if let Some(root) = words::native(search.root.as_ref()) {
                    facts.push_path("root", root, Style::Bold);
                }
                let has_root = search.root.is_some();
                let label = if has_root { "because" } else { "root" };
                facts.push(label, root_reason(&search.reason));
            }
        },
    }
    facts
}

/// A part of what a session starts with.
struct Part {
    kind: &'static str,
    name: String,
    /// `None` for what a model is not given as text.
    size: Option<Measure>,
}

/// One row a part. The frame is what stands around the others: headers and how skills are used.
fn table(loaded: &Context) -> Table {
    let mut table = Table::new([
        Column::Word("PART"),
        Column::Text("SOURCE", Keep::End),
        Column::Number("BYTES"),
        Column::Number("TOKENS"),
        Column::Word("SHARE"),
    ]);
    let parts = parts(loaded);
    let sizes = parts.iter().filter_map(|part| part.size);
    let largest = sizes.map(|size| size.bytes).max().unwrap_or(0).max(1);
    for Part { kind, name, size } in parts {
        let number = |of: fn(Measure) -> u64| size.map(|size| grouped(of(size)));
        let bar = size.map_or(0, |size| (size.bytes * BAR_COLUMNS).div_ceil(largest));
        let bar = (0..bar).map(|_| '█').collect::<String>();
        table.push([
            Cell::new(kind),
            Cell::new(name),
            Cell::new(number(|size| size.bytes).unwrap_or_default()),
            Cell::new(number(|size| size.estimated_tokens).unwrap_or_default()),
            Cell::new(bar).styled(Style::Good),
        ]);
    }
    table
}

fn parts(loaded: &Context) -> Vec<Part> {
    let project = loaded.first().and_then(|(_, project)| project.root());
    let home = loaded.request().sources.home.as_ref();
    let short = |path: &PathUri| words::short(path, project, home);
    let sources = loaded.sources();
    let documents = sources.iter().filter(|it| it.kind != SourceKind::Skill);
    let mut parts: Vec<Part> = documents
        .map(|source| Part {
            kind: match source.kind {
                SourceKind::UserInstructions => "user",
                SourceKind::Document | SourceKind::Skill => "document",
            },
            name: short(&source.path),
            size: Some(source.size),
        })
        .collect();
    parts.extend(skills(loaded, &sources));

    let named = parts.iter().filter_map(|part| part.size);
    let named: u64 = named.map(|size| size.bytes).sum();
    let bytes = Measure::of(&text(loaded)).bytes.saturating_sub(named);
    if bytes > 0 {
        parts.push(Part {
            kind: "frame",
            name: "headers, and how skills are used".to_owned(),
            size: Some(Measure {
                bytes,
                estimated_tokens: bytes.div_ceil(BYTES_PER_TOKEN),
                ..Measure::default()
            }),
        });
    }
    let without_text = |kind, name| Part {
        kind,
        name,
        size: None,
    };
    parts.extend(loaded.plugins().iter().map(|plugin| {
        let name = plugin.namespace().namespace();
        without_text("plugin", format!("{name}, {}", short(plugin.root())))
    }));
    let servers = loaded.mcp_servers().iter();
    parts.extend(servers.map(|it| without_text("server", it.qualified_name().to_owned())));
    parts
}

/// The skills of each scope, their catalog lines together.
fn skills(loaded: &Context, sources: &[Source]) -> Vec<Part> {
    let sizes: HashMap<_, _> = sources
        .iter()
        .filter(|it| it.kind == SourceKind::Skill)
        .map(|it| ((it.environment_id.as_ref(), &it.path), it.size))
        .collect();
    let skills = loaded.skills().get().into_iter();
    let mut scopes: Vec<(SkillScope, u64, u64, Measure)> = Vec::new();
    for skill in skills.flat_map(|it| &it.outcome.skills) {
        let handle = &skill.handle;
        let size = sizes.get(&(Some(handle.environment_id()), handle.entrypoint()));
        let known = scopes.iter().position(|it| it.0 == skill.scope);
        let index = known.unwrap_or(scopes.len());
        if known.is_none() {
            scopes.push((skill.scope, 0, 0, Measure::default()));
        }
        let Some((_, found, listed, sum)) = scopes.get_mut(index) else {
            continue;
        };
        *found += 1;
        if let Some(size) = size {
            *listed += 1;
            sum.bytes += size.bytes;
            sum.estimated_tokens += size.estimated_tokens;
        }
    }
    let scopes = scopes.into_iter().map(|(scope, found, listed, size)| Part {
        kind: "skills",
        name: format!(
            "{}, {} listed of {}",
            words::skill_scope(scope),
            grouped(listed),
            grouped(found)
        ),
        size: Some(size),
    });
    scopes.collect()
}

/// What `--format json` prints.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    /// Exactly what the model is given of them.
    instructions: String,
    catalog: String,
    size: Measure,
    environments: Vec<EnvironmentRecord<'a>>,
    sources: Vec<Source>,
    skills: Vec<SkillRecord<'a>>,
    plugins: Vec<PluginRecord<'a>>,
    mcp_servers: &'a [McpServerRegistration],
    diagnostics: &'a [Diagnostic],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EnvironmentRecord<'a> {
    environment_id: &'a EnvironmentId,
    cwd: &'a PathUri,
    root: Option<&'a PathUri>,
    root_reason: Option<&'a RootReason>,
    /// Why nothing of it is known.
    unreachable: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SkillRecord<'a> {
    name: &'a str,
    description: &'a str,
    scope: SkillScope,
    environment_id: &'a EnvironmentId,
    path: &'a PathUri,
    enabled: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PluginRecord<'a> {
    name: &'a str,
    environment_id: &'a EnvironmentId,
    root: &'a PathUri,
}

fn document<'a>(loaded: &'a Context, diagnostics: &'a [Diagnostic]) -> Document<'a> {
    let skills = loaded.skills().get().into_iter();
    let skills = skills.flat_map(|it| &it.outcome.skills);
    let plugins = loaded.plugins().iter();
    Document {
        schema_version: SCHEMA_VERSION,
        instructions: loaded.instructions().to_string(),
        catalog: loaded.skills().to_string(),
        size: Measure::of(&text(loaded)),
        environments: loaded
            .environments()
            .iter()
            .map(environment_record)
            .collect(),
        sources: loaded.sources(),
        skills: skills
            .map(|skill| SkillRecord {
                name: &skill.name,
                description: &skill.description,
                scope: skill.scope,
                environment_id: skill.handle.environment_id(),
                path: skill.handle.entrypoint(),
                enabled: skill.enabled,
            })
            .collect(),
        plugins: plugins
            .map(|plugin| PluginRecord {
                name: plugin.namespace().namespace(),
                environment_id: plugin.environment_id(),
                root: plugin.root(),
            })
            .collect(),
        mcp_servers: loaded.mcp_servers(),
        diagnostics,
    }
}

fn environment_record(it: &EnvironmentContext) -> EnvironmentRecord<'_> {
    let project = it.project();
    let search = project.and_then(|project| project.search.as_ref().ok());
    EnvironmentRecord {
        environment_id: &it.environment.id,
        cwd: &it.environment.cwd,
        root: search.and_then(|search| search.root.as_ref()),
        root_reason: search.map(|search| &search.reason),
        unreachable: match &it.state {
            EnvironmentState::Reached(_) => None,
            EnvironmentState::Unreachable(error) => Some(error.to_string()),
        },
    }
}

fn parse_interval(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(seconds @ 1..=86_400) => Ok(Duration::from_secs(seconds)),
        _ => Err("not a number of seconds from 1 to 86400".to_owned()),
    }
}
