//! The guide for people who write skills is true: each of its samples gives what stands below it.

use codex_file_system_testkit::{Flavor, MemoryFileSystem, escape};
use codex_skills::{SkillDiagnosticCode, SkillLoadOptions, SkillRoot, SkillScope, load_skills};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{codes, local, only, uri};

const GUIDE: &str = include_str!("../../../../docs/skills.md");

/// The text of a fenced block, and what follows the block.
fn block<'t>(text: &'t str, kind: &str) -> Option<(&'t str, &'t str)> {
    let (_, rest) = text.split_once(&format!("\n```{kind}\n"))?;
    rest.split_once("\n```\n")
}

/// What becomes of a skill file in a directory `demo`.
fn shown(skill: &str, sidecar: &str) -> String {
    let tree = format!(
        "/s/demo/SKILL.md = {}\n/s/demo/agents/openai.yaml = {}",
        escape(skill.as_bytes()),
        escape(sidecar.as_bytes())
    );
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let roots = [SkillRoot::new(local(), uri("file:///s"), SkillScope::Repo)];
    let outcome = block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()));
    let skills = outcome
        .skills
        .iter()
        .map(|it| format!("{}: {}", it.name, it.description));
    let codes = codes(&outcome).into_iter().map(str::to_owned);
    skills.chain(codes).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_skill_of_the_guide_gives_what_stands_below_it() {
    let mut rest = GUIDE;
    let mut checked = 0;
    while let Some((skill, behind)) = block(rest, "markdown") {
        let (wanted, behind) = block(behind, "text").unwrap();
        assert_eq!(shown(skill, ""), wanted);
        checked += 1;
        rest = behind;
    }
    assert_eq!(checked, GUIDE.matches("```markdown").count());
    assert!(checked > 4);
}

#[test]
fn the_sidecar_of_the_guide_has_no_bad_field() {
    let (sidecar, _) = block(GUIDE, "yaml").unwrap();
    // It names a product, and none runs here.
    let shown = shown("---\ndescription: d\n---\n", sidecar);
    assert_eq!(shown, "product_restricted");
}

#[test]
fn every_code_of_the_guide_exists() {
    let words =
        GUIDE.split(|it: char| !(it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_'));
    let is_code = |word: &&str| {
        let stems = [
            "frontmatter_",
            "sidecar_",
            "skill_",
            "skills_",
            "manifest_",
            "root_",
            "name_",
            "descriptions_",
        ];
        stems.iter().any(|stem| word.starts_with(stem)) && !word.ends_with('_')
    };
    for word in words.filter(is_code) {
        let is_known = SkillDiagnosticCode::ALL
            .iter()
            .any(|code| code.as_str() == word);
        assert!(is_known, "{word}");
    }
}
