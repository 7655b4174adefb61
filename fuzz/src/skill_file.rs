//! A skill: the frontmatter of its `SKILL.md`, and its sidecar.

use codex_file_system::{EnvironmentId, Severity};
use codex_file_system_testkit::{Flavor, MemoryFileSystem, escape};
use codex_path_uri::PathUri;
use codex_skills::{
    CatalogBudget, MAX_NAME_CHARS, SkillDiagnosticCode, SkillInterface, SkillLoadOutcome,
    load_environment_skills_from_root, render_skills, validate,
};
use futures::executor::block_on;

use crate::two_texts;

/// The bytes are a `SKILL.md`, then, behind a line of `=====`, its `agents/openai.yaml`.
pub fn skill_file(data: &[u8]) {
    let (text, sidecar) = two_texts(data);
    let outcome = load(text, sidecar);
    nothing_is_lost_in_silence(&outcome);
    the_lint_refuses_what_loading_refuses(text, &outcome);
    for skill in &outcome.skills {
        assert!(!skill.description.trim().is_empty());
        assert!(skill.base_name.chars().count() <= MAX_NAME_CHARS);
        if let Some(interface) = &skill.interface {
            icons_are_assets(&skill.directory, interface);
        }
    }
    rendering_is_one_line_a_skill(&outcome);
    if sidecar.is_some() && outcome.skills.is_empty() && !is_restricted(&outcome) {
        assert_eq!(load(text, None).skills, [], "a sidecar loses no skill");
    }
}

fn load(text: &[u8], sidecar: Option<&[u8]>) -> SkillLoadOutcome {
    let mut tree = format!("/s/demo/SKILL.md = {}", escape(text));
    if let Some(sidecar) = sidecar {
        tree += &format!("\n/s/demo/agents/openai.yaml = {}", escape(sidecar));
    }
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).expect("escaped bytes are a tree");
    let root = PathUri::parse("file:///s").expect("the root is a path");
    let id = EnvironmentId::new("box").expect("the id is one");
    let unbound = block_on(load_environment_skills_from_root(&fs, &root, None));
    unbound.bind(id, "root".to_owned())
}

fn is_restricted(outcome: &SkillLoadOutcome) -> bool {
    let mut codes = outcome.diagnostics.iter().map(|it| it.code);
    codes.any(|code| code == SkillDiagnosticCode::ProductRestricted)
}

/// The one file is a skill, a skill for others, or has exactly one error.
fn nothing_is_lost_in_silence(outcome: &SkillLoadOutcome) {
    let errors = outcome.diagnostics.iter();
    let errors = errors.filter(|it| it.severity == Severity::Error).count();
    let restricted = usize::from(is_restricted(outcome));
    assert_eq!(outcome.skills.len() + errors + restricted, 1, "{outcome:?}");
}

fn the_lint_refuses_what_loading_refuses(text: &[u8], outcome: &SkillLoadOutcome) {
    let lint = validate(text, "demo");
    if let [refusal] = &*lint
        && refusal.severity == Severity::Error
    {
        let loaded = outcome.diagnostics.iter();
        let loaded: Vec<_> = loaded
            .filter(|it| it.severity == Severity::Error)
            .map(|it| it.code)
            .collect();
        assert_eq!(loaded, [refusal.code]);
    } else {
        assert!(lint.iter().all(|it| it.severity == Severity::Info));
    }
}

fn icons_are_assets(directory: &PathUri, interface: &SkillInterface) {
    let assets = directory.join("assets").expect("a skill has a directory");
    for icon in [&interface.icon_small, &interface.icon_large] {
        let below = icon.as_ref().is_none_or(|icon| icon.starts_with(&assets));
        assert!(below, "{icon:?} leaves {assets}");
    }
}

fn rendering_is_one_line_a_skill(outcome: &SkillLoadOutcome) {
    let budget = CatalogBudget::for_context_window(None);
    let Some(rendered) = render_skills(outcome, budget, None) else {
        return;
    };
    for line in &rendered.lines {
        assert!(!line.chars().any(|it| it.is_control()), "{line:?}");
        let tags = line.split('<').skip(1).map(|rest| rest.chars().next());
        let mut tags = tags.flatten();
        assert!(
            !tags.any(|it| it.is_ascii_alphabetic() || "/!?".contains(it)),
            "{line:?}"
        );
        assert!(rendered.text.contains(line.as_str()));
    }
}
