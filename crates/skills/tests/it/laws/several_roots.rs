//! Roots that are loaded together share calls, and find what each finds alone.

use std::collections::HashSet;

use codex_file_system::ExecutorFileSystem;
use codex_skills::{SkillDiagnosticCode as Code, SkillLoadOptions, SkillLoadOutcome, SkillRoot};
use futures::executor::block_on;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use super::trees::trees;
use super::{cases, limits, load, roots};
use crate::support::without_listing_flags::without_listing_flags;

/// What these loads of one root each say together. A skill belongs to the first that found it.
fn joined(alone: Vec<SkillLoadOutcome>) -> SkillLoadOutcome {
    let mut joined = SkillLoadOutcome::default();
    let (mut identities, mut said) = (HashSet::new(), HashSet::new());
    for (root, outcome) in alone.into_iter().enumerate() {
        for mut skill in outcome.skills {
            if identities.insert(skill.identity.clone()) {
                skill.root = root;
                joined.skills.push(skill);
            }
        }
        let diagnostics = outcome.diagnostics.into_iter();
        joined.diagnostics.extend(
            diagnostics
                .filter(|it| said.insert((it.code, it.path.clone(), it.limit, it.field.clone()))),
        );
        joined.roots.extend(outcome.roots);
    }
    joined.skills.sort_by(|a, b| {
        let key = |skill: &codex_skills::SkillMetadata| {
            (
                skill.name.clone(),
                skill.handle.entrypoint().as_str().to_owned(),
            )
        };
        key(a).cmp(&key(b))
    });
    joined
}

/// What is said of directories, links and texts. What is said of manifests and sidecars depends on
/// which root looks at them first.
fn is_of_one_root(code: Code) -> bool {
    !matches!(
        code,
        Code::ManifestInvalid
            | Code::ManifestUnreadable
            | Code::SidecarInvalid
            | Code::SidecarNotAFile
            | Code::NameAmbiguous
    )
}

/// An outcome without what roots share.
fn unshared(mut outcome: SkillLoadOutcome) -> SkillLoadOutcome {
    outcome.diagnostics.retain(|it| is_of_one_root(it.code));
    for report in &mut outcome.roots {
        report.skills = 0;
    }
    super::without_calls(outcome)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn several_roots_find_what_each_finds_alone(
        tree in trees(),
        roots in roots(),
        limits in limits(),
        has_flags in any::<bool>(),
    ) {
        let fs = tree.plant();
        let options = SkillLoadOptions { limits, ..SkillLoadOptions::default() };
        let load = |roots: &[SkillRoot]| match has_flags {
            true => load(fs.clone(), roots, &options).outcome,
            false => load(without_listing_flags(fs.clone()), roots, &options).outcome,
        };
        let roots: Vec<SkillRoot> = roots
            .into_iter()
            .map(|root| SkillRoot {
                canonical: block_on(fs.canonicalize(&root.path, None)).ok(),
                ..root
            })
            .collect();
        let alone = roots.iter().map(|root| load(std::slice::from_ref(root)));
        assert_eq!(unshared(load(&roots)), unshared(joined(alone.collect())));
    }
}
