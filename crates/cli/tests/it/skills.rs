//! `skills`: what is shown of a load, in every shape; a skill's files; the lint.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

/// A skill in each kind of root, one that configuration disables, one on request, and one lost.
const REPO: &str = r#"
/home/config.toml = [[skills.config]]%0Aname = 'own'%0Aenabled = false%0A
/home/skills/own/SKILL.md = ---%0Aname: own%0Adescription: Written by me.%0A---%0A
/home/skills/.system/bundled/SKILL.md = ---%0Aname: bundled%0Adescription: Comes with it.%0A---%0A
/user/.agents/skills/mine/SKILL.md = ---%0Aname: mine%0Adescription: Mine alone.%0A---%0A
/etc/skills/policy/SKILL.md = ---%0Aname: policy%0Adescription: House rules.%0A---%0A
/w/repo/.git/
/w/repo/.codex/skills/old/SKILL.md = ---%0Aname: old%0Adescription: Of old.%0A---%0A
/w/repo/.agents/skills/lost/SKILL.md = no frontmatter%0A
/w/repo/.agents/skills/tools/.codex-plugin/plugin.json = {"name": "tools"}
/w/repo/.agents/skills/tools/skills/lint/SKILL.md = ---%0Aname: lint%0Adescription: Finds what the compiler lets through, and says how to mend it.%0Ametadata:%0A  short-description: Lints.%0A---%0A
/w/repo/.agents/skills/tools/skills/lint/agents/openai.yaml = interface:%0A  display_name: Lint%0A  icon_small: assets/lint.svg%0Adependencies:%0A  tools:%0A    - type: mcp%0A      value: clippy%0Apolicy:%0A  allow_implicit_invocation: false%0A
/w/repo/sub/.agents/skills/near/SKILL.md = ---%0Aname: near%0Adescription: Lies near.%0A---%0A
/cap/pack/SKILL.md = ---%0Aname: pack%0Adescription: Selected.%0A---%0A"#;

fn run(arguments: &[&str]) -> Ran {
    Sandbox::new(REPO).run(&[&["skills", "repo/sub"], arguments].concat())
}

/// Without the tokens of the whole section, which depend on where the sandbox is.
fn masked(ran: &Ran) -> String {
    let lines = ran.all();
    let lines = lines
        .lines()
        .map(|line| match line.strip_prefix("catalog  about ") {
            Some(_) => "catalog  about N tokens\n".to_owned(),
            None => format!("{line}\n"),
        });
    lines.collect()
}

/// A tree with one skill of this text.
fn one(text: &str) -> Sandbox {
    let sandbox = Sandbox::new("/w/r/.git/");
    sandbox.write("/w/r/.agents/skills/fix/SKILL.md", text);
    sandbox
}

#[test]
fn the_table_shows_every_skill_every_root_and_the_totals() {
    let selected = ["--root", "../cap", "--root", "../none"];
    let table = ["--format", "table"];
    let ran = run(&[&table[..], &selected].concat());
    assert_snapshot!("table", masked(&ran));
}

#[test]
fn a_narrow_terminal_cuts_descriptions_and_sources() {
    let sandbox = Sandbox::new(REPO);
    let mut command = sandbox.command(&["skills", "repo/sub", "--format", "table"]);
    let ran = sandbox.finish(command.env("COLUMNS", "60"));
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 60));
    let rows: Vec<&str> = ran.stdout.lines().skip(5).take(3).collect();
    assert_snapshot!("narrow", rows.join("\n"));
}

#[test]
fn a_pipe_gets_one_tab_separated_row_per_skill() {
    assert_snapshot!("rows", run(&[]).all());
}

#[test]
fn json_is_one_object_with_everything_that_was_found() {
    let mut found = run(&["--format", "json", "--root", "../cap"]).json();
    // It depends on where the sandbox is.
    found["catalog"]["tokens"] = json!("N");
    assert_snapshot!("json", serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn jsonl_has_one_line_per_skill_root_and_finding() {
    let ran = run(&["--format", "jsonl"]);
    let lines = ran.stdout.lines();
    let lines = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let types: Vec<String> = lines
        .map(|line| line["type"].as_str().unwrap().to_owned())
        .collect();
    let roots = ["root"; 8];
    let expected = [&["skills"][..], &["skill"; 7], &roots, &["diagnostic"]].concat();
    assert_eq!(types, expected);
}

#[test]
fn the_catalog_is_exactly_what_the_model_is_given() {
    assert_snapshot!("catalog", run(&["--catalog", "--root", "../cap"]).all());
    // Nobody is told of a skill, so there is no section.
    let nothing = Sandbox::new("/w/r/.git/").run(&["skills", "r", "--catalog"]);
    assert_eq!(nothing.clean(), "");
}

#[test]
fn a_rule_that_no_skill_obeys_is_told_below_the_table() {
    let sandbox = one("---\nname: fix\ndescription: D\n---\n");
    let rules = "skills.config=[{name='fix', enabled=true}, {name='fux', enabled=false}, {path='/none', enabled=false}]";
    let run =
        |more: &[&str]| sandbox.run(&[&["skills", "r", "--check", "-c", rules], more].concat());
    let told = "\
rule     [[skills.config]] names `fux`, which no skill is called
rule     [[skills.config]] names /none, where no skill is
";
    let table = run(&["--format", "table"]).clean();
    assert!(table.contains(told), "{table}");
    assert!(!table.contains("names `fix`"), "{table}");
    // It may be meant for another project, so it is no finding.
    assert_eq!(run(&["--format", "json"]).json()["diagnostics"], json!([]));
}

#[test]
fn the_context_window_sets_the_budget_of_the_catalog() {
    let sandbox = one(&format!("---\ndescription: {}\n---\n", "word ".repeat(180)));
    let catalog = |tokens: &str| {
        let window = format!("model_context_window={tokens}");
        sandbox.run(&["skills", "r", "--catalog", "-c", &window])
    };
    assert_eq!(
        catalog("272_000").clean(),
        sandbox.run(&["skills", "r", "--catalog"]).clean()
    );
    for (window, budget, code) in [
        ("10_000", "200 tokens", "descriptions_shortened"),
        ("0", "0 tokens", "skills_omitted"),
    ] {
        let cut = catalog(window);
        assert!(
            cut.stderr
                .starts_with(&format!("warning: the budget of {budget} ")),
            "{}",
            cut.stderr
        );
        assert!(
            cut.stderr.ends_with(&format!(" [{code}]\n")),
            "{}",
            cut.stderr
        );
        assert_eq!(
            cut.stdout.contains("- fix: word word"),
            window != "0",
            "{}",
            cut.stdout
        );
    }
}

#[test]
fn the_table_tells_of_each_skill_what_the_budget_leaves_of_it() {
    let sandbox = one(&format!("---\ndescription: {}\n---\n", "word ".repeat(180)));
    for (window, state) in [
        ("272_000", "shown"),
        ("10_000", "shortened"),
        ("0", "left out"),
    ] {
        let window = format!("model_context_window={window}");
        let rows = sandbox.run(&["skills", "r", "-c", &window]).stdout;
        let expected = format!("fix\trepo\t{state}\t");
        assert!(rows.starts_with(&expected), "{rows}");
    }
}

#[test]
fn json_tells_of_each_skill_what_the_budget_leaves_of_its_line() {
    let sandbox = one(&format!("---\ndescription: {}\n---\n", "word ".repeat(180)));
    sandbox.write(
        "/w/r/.agents/skills/plan/SKILL.md",
        "---\nname: plan\ndescription: D\n---\n",
    );
    sandbox.write(
        "/w/r/.agents/skills/plan/agents/openai.yaml",
        "policy:\n  allow_implicit_invocation: false\n",
    );
    for (window, line) in [
        ("272_000", "whole"),
        ("10_000", "shortened"),
        ("0", "omitted"),
    ] {
        let window = format!("model_context_window={window}");
        let found = sandbox.run(&["skills", "r", "--format", "json", "-c", &window]);
        let found: Value = serde_json::from_str(&found.stdout).unwrap();
        let lines = [0, 1].map(|skill| &found["skills"][skill]["catalogLine"]);
        assert_eq!(lines, [&json!(line), &Value::Null]);
    }
}

#[test]
fn a_context_window_that_is_no_number_is_refused_with_its_place() {
    let mut said = String::new();
    for value in ["-1", "'large'"] {
        let ran = run(&["-c", &format!("model_context_window={value}")]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        said.push_str(&ran.stderr);
    }
    assert_snapshot!("bad_window", said);
}

#[test]
fn check_turns_a_lost_skill_into_an_exit_code() {
    assert_eq!(run(&["--check"]).code, Some(1));
    let fine = one("---\nname: fix\ndescription: Fixes it.\n---\n");
    assert_eq!(fine.run(&["skills", "r", "--check"]).code, Some(0));
    // What is told although nothing is lost does not count.
    let missing = fine.run(&["skills", "r", "--check", "--root", "none"]);
    assert_eq!(missing.code, Some(0));
    let note = "note: the skill root does not exist: file:///sandbox/w/none \
                in environment `local` [root_missing]\n";
    assert_eq!(missing.stderr, note);
}

#[test]
fn a_rule_that_cannot_be_understood_is_told() {
    let sandbox = one("---\nname: fix\ndescription: Fixes it.\n---\n");
    sandbox.write("/home/config.toml", "[[skills.config]]\nenabled = false\n");
    let ran = sandbox.run(&["skills", "r"]);
    let warning = "warning: a skill rule is ignored: exactly one of `name` and `path` selects \
                   skills [config_rule_invalid]\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), warning));
}

#[test]
fn a_skill_for_other_products_is_left_out_and_told() {
    let sandbox = one("---\nname: fix\ndescription: Fixes it.\n---\n");
    let sidecar = "/w/r/.agents/skills/fix/agents/openai.yaml";
    let counts = |products: &str| {
        sandbox.write(sidecar, &format!("policy:\n  products: [{products}]\n"));
        let ran = sandbox.run(&["skills", "r", "--format", "json"]);
        let found = ran.json();
        let count = |key: &str| found[key].as_array().unwrap().len();
        (
            count("skills"),
            count("diagnostics"),
            ran.stderr.contains("[product_restricted]"),
        )
    };
    assert_eq!(counts("chatgpt"), (0, 1, true));
    assert_eq!(counts("chatgpt, codex"), (1, 0, false));
}

#[test]
fn bundled_skills_can_be_switched_off() {
    let rows = run(&["-c", "skills.bundled.enabled=false"]).stdout;
    assert!(
        !rows.contains("bundled") && rows.contains("policy"),
        "{rows}"
    );
}

#[test]
fn the_skills_of_the_config_home_are_the_users_wherever_it_lies() {
    let tree = "/w/r/.git/\n/w/r/.codex/skills/a/SKILL.md = ---%0Adescription: A%0A---%0A";
    let sandbox = Sandbox::new(tree);
    let scope = |ran: Ran| ran.json()["skills"][0]["scope"].clone();
    let list = ["skills", "r", "--format", "json"];
    assert_eq!(scope(sandbox.run(&list)), "repo");
    let mut command = sandbox.bare_command();
    let home = sandbox.path("/w/r/.codex");
    command
        .args(list)
        .env("CODEX_HOME", home)
        .env("HOME", "/nonexistent");
    assert_eq!(scope(sandbox.finish(&mut command)), "user");
}

#[test]
fn a_failed_root_search_leaves_the_start_directory() {
    let tree = "/w/r/.git -> .git\n/w/r/.agents/skills/a/SKILL.md = ---%0Adescription: A%0A---%0A";
    assert_snapshot!(
        "search_failed",
        Sandbox::new(tree).run(&["skills", "r"]).all()
    );
}

#[test]
fn a_skill_is_read_by_its_name_path_uri_or_locator() {
    let sandbox = Sandbox::new(REPO);
    let text = "---\nname: near\ndescription: Lies near.\n---\n";
    let file = sandbox.path("/w/repo/sub/.agents/skills/near/SKILL.md");
    let (path, uri) = (file.to_str().unwrap(), format!("file://{}", file.display()));
    for name in ["near", path, &uri, "r4/near/SKILL.md"] {
        let ran = sandbox.run_in("/w/repo/sub", &["skills", "read", name]);
        assert_eq!(ran.clean(), text, "{name}");
    }
    // What is disabled or lies in a selected root can be read, too.
    let own = sandbox.run_in("/w/repo/sub", &["skills", "read", "own"]);
    assert!(own.clean().contains("Written by me."));
    let pack = sandbox.run(&["skills", "read", "pack", "--root", "../cap/pack"]);
    assert!(pack.clean().contains("Selected."));
}

#[test]
fn a_file_of_a_skill_is_read_verbatim() {
    let sandbox = Sandbox::new(REPO);
    let arguments = ["skills", "read", "tools:lint", "agents/./openai.yaml"];
    let text = sandbox.run_in("/w/repo", &arguments).clean();
    assert!(text.starts_with("interface:\n"), "{text}");
    let json = [&arguments[..], &["--format", "json"]].concat();
    let expected = json!({
        "schemaVersion": 1,
        "name": "tools:lint",
        "environmentId": "local",
        "path": "file:///sandbox/w/repo/.agents/skills/tools/skills/lint/agents/openai.yaml",
        "pathNative": "/sandbox/w/repo/.agents/skills/tools/skills/lint/agents/openai.yaml",
        "text": text,
    });
    assert_eq!(sandbox.run_in("/w/repo", &json).json(), expected);
}

#[test]
fn a_file_that_cannot_be_read_is_a_failure() {
    let sandbox = one("---\nname: fix\ndescription: A.\n---\n");
    sandbox.write(
        "/w/r/.agents/skills/twin/SKILL.md",
        "---\nname: fix\ndescription: B.\n---\n",
    );
    let bytes = sandbox.path("/w/r/.agents/skills/other");
    std::fs::create_dir(&bytes).unwrap();
    std::fs::write(bytes.join("SKILL.md"), "---\ndescription: C.\n---\n").unwrap();
    std::fs::write(bytes.join("bytes"), [0xff]).unwrap();
    let mut said = String::new();
    for arguments in [
        &["none"][..],
        &["fix"],
        &["other", "../fix/SKILL.md"],
        &["other", "none"],
        &["other", "bytes"],
        &["other", ""],
    ] {
        let ran = sandbox.run_in("/w/r", &[&["skills", "read"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""));
        said.push_str(&ran.stderr);
    }
    assert_snapshot!("unread", said);
}

#[test]
fn a_name_without_its_namespace_is_told_the_skill_that_may_be_meant() {
    let sandbox = Sandbox::new(REPO);
    let said = |name: &str| {
        sandbox
            .run_in("/w/repo/sub", &["skills", "read", name])
            .stderr
    };
    let near = "error: cannot find the skill `lint`; the nearest is `tools:lint`; run ";
    assert!(said("lint").starts_with(near), "{}", said("lint"));
}

#[test]
fn a_misspelt_name_is_told_the_nearest_ones() {
    let sandbox = Sandbox::new(REPO);
    let said = |name: &str| {
        let ran = sandbox.run_in("/w/repo/sub", &["skills", "read", name]);
        assert_eq!(ran.code, Some(2));
        ran.stderr
    };
    for (name, near) in [
        ("tols:lint", "; the nearest is `tools:lint`; "),
        ("Lnit", "; the nearest is `tools:lint`; "),
        ("mone", "; the nearest is `mine`; "),
        ("polcy", "; the nearest is `policy`; "),
    ] {
        assert!(said(name).contains(near), "{}", said(name));
    }
    for none in ["tools", "x", "release"] {
        assert!(!said(none).contains("nearest"), "{}", said(none));
    }
}

const LINT: &str = r"
/w/s/good/SKILL.md = ---%0Aname: good%0Adescription: Does it.%0A---%0A
/w/s/bad/SKILL.md = ---%0Aname: Bad name%0Adescription: Does: it.%0Acolour: red%0Ashape: round%0A---%0A
/w/s/none/README.md = x
/w/s/refused/SKILL.md = x";

fn validate(arguments: &[&str]) -> Ran {
    let paths = [
        "skills",
        "validate",
        "good",
        "bad/SKILL.md",
        "none",
        "refused",
    ];
    Sandbox::new(LINT).run_in("/w/s", &[&paths[..], arguments].concat())
}

#[test]
fn the_lint_tells_each_skill_its_verdict_and_each_finding() {
    assert_snapshot!("lint_table", validate(&["--format", "table"]).all());
    assert_snapshot!("lint_rows", validate(&[]).stdout);
    assert_snapshot!("lint_json", validate(&["--format", "json"]).stdout);
}

#[test]
fn the_lint_of_a_directory_of_skills_is_that_of_each_skill_below_it() {
    let sandbox = Sandbox::new(LINT);
    sandbox.write("/w/s/deep/er/SKILL.md", "---\nname: er\n---\n");
    sandbox.write("/w/s/wrong/skill.md", "x");
    let lint = |paths: &[&str]| sandbox.run_in("/w", &[&["skills", "validate"], paths].concat());
    assert_snapshot!("lint_below", lint(&["s", "--format", "table"]).all());
    let one = lint(&["s/good", "s/deep"]);
    assert_eq!(
        one.stdout,
        "valid\t/sandbox/w/s/good/SKILL.md\nspec_description_missing\t/sandbox/w/s/deep/er/SKILL.md\n"
    );
}

#[test]
fn a_file_that_the_lint_cannot_read_is_told_with_the_cause() {
    let sandbox = Sandbox::new("/w/s/loop/SKILL.md -> SKILL.md");
    let lint = ["skills", "validate", "s/loop"];
    let ran = sandbox.run_in("/w", &lint);
    let cause = "cannot read `file:///sandbox/w/s/loop/SKILL.md` in environment `local`: \
                 Too many levels of symbolic links (os error 40)";
    let expected = format!(
        "error: the skill file cannot be read: file:///sandbox/w/s/loop/SKILL.md in environment \
         `local` [skill_unreadable]\n  caused by: {cause}\n"
    );
    assert_eq!(ran.stderr, expected);
    let json = sandbox.run_in("/w", &[&lint[..], &["--format", "json"]].concat());
    let found: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(found["diagnostics"][0]["causes"], json!([cause]));
}

#[test]
fn the_lint_of_what_does_not_exist_is_refused() {
    let sandbox = Sandbox::new(LINT);
    for path in ["nowhere", "none/SKILL.md"] {
        let ran = sandbox.run_in("/w/s", &["skills", "validate", "good", path]);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{path}");
        let expected = format!("error: cannot validate `/sandbox/w/s/{path}`: it does not exist");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    }
}

#[test]
fn the_lint_checks_what_loading_lets_pass() {
    let sandbox = Sandbox::new(LINT);
    let code = |path: &str| {
        let arguments = ["skills", "validate", "--check", path];
        sandbox.run_in("/w/s", &arguments).code
    };
    assert_eq!(
        [code("good"), code("bad"), code("none")],
        [Some(0), Some(1), Some(1)]
    );
    assert_eq!(code("bad/colour"), Some(2));
    // Its name is that of the directory it is in, however that is written.
    let ran = sandbox.run_in("/w/s/good", &["skills", "validate", ".", "--check"]);
    assert_eq!(ran.clean(), "valid\t/sandbox/w/s/good/SKILL.md\n");
}
