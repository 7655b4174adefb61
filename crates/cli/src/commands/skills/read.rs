//! `skills read NAME [FILE]`: a file of a skill, verbatim, through the environment that owns it.
//!
//! A skill is asked for as a person sees it: by its name, its path or URI, as the table spells its
//! path, or by the locator that the model is given. Skills that configuration disables can be read, too. What is wrong with other
//! skills is not told here.

use std::collections::BTreeSet;
use std::io;

use clap::Args;
use codex_context::{Diagnostic as SessionDiagnostic, ReadSkillError};
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_skills::{SKILL_FILE_NAME, SkillContents, SkillReadError};
use serde::Serialize;

use super::{Loaded, start};
use crate::exit::Failure;
use crate::options::{CapabilityRootOptions, CommonOptions, Format};
use crate::output::json::{self, SCHEMA_VERSION};
use crate::run::{CommandContext, CommandOutput, found_in, shown_diagnostics};

/// Most names that are told where none is meant.
const MOST_NEAR: usize = 3;

/// `skills read NAME [FILE]`
#[derive(Debug, Args)]
pub(crate) struct SkillsReadArguments {
    /// The skill as the list shows it: its name, its path, or its locator in the catalog
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// A file below the skill's directory; SKILL.md if not given
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<String>,
    #[command(flatten)]
    pub(crate) capability_roots: CapabilityRootOptions,
    #[command(flatten)]
    pub(crate) common: CommonOptions,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    schema_version: u32,
    name: &'a str,
    environment_id: &'a EnvironmentId,
    path: &'a PathUri,
    text: &'a str,
}

/// Loads the skills, then reads the file.
///
/// # Errors
/// When no skill, or more than one, is meant, and when the file cannot be read.
pub(super) fn run(
    arguments: &SkillsReadArguments,
    context: &CommandContext,
) -> Result<CommandOutput, Failure> {
    let (common, roots) = (&arguments.common, &arguments.capability_roots);
    let start = start(context, common, None, roots)?;
    let (session, mut diagnostics) = start.load(context)?;
    // What is wrong with other skills is not told here.
    let found = found_in(&session).filter(|it| !matches!(it, SessionDiagnostic::Skills(_)));
    diagnostics.extend(shown_diagnostics(found)?);
    let loaded = Loaded::new(&start, &session)?;
    let asked = named(&loaded, &arguments.name)?;
    let contents = context.load(session.read_skill(&asked, arguments.file.as_deref()))?;
    let contents = contents.map_err(|error| refused(arguments, error))?;
    let mut skills = loaded.skills.outcome.skills.iter();
    let skill = skills.find(|skill| skill.handle == contents.handle);
    let name = skill.map(|skill| skill.name.as_str()).unwrap_or_default();
    let output = match context.display.format {
        Format::Tsv | Format::Table => {
            return CommandOutput::verbatim(contents.text, diagnostics, context);
        }
        format => json::document(format, "file", &document(name, &contents), &[])?,
    };
    Ok(CommandOutput {
        output,
        diagnostics,
    })
}

fn document<'a>(name: &'a str, contents: &'a SkillContents) -> Document<'a> {
    Document {
        schema_version: SCHEMA_VERSION,
        name,
        environment_id: contents.handle.environment_id(),
        path: &contents.path,
        text: &contents.text,
    }
}

/// The one skill that `asked` means, as the session finds it: a name, a locator, a path or a URI,
/// or what the table shows of its place, whose file may be named, too.
fn named(loaded: &Loaded<'_>, asked: &str) -> Result<String, Failure> {
    let error = match loaded.session.find_skill(asked) {
        Ok(_) => return Ok(asked.to_owned()),
        Err(error @ ReadSkillError::Ambiguous { .. }) => return Err(refused_name(asked, &error)),
        Err(error) => error,
    };
    let directory = asked.strip_suffix(SKILL_FILE_NAME);
    let directory = directory.and_then(|it| it.strip_suffix(['/', '\\']));
    let mut skills = loaded.skills.outcome.skills.iter();
    let spelled = skills.find(|skill| {
        let source = loaded.source(skill);
        source == asked || Some(source.as_str()) == directory
    });
    match (spelled, error) {
        (Some(skill), _) => Ok(skill.handle.entrypoint().to_string()),
        (None, ReadSkillError::AmbiguousLocator { source, .. }) => {
            let what = format!("cannot tell which skill `{asked}` means: {source}");
            Err(Failure::new(what, "give the locator of the catalog"))
        }
        (None, _) => Err(unknown(loaded, asked)),
    }
}

/// Several skills are meant.
fn refused_name(asked: &str, error: &ReadSkillError) -> Failure {
    let places: Vec<String> = match error {
        ReadSkillError::Ambiguous { places, .. } => places
            .iter()
            .map(|handle| handle.entrypoint().inferred_native_path_string())
            .collect(),
        _ => Vec::new(),
    };
    let places = places.join(", ");
    let what = format!("cannot tell which skill `{asked}` means: {places}");
    Failure::new(what, "give one of these paths")
}

/// No skill is meant; the name may lack the namespace of a plugin, or be misspelt.
fn unknown(loaded: &Loaded<'_>, asked: &str) -> Failure {
    let near = near_names(loaded, asked);
    let advice = match near.as_slice() {
        [] => String::new(),
        [name] => format!("the nearest is `{name}`; "),
        names => format!("the nearest are `{}`; ", names.join("`, `")),
    };
    let advice = advice + "run `codex-context skills` for the names of all skills";
    Failure::new(format!("cannot find the skill `{asked}`"), advice)
}

/// The names that may be meant, the nearest first: whole ones with a namespace before them, else
/// those that differ in few letters.
fn near_names<'a>(loaded: &Loaded<'a>, asked: &str) -> Vec<&'a str> {
    let names = loaded
        .skills
        .outcome
        .skills
        .iter()
        .map(|skill| skill.name.as_str());
    let names: BTreeSet<&str> = names.collect();
    let base = |name: &'a str| name.rsplit(':').next().unwrap_or(name);
    let whole = names.iter().copied().filter(|name| base(name) == asked);
    let whole: Vec<&str> = whole.collect();
    if !whole.is_empty() || asked.is_empty() {
        return whole;
    }
    let asked = asked.to_lowercase();
    let most = (asked.chars().count() / 3).max(1);
    let distance = |name: &'a str| {
        let spellings = [name, base(name)].map(str::to_lowercase);
        let distances = spellings.map(|name| strsim::osa_distance(&name, &asked));
        distances.into_iter().min().unwrap_or(usize::MAX)
    };
    let mut near: Vec<(usize, &str)> = names.into_iter().map(|it| (distance(it), it)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort_unstable();
    near.truncate(MOST_NEAR);
    near.into_iter().map(|(_, name)| name).collect()
}

fn refused(arguments: &SkillsReadArguments, error: ReadSkillError) -> Failure {
    let error = match error {
        ReadSkillError::Read(error) => error,
        other => return refused_name(&arguments.name, &other),
    };
    let file = arguments.file.as_deref().unwrap_or("SKILL.md");
    let mut what = format!("cannot read `{file}` of the skill `{}`", arguments.name);
    let advice = match &error {
        SkillReadError::ResourceOutsideSkill { .. } => "name a file inside the skill's directory",
        SkillReadError::NotUtf8 { .. } => "only text can be printed",
        SkillReadError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound => {
            what.push_str(": there is no such file");
            "name one that exists"
        }
        _ => "make the file readable or name another one",
    };
    let failure = Failure::new(what, advice);
    match error {
        SkillReadError::Io { source, .. } => failure.caused_by(source),
        other => failure.caused_by(other),
    }
}
