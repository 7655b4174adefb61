//! Listings that do not say what is a link cost calls, and nothing else.

use codex_skills::{SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope};
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::trees::{Tree, trees};
use super::{cases, limits, load, path, roots, without_calls};
use crate::support::local;
use crate::support::without_listing_flags::without_listing_flags;

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn listings_without_flags_find_what_listings_with_flags_find(
        tree in trees(),
        roots in roots(),
        limits in limits(),
    ) {
        // A link that lies too deep counts where nobody said that it is one, and under System alone
        // not where somebody did.
        let is_system = |root: &SkillRoot| root.scope == SkillScope::System;
        let limits = match roots.iter().any(is_system) {
            true => SkillScanLimits::default(),
            false => limits,
        };
        check(&tree.without_linked_skill_files(), &roots, limits);
    }
}

#[test]
fn a_directory_listed_by_way_of_a_link_is_not_left_where_nobody_says_it_is_no_link() {
    let tree = Tree::of(&[
        "/t/agents/a/l -> /t",
        "/t/agents/b/a/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/skills/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.codex-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/skill.md = x",
        "/t/c/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/a/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.claude-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/.h/SKILL.md = ---%0Adescription: d%0A---%0A",
    ]);
    let limits = SkillScanLimits {
        max_depth: 3,
        max_directories: 5,
        max_entries: 4,
    };
    let root = SkillRoot::new(local(), path("/t/agents"), SkillScope::Repo);
    check(&tree, &[root], limits);
}

#[test]
fn a_lookup_above_the_root_spells_it_even_if_a_link_asked_for_that_before() {
    let tree = Tree::of(&[
        "/t/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.codex-plugin/plugin.json = nonsense",
        "/t/l -> /t",
    ]);
    let limits = SkillScanLimits {
        max_entries: 1,
        ..SkillScanLimits::default()
    };
    let root = SkillRoot::new(local(), path("/t/l"), SkillScope::Repo);
    check(&tree, &[root], limits);
}

#[test]
fn a_linked_root_below_a_link_that_leads_out_of_it_is_not_left_too_deep() {
    let tree = Tree::of(&[
        "/t/b/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/b/a/l -> /t",
        "/t/l -> /t/b",
    ]);
    let limits = SkillScanLimits {
        max_depth: 2,
        ..SkillScanLimits::default()
    };
    let root = SkillRoot::new(local(), path("/t/l"), SkillScope::Repo);
    let not_listed = check(&tree, &[root], limits).diagnostics[0].not_listed;
    // The link, not the directory that it leads to, which is the root.
    assert_eq!(not_listed, Some(1));
}

fn check(tree: &Tree, roots: &[SkillRoot], limits: SkillScanLimits) -> SkillLoadOutcome {
    let fs = tree.plant();
    let options = SkillLoadOptions {
        limits,
        ..SkillLoadOptions::default()
    };
    let told = without_calls(load(fs.clone(), roots, &options).outcome);
    let untold = without_calls(load(without_listing_flags(fs), roots, &options).outcome);
    assert_eq!(untold, told);
    told
}
