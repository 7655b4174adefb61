//! What each skill costs in the section that the model is given, and how much of it is shown there.
//!
//! A token is taken to be four bytes, as the budget of that section does.

use std::collections::HashMap;

use codex_skills::{CatalogBudget, LineExtent, SkillHandle, SkillLoadOutcome, render_skills};

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
