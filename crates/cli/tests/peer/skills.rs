//! Skills: both programs find the same ones, with the same name, text, place and state, and tell
//! the model of them in the same lines, unless the budget cuts them.
//!
//! The peer is asked first: it unpacks the skills it is bundled with into the config home, where
//! both programs find them, so these are compared, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use codex_file_system_testkit::{build_on_disk, escape};
use libtest_mimic::{Failed, Trial};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Skipped;
use crate::app_server::AppServer;

const CASES: &str = codex_file_system_testkit::cases::SKILLS.text;

#[derive(Deserialize)]
struct CaseFile {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kind: String,
    #[serde(default)]
    files: BTreeMap<String, Value>,
    #[serde(default)]
    generate: Vec<Generated>,
    #[serde(default)]
    env_roots: Vec<String>,
    #[serde(default)]
    extra_roots: Vec<String>,
    manifest_locations: Option<String>,
    config_top: Option<String>,
    config: Option<String>,
    cwd: Option<String>,
    reference: Option<Value>,
}

#[derive(Deserialize)]
struct Generated {
    pattern: String,
    text: String,
    from: usize,
    to: usize,
}

/// Where one case lives on disk.
struct Layout {
    _scratch: tempfile::TempDir,
    base: PathBuf,
}

impl Layout {
    fn build(case: &Case) -> Self {
        let scratch = tempfile::tempdir().expect("scratch directory");
        let base = scratch.path().canonicalize().expect("canonical directory");
        build_on_disk(&base, &tree(case)).expect("tree");
        Self {
            _scratch: scratch,
            base,
        }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.base.join(below)
    }
}

/// The layout as a tree literal, whose paths and link targets begin at the base directory.
fn tree(case: &Case) -> String {
    let mut tree = "/home/\n/ch/\n/repo/.git/\n".to_owned();
    for (path, content) in &case.files {
        add(&mut tree, path, &content_of(content));
    }
    for generated in &case.generate {
        for number in generated.from..generated.to {
            let path = numbered(&generated.pattern, number);
            let text = numbered(&generated.text, number);
            add(&mut tree, &path, &(" = ", text.into_bytes()));
        }
    }
    let written = case.files.get("ch/config.toml").and_then(Value::as_str);
    let parts = [case.config_top.as_deref(), written, case.config.as_deref()];
    let config: String = parts.into_iter().flatten().collect();
    add(&mut tree, "ch/config.toml", &(" = ", config.into_bytes()));
    tree
}

fn add(tree: &mut String, path: &str, (operator, content): &(&str, Vec<u8>)) {
    let names: Vec<String> = path
        .split('/')
        .map(|name| escape(name.as_bytes()))
        .collect();
    let content = escape(content);
    writeln!(tree, "/{}{operator}{content}", names.join("/")).expect("text grows");
}

fn content_of(content: &Value) -> (&'static str, Vec<u8>) {
    let text = |key: &str| content[key].as_str().map(str::to_owned);
    if let Some(text) = content.as_str() {
        (" = ", text.as_bytes().to_vec())
    } else if let Some(bytes) = text("b64") {
        (" = ", BASE64_STANDARD.decode(bytes).expect("base64"))
    } else if let Some(target) = text("link") {
        (" -> ", target.replace("$BASE", "").into_bytes())
    } else if content.get("dir").is_some() {
        ("/", Vec::new())
    } else {
        let part = |key| text(key).expect("part of a repeated text");
        let count = content["count"].as_u64().expect("count");
        let repeated = part("unit").repeat(usize::try_from(count).expect("count"));
        (
            " = ",
            (part("head") + &repeated + &part("tail")).into_bytes(),
        )
    }
}

/// Fills in `{i}` and `{i:05}`.
fn numbered(pattern: &str, number: usize) -> String {
    let text = pattern.replace("{i}", &number.to_string());
    (1..=9).fold(text, |text, width| {
        text.replace(&format!("{{i:0{width}}}"), &format!("{number:0width$}"))
    })
}

/// Layouts with a link whose own name stands in our section, and its target's in the peer's.
const OTHER_SECTION: [&str; 2] = ["root-is-symlink", "walk-link-same-level"];

/// Both programs see this much of a model, unless the layout says otherwise.
const CONTEXT_WINDOW: &str = "model_context_window=272000";

impl Layout {
    /// Runs `program` in the start directory with nothing of the caller's environment.
    fn run(&self, program: &Path, case: &Case, arguments: &[&str]) -> Vec<u8> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(self.cwd(case));
        if case.config_top.is_none() {
            command.args(["-c", CONTEXT_WINDOW]);
        }
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("CODEX_HOME", self.path("ch"));
        command.output().expect("the program starts").stdout
    }

    fn cwd(&self, case: &Case) -> PathBuf {
        self.path(case.cwd.as_deref().unwrap_or("repo"))
    }
}

fn own(layout: &Layout, case: &Case, more: &[&str]) -> Vec<u8> {
    let program = Path::new(env!("CARGO_BIN_EXE_codex-context"));
    layout.run(program, case, &[&["skills"], more].concat())
}

fn compare(case: &Case, peer: &Path) -> Result<(), Failed> {
    let layout = Layout::build(case);
    let (home, config_home) = (layout.path("home"), layout.path("ch"));
    let cwd = layout.cwd(case);
    let mut server = AppServer::start(peer, &cwd, &home, &config_home);
    let theirs = server.skills(&cwd);
    server.end();
    let ours: Value = serde_json::from_slice(&own(&layout, case, &["--format", "json"]))?;
    same(
        &comparable(&ours, own_skill),
        &comparable(&theirs, their_skill),
    )?;
    same(
        &lost(&ours, "diagnostics", "pathNative"),
        &lost(&theirs, "errors", "path"),
    )?;

    if is_cut(&ours) || OTHER_SECTION.contains(&case.name.as_str()) {
        return Ok(());
    }
    let prompt = serde_json::from_slice(&layout.run(peer, case, &["debug", "prompt-input"]))?;
    let section = String::from_utf8(own(&layout, case, &["--catalog"]))?;
    // The peer lets markup through.
    let section = section.replace("&lt;", "<");
    same(
        &catalog_lines(&section),
        &catalog_lines(&section_of(&prompt)),
    )
}

/// Whether the budget cuts the section; the peer's does not pay for the lines of roots.
fn is_cut(answer: &Value) -> bool {
    let found = answer["diagnostics"].as_array().into_iter().flatten();
    let mut codes = found.filter_map(|found| found["code"].as_str());
    codes.any(|code| matches!(code, "descriptions_shortened" | "skills_omitted"))
}

/// The files that hold no skill for an error.
fn lost(answer: &Value, list: &str, path: &str) -> Vec<String> {
    let found = answer[list].as_array().into_iter().flatten();
    let errors = found.filter(|found| found["severity"].as_str().is_none_or(|it| it == "error"));
    let mut paths: Vec<String> = errors.map(|found| found[path].to_string()).collect();
    paths.sort();
    paths
}

fn same<T: PartialEq + std::fmt::Display>(ours: &[T], theirs: &[T]) -> Result<(), Failed> {
    if ours == theirs {
        return Ok(());
    }
    let differing = |these: &[T], others: &[T]| {
        let alone = these.iter().filter(|it| !others.contains(it));
        alone.map(|it| format!("\n  {it}")).collect::<String>()
    };
    let (ours_alone, theirs_alone) = (differing(ours, theirs), differing(theirs, ours));
    Err(format!("only ours:{ours_alone}\nonly theirs:{theirs_alone}").into())
}

/// The section about skills in the peer's prompt; empty where there is none.
fn section_of(prompt: &Value) -> String {
    let items = prompt.as_array().into_iter().flatten();
    let parts = items.flat_map(|item| item["content"].as_array().into_iter().flatten());
    let mut texts = parts.filter_map(|part| part["text"].as_str());
    let section = texts.find(|text| text.starts_with("<skills_instructions>"));
    section.unwrap_or_default().to_owned()
}

/// The lines about roots and skills; what the peer says to introduce them is its own.
fn catalog_lines(section: &str) -> Vec<&str> {
    section
        .lines()
        .filter(|line| line.starts_with("- "))
        .collect()
}

/// All skills of an answer, in an order of their own.
fn comparable(answer: &Value, view: fn(&Value) -> Value) -> Vec<Value> {
    let skills = answer["skills"].as_array().expect("skills").iter();
    let mut skills: Vec<Value> = skills.map(view).collect();
    skills.sort_by_key(|skill| (skill["path"].to_string(), skill["name"].to_string()));
    skills
}

const PLAIN_FIELDS: [&str; 5] = [
    "name",
    "description",
    "shortDescription",
    "scope",
    "enabled",
];
const INTERFACE_FIELDS: [&str; 4] = [
    "displayName",
    "shortDescription",
    "defaultPrompt",
    "brandColor",
];
const TOOL_FIELDS: [&str; 6] = [
    "type",
    "value",
    "description",
    "transport",
    "command",
    "url",
];

fn their_skill(skill: &Value) -> Value {
    let mut view = fields(skill, &PLAIN_FIELDS);
    view["path"] = skill["path"].clone();
    let interface = &skill["interface"];
    if interface.is_object() {
        view["interface"] = fields(interface, &INTERFACE_FIELDS);
        view["icons"] = json!([interface["iconSmall"], interface["iconLarge"]]);
    }
    view["tools"] = tools(&skill["dependencies"]["tools"]);
    view
}

fn own_skill(skill: &Value) -> Value {
    let mut view = fields(skill, &PLAIN_FIELDS);
    view["path"] = skill["pathNative"].clone();
    let interface = &skill["interface"];
    if interface.is_object() {
        view["interface"] = fields(interface, &INTERFACE_FIELDS);
        view["icons"] = json!([interface["iconSmallNative"], interface["iconLargeNative"]]);
    }
    view["tools"] = tools(&skill["dependencies"]);
    view
}

fn tools(tools: &Value) -> Value {
    let tools = tools.as_array().into_iter().flatten();
    tools.map(|tool| fields(tool, &TOOL_FIELDS)).collect()
}

/// These fields of an object; one that is absent is null.
fn fields(object: &Value, names: &[&str]) -> Value {
    let fields = names
        .iter()
        .map(|name| ((*name).to_owned(), object[*name].clone()));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Why a case says nothing about the peer, if it does not.
fn left_out(case: &Case) -> Option<&'static str> {
    if case.reference.is_some() {
        return Some("the peer answers differently, as the case says");
    }
    if !case.env_roots.is_empty() {
        return Some("the peer lists no skills of executors");
    }
    if !case.extra_roots.is_empty() {
        return Some("the command takes no further roots of the user");
    }
    if case.manifest_locations.is_some() {
        return Some("the command looks at all manifest locations");
    }
    None
}

/// One trial for each layout that the peer agrees on.
pub(crate) fn trials(peer: &Path, skipped: &mut Skipped) -> Vec<Trial> {
    let file: CaseFile = serde_json::from_str(CASES).expect("case file");
    let mut trials = Vec::new();
    let mut known = BTreeSet::new();
    for case in file.cases {
        if !matches!(case.kind.as_str(), "list" | "catalog" | "mention") {
            continue;
        }
        if let Some(reason) = left_out(&case) {
            skipped.add(reason);
            continue;
        }
        if !known.insert(tree(&case)) {
            skipped.add("the tree of an earlier layout");
            continue;
        }
        let peer = peer.to_owned();
        let name = format!("skills::{}", case.name);
        trials.push(Trial::test(name, move || compare(&case, &peer)));
    }
    trials
}
