//! Calls, skills and manifests are those of a serial model.

use std::collections::BTreeMap;

use codex_file_system::ExecutorFileSystem;
use codex_file_system::wrap::CallKind;
use codex_path_uri::PathUri;
use codex_skills::{SkillLoadOptions, SkillRoot, SkillScope};
use futures::executor::block_on;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::trees::{Tree, directory, trees};
use super::{cases, load, path};
use crate::model::{Question, expect};
use crate::support::without_listing_flags::without_listing_flags;
use crate::support::{asked, local};

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn calls_skills_and_manifests_are_those_of_the_formula(
        tree in trees(),
        root in directory(),
        canonical_is_given in any::<bool>(),
        listings_have_flags in any::<bool>(),
    ) {
        check(&tree, &root, canonical_is_given, listings_have_flags);
    }
}

/// A tree that once failed, with all that can be known of it and without.
fn check_row(tree: &[&str], root: &str) {
    let tree = Tree::of(tree);
    for canonical_is_given in [false, true] {
        for listings_have_flags in [false, true] {
            check(&tree, root, canonical_is_given, listings_have_flags);
        }
    }
}

#[test]
fn a_linked_root_that_names_its_own_skills_counts_as_given() {
    let tree = [
        "/t/a/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/a/.codex-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/.h/agents -> /t/a",
    ];
    check_row(&tree, "/t/.h/agents");
}

#[test]
fn a_linked_root_that_counts_as_given_stands_in_for_a_missing_name() {
    let tree = [
        "/t/b/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/b/.codex-plugin/plugin.json = {}",
        "/t/a -> /t/b",
    ];
    check_row(&tree, "/t/a");
}

#[test]
fn a_manifest_above_the_root_that_a_link_showed_is_relevant() {
    let tree = [
        "/t/b/a/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.codex-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/a -> ..",
        "/.codex-plugin/plugin.json = {\"name\":\"n2\"}",
        "/t/SKILL.md = ---%0Adescription: d%0A---%0A",
    ];
    check_row(&tree, "/t");
}

#[test]
fn a_manifest_above_a_hidden_directory_that_a_link_leads_to_is_relevant() {
    let tree = [
        "/t/.h/SKILL.md = ---%0Adescription: d%0A---%0A",
        "/t/.h/.codex-plugin/plugin.json = {\"name\":\"n1\"}",
        "/t/.codex-plugin/plugin.json = {\"name\":\"n2\"}",
        "/t/l -> /t/.h",
    ];
    check_row(&tree, "/t");
}

fn check(tree: &Tree, root: &str, canonical_is_given: bool, listings_have_flags: bool) {
    let (fs, root) = (tree.plant(), path(root));
    let question = Question {
        fs: &fs,
        root: root.clone(),
        canonical_is_given,
        listings_have_flags,
    };
    let Some(expected) = expect(&question) else {
        return;
    };
    let canonical = |path: &PathUri| block_on(fs.canonicalize(path, None)).unwrap();
    let roots = [SkillRoot {
        canonical: canonical_is_given.then(|| canonical(&root)),
        ..SkillRoot::new(local(), root, SkillScope::Repo)
    }];
    let options = SkillLoadOptions::default();
    let loaded = match listings_have_flags {
        true => load(fs.clone(), &roots, &options),
        false => load(without_listing_flags(fs.clone()), &roots, &options),
    };
    assert_eq!(loaded.calls, expected.calls);
    let outcome = loaded.outcome;
    let refused: BTreeMap<&PathUri, &str> = outcome
        .diagnostics
        .iter()
        .filter(|it| it.code.as_str() == "frontmatter_missing")
        .map(|it| (it.path.as_ref().unwrap(), REFUSED))
        .collect();
    let skills = outcome.skills.iter();
    let mut found: BTreeMap<&PathUri, &str> = skills
        .map(|skill| (&skill.identity, skill.name.as_str()))
        .collect();
    found.extend(refused);
    let mut wanted: BTreeMap<&PathUri, &str> = expected
        .skills
        .iter()
        .map(|(identity, name)| (identity, name.as_str()))
        .collect();
    for (identity, name) in &mut wanted {
        if found.get(identity) == Some(&REFUSED) {
            *name = REFUSED;
        }
    }
    assert_eq!(found, wanted);
    if listings_have_flags {
        let manifests: BTreeMap<PathUri, u64> = asked(&fs, &roots, &options)
            .into_iter()
            .filter(|(kind, path)| is_read(*kind) && is_manifest(path))
            .map(|(_, path)| (canonical(&path.parent().unwrap().parent().unwrap()), 1))
            .collect();
        assert_eq!(manifests, expected.manifests);
    }
}

/// What stands for the name of a skill file whose text is no skill.
const REFUSED: &str = "refused";

fn is_read(kind: CallKind) -> bool {
    matches!(kind, CallKind::ReadFile | CallKind::ReadFilePrefix)
}

fn is_manifest(path: &PathUri) -> bool {
    path.file_name()
        .is_some_and(|it| it.as_str() == Some("plugin.json"))
}
