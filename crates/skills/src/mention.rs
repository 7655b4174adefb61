//! Skills that a person's text mentions: `$name`, and `[$name](target)`.
//!
//! Pure. A mention is exact: no case folding, no guess, and a name that several skills have resolves
//! to none of them, unless exactly one belongs to a selected capability root.

use std::collections::HashSet;

use crate::diagnostics::{SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::metadata::{SkillHandle, SkillMetadata};
use crate::outcome::SkillLoadOutcome;
use crate::render::is_full_locator;
use crate::roots::SkillScope;
use crate::target::TargetPaths;
use crate::text::Foreign;

/// Names that mean an environment variable, whatever skills there are.
const VARIABLES: [&str; 11] = [
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "PWD",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LANG",
    "TERM",
    "XDG_CONFIG_HOME",
];
const SCHEME: &str = "skill://";

/// What a text mentions, in order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Targets of links.
    pub links: Vec<String>,
    /// Plain names.
    pub names: Vec<String>,
}

/// Finds the mentions in a text.
///
/// # Examples
/// ```
/// use codex_skills::skill_mentions;
///
/// let mentions = skill_mentions("use $demo:fix, not [$other](/s/other/SKILL.md) or $HOME");
/// assert_eq!(mentions.names, ["demo:fix"]);
/// assert_eq!(mentions.links, ["/s/other/SKILL.md"]);
/// ```
pub fn skill_mentions(text: &str) -> Mentions {
    let mut mentions = Mentions::default();
    let (mut links, mut names) = (HashSet::new(), HashSet::new());
    // No link is looked for where none can end, so that every text is read about once.
    let last_end = text.rfind(')').unwrap_or(0);
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('$') {
        let token = token(behind);
        let after = behind.get(token.len()..).unwrap_or_default();
        let may_be_link = before.ends_with('[') && text.len() - after.len() < last_end;
        let link = Some(after).filter(|_| may_be_link && !token.is_empty());
        let is_variable = VARIABLES
            .iter()
            .any(|name| name.eq_ignore_ascii_case(token));
        let is_mention = !token.is_empty() && !is_variable;
        rest = match link.and_then(link_target) {
            Some((target, behind)) => {
                if is_mention && links.insert(target) {
                    mentions.links.push(target.to_owned());
                }
                behind
            }
            None => {
                if is_mention && names.insert(token) {
                    mentions.names.push(token.to_owned());
                }
                after
            }
        };
    }
    mentions
}

/// The longest run of name characters a text begins with.
fn token(text: &str) -> &str {
    let is_name = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | ':');
    let end = text.find(|it| !is_name(it)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

/// The target of a link whose name has just ended, and what follows it.
fn link_target(text: &str) -> Option<(&str, &str)> {
    let behind_name = text.strip_prefix(']')?;
    let is_blank = |it: char| it.is_ascii_whitespace();
    behind_name
        .trim_start_matches(is_blank)
        .strip_prefix('(')?
        .split_once(')')
}

/// Resolves mentions: linked skills first, then named ones, each in output order and once.
///
/// Disabled skills are never resolved; skills that are not shown unasked are.
///
/// # Examples
/// ```
/// use codex_skills::{SkillLoadOutcome, resolve_mentions, skill_mentions};
///
/// let (skills, problems) = resolve_mentions(&skill_mentions("$demo"), &SkillLoadOutcome::default());
/// assert!(skills.is_empty() && problems.is_empty());
/// ```
pub fn resolve_mentions(
    mentions: &Mentions,
    outcome: &SkillLoadOutcome,
) -> (Vec<SkillHandle>, Vec<SkillDiagnostic>) {
    let enabled: Vec<&SkillMetadata> = outcome
        .skills
        .iter()
        .filter(|skill| skill.enabled)
        .collect();
    let linked: Vec<&SkillMetadata> = mentions
        .links
        .iter()
        .filter_map(|target| linked(target, &enabled, outcome))
        .collect();
    let mut problems = Vec::new();
    let mut named = Vec::new();
    for name in &mentions.names {
        match by_name(name, &enabled) {
            Ok(skill) => named.extend(skill),
            Err(number) => problems.push(ambiguous(name, number)),
        }
    }
    let is_in = |list: &[&SkillMetadata], skill: &SkillMetadata| {
        list.iter().any(|known| known.handle == skill.handle)
    };
    let first = enabled.iter().filter(|skill| is_in(&linked, skill));
    let second = enabled
        .iter()
        .filter(|skill| is_in(&named, skill) && !is_in(&linked, skill));
    let handles = first.chain(second).map(|skill| skill.handle.clone());
    (handles.collect(), problems)
}

/// The one skill of this name, if there is one; their number if there are several.
fn by_name<'s>(
    name: &str,
    enabled: &[&'s SkillMetadata],
) -> Result<Option<&'s SkillMetadata>, usize> {
    let mut named = enabled.iter().copied().filter(|skill| skill.name == name);
    let (first, others) = (named.next(), named.count());
    if others == 0 {
        return Ok(first);
    }
    let mut selected = enabled
        .iter()
        .copied()
        .filter(|skill| skill.name == name && skill.scope == SkillScope::Environment);
    match (selected.next(), selected.next()) {
        (Some(skill), None) => Ok(Some(skill)),
        _ => Err(others + 1),
    }
}

/// The one skill a link leads to.
fn linked<'s>(
    target: &str,
    enabled: &[&'s SkillMetadata],
    outcome: &SkillLoadOutcome,
) -> Option<&'s SkillMetadata> {
    let paths = TargetPaths::of(target.strip_prefix(SCHEME).unwrap_or(target));
    let is_target = |skill: &SkillMetadata| {
        paths.names(skill)
            || (skill.scope == SkillScope::Environment && is_full_locator(target, skill, outcome))
    };
    let mut found = enabled.iter().copied().filter(|skill| is_target(skill));
    match (found.next(), found.next()) {
        (Some(skill), None) => Some(skill),
        _ => None,
    }
}

fn ambiguous(name: &str, number: usize) -> SkillDiagnostic {
    let message = format!("`${}` names {number} enabled skills", Foreign(name));
    SkillDiagnostic::new(Code::MentionAmbiguous, message).with_field(name)
}
