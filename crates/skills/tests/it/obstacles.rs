//! What stands in the way of a skill is told, and never loosens its policy.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_file_system::wrap::Counting;
use codex_file_system::{ExecutorFileSystem, Operation};
use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem};
use codex_skills::{SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScope, load_skills};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{codes, local, only, uri};

const SKILL: &str = "SKILL.md = ---%0Adescription: d%0A---%0A";

fn memory(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, &tree.replace("SKILL ", SKILL)).unwrap()
}

fn load(fs: impl ExecutorFileSystem + 'static) -> SkillLoadOutcome {
    let root = SkillRoot::new(local(), uri("file:///s"), SkillScope::User);
    block_on(load_skills(
        &only(fs),
        &[root],
        &SkillLoadOptions::default(),
    ))
}

fn is_shown(outcome: &SkillLoadOutcome) -> Vec<bool> {
    outcome.skills.iter().map(|it| it.is_shown()).collect()
}

#[test]
fn a_sidecar_that_cannot_be_read_leaves_a_skill_on_request_only() {
    let tree = "/s/a/SKILL \n/s/a/agents/openai.yaml = policy: {allow_implicit_invocation: false}";
    for (operation, path, code) in [
        (
            Operation::ReadFile,
            "file:///s/a/agents/openai.yaml",
            "sidecar_unreadable",
        ),
        (
            Operation::ReadDirectory,
            "file:///s/a/agents",
            "directory_unreadable",
        ),
    ] {
        let fault = Fault::error(ErrorKind::PermissionDenied);
        let fs = Faulty::new(memory(tree)).on(fault.of(operation).at(uri(path)));
        let outcome = load(fs);
        assert_eq!(
            (codes(&outcome), is_shown(&outcome)),
            (vec![code], vec![false])
        );
    }
}

#[test]
fn a_directory_called_like_a_skill_file_is_told_unless_it_holds_a_skill() {
    let outcome = load(memory("/s/a/SKILL.md/notes = x\n/s/b/SKILL.md/SKILL "));
    assert_eq!(codes(&outcome), ["skill_unreadable"]);
    assert_eq!(
        outcome.diagnostics[0].path,
        Some(uri("file:///s/a/SKILL.md"))
    );
    assert_eq!(outcome.skills.len(), 1);
}

#[test]
fn a_skill_file_is_read_no_further_than_a_block_can_reach() {
    let body = "x".repeat(4 << 20);
    let tree = format!(
        "/s/a/SKILL.md = ---%0Adescription: d%0A---%0A{body}\n/s/b/SKILL.md = ---%0A{body}"
    );
    let fs = Arc::new(Counting::new(memory(&tree)));
    let outcome = load(Arc::clone(&fs));
    assert_eq!(codes(&outcome), ["frontmatter_too_large"]);
    assert_eq!(outcome.skills.len(), 1);
    assert!(fs.bytes_read() < 512 << 10, "{}", fs.bytes_read());
}
