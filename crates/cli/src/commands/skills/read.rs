//! `skills read NAME [FILE]`: a file of a skill, verbatim, through the environment that owns it.
//!
//! A skill is asked for as a person sees it: by its name, its path or URI, as the table spells its
//! path, or by the locator that the model is given. Skills that configuration disables can be read, too. What is wrong with other
//! skills is not told here.

use std::io;
use std::sync::Arc;

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use codex_skills::{SkillCatalog, SkillContents, SkillHandle, SkillReadError};
use serde::Serialize;

use super::{Loaded, load, sources};
use crate::args::{Format, SkillsReadArguments};
use crate::commands::{Answer, Place, Run};
use crate::environments::Arity;
use crate::exit::Failure;
use crate::render::json::{self, SCHEMA_VERSION, to_json};

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
pub(super) fn run(arguments: &SkillsReadArguments, run: &Run) -> Result<Answer, Failure> {
    let place = Place::new(run, &arguments.common, None, Arity::Several)?;
    let start = place.session();
    let sources = sources(&arguments.capability_roots, &arguments.common)?;
    let (name, contents, findings) = run.load(async {
        let environments = &place.bound.environments;
        let loaded = load(&start, environments, sources, &arguments.common).await?;
        let mut findings = place.settings.findings()?;
        findings.extend(loaded.configuration_findings()?);
        let spelled = spelled(&loaded, &arguments.name);
        let catalog = SkillCatalog::new(Arc::new(environments.clone()), loaded.skills.outcome);
        let handle = find(&catalog, &arguments.name, spelled.as_ref())?;
        let contents = match &arguments.file {
            None => catalog.read(handle).await,
            Some(file) => catalog.read_resource(handle, file).await,
        };
        let name = catalog.get(handle).map(|skill| skill.name.clone());
        let contents = contents.map_err(|error| refused(arguments, error))?;
        Ok::<_, Failure>((name.unwrap_or_default(), contents, findings))
    })?;
    let output = match run.display.format {
        Some(Format::Json) => json::object(&to_json(&document(&name, &contents))?)?,
        Some(Format::Jsonl) => json::lines([("file", to_json(&document(&name, &contents))?)])?,
        None | Some(Format::Table) => contents.text,
    };
    Ok(Answer { output, findings })
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

/// The skill that the table shows at this place.
fn spelled(loaded: &Loaded, asked: &str) -> Option<SkillHandle> {
    let mut skills = loaded.skills.outcome.skills.iter();
    let skill = skills.find(|skill| loaded.source(skill) == asked)?;
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
        [] => catalog.find(asked).or(spelled).ok_or_else(|| {
            let what = format!("cannot find the skill `{asked}`");
            Failure::new(
                what,
                "run `codex-context skills` for the names of all skills",
            )
        }),
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
