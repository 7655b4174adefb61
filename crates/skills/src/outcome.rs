//! What a load returns: skills in output order, a report per root, and everything there is to say.

use codex_file_system::wrap::Calls;

use crate::diagnostics::{SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::limits::MAX_SKILL_DIAGNOSTICS;
use crate::metadata::SkillMetadata;
use crate::policy::SkillConfigRule;
use crate::roots::SkillRoot;
use crate::text::Foreign;

/// Most other skills whose places a warning about their name tells in words; `others` has them all.
const MAX_PLACES_TOLD: usize = 3;

/// The result of a load. There is always one: what went wrong is a diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillLoadOutcome {
    /// By name (bytes), entrypoint text and environment id. Names may repeat.
    pub skills: Vec<SkillMetadata>,
    /// One per root, in load order.
    pub roots: Vec<RootReport>,
    /// By root in load order and queue order inside; ambiguous names last, by name.
    pub diagnostics: Vec<SkillDiagnostic>,
}

/// What one root cost and gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootReport {
    /// The root.
    pub root: SkillRoot,
    /// Directories that were listed, the root included.
    pub directories: u64,
    /// Names in these listings.
    pub entries: u64,
    /// Skills in the outcome that were found here first.
    pub skills: u64,
    /// Calls; one that several roots share counts for the root that needed it first.
    pub calls: Calls,
    /// Whether a limit was reached.
    pub truncated: bool,
}

impl SkillLoadOutcome {
    /// Switches skills off and on; a later rule wins.
    ///
    /// A disabled skill stays listed. Which names are ambiguous is judged anew, because only enabled
    /// skills count.
    ///
    /// # Examples
    /// ```
    /// use codex_skills::{SkillConfigRule, SkillLoadOutcome, SkillSelector};
    ///
    /// let mut outcome = SkillLoadOutcome::default();
    /// let off = SkillConfigRule { selector: SkillSelector::Name("demo".to_owned()), enabled: false };
    /// outcome.apply_config(&[off]);
    /// assert_eq!(outcome, SkillLoadOutcome::default());
    /// ```
    pub fn apply_config(&mut self, rules: &[SkillConfigRule]) {
        let ambiguous_before = ambiguous_names(&self.skills).len();
        for skill in &mut self.skills {
            let last = rules.iter().rev().find(|rule| rule.selector.selects(skill));
            skill.enabled = last.map_or(skill.enabled, |rule| rule.enabled);
        }
        let ambiguous = ambiguous_names(&self.skills);
        let left_out = self
            .diagnostics
            .pop_if(|it| it.code == Code::DiagnosticsTruncated);
        let left_out = left_out.and_then(|it| it.count).unwrap_or(0);
        let kept = self.diagnostics.len();
        self.diagnostics.retain(|it| it.code != Code::NameAmbiguous);
        let ambiguous_kept = kept - self.diagnostics.len();
        let ambiguous_left_out = count(ambiguous_before.saturating_sub(ambiguous_kept));
        let others_left_out = left_out.saturating_sub(ambiguous_left_out);
        self.diagnostics.extend(ambiguous);
        truncate(&mut self.diagnostics, others_left_out);
    }
}

/// Puts skills in output order.
pub(crate) fn sort(skills: &mut [SkillMetadata]) {
    skills.sort_by(|a, b| output_key(a).cmp(&output_key(b)));
}

fn output_key(skill: &SkillMetadata) -> (&str, &str, &str) {
    let handle = &skill.handle;
    (
        &skill.name,
        handle.entrypoint().as_str(),
        handle.environment_id().as_str(),
    )
}

/// One warning per name that several enabled skills have, by name.
pub(crate) fn ambiguous_names(skills: &[SkillMetadata]) -> Vec<SkillDiagnostic> {
    let mut by_name: Vec<_> = skills.iter().filter(|skill| skill.enabled).collect();
    by_name.sort_by(|one, other| one.name.cmp(&other.name));
    let groups = by_name.chunk_by(|one, other| one.name == other.name);
    let warnings = groups.filter_map(|skills| {
        let (first, others) = skills
            .split_first()
            .filter(|(_, others)| !others.is_empty())?;
        let message = format!(
            "{} enabled skills are called `{}`, {} and this one",
            skills.len(),
            Foreign(&first.name),
            places(others, first)
        );
        let mut warning = SkillDiagnostic::new(Code::NameAmbiguous, message)
            .at(first.handle.environment_id(), &first.identity);
        warning.others = others.iter().map(|skill| skill.identity.clone()).collect();
        Some(warning)
    });
    warnings.collect()
}

/// Where some skills are; the environment is named where it is not that of `first`.
fn places(skills: &[&SkillMetadata], first: &SkillMetadata) -> String {
    let told = skills.iter().take(MAX_PLACES_TOLD).map(|skill| {
        let id = skill.handle.environment_id();
        if id == first.handle.environment_id() {
            skill.identity.to_string()
        } else {
            format!("{} in environment `{id}`", skill.identity)
        }
    });
    let mut places: Vec<String> = told.collect();
    if let Some(more) = skills.len().checked_sub(MAX_PLACES_TOLD + 1) {
        places.push(format!("{} more", more + 1));
    }
    places.join(", ")
}

/// Keeps as many diagnostics as one load may have; `left_out` were left out before, which only
/// happens where there is no room for more.
pub(crate) fn truncate(diagnostics: &mut Vec<SkillDiagnostic>, left_out: u64) {
    let left_out = left_out + count(diagnostics.len().saturating_sub(MAX_SKILL_DIAGNOSTICS));
    diagnostics.truncate(MAX_SKILL_DIAGNOSTICS);
    if left_out > 0 {
        let message = format!("{left_out} more diagnostics are left out");
        let truncated = SkillDiagnostic::new(Code::DiagnosticsTruncated, message);
        diagnostics.push(truncated.with_count(left_out));
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
