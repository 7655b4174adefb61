//! Rendering, mentions, configuration and the lint, beyond the cases.

use std::sync::Arc;

use codex_config::{ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack};
use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_skills::{
    CatalogBudget, LineExtent, SkillCatalog, SkillConfigRule, SkillDiagnosticCode as Code,
    SkillLoadOptions, SkillLoadOutcome, SkillLocateError, SkillRoot, SkillScope, SkillSelector,
    bundled_skills_enabled, load_skills, render_skills, resolve_mentions, skill_config_rules,
    skill_config_rules_in, skill_mentions, validate,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{codes, local, only, uri};

fn load(tree: &str, roots: &[(&str, SkillScope)]) -> SkillLoadOutcome {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
    let roots: Vec<SkillRoot> = roots
        .iter()
        .map(|(path, scope)| SkillRoot {
            root_id: (*scope == SkillScope::Environment).then(|| "cap".to_owned()),
            ..SkillRoot::new(local(), uri(&format!("file://{path}")), *scope)
        })
        .collect();
    block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()))
}

fn skill(path: &str, description: &str) -> String {
    format!("{path}/SKILL.md = ---%0Adescription: {description}%0A---%0A\n")
}

fn lines(
    outcome: &SkillLoadOutcome,
    budget: CatalogBudget,
) -> (Vec<String>, Vec<(Code, Option<u64>)>) {
    let rendered = render_skills(outcome, budget, None).unwrap();
    let found = rendered
        .diagnostics
        .iter()
        .map(|it| (it.code, it.count))
        .collect();
    (rendered.lines, found)
}

#[test]
fn the_section_is_laid_out_as_stated() {
    let tree = skill("/base/repo/.agents/skills/b", "B")
        + &skill("/base/ex/b", "B")
        + "/base/repo/.agents/skills/p/.codex-plugin/plugin.json = {\"name\":\"plug\"}\n"
        + &skill("/base/repo/.agents/skills/p/skills/a", "Does it.");
    let outcome = load(
        &tree,
        &[
            ("/base/repo/.agents/skills", SkillScope::Repo),
            ("/base/ex", SkillScope::Environment),
        ],
    );
    let budget = CatalogBudget::for_context_window(None);
    let rendered =
        render_skills(&outcome, budget, Some("Read a skill before you use it.")).unwrap();
    assert_eq!(
        rendered.text,
        "<skills_instructions>\n\
         ## Skills\n\
         ### Skill roots\n\
         - `r0` = `/base/repo/.agents/skills`\n\
         - `e0` = `skill://cap/base/ex`\n\
         ### Available skills\n\
         - b: B (file: r0/b/SKILL.md)\n\
         - plug:a: Does it. (file: r0/p/skills/a/SKILL.md)\n\
         - b: B (executor package: e0/b)\n\
         Read a skill before you use it.\n\
         </skills_instructions>"
    );
}

#[test]
fn a_budget_is_shared_evenly_and_cut_text_is_trimmed() {
    let tree = skill("/s/a", "one two") + &skill("/s/b", "x") + &skill("/s/c", "three four five");
    let outcome = load(&tree, &[("/s", SkillScope::Repo)]);
    let bare = bare_cost(&outcome);
    let shown = |extra: u64| lines(&outcome, CatalogBudget::Characters(bare + extra));
    let line = |name: &str, description: &str| {
        format!("- {name}:{description} (file: r0/{name}/SKILL.md)")
    };
    // Each description costs its characters and one blank more.
    assert_eq!(shown(0).0, [line("a", ""), line("b", ""), line("c", "")],);
    assert_eq!(
        shown(12),
        (
            vec![line("a", " one"), line("b", " x"), line("c", " thre")],
            vec![(Code::DescriptionsShortened, Some(2))],
        )
    );
    let full = lines(&outcome, CatalogBudget::Characters(1_000));
    assert_eq!(
        full,
        (
            vec![
                line("a", " one two"),
                line("b", " x"),
                line("c", " three four five")
            ],
            vec![]
        )
    );
}

/// What the root line and the bare lines cost.
fn bare_cost(outcome: &SkillLoadOutcome) -> u64 {
    let rendered = render_skills(outcome, CatalogBudget::Characters(1_000), None).unwrap();
    let root = format!("- `r0` = `{}`", rendered.roots[0].text).len() + 1;
    let bare: usize = outcome
        .skills
        .iter()
        .map(|skill| format!("- {0}: (file: r0/{0}/SKILL.md)", skill.name).len() + 1)
        .sum();
    u64::try_from(root + bare).unwrap()
}

#[test]
fn escaping_counts_against_the_budget() {
    let outcome = load(&skill("/s/a", "a<b>c"), &[("/s", SkillScope::Repo)]);
    let bare = bare_cost(&outcome);
    // `a<` fits where `a&lt;b` does not.
    let (shown, _) = lines(&outcome, CatalogBudget::Characters(bare + 3));
    assert_eq!(shown, ["- a: a< (file: r0/a/SKILL.md)"]);
    let (shown, _) = lines(&outcome, CatalogBudget::Characters(bare + 7));
    assert_eq!(shown, ["- a: a&lt;b (file: r0/a/SKILL.md)"]);
}

#[test]
fn lines_that_do_not_fit_make_room_for_later_ones() {
    let long = "n".repeat(60);
    let tree = skill("/s/a", "A") + &skill(&format!("/s/{long}"), "L") + &skill("/s/z", "Z");
    let outcome = load(&tree, &[("/s", SkillScope::Repo)]);
    let (shown, found) = lines(&outcome, CatalogBudget::Tokens(4 + 8 + 8));
    assert_eq!(
        shown,
        ["- a: (file: r0/a/SKILL.md)", "- z: (file: r0/z/SKILL.md)"]
    );
    assert_eq!(found, [(Code::SkillsOmitted, Some(1))]);
}

#[test]
fn long_descriptions_end_in_three_dots_and_are_told() {
    for (length, shown) in [(1_024, 1_024), (1_025, 1_021)] {
        let outcome = load(
            &skill("/s/a", &"x".repeat(length)),
            &[("/s", SkillScope::Repo)],
        );
        let budget = CatalogBudget::for_context_window(None);
        let rendered = render_skills(&outcome, budget, None).unwrap();
        assert_eq!(rendered.lines[0].matches('x').count(), shown);
        let is_cut = length > shown;
        assert_eq!(rendered.lines[0].contains("... ("), is_cut);
        let found = rendered.diagnostics.iter().map(|it| (it.code, it.count));
        let told = is_cut.then_some((Code::DescriptionsShortened, Some(1)));
        assert_eq!(found.collect::<Vec<_>>(), Vec::from_iter(told));
        let extent = match is_cut {
            true => LineExtent::Shortened,
            false => LineExtent::Whole,
        };
        assert_eq!(rendered.extents[0].1, extent);
    }
}

#[test]
fn every_root_names_its_environment_where_there_are_several() {
    let tree = skill("/srv/skills/fix", "F (file: r1/fix/SKILL.md)");
    let ids = ["a", "b"].map(|id| EnvironmentId::new(id).unwrap());
    let environments = ids.clone().map(|id| {
        let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
        Environment::new(id, uri("file:///"), Arc::new(fs))
    });
    let environments = Arc::new(EnvironmentSet::new(environments.into()).unwrap());
    let roots = ids.map(|id| SkillRoot::new(id, uri("file:///srv/skills"), SkillScope::Repo));
    let outcome = block_on(load_skills(
        &environments,
        &roots,
        &SkillLoadOptions::default(),
    ));
    let rendered = render_skills(&outcome, CatalogBudget::Characters(8_000), None).unwrap();
    assert!(
        rendered
            .text
            .contains("- `r0` = `/srv/skills` for `a`\n- `r1` = `/srv/skills` for `b`\n")
    );
    // No description poses as a locator.
    assert_eq!(
        rendered.lines[0],
        "- fix: F (file\\u{3a} r1/fix/SKILL.md) (file: r0/fix/SKILL.md)"
    );
    let catalog = SkillCatalog::new(environments, outcome);
    let located = catalog.locate("r1/fix/SKILL.md").unwrap();
    assert_eq!(located.environment_id().as_str(), "b");
    let refused = catalog.locate("/srv/skills/fix/SKILL.md").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "it fits 2 skills: /srv/skills/fix/SKILL.md for `a`, /srv/skills/fix/SKILL.md for `b`"
    );
}

#[test]
fn a_locator_written_out_in_full_is_found_with_either_separator() {
    let tree = "C:/p/skills/fix/SKILL.md = ---%0Adescription: d%0A---%0A";
    let fs = MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap();
    let root = SkillRoot {
        root_id: Some("cap".to_owned()),
        ..SkillRoot::new(local(), uri("file:///C:/p"), SkillScope::Environment)
    };
    let environments = Arc::new(only(fs));
    let outcome = block_on(load_skills(
        &environments,
        &[root],
        &SkillLoadOptions::default(),
    ));
    let handle = outcome.skills[0].handle.clone();
    let catalog = SkillCatalog::new(environments, outcome);
    for locator in [
        "e0/skills/fix",
        r"skill://capC:\p/skills/fix",
        r"skill://capC:\p\skills\fix",
        r"C:\p\skills\fix\SKILL.md",
    ] {
        assert_eq!(catalog.locate(locator), Ok(&handle), "{locator}");
    }
    assert_eq!(catalog.locate("e0/skills"), Err(SkillLocateError::Unknown));
}

#[test]
fn a_relative_path_of_a_rule_leads_from_its_file_or_from_the_start_directory() {
    let rule = |path: &str| format!("[[skills.config]]\npath = \"{path}\"\nenabled = false\n");
    let file = uri("file:///h/.codex/config.toml");
    let user = ConfigLayerSource::User {
        file,
        profile: None,
    };
    let session = ConfigLayerSource::SessionFlags;
    let stack = stack(&[
        (user, &rule("../r/a/SKILL.md")),
        (session, &rule("b/SKILL.md")),
    ]);
    let (rules, problems) = skill_config_rules_in(&stack, &uri("file:///w"));
    let selectors: Vec<_> = rules.into_iter().map(|rule| rule.selector).collect();
    let path = |text| SkillSelector::Path(uri(text));
    assert_eq!(
        selectors,
        [path("file:///h/r/a/SKILL.md"), path("file:///w/b/SKILL.md")]
    );
    assert_eq!(problems, []);
}

#[test]
fn a_text_of_which_loading_drops_something_is_not_clean() {
    let codes = |text: &str| {
        let found = validate(text.as_bytes(), "a");
        found.iter().map(|it| it.code.as_str()).collect::<Vec<_>>()
    };
    let cut = "---\nname: a\ndescription: C # developers\n---\n";
    assert_eq!(codes(cut), ["comment_dropped"]);
    let twice = "---\nname: a\ndescription: d\n---\n\n---\nname: a\ndescription: real\n---\n";
    assert_eq!(codes(twice), ["spec_second_block"]);
    let rule = "---\nname: a\ndescription: d\n---\n\n---\n\nA text.\n\n---\n";
    assert_eq!(codes(rule), [""; 0]);
}

#[test]
fn the_share_of_a_context_window_never_overflows() {
    for (tokens, share) in [
        (0, 0),
        (49, 0),
        (50, 1),
        (2_000, 40),
        (u64::MAX, u64::MAX / 50),
    ] {
        assert_eq!(
            CatalogBudget::for_context_window(Some(tokens)),
            CatalogBudget::Tokens(share)
        );
    }
}

#[test]
fn a_selected_capability_wins_an_ambiguous_mention() {
    let tree = skill("/r/dup", "R") + &skill("/u/dup", "U") + &skill("/e/dup", "E");
    let roots = [
        ("/r", SkillScope::Repo),
        ("/u", SkillScope::User),
        ("/e", SkillScope::Environment),
    ];
    let outcome = load(&tree, &roots);
    let (found, problems) = resolve_mentions(&skill_mentions("$dup"), &outcome);
    assert_eq!((found.len(), problems.len()), (1, 0));
    assert_eq!(*found[0].entrypoint(), uri("file:///e/dup/SKILL.md"));
    let two = load(&tree, &roots[..2]);
    let (found, problems) = resolve_mentions(&skill_mentions("$dup $dup"), &two);
    assert!(found.is_empty());
    assert_eq!(problems.len(), 1);
    assert_eq!(
        (problems[0].code, problems[0].field.as_deref()),
        (Code::MentionAmbiguous, Some("dup"))
    );
}

#[test]
fn linked_skills_come_before_named_ones() {
    let tree = skill("/s/a", "A") + &skill("/s/b", "B") + &skill("/e/c", "C");
    let outcome = load(
        &tree,
        &[("/s", SkillScope::Repo), ("/e", SkillScope::Environment)],
    );
    let resolve = |text: &str| {
        let (handles, problems) = resolve_mentions(&skill_mentions(text), &outcome);
        assert_eq!(problems, []);
        let names = handles.iter().map(|handle| {
            let skill = outcome
                .skills
                .iter()
                .find(|skill| skill.handle == *handle)
                .unwrap();
            skill.name.clone()
        });
        names.collect::<Vec<_>>()
    };
    assert_eq!(resolve("$a [$x](/s/b/SKILL.md) $b"), ["b", "a"]);
    assert_eq!(
        resolve("[$c](skill://cap/e/c) [$a](file:///s/a/SKILL.md)"),
        ["a", "c"]
    );
    assert_eq!(
        resolve("[$path](/s/a/SKILL.md) $PATH $xdg_config_home"),
        [""; 0]
    );
    assert_eq!(
        resolve("[$a](mcp://a) [$a](plugin://a) [$a](skill:///nope)"),
        [""; 0]
    );
    assert_eq!(resolve("[$a] (x [$b](/s/b/SKILL.md"), ["a", "b"]);
    assert_eq!(resolve("[$](/s/a/SKILL.md) $ $$"), [""; 0]);
}

#[test]
fn names_are_judged_anew_when_rules_switch_skills() {
    let tree = skill("/r/dup", "R") + &skill("/u/dup", "U") + &skill("/u/x", "X");
    let mut outcome = load(&tree, &[("/r", SkillScope::Repo), ("/u", SkillScope::User)]);
    assert_eq!(codes(&outcome), ["name_ambiguous"]);
    let before = outcome.clone();
    let rule = |path: &str, enabled| SkillConfigRule {
        selector: SkillSelector::Path(uri(path)),
        enabled,
    };
    outcome.apply_config(&[rule("file:///u/dup/SKILL.md", false)]);
    assert_eq!(codes(&outcome), [""; 0]);
    assert_eq!(
        outcome.skills.iter().filter(|skill| skill.enabled).count(),
        2
    );
    outcome.apply_config(&[rule("file:///u/dup/SKILL.md", true)]);
    assert_eq!(outcome, before);
}

#[test]
fn a_rule_selects_by_whole_name_identity_or_path_as_walked() {
    let tree = "/r/p/.codex-plugin/plugin.json = {\"name\":\"plug\"}\n/r/l -> /real\n".to_owned()
        + &skill("/r/p/x", "X")
        + &skill("/real/y", "Y");
    let outcome = load(&tree, &[("/r", SkillScope::Repo)]);
    let off_by = |selector: SkillSelector| {
        let mut outcome = outcome.clone();
        let enabled = false;
        outcome.apply_config(&[SkillConfigRule { selector, enabled }]);
        let off = outcome.skills.into_iter().filter(|skill| !skill.enabled);
        off.map(|skill| skill.name).collect::<Vec<_>>()
    };
    for (name, off) in [
        ("plug:x", &["plug:x"][..]),
        (" plug:x\n", &["plug:x"]),
        ("y", &["y"]),
        ("x", &[]),
        ("plug", &[]),
        ("Y", &[]),
        ("", &[]),
    ] {
        assert_eq!(
            off_by(SkillSelector::Name(name.to_owned())),
            off,
            "{name:?}"
        );
    }
    for (path, off) in [
        ("/real/y/SKILL.md", &["y"][..]),
        ("/r/l/y/SKILL.md", &["y"]),
        ("/r/p/x/SKILL.md", &["plug:x"]),
        ("/real/y", &[]),
        ("/R/p/x/SKILL.md", &[]),
    ] {
        let path = uri(&format!("file://{path}"));
        assert_eq!(off_by(SkillSelector::Path(path.clone())), off, "{path}");
    }
}

#[test]
fn truncated_diagnostics_stay_counted_when_rules_are_applied() {
    let broken: String = (0..1_030)
        .map(|number| format!("/s/d{number:04}/SKILL.md = x\n"))
        .collect();
    let tree = broken + &skill("/r/dup", "R") + &skill("/u/dup", "U");
    let roots = [
        ("/s", SkillScope::Repo),
        ("/r", SkillScope::Repo),
        ("/u", SkillScope::User),
    ];
    let mut outcome = load(&tree, &roots);
    let left_out = |outcome: &SkillLoadOutcome| outcome.diagnostics.last().unwrap().count;
    assert_eq!(left_out(&outcome), Some(7));
    let off = SkillConfigRule {
        selector: SkillSelector::Name("dup".to_owned()),
        enabled: false,
    };
    outcome.apply_config(&[off]);
    assert_eq!(
        (left_out(&outcome), outcome.diagnostics.len()),
        (Some(6), 1_025)
    );
}

fn stack(layers: &[(ConfigLayerSource, &str)]) -> ConfigLayerStack {
    let layers = layers
        .iter()
        .map(|(source, text)| ConfigLayerEntry::from_toml_text(source.clone(), text).unwrap());
    ConfigLayerStack::new(layers.collect()).unwrap()
}

#[test]
fn only_the_user_and_the_session_switch_skills() {
    let rule = |name: &str| format!("[[skills.config]]\nname = \"{name}\"\nenabled = false\n");
    let stack = stack(&[
        (
            ConfigLayerSource::System {
                file: uri("file:///etc/c.toml"),
            },
            &rule("system"),
        ),
        (
            ConfigLayerSource::User {
                file: uri("file:///h/c.toml"),
                profile: None,
            },
            &rule("user"),
        ),
        (
            ConfigLayerSource::Project {
                dot_codex_folder: uri("file:///r/.codex"),
            },
            &rule("project"),
        ),
        (ConfigLayerSource::SessionFlags, &rule("session")),
    ]);
    let (rules, problems) = skill_config_rules(&stack);
    let names: Vec<SkillSelector> = rules.into_iter().map(|rule| rule.selector).collect();
    assert_eq!(
        names,
        ["user", "session"].map(|name| SkillSelector::Name(name.to_owned()))
    );
    assert_eq!(problems, []);
}

#[test]
fn a_rule_that_cannot_be_understood_is_reported_and_ignored() {
    let text = "[[skills.config]]\nenabled = false\n\
        [[skills.config]]\nname = \"a\"\npath = \"/x\"\nenabled = false\n\
        [[skills.config]]\nname = \"a\"\n\
        [[skills.config]]\npath = \"relative\"\nenabled = false\n\
        [[skills.config]]\nname = \" \"\nenabled = false\n\
        [[skills.config]]\nname = \"a\"\nenabled = \"no\"\n\
        [[skills.config]]\npath = \"/x/SKILL.md\"\nenabled = true\n";
    let (rules, problems) = skill_config_rules(&stack(&[(ConfigLayerSource::SessionFlags, text)]));
    let path = SkillSelector::Path(uri("file:///x/SKILL.md"));
    assert_eq!(
        rules,
        [SkillConfigRule {
            selector: path,
            enabled: true
        }]
    );
    let fields: Vec<_> = problems
        .iter()
        .map(|it| (it.code.as_str(), it.field.as_deref()))
        .collect();
    let field = |index| ("config_rule_invalid", Some(index));
    assert_eq!(
        fields,
        [
            field("skills.config[0]"),
            field("skills.config[1]"),
            field("skills.config[2]"),
            field("skills.config[3]"),
            field("skills.config[4]"),
            field("skills.config[5]"),
        ]
    );
    let (_, problems) = skill_config_rules(&stack(&[(
        ConfigLayerSource::SessionFlags,
        "skills.config = 1",
    )]));
    assert_eq!(problems.len(), 1);
}

#[test]
fn bundled_skills_are_wanted_unless_the_user_says_no() {
    let off = "[skills.bundled]\nenabled = false\n";
    let user = ConfigLayerSource::User {
        file: uri("file:///h/c.toml"),
        profile: None,
    };
    let project = ConfigLayerSource::Project {
        dot_codex_folder: uri("file:///r/.codex"),
    };
    assert!(bundled_skills_enabled(&stack(&[])));
    assert!(!bundled_skills_enabled(&stack(&[(user, off)])));
    assert!(bundled_skills_enabled(&stack(&[(project, off)])));
}

#[test]
fn the_lint_reports_every_rule_in_order() {
    let text = format!(
        "---\nname: Bad_Name{}\ndescription: a: {}\nzeta: 1\nalpha: 2\ncompatibility: {}\nmetadata:\n  v: 1.0\n---\n",
        "x".repeat(60),
        "d".repeat(1_030),
        "c".repeat(501),
    );
    let found = validate(text.as_bytes(), "other");
    // Loading refuses a long name, the lint judges it.
    let codes: Vec<&str> = found.iter().map(|it| it.code.as_str()).collect();
    assert_eq!(
        codes,
        [
            "spec_yaml_repaired",
            "spec_unknown_key",
            "spec_unknown_key",
            "spec_name_length",
            "spec_name_characters",
            "spec_name_directory_mismatch",
            "spec_description_length",
            "spec_compatibility_length",
            "spec_metadata_shape",
        ]
    );
    let keys: Vec<_> = found.iter().filter_map(|it| it.field.as_deref()).collect();
    assert_eq!(keys, ["zeta", "alpha"]);
}

#[test]
fn each_length_of_the_lint_includes_its_limit() {
    let found = |name: usize, description: usize, compatibility: usize| {
        let name = "n".repeat(name);
        let text = format!(
            "---\nname: {name}\ndescription: {}\ncompatibility: {}\n---\n",
            "é".repeat(description),
            "é".repeat(compatibility),
        );
        let found = validate(text.as_bytes(), &name);
        found.iter().map(|it| it.code.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(found(64, 1_024, 500), [""; 0]);
    assert_eq!(found(65, 1_024, 500), ["spec_name_length"]);
    assert_eq!(found(64, 1_025, 500), ["spec_description_length"]);
    assert_eq!(found(64, 1_024, 501), ["spec_compatibility_length"]);
    // Characters are counted before folding.
    let wide = format!(
        "---\nname: a\ndescription: 'a{}b'\n---\n",
        " ".repeat(1_023)
    );
    let codes = validate(wide.as_bytes(), "a");
    assert_eq!(codes[0].code, Code::SpecDescriptionLength);
    assert_eq!(codes.len(), 1);
}

#[test]
fn the_lint_names_each_unknown_key_once_and_refuses_what_loading_refuses() {
    let codes = |text: &str| {
        let found = validate(text.as_bytes(), "a");
        let code = |it: &codex_skills::SkillDiagnostic| (it.code.as_str(), it.field.clone());
        found.iter().map(code).collect::<Vec<_>>()
    };
    let unknown = |key: &str| ("spec_unknown_key", Some(key.to_owned()));
    let twice = "---\nname: a\ndescription: d\ny: 1\nx: 1\ny: 2\nx: 2\n---\n";
    assert_eq!(codes(twice), [unknown("y"), unknown("x")]);
    for (metadata, is_map) in [
        ("", true),
        ("{}", true),
        ("{a: b}", true),
        ("{a: '1'}", true),
        ("{a: !!str 1}", true),
        ("{a: 1}", false),
        ("{a: true}", false),
        ("{a: }", false),
        ("{a: [b]}", false),
        ("[a]", false),
        ("text", false),
    ] {
        let text = format!("---\nname: a\ndescription: d\nmetadata: {metadata}\n---\n");
        let shape = (!is_map).then_some(("spec_metadata_shape", None));
        assert_eq!(codes(&text), Vec::from_iter(shape), "{metadata}");
    }
    for (block, code) in [
        ("name: [a]\ndescription: d", "frontmatter_wrong_type"),
        (
            "name: a\nname: a\ndescription: d",
            "frontmatter_duplicate_key",
        ),
        ("name: a\nx:\n\ty: z", "frontmatter_invalid"),
        ("- a", "frontmatter_wrong_type"),
    ] {
        assert_eq!(
            codes(&format!("---\n{block}\n---\n")),
            [(code, None)],
            "{block}"
        );
    }
    let not_utf8 = validate(b"---\nname: a\n---\n\xff", "a");
    assert_eq!(not_utf8[0].code, Code::SkillNotUtf8);
}

#[test]
fn the_lint_refuses_only_what_loading_refuses() {
    let block = "name: d\ndescription: x\n<<: text\n";
    let tree = format!("/s/d/SKILL.md = ---%0A{}---%0A", block.replace('\n', "%0A"));
    let outcome = load(&tree, &[("/s", SkillScope::User)]);
    assert_eq!(codes(&outcome), ["frontmatter_invalid"]);
    let block = format!("---\n{block}---\n");
    let findings = validate(block.as_bytes(), "d");
    let found: Vec<_> = findings.iter().map(|finding| finding.code).collect();
    assert_eq!(found, [Code::FrontmatterInvalid]);
}
