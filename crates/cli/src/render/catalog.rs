//! What each skill costs in the section that the model is given.
//!
//! A token is taken to be four bytes, as the budget of that section does.

use std::collections::HashMap;

use codex_skills::{
    CatalogBudget, SkillHandle, SkillLoadOutcome, SkillMetadata, SkillScope, render_skills,
};

/// The tokens of `text` as a line, its end included.
pub(crate) fn estimated_tokens(text: &str) -> u64 {
    u64::try_from((text.len() + 1).div_ceil(4)).unwrap_or(u64::MAX)
}

/// The tokens that each skill's whole line would cost; skills that the model is not told of have
/// none.
pub(crate) fn line_tokens(outcome: &SkillLoadOutcome) -> HashMap<&SkillHandle, u64> {
    let mut shown: Vec<&SkillMetadata> = outcome
        .skills
        .iter()
        .filter(|skill| skill.is_shown())
        .collect();
    shown.sort_by_key(|skill| line_order(skill));
    // Without a limit every shown skill has one line, in this order.
    let whole = render_skills(outcome, CatalogBudget::Tokens(u64::MAX), None);
    let lines = whole.map(|section| section.lines).unwrap_or_default();
    let costs = lines.iter().map(|line| estimated_tokens(line));
    shown.iter().map(|skill| &skill.handle).zip(costs).collect()
}

fn line_order(skill: &SkillMetadata) -> (SkillScope, &str, &str, &str) {
    let handle = &skill.handle;
    let (path, id) = (
        handle.entrypoint().as_str(),
        handle.environment_id().as_str(),
    );
    (skill.scope, &skill.name, path, id)
}
