//! The cases of `codex-skills`: lists, catalogs, files of skills and the lint.
//!
//! What a text mentions is asked by a host, and what a load costs is counted where every call takes
//! the same time; neither has a command.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use super::{Comparison, cases, decode_base64, digest, entries, items, number, parsed, said, text};
use crate::sandbox::{Ran, Sandbox};

const CASES: &str = codex_file_system_testkit::cases::SKILLS.text;
const CORNERS: &str = include_str!("../../../../skills/tests/data/corners.json");

fn all_cases() -> impl Iterator<Item = Value> {
    cases(CASES).into_iter().chain(cases(CORNERS))
}

/// The base directory as outputs show it.
const BASE: &str = "/sandbox";

#[test]
fn every_list_shows_the_expected_skills_and_findings() {
    check_lists(287, |case| case["generate"].is_null());
}

#[test]
fn every_list_of_thousands_ends_where_it_must() {
    check_lists(3, |case| !case["generate"].is_null());
}

fn check_lists(number: usize, is_meant: fn(&Value) -> bool) {
    let mut comparison = Comparison::default();
    for case in all_cases() {
        if case["kind"] == "list" && is_told_by_options(&case) && is_meant(&case) {
            let ran = Tree::new(&case).run(&["skills"]);
            comparison.compare(text(&case["name"]), &listed(&case), &list(&ran));
            comparison.ran += 1;
        }
    }
    comparison.end(number);
}

#[test]
fn every_catalog_has_the_expected_roots_lines_and_findings() {
    let mut comparison = Comparison::default();
    for case in all_cases() {
        if case["kind"] == "catalog" && !depends_on_the_base(&case) {
            let ran = Tree::new(&case).run(&["skills"]);
            let mut expected = based(&case["expected"]);
            // What a text mentions.
            expected.as_object_mut().unwrap().remove("injected");
            comparison.compare(text(&case["name"]), &expected, &catalog(&ran));
            comparison.ran += 1;
        }
    }
    comparison.end(29);
}

/// Whether a person can ask for what the case does: there is no option that leaves out locations of
/// manifests, and a selected root never comes before a usual one or is one.
fn is_told_by_options(case: &Value) -> bool {
    let mut extra = items(&case["extra_roots"]);
    let is_usual = |it| {
        ["$BASE/repo", "$BASE/home"]
            .iter()
            .any(|usual| text(it).starts_with(usual))
    };
    case["manifest_locations"] != "two" && !extra.any(is_usual)
}

/// How short descriptions become depends on how long the spelling of the base directory is.
fn depends_on_the_base(case: &Value) -> bool {
    items(&case["expected"]["diagnostics"]).any(|it| it["code"] == "descriptions_shortened")
}

#[test]
fn every_file_of_a_skill_is_read_or_refused_as_expected() {
    let mut comparison = Comparison::default();
    for case in all_cases() {
        // An environment that nobody chose cannot be named, nor can an argument hold NUL.
        let has_nul = case["resource"]
            .as_str()
            .is_some_and(|it| it.contains('\0'));
        if case["kind"] == "read" && case["environment"].is_null() && !has_nul {
            comparison.compare(text(&case["name"]), &expected_file(&case), &file(&case));
            comparison.ran += 1;
        }
    }
    comparison.end(20);
}

#[test]
fn every_lint_finds_the_expected_codes() {
    let mut comparison = Comparison::default();
    for case in all_cases() {
        if case["kind"] == "validate" {
            let sandbox = Sandbox::new("");
            let directory = format!("/w/{}", text(&case["directory"]));
            sandbox.write(&format!("{directory}/SKILL.md"), text(&case["text"]));
            let directory = sandbox.path(&directory);
            let arguments = ["skills", "validate", directory.to_str().unwrap()];
            let found = sandbox.run(&[&arguments[..], &["--format", "json"]].concat());
            let found = found.json();
            let codes = items(&found["diagnostics"]).map(|found| found["code"].clone());
            let codes = json!({ "codes": codes.collect::<Vec<_>>() });
            comparison.compare(text(&case["name"]), &case["expected"], &codes);
            comparison.ran += 1;
        }
    }
    comparison.end(29);
}

/// The tree of a case on disk.
struct Tree<'a> {
    case: &'a Value,
    sandbox: Sandbox,
    base: PathBuf,
}

impl<'a> Tree<'a> {
    fn new(case: &'a Value) -> Self {
        let sandbox = Sandbox::new("");
        let base = sandbox.path("");
        let tree = Self {
            case,
            sandbox,
            base,
        };
        for directory in ["home", "ch", "repo/.git"] {
            std::fs::create_dir_all(tree.path(directory)).unwrap();
        }
        for (path, content) in entries(&case["files"]) {
            tree.create(path, content);
        }
        for generated in items(&case["generate"]) {
            for index in number(&generated["from"])..number(&generated["to"]) {
                let filled = |key: &str| numbered(text(&generated[key]), index);
                tree.create(&filled("pattern"), &json!(filled("text")));
            }
        }
        let written = &case["files"]["ch/config.toml"];
        let config = [&case["config_top"], written, &case["config"]];
        let config: String = config.into_iter().filter_map(Value::as_str).collect();
        std::fs::write(tree.path("ch/config.toml"), config).unwrap();
        tree
    }

    fn path(&self, below: &str) -> PathBuf {
        self.base.join(below)
    }

    /// A text of the case with the real base directory in it.
    fn expanded(&self, text: &str) -> String {
        text.replace(
            "$BASE",
            self.path("").to_str().unwrap().trim_end_matches('/'),
        )
    }

    fn create(&self, path: &str, content: &Value) {
        let path = self.path(path);
        if let Some(text) = content.as_str()
            && std::fs::write(&path, text).is_ok()
        {
            // Thousands of files are in few directories, which are there after the first of them.
            return;
        }
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        if let Some(text) = content.as_str() {
            std::fs::write(path, text).unwrap();
        } else if let Some(bytes) = content["b64"].as_str() {
            std::fs::write(path, decode_base64(bytes)).unwrap();
        } else if let Some(target) = content["link"].as_str() {
            std::os::unix::fs::symlink(self.expanded(target), path).unwrap();
        } else if content["dir"] == json!(true) {
            std::fs::create_dir_all(path).unwrap();
        } else {
            let unit = text(&content["unit"]).repeat(number(&content["count"]));
            let (head, tail) = (text(&content["head"]), text(&content["tail"]));
            std::fs::write(path, format!("{head}{unit}{tail}")).unwrap();
        }
    }

    /// Runs a command in the start directory of the case.
    fn run(&self, arguments: &[&str]) -> Ran {
        let cwd = self.path(self.case["cwd"].as_str().unwrap_or("repo"));
        let mut command: Command = self.sandbox.bare_command();
        command.current_dir(cwd).args(arguments);
        command.args(["--format", "json"]);
        for root in items(&self.case["env_roots"]) {
            command.arg("--root").arg(self.path(text(root)));
        }
        for root in items(&self.case["extra_roots"]) {
            command.args(["--root", &self.expanded(text(root))]);
        }
        command.arg("--config-home").arg(self.path("ch"));
        for option in ["--system-config", "--managed-config", "--admin-folder"] {
            command.arg(option).arg(self.path("absent"));
        }
        self.sandbox.finish(command.env("HOME", self.path("home")))
    }
}

/// Fills in `{i}` and `{i:04}`.
fn numbered(pattern: &str, index: usize) -> String {
    let mut text = pattern.replace("{i}", &index.to_string());
    for width in 1..=9 {
        text = text.replace(&format!("{{i:0{width}}}"), &format!("{index:0width$}"));
    }
    text
}

/// A value of the case with the base directory as outputs show it.
fn based(value: &Value) -> Value {
    parsed(&value.to_string().replace("$BASE", BASE))
}

/// The expected list. A root that a person adds has a scope of its own; a host can give it the
/// user's.
fn listed(case: &Value) -> Value {
    let mut expected = based(&case["expected"]);
    for root in items(&based(&case["extra_roots"])) {
        for skill in expected["skills"].as_array_mut().unwrap() {
            if skill["scope"] == "user" && text(&skill["path"]).starts_with(text(root)) {
                skill["scope"] = json!("environment");
            }
        }
    }
    expected
}

fn list(ran: &Ran) -> Value {
    let found = ran.json();
    let names: Vec<&str> = items(&found["skills"])
        .map(|skill| text(&skill["name"]))
        .collect();
    let mut list = if names.len() <= 40 {
        let skills: Vec<Value> = items(&found["skills"]).map(skill).collect();
        json!({ "skills": skills })
    } else {
        json!({
            "skill_count": names.len(),
            "first": names[..3],
            "last": names[names.len() - 3..],
            "names_sha256": digest(&names.join("\n")),
        })
    };
    // Those of rules and of the catalog are no part of a list.
    let mut diagnostics = diagnostics(&found);
    diagnostics.as_array_mut().unwrap().retain(|found| {
        ![
            "config_rule_invalid",
            "descriptions_shortened",
            "skills_omitted",
        ]
        .contains(&text(&found["code"]))
    });
    list["diagnostics"] = diagnostics;
    list
}

fn skill(found: &Value) -> Value {
    let mut skill = json!({
        "name": found["name"],
        "description": long(&found["description"]),
        "path": found["pathNative"],
        "scope": found["scope"],
    });
    if !found["shortDescription"].is_null() {
        skill["shortDescription"] = long(&found["shortDescription"]);
    }
    if found["enabled"] != json!(true) {
        skill["enabled"] = found["enabled"].clone();
    }
    let implicit = &found["policy"]["allowImplicitInvocation"];
    if *implicit != json!(true) {
        skill["implicit"] = implicit.clone();
    }
    if !found["interface"].is_null() {
        skill["interface"] = json!(interface(&found["interface"]));
    }
    let tools = items(&found["dependencies"]).map(|tool| json!(said(tool)));
    let tools: Vec<Value> = tools.collect();
    if !tools.is_empty() {
        skill["dependencies"] = json!({ "tools": tools });
    }
    skill
}

fn interface(found: &Value) -> Value {
    let mut interface = said(found);
    for key in ["iconSmall", "iconLarge"] {
        if let Some(native) = interface.remove(&format!("{key}Native")) {
            interface.insert(key.to_owned(), native);
        }
    }
    interface
        .values_mut()
        .for_each(|value| *value = long(value));
    json!(interface)
}

/// A text as the cases state it: long ones by their digest.
fn long(value: &Value) -> Value {
    let text = text(value);
    match text.chars().count() {
        0..=400 => json!(text),
        chars => json!({ "chars": chars, "sha256": digest(text) }),
    }
}

fn diagnostics(found: &Value) -> Value {
    let view = |found: &Value| {
        let mut view = said(found);
        for (key, native) in [("path", "pathNative"), ("others", "othersNative")] {
            if let Some(native) = view.remove(native) {
                view.insert(key.to_owned(), native);
            }
        }
        view.retain(|key, _| {
            [
                "path",
                "code",
                "field",
                "limit",
                "notListed",
                "count",
                "others",
            ]
            .contains(&key.as_str())
        });
        json!(view)
    };
    items(&found["diagnostics"]).map(view).collect()
}

fn catalog(ran: &Ran) -> Value {
    let found = ran.json();
    let mut roots = Vec::new();
    let mut lines = Vec::new();
    let mut section = "";
    for line in found["catalog"]["text"].as_str().unwrap_or("").lines() {
        match (line.strip_prefix("### "), section) {
            (Some(heading), _) => section = heading,
            (None, "Skill roots") => {
                let (alias, root) = line.split_once("` = `").unwrap();
                roots.push(json!([&alias[3..], root.trim_end_matches('`')]));
            }
            (None, "Available skills") if line.starts_with("- ") => lines.push(line),
            _ => {}
        }
    }
    let lines = if lines.len() <= 40 {
        json!(lines)
    } else {
        json!({
            "count": lines.len(),
            "first": lines[..2],
            "last": lines[lines.len() - 2..],
            "sha256": digest(&lines.join("\n")),
        })
    };
    json!({ "roots": roots, "lines": lines, "diagnostics": diagnostics(&found) })
}

/// What comes of reading: the text, or what a failure says.
fn file(case: &Value) -> Value {
    let tree = Tree::new(case);
    let expand = |key: &str| case[key].as_str().map(|text| tree.expanded(text));
    let skill = expand("skill").or_else(|| expand("entrypoint"));
    let mut arguments = vec!["skills".to_owned(), "read".to_owned()];
    arguments.extend(skill.into_iter().chain(expand("resource")));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let ran = tree.run(&arguments);
    if ran.code == Some(0) {
        return json!({ "text": ran.json()["text"] });
    }
    let mut refusals = REFUSALS.iter();
    let told = refusals.find(|(_, _, words)| ran.stderr.contains(words));
    let (error, kind) = told.map_or((&*ran.stderr, None), |(error, kind, _)| (*error, *kind));
    json!({ "code": ran.code, "stdout": ran.stdout, "error": error, "kind": kind })
}

/// The error and its kind that the words of a failure mean.
const REFUSALS: [(&str, Option<&str>, &str); 5] = [
    (
        "resource_outside_skill",
        None,
        "the path is not inside the skill's directory",
    ),
    ("io", Some("NotFound"), "No such file or directory"),
    ("io", Some("IsADirectory"), "is a directory"),
    ("not_utf8", None, "is not UTF-8"),
    ("unknown_skill", None, "cannot find the skill"),
];

fn expected_file(case: &Value) -> Value {
    let expected = &case["expected"];
    // The command loads before it reads, so calls are not those of the file alone.
    if expected["error"].is_null() {
        return json!({ "text": expected["text"] });
    }
    json!({ "code": 2, "stdout": "", "error": expected["error"], "kind": expected["kind"] })
}
