//! `skills [DIR]`: every skill that was found, what of it the model is told, and every root.

use codex_skills::{RenderedSkills, render_skills};

use super::{Loaded, document, load, sources, table};
use crate::args::{Format, SkillsListArguments};
use crate::commands::{Answer, Place, Run};
use crate::environments::Arity;
use crate::exit::Failure;
use crate::render::finding::Finding;
use crate::render::json::{self, to_json};

/// Loads the skills and shows them.
///
/// # Errors
/// When the directory is none or configuration cannot be used. Skills that cannot be loaded are
/// findings.
pub(super) fn run(arguments: &SkillsListArguments, run: &Run) -> Result<Answer, Failure> {
    let place = Place::new(
        run,
        &arguments.common,
        arguments.directory.as_ref(),
        Arity::Several,
    )?;
    let start = place.session();
    let sources = sources(&arguments.capability_roots, &arguments.common)?;
    let load = load(
        &start,
        &place.bound.environments,
        sources,
        &arguments.common,
    );
    let loaded = run.load(load)??;

    let skills = &loaded.skills;
    let rendered = render_skills(&skills.outcome, skills.budget, None);
    let findings = findings(place.settings.findings()?, &loaded, rendered.as_ref())?;
    let cwd = loaded.session.first.environment.cwd();
    let output = match run.display.format {
        _ if arguments.catalog => {
            let section = rendered.map(|section| section.text).unwrap_or_default();
            return Answer::verbatim(section, findings, run);
        }
        None => table::rows(&loaded),
        Some(Format::Table) => table::shown(&loaded, rendered.as_ref(), cwd, run),
        Some(format) => {
            let document = document::document(&loaded, rendered.as_ref(), cwd, &findings);
            let document = to_json(&document)?;
            if format == Format::Json {
                json::object(&document)?
            } else {
                json::lines(json::split("skills", document, &document::LISTS))?
            }
        }
    };
    Ok(Answer { output, findings })
}

/// After those `of_settings`, what the load had to say, then what the budget costs.
fn findings(
    of_settings: Vec<Finding>,
    loaded: &Loaded,
    rendered: Option<&RenderedSkills>,
) -> Result<Vec<Finding>, Failure> {
    let mut found = of_settings;
    found.extend(loaded.findings()?);
    for diagnostic in rendered.iter().flat_map(|section| &section.diagnostics) {
        found.push(Finding::of_skills(diagnostic)?);
    }
    Ok(found)
}
