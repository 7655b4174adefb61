//! Mentions: which texts are tokens and links, and which skills they name.

use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_skills::{
    Mentions, SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScope, load_skills,
    resolve_mentions, skill_mentions,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{local, only, uri};

fn load(flavor: Flavor, tree: &str, roots: &[(&str, SkillScope)]) -> SkillLoadOutcome {
    let skills = tree.replace("SKILL", "SKILL.md = ---%0Adescription: d%0A---");
    let fs = MemoryFileSystem::from_tree(flavor, &skills).unwrap();
    let root = |(path, scope): &(&str, SkillScope)| SkillRoot {
        root_id: (*scope == SkillScope::Environment).then(|| "cap".to_owned()),
        ..SkillRoot::new(local(), uri(path), *scope)
    };
    let roots: Vec<SkillRoot> = roots.iter().map(root).collect();
    block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()))
}

/// The entrypoints of the skills a text mentions, and the names that are ambiguous.
fn mentioned(outcome: &SkillLoadOutcome, text: &str) -> (Vec<String>, Vec<String>) {
    let (handles, problems) = resolve_mentions(&skill_mentions(text), outcome);
    let paths = handles.iter().map(|it| it.entrypoint().to_string());
    let names = problems.into_iter().map(|it| {
        assert_eq!(it.code.as_str(), "mention_ambiguous");
        it.field.unwrap()
    });
    (paths.collect(), names.collect())
}

fn names(text: &str) -> Vec<String> {
    let Mentions { links, names } = skill_mentions(text);
    assert_eq!(links, [""; 0], "{text:?}");
    names
}

#[test]
fn a_token_is_a_dollar_and_the_longest_run_of_name_characters() {
    let rows: [(&str, &[&str]); 14] = [
        ("$alpha", &["alpha"]),
        ("($alpha)", &["alpha"]),
        ("`$alpha`", &["alpha"]),
        ("x$alpha", &["alpha"]),
        ("$$alpha", &["alpha"]),
        ("é$alpha", &["alpha"]),
        ("\\$alpha", &["alpha"]),
        ("$alpha $alpha", &["alpha"]),
        ("$beta $alpha", &["beta", "alpha"]),
        ("$a_-:9.", &["a_-:9"]),
        ("$alpha: x", &["alpha:"]),
        ("$alphaé", &["alpha"]),
        ("$a$b", &["a", "b"]),
        ("[$alpha]", &["alpha"]),
    ];
    for (text, expected) in rows {
        assert_eq!(names(text), expected, "{text:?}");
    }
    for text in ["", "alpha", "$", "$ alpha", "$é", "$(alpha)", "＄alpha"] {
        assert_eq!(names(text), [""; 0], "{text:?}");
    }
}

#[test]
fn variables_are_no_tokens_whatever_their_case() {
    let variables = [
        "PATH",
        "HOME",
        "USER",
        "SHELL",
        "PWD",
        "TMPDIR",
        "TEMP",
        "TMP",
        "LANG",
        "TERM",
        "XDG_CONFIG_HOME",
    ];
    for name in variables {
        let mixed = format!("{}{}", &name[..1], name[1..].to_lowercase());
        for name in [name, &name.to_lowercase(), &mixed] {
            let text = format!("${name} [${name}](/s/a/SKILL.md)");
            assert_eq!(skill_mentions(&text), Mentions::default(), "{text:?}");
        }
        let longer = format!("${name}2");
        assert_eq!(names(&longer), [format!("{name}2")]);
    }
}

#[test]
fn a_link_is_a_token_in_brackets_and_a_target_in_parentheses() {
    let links = |text: &str| {
        let Mentions { links, names } = skill_mentions(text);
        assert_eq!(names, [""; 0], "{text:?}");
        links
    };
    for text in [
        "[$a](/x)",
        "see [$a](/x).",
        "[$a] (/x)",
        "[$a]\t\n\r \u{c}(/x)",
        "[$a](/x) [$b](/x)",
    ] {
        assert_eq!(links(text), ["/x"], "{text:?}");
    }
    assert_eq!(links("[$a](/x)[$b](/y)"), ["/x", "/y"]);
    assert_eq!(links("[$a]()"), [""]);
    // What is no link leaves the name plain.
    for text in [
        "[$a]\u{a0}(/x)",
        "[ $a](/x)",
        "[$a ](/x)",
        "[$a](/x",
        "$a](/x)",
        "[$a]",
        "[$a][/x]",
        "(/x)[$a]",
    ] {
        assert_eq!(names(text), ["a"], "{text:?}");
    }
}

#[test]
fn a_link_names_the_file_as_walked_or_where_it_is() {
    let tree = "/real/SKILL\n/s/dup/SKILL\n/s/l -> /real\n/u/dup/SKILL";
    let roots = [
        ("file:///s", SkillScope::Repo),
        ("file:///u", SkillScope::User),
    ];
    let outcome = load(Flavor::Posix, tree, &roots);
    let dup = "file:///u/dup/SKILL.md";
    for target in [
        "/u/dup/SKILL.md",
        "skill:///u/dup/SKILL.md",
        "file:///u/dup/SKILL.md",
        "skill://file:///u/dup/SKILL.md",
        "file:///u/%64up/SKILL.md",
    ] {
        let found = mentioned(&outcome, &format!("[$dup]({target})"));
        assert_eq!(found, (vec![dup.to_owned()], vec![]), "{target:?}");
    }
    for target in ["/real/SKILL.md", "/s/l/SKILL.md"] {
        let found = mentioned(&outcome, &format!("[$anything]({target})"));
        let expected = (vec!["file:///s/l/SKILL.md".to_owned()], vec![]);
        assert_eq!(found, expected, "{target:?}");
    }
    for target in [
        "",
        "u/dup/SKILL.md",
        "/u/dup",
        "/U/dup/SKILL.md",
        "r1/dup/SKILL.md",
        "app://dup",
        "mcp://dup",
        "plugin:///u/dup/SKILL.md",
        "SKILL:///u/dup/SKILL.md",
    ] {
        let found = mentioned(&outcome, &format!("[$dup]({target})"));
        assert_eq!(found, (vec![], vec![]), "{target:?}");
    }
}

#[test]
fn a_link_to_a_windows_skill_is_native_or_a_uri_on_any_host() {
    let tree = "C:/s/a/SKILL";
    let outcome = load(Flavor::Windows, tree, &[("file:///C:/s", SkillScope::Repo)]);
    for target in [
        "C:\\s\\a\\SKILL.md",
        "c:/s/a/SKILL.md",
        "skill://C:\\s\\a\\SKILL.md",
        "file:///C:/s/a/SKILL.md",
    ] {
        let (found, _) = mentioned(&outcome, &format!("[$x]({target})"));
        assert_eq!(found, ["file:///C:/s/a/SKILL.md"], "{target:?}");
    }
}

#[test]
fn a_full_locator_is_matched_as_rendered_and_as_spelled() {
    let tree = "/e/a`b/SKILL\n/e/c/SKILL";
    let outcome = load(
        Flavor::Posix,
        tree,
        &[("file:///e", SkillScope::Environment)],
    );
    for target in ["skill://cap/e/a`b", "skill://cap/e/a\\u{60}b"] {
        let (found, _) = mentioned(&outcome, &format!("[$x]({target})"));
        assert_eq!(found, ["file:///e/a%60b/SKILL.md"], "{target:?}");
    }
    for target in [
        "skill://cap/e",
        "skill://cap/e/c/",
        "skill://other/e/c",
        "e0/c",
    ] {
        let (found, _) = mentioned(&outcome, &format!("[$x]({target})"));
        assert_eq!(found, [""; 0], "{target:?}");
    }
}

#[test]
fn names_are_whole_exact_and_never_disabled() {
    let tree = "/s/p/.codex-plugin/plugin.json = {\"name\":\"plug\"}\n/s/p/x/SKILL\n\
        /s/Upper/SKILL\n/s/two words/SKILL\n/s/off/SKILL";
    let mut outcome = load(Flavor::Posix, tree, &[("file:///s", SkillScope::Repo)]);
    outcome.apply_config(&[codex_skills::SkillConfigRule {
        selector: codex_skills::SkillSelector::Name("off".to_owned()),
        enabled: false,
    }]);
    let found = |text: &str| mentioned(&outcome, text).0;
    assert_eq!(found("$plug:x"), ["file:///s/p/x/SKILL.md"]);
    assert_eq!(found("$Upper"), ["file:///s/Upper/SKILL.md"]);
    for text in [
        "$x",
        "$PLUG:x",
        "$plug",
        "$upper",
        "$UPPER",
        "$two words",
        "$off",
        "$up",
    ] {
        assert_eq!(found(text), [""; 0], "{text:?}");
    }
    assert_eq!(found("[$off](/s/off/SKILL.md)"), [""; 0]);
}

#[test]
fn an_ambiguous_name_is_reported_once_and_a_link_or_a_capability_decides() {
    let tree = "/r/dup/SKILL\n/u/dup/SKILL\n/e/dup/SKILL\n/f/dup/SKILL";
    let (repo, user) = (
        ("file:///r", SkillScope::Repo),
        ("file:///u", SkillScope::User),
    );
    let selected = [
        ("file:///e", SkillScope::Environment),
        ("file:///f", SkillScope::Environment),
    ];
    let two = load(Flavor::Posix, tree, &[repo, user]);
    assert_eq!(
        mentioned(&two, "$dup $dup"),
        (vec![], vec!["dup".to_owned()])
    );
    let linked = mentioned(&two, "[$dup](/u/dup/SKILL.md) $dup");
    let path = "file:///u/dup/SKILL.md".to_owned();
    assert_eq!(linked, (vec![path], vec!["dup".to_owned()]));
    let one_selected = load(Flavor::Posix, tree, &[repo, user, selected[0]]);
    let path = "file:///e/dup/SKILL.md".to_owned();
    assert_eq!(mentioned(&one_selected, "$dup"), (vec![path], vec![]));
    let two_selected = load(Flavor::Posix, tree, &[repo, selected[0], selected[1]]);
    assert_eq!(
        mentioned(&two_selected, "$dup"),
        (vec![], vec!["dup".to_owned()])
    );
}
