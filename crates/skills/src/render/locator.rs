//! How a line says where its skill is.
//!
//! A locator is the alias of the root and the path as walked below it. Aliases are numbered over the
//! roots that some shown skill needs, in load order, before the budget leaves anything out, so a
//! smaller budget never renames a root.

use codex_file_system::EnvironmentId;
use codex_path_uri::{PathConvention, PathUri};

use super::RenderedRoot;
use super::escape::escape_path;
use crate::metadata::SkillMetadata;
use crate::outcome::SkillLoadOutcome;
use crate::roots::{SkillRoot, SkillScope};

/// The aliases of one outcome.
pub(crate) struct Locators<'o> {
    outcome: &'o SkillLoadOutcome,
    roots: Vec<(usize, RenderedRoot)>,
    /// Whether the skills shown belong to several environments.
    spans_environments: bool,
}

/// A rendered locator.
pub(crate) struct Locator {
    /// Index of the root whose alias it uses.
    pub(crate) root: Option<usize>,
    pub(crate) text: String,
    /// The environment, where the list spans several and no root names it.
    pub(crate) environment_id: Option<EnvironmentId>,
}

impl<'o> Locators<'o> {
    pub(crate) fn new(outcome: &'o SkillLoadOutcome) -> Self {
        let shown = outcome.skills.iter().filter(|skill| skill.is_shown());
        let mut used: Vec<usize> = shown
            .filter(|skill| path_below(skill, outcome).is_some())
            .map(|skill| skill.root)
            .collect();
        used.sort_unstable();
        used.dedup();
        let shown = outcome.skills.iter().filter(|skill| skill.is_shown());
        let mut ids = shown.map(|skill| skill.handle.environment_id());
        let first = ids.next();
        let spans_environments = ids.any(|id| Some(id) != first);
        let (mut host, mut selected) = (0.., 0..);
        let roots = used.into_iter().filter_map(|index| {
            let root = root_at(outcome, index)?;
            let alias = match root.scope {
                SkillScope::Environment => format!("e{}", selected.next().unwrap_or(0)),
                _ => format!("r{}", host.next().unwrap_or(0)),
            };
            let text = escape_path(&root_text(root)).into_owned();
            let environment_id = Some(root.environment_id.clone()).filter(|_| spans_environments);
            let root = RenderedRoot {
                alias,
                text,
                environment_id,
            };
            Some((index, root))
        });
        Self {
            roots: roots.collect(),
            outcome,
            spans_environments,
        }
    }

    /// The roots that have an alias, with their indices, in load order.
    pub(crate) fn roots(&self) -> &[(usize, RenderedRoot)] {
        &self.roots
    }

    /// The locator of a skill, as its line shows it.
    pub(crate) fn locator(&self, skill: &SkillMetadata) -> Locator {
        let alias = self.roots.iter().find(|(index, _)| *index == skill.root);
        let below = path_below(skill, self.outcome);
        match (alias, below) {
            (Some((index, root)), Some(below)) => Locator {
                root: Some(*index),
                text: format!("{}/{}", root.alias, escape_path(&below)),
                environment_id: None,
            },
            _ => Locator {
                root: None,
                text: escape_path(&full_locator(skill, self.outcome)).into_owned(),
                environment_id: Some(skill.handle.environment_id().clone())
                    .filter(|_| self.spans_environments),
            },
        }
    }
}

/// Where a skill is without an alias: the native path of its entrypoint, or for a capability root
/// the root and the path of the package below it, unescaped.
fn full_locator(skill: &SkillMetadata, outcome: &SkillLoadOutcome) -> String {
    match root_at(outcome, skill.root).filter(|root| root.scope == SkillScope::Environment) {
        Some(root) => match path_below(skill, outcome) {
            Some(below) => format!("{}/{below}", root_text(root)),
            None => root_text(root),
        },
        None => skill.handle.entrypoint().inferred_native_path_string(),
    }
}

/// Whether a text is the whole locator of a skill: as rendered or without escapes, an alias written out
/// as what it stands for, and either separator where the root is a Windows one.
pub(crate) fn is_full_locator(
    text: &str,
    skill: &SkillMetadata,
    outcome: &SkillLoadOutcome,
) -> bool {
    let root = root_at(outcome, skill.root);
    let expanded = root.and_then(|root| {
        let below = path_below(skill, outcome)?;
        Some(format!("{}/{below}", root_text(root)))
    });
    let is_windows = skill.handle.entrypoint().convention() == Some(PathConvention::Windows);
    let plain = |text: &str| match is_windows {
        true => text.replace('\\', "/"),
        false => text.to_owned(),
    };
    let asked = plain(text);
    let mut whole = std::iter::once(full_locator(skill, outcome)).chain(expanded);
    whole.any(|it| asked == plain(&it) || asked == plain(&escape_path(&it)))
}

/// Where a skill is, in words that tell it from one of another environment.
pub(crate) fn place_of(skill: &SkillMetadata) -> String {
    let path = skill.handle.entrypoint().inferred_native_path_string();
    format!("{path} for `{}`", skill.handle.environment_id())
}

fn root_at(outcome: &SkillLoadOutcome, index: usize) -> Option<&SkillRoot> {
    outcome.roots.get(index).map(|report| &report.root)
}

fn root_text(root: &SkillRoot) -> String {
    let native = root.path.inferred_native_path_string();
    match (root.scope, &root.root_id) {
        (SkillScope::Environment, Some(id)) => format!("skill://{id}{native}"),
        (SkillScope::Environment, None) => format!("skill://{native}"),
        _ => native,
    }
}

/// The path below the root that a line shows: of the file for the host's skills, of its directory for
/// a package. Nothing for a package that is the root itself.
fn path_below(skill: &SkillMetadata, outcome: &SkillLoadOutcome) -> Option<String> {
    let root = root_at(outcome, skill.root)?;
    let file = skill.handle.entrypoint();
    let shown = match root.scope {
        SkillScope::Environment => file.parent()?,
        _ => file.clone(),
    };
    let names = names(&shown, &root.path)?;
    Some(names.join("/")).filter(|below| !below.is_empty())
}

fn names(path: &PathUri, base: &PathUri) -> Option<Vec<String>> {
    let names = path.names_below(base)?;
    Some(
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect(),
    )
}
