//! `skills read NAME [FILE]`: a file of a skill, verbatim, through the environment that owns it.
//!
//! A skill is asked for as a person sees it: by its name, its path or URI, as the table spells its
//! path, or by the locator that the model is given. Skills that configuration disables can be read, too. What is wrong with other
//! skills is not told here.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use clap::Args;
use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_skills::{
    SKILL_FILE_NAME, SkillCatalog, SkillContents, SkillHandle, SkillLocateError, SkillReadError,
};
use serde::Serialize;

use super::{Loaded, load, sources};
use crate::environments::Arity;
use crate::exit::Failure;
use crate::options::{CapabilityRootOptions, CommonOptions, Format};
use crate::output::json::{self, SCHEMA_VERSION};
use crate::run::{CommandContext, CommandOutput, StartPoint};

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
    let place = StartPoint::new(context, &arguments.common, None, Arity::Several)?;
    let start = place.session();
    let sources = sources(&arguments.capability_roots, &arguments.common)?;
    let (name, contents, diagnostics) = context.load(async {
        let environments = &place.bound.environments;
        let loaded = load(&start, environments, sources, &arguments.common).await?;
        let mut diagnostics = place.settings.diagnostics()?;
        diagnostics.extend(loaded.configuration_diagnostics()?);
        let spelled = spelled(&loaded, &arguments.name);
        let catalog = SkillCatalog::new(Arc::new(environments.clone()), loaded.skills.outcome);
        let handle = find(&catalog, &arguments.name, spelled.as_ref())?;
        let contents = match &arguments.file {
            None => catalog.read(handle).await,
            Some(file) => catalog.read_resource(handle, file).await,
        };
        let name = catalog.get(handle).map(|skill| skill.name.clone());
        let contents = contents.map_err(|error| refused(arguments, error))?;
        Ok::<_, Failure>((name.unwrap_or_default(), contents, diagnostics))
    })??;
    let output = match context.display.format {
        Format::Tsv | Format::Table => {
            return CommandOutput::verbatim(contents.text, diagnostics, context);
        }
        format => json::document(format, "file", &document(&name, &contents), &[])?,
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

/// The skill that the table shows at this place; its file may be named, too.
fn spelled(loaded: &Loaded, asked: &str) -> Option<SkillHandle> {
    let directory = asked.strip_suffix(SKILL_FILE_NAME);
    let directory = directory.and_then(|it| it.strip_suffix(['/', '\\']));
    let mut skills = loaded.skills.outcome.skills.iter();
    let skill = skills.find(|skill| {
        let source = loaded.source(skill);
        source == asked || Some(source.as_str()) == directory
    })?;
    Some(skill.handle.clone())
}

/// The one skill that `asked` means: a name, else a locator, path or URI, or one `spelled` so in
/// the table.
fn find<'a>(
    catalog: &'a SkillCatalog,
    asked: &str,
    spelled: Option<&'a SkillHandle>,
) -> Result<&'a SkillHandle, Failure> {
    let named = catalog.skills().iter().filter(|skill| skill.name == asked);
    let named: Vec<&SkillHandle> = named.map(|skill| &skill.handle).collect();
    match named.as_slice() {
        [handle] => Ok(handle),
        [] => match (catalog.locate(asked), spelled) {
            (Ok(handle), _) | (Err(_), Some(handle)) => Ok(handle),
            (Err(refused @ SkillLocateError::Ambiguous { .. }), None) => {
                let what = format!("cannot tell which skill `{asked}` means: {refused}");
                Err(Failure::new(what, "give the locator of the catalog"))
            }
            (Err(_), None) => Err(unknown(catalog, asked)),
        },
        several => {
            let paths = several
                .iter()
                .map(|handle| handle.entrypoint().inferred_native_path_string());
            let paths: Vec<String> = paths.collect();
            let what = format!(
                "cannot tell which skill `{asked}` means: {}",
                paths.join(", ")
            );
            Err(Failure::new(what, "give one of these paths"))
        }
    }
}

/// No skill is meant; the name may lack the namespace of a plugin, or be misspelt.
fn unknown(catalog: &SkillCatalog, asked: &str) -> Failure {
    let near = near_names(catalog, asked);
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
fn near_names<'a>(catalog: &'a SkillCatalog, asked: &str) -> Vec<&'a str> {
    let names = catalog.skills().iter().map(|skill| skill.name.as_str());
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

fn refused(arguments: &SkillsReadArguments, error: SkillReadError) -> Failure {
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
