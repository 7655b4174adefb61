//! What findings say to a person.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, Operation};
use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem};
use codex_skills::{
    SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope, load_skills,
    validate,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{local, only, uri};

fn skill(path: &str) -> String {
    format!("{path}/SKILL.md = ---%0Adescription: D%0A---%0A\n")
}

fn memory(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

fn user_root(environment: EnvironmentId, path: &str) -> SkillRoot {
    SkillRoot::new(environment, uri(path), SkillScope::User)
}

fn sentences(outcome: &SkillLoadOutcome) -> Vec<String> {
    let diagnostics = outcome.diagnostics.iter();
    diagnostics.map(ToString::to_string).collect()
}

fn load_within(limits: SkillScanLimits, tree: &str) -> Vec<String> {
    let options = SkillLoadOptions {
        limits,
        ..SkillLoadOptions::default()
    };
    let roots = [user_root(local(), "file:///r")];
    sentences(&block_on(load_skills(
        &only(memory(tree)),
        &roots,
        &options,
    )))
}

#[test]
fn an_ambiguous_name_is_told_with_the_other_places_and_their_environments() {
    let far = EnvironmentId::new("far").unwrap();
    let bind = |id: &EnvironmentId, tree: String| {
        Environment::new(id.clone(), uri("file:///"), Arc::new(memory(&tree)))
    };
    let here = bind(&local(), skill("/a/dup") + &skill("/b/dup"));
    let environments = EnvironmentSet::new(vec![here, bind(&far, skill("/c/dup"))]).unwrap();
    let roots = [
        user_root(local(), "file:///a"),
        user_root(local(), "file:///b"),
        user_root(far, "file:///c"),
    ];
    let load = |roots: &[SkillRoot]| {
        sentences(&block_on(load_skills(
            &environments,
            roots,
            &SkillLoadOptions::default(),
        )))
    };
    assert_eq!(
        load(&roots[..2]),
        [
            "2 enabled skills are called `dup`, file:///b/dup/SKILL.md and this one: \
          file:///a/dup/SKILL.md in environment `local`"
        ]
    );
    assert_eq!(
        load(&roots),
        [
            "3 enabled skills are called `dup`, file:///b/dup/SKILL.md, \
          file:///c/dup/SKILL.md in environment `far` and this one: \
          file:///a/dup/SKILL.md in environment `local`"
        ]
    );
}

#[test]
fn of_many_places_of_an_ambiguous_name_the_rest_is_counted() {
    let tree: String = (0..6).map(|at| skill(&format!("/r/{at}/dup"))).collect();
    let places = (1..4).map(|at| format!("file:///r/{at}/dup/SKILL.md, "));
    let places: String = places.collect();
    assert_eq!(
        load_within(SkillScanLimits::default(), &tree),
        [format!(
            "6 enabled skills are called `dup`, {places}2 more and this one: \
             file:///r/0/dup/SKILL.md in environment `local`"
        )]
    );
}

#[test]
fn a_reached_limit_is_told_with_its_place_what_it_left_out_and_what_to_do() {
    let limits = SkillScanLimits::default();
    let in_root = |what: &str| [format!("{what}: file:///r in environment `local`")];
    let deep = SkillScanLimits {
        max_depth: 1,
        ..limits
    };
    assert_eq!(
        load_within(deep, "/r/a/b/\n/r/a/c/"),
        in_root(
            "`file:///r/a` holds directories deeper than 1 levels, so 2 known directories are not \
             listed: move up what holds skills"
        )
    );
    let few = SkillScanLimits {
        max_directories: 2,
        ..limits
    };
    assert_eq!(
        load_within(few, "/r/a/\n/r/b/"),
        in_root(
            "there are more than 2 directories before `file:///r/b`, so 1 known directory is not \
             listed: move away what holds no skills"
        )
    );
    let short = SkillScanLimits {
        max_entries: 3,
        ..limits
    };
    assert_eq!(
        load_within(short, "/r/a/x = %0A\n/r/a/y = %0A\n/r/b/"),
        in_root(
            "there are more than 3 names up to `file:///r/a`, which holds 2, so 1 known directory \
             is not listed: move away what no skill needs"
        )
    );
    assert_eq!(
        load_within(short, "/r/a = %0A\n/r/b = %0A\n/r/c = %0A\n/r/d = %0A"),
        in_root(
            "there are more than 3 names up to `file:///r`, which holds 4, and the walk ends \
             there, but no known directory is left out"
        )
    );
}

fn load_failing(kind: ErrorKind, operation: Operation, tree: &str) -> Vec<String> {
    let files = Faulty::new(memory(tree)).on(Fault::error(kind).of(operation));
    let roots = [user_root(local(), "file:///r")];
    sentences(&block_on(load_skills(
        &only(files),
        &roots,
        &SkillLoadOptions::default(),
    )))
}

#[test]
fn what_cannot_be_read_is_told_with_the_reason_in_words() {
    assert_eq!(
        load_failing(ErrorKind::FileTooLarge, Operation::ReadFile, &skill("/r/a")),
        [
            "cannot read the skill file (file too large): file:///r/a/SKILL.md in environment \
             `local`"
        ]
    );
    assert_eq!(
        load_failing(ErrorKind::TimedOut, Operation::ReadDirectory, "/r/"),
        ["cannot list the directory (timed out): file:///r in environment `local`"]
    );
}

#[test]
fn a_refused_manifest_is_told_with_the_place_in_it() {
    let tree = skill("/r/a") + "/r/a/.codex-plugin/plugin.json = {\"name\": 5}\n";
    let found = load_within(SkillScanLimits::default(), &tree);
    assert_eq!(
        found,
        [
            "the manifest gives no namespace: `name` has the wrong type: expected a string, found \
             a number, at line 1 column 10: file:///r/a/.codex-plugin/plugin.json in environment \
             `local`"
        ]
    );
}

fn judged(text: &str, directory: &str) -> Vec<String> {
    let found = validate(text.as_bytes(), directory);
    found.into_iter().map(|finding| finding.message).collect()
}

#[test]
fn the_lint_tells_the_name_and_the_directory_that_it_is_to_have() {
    let named = |name: &str| format!("---\nname: {name}\ndescription: D\n---\n");
    assert_eq!(
        judged(&named("Two Words"), "other"),
        [
            "the name `Two Words` is not made of a-z, 0-9 and single inner hyphens",
            "the name `Two Words` is to be that of the directory, `other`",
        ]
    );
    let long = "n".repeat(70);
    assert_eq!(
        judged(&named(&long), &long),
        ["the name has 70 characters, more than 64"]
    );
}

#[test]
fn a_place_in_the_frontmatter_is_told_by_the_lines_of_the_file() {
    let refused = |block: &str| judged(&format!("---\n{block}\n---\n"), "a").remove(0);
    let tab = refused("name: a\nx:\n\ty: z");
    assert!(tab.ends_with(" at line 4 column 2"), "{tab}");
    assert_eq!(
        refused("name: a\n<<: text"),
        "cannot use the frontmatter: no valid YAML: YAML merge value must be mapping or sequence of \
         mappings at line 3 column 5"
    );
}

#[test]
fn an_empty_block_is_not_called_a_missing_one() {
    assert_eq!(
        judged("---\n---\nbody\n", "a"),
        ["the block between the first two lines of `---` is empty"]
    );
}

#[test]
fn a_missing_block_is_told_with_what_stands_in_its_place() {
    let told = |text: &str| {
        let mut found = judged(text, "a");
        assert_eq!(found.len(), 1, "{text:?}");
        found.remove(0)
    };
    let block = "---\nname: a\ndescription: d\n---\n";
    for (first, is) in [
        ("# Heading", "a heading"),
        ("<!-- c -->", "a comment"),
        ("", "blank"),
        ("```yaml", "a code fence"),
        ("+++", "`+++`, which opens TOML"),
        ("----", "dashes, but not three"),
        ("\u{2014}", "typographic dashes, not three `-`"),
        (
            "\u{2013}\u{2013}\u{2013}",
            "typographic dashes, not three `-`",
        ),
        ("--- yaml", "`---` with more text behind it"),
        ("-\0-\0-\0", "UTF-16: save the file as UTF-8"),
        ("Text.", "text"),
    ] {
        let begin = "the skill file does not begin with a block between two lines of `---`";
        assert_eq!(
            told(&format!("{first}\n{block}")),
            format!(
                "{begin}: line 1 is {is}, and a block stands at lines 2 to 5, which is to come first"
            )
        );
        let alone = format!("{begin}: line 1 is {is}");
        assert_eq!(told(&format!("{first}\nbody\n")), alone);
    }
    assert!(told("").ends_with("line 1 is empty, and so is the file"));
    assert_eq!(
        told("---\nname: a\n"),
        "the block that line 1 opens is never closed by a line of `---`"
    );
    let utf16 = validate(b"\xff\xfe-\0-\0-\0\n\0", "a").remove(0).message;
    assert_eq!(utf16, "the skill file is UTF-16: save it as UTF-8");
}

#[test]
fn a_value_of_the_wrong_kind_is_told_with_its_place_and_what_is_due() {
    let told = |block: &str| judged(&format!("---\n{block}\n---\n"), "a").remove(0);
    assert_eq!(
        told("name: a\ndescription:\n  - x\n"),
        "cannot use the frontmatter: `description` is a list, and should be a text, at line 4 column 3"
    );
    assert_eq!(
        told("name: a\nname: b"),
        "cannot use the frontmatter: `name` stands twice, the second time at line 3 column 1"
    );
}

#[test]
fn a_description_that_is_missed_is_told_with_what_may_be_meant() {
    let load = |block: &str| {
        let tree = format!(
            "/r/a/SKILL.md = ---%0A{}%0A---%0A",
            block.replace('\n', "%0A")
        );
        load_within(SkillScanLimits::default(), &tree).remove(0)
    };
    assert!(load("name: a\nDescription: d").starts_with(
        "the frontmatter has no description: `Description` at line 3 is to be `description`: "
    ));
    assert!(load("description: #1 tool").starts_with(
        "the frontmatter has no description: `#` at line 2 begins a comment, so quote the value: "
    ));
    assert_eq!(
        judged("---\nName: a\nname: a\ndescription: d\n---\n", "a"),
        ["the specification has no key `Name`, but `name`"]
    );
}
