//! Instructions: the fragment in the peer's prompt and the output of `instructions --text` are the
//! same text.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use libtest_mimic::{Failed, Trial};
use serde::Deserialize;
use serde_json::Value;

use crate::Skipped;

const CASES: &str = codex_file_system_testkit::cases::AGENTS_MD.text;

#[derive(Deserialize)]
struct CaseFile {
    cases: Vec<Value>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    files: BTreeMap<String, Node>,
    #[serde(default)]
    home: BTreeMap<String, Node>,
    home_at: Option<String>,
    cwd: String,
    #[serde(default)]
    no_mkcwd: bool,
    cd_flag: Option<String>,
    run_as: Option<String>,
    #[serde(default)]
    config: Config,
    expected_error: Option<String>,
    reference: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Config {
    toml: Option<String>,
    extra_toml: BTreeMap<String, String>,
    profile: Option<String>,
    overrides: Vec<String>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(flatten)]
    kind: NodeKind,
    mode: Option<Value>,
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum NodeKind {
    Text {
        text: String,
    },
    Base64 {
        data: String,
    },
    Repeat {
        prefix: String,
        unit: String,
        count: usize,
        suffix: String,
    },
    Dir,
    Symlink {
        target: String,
    },
    Fifo,
}

impl Case {
    /// Whether the directory argument names something the layout does not make a directory.
    fn starts_at_no_directory(&self) -> bool {
        let Some(directory) = &self.cd_flag else {
            return false;
        };
        let layout = Layout::build(self);
        !Path::new(&layout.expand(directory)).is_dir()
    }
}

/// Where one case lives on disk.
struct Layout {
    _scratch: tempfile::TempDir,
    root: PathBuf,
    home: PathBuf,
}

impl Layout {
    fn build(case: &Case) -> Self {
        let scratch = tempfile::tempdir().expect("scratch directory");
        let base = scratch
            .path()
            .canonicalize()
            .expect("canonical scratch directory");
        let root = base.join("w");
        let home = match &case.home_at {
            Some(inside) => root.join(inside),
            None => base.join("home"),
        };
        let layout = Self {
            _scratch: scratch,
            root,
            home,
        };
        fs::create_dir_all(&layout.root).expect("tree directory");
        fs::create_dir_all(&layout.home).expect("config home");
        if !case.no_mkcwd {
            layout.make_cwd(case);
        }
        layout.add(&layout.root, &case.files);
        layout.add(&layout.home, &case.home);
        if let Some(toml) = &case.config.toml {
            fs::write(layout.home.join("config.toml"), layout.expand(toml)).expect("config");
        }
        for (name, toml) in &case.config.extra_toml {
            fs::write(layout.home.join(name), layout.expand(toml)).expect("more config");
        }
        layout
    }

    /// Creates the start directory unless a link of the tree leads there.
    fn make_cwd(&self, case: &Case) {
        let below_link = case.files.iter().any(|(path, node)| {
            matches!(node.kind, NodeKind::Symlink { .. })
                && Path::new(&case.cwd).starts_with(Path::new(path))
        });
        if !below_link {
            fs::create_dir_all(self.root.join(path_of(&case.cwd))).expect("start directory");
        }
    }

    fn add(&self, base: &Path, files: &BTreeMap<String, Node>) {
        for (name, node) in files {
            let path = base.join(path_of(name));
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).expect("parents");
            }
            match &node.kind {
                NodeKind::Text { text } => fs::write(&path, self.expand(text)).expect("text"),
                NodeKind::Base64 { data } => {
                    fs::write(&path, BASE64_STANDARD.decode(data).expect("base64")).expect("bytes");
                }
                NodeKind::Repeat {
                    prefix,
                    unit,
                    count,
                    suffix,
                } => {
                    fs::write(&path, format!("{prefix}{}{suffix}", unit.repeat(*count)))
                        .expect("repeated text");
                }
                NodeKind::Dir => fs::create_dir_all(&path).expect("directory"),
                NodeKind::Symlink { target } => {
                    symlink(self.expand(target), &path).expect("link");
                }
                NodeKind::Fifo => {
                    let status = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
                    assert!(status.success(), "mkfifo {}", path.display());
                }
            }
        }
        for (name, node) in files {
            if let Some(mode) = &node.mode {
                let mode = octal(mode);
                fs::set_permissions(base.join(path_of(name)), fs::Permissions::from_mode(mode))
                    .expect("mode");
            }
        }
    }

    fn expand(&self, text: &str) -> String {
        text.replace("{ROOT}", &self.root.to_string_lossy())
            .replace("{HOME}", &self.home.to_string_lossy())
    }

    /// Runs `program` in the start directory with nothing of the caller's environment.
    fn run(&self, program: &Path, case: &Case, arguments: &[String]) -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(self.root.join(path_of(&case.cwd)))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("CODEX_HOME", &self.home)
            .output()
            .expect("program starts")
    }
}

/// `{xFF}` in a path of the case file stands for the byte 0xFF.
fn path_of(text: &str) -> PathBuf {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{x") {
        bytes.extend_from_slice(before.as_bytes());
        let (hex, after) = after.split_once('}').expect("closing brace");
        bytes.push(u8::from_str_radix(hex, 16).expect("byte"));
        rest = after;
    }
    bytes.extend_from_slice(rest.as_bytes());
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

fn octal(mode: &Value) -> u32 {
    match mode {
        Value::String(text) => u32::from_str_radix(text.trim_start_matches("0o"), 8).expect("mode"),
        other => u32::try_from(other.as_u64().expect("mode")).expect("mode"),
    }
}

fn shared_arguments(layout: &Layout, case: &Case) -> Vec<String> {
    let overrides = case.config.overrides.iter();
    overrides
        .flat_map(|text| ["-c".to_owned(), layout.expand(text)])
        .collect()
}

/// The instruction fragment the peer gives its model; `Err` with its message when it refuses.
fn peer_fragment(layout: &Layout, case: &Case, peer: &Path) -> Result<Option<String>, String> {
    let mut arguments = Vec::new();
    if let Some(profile) = &case.config.profile {
        arguments.extend(["--profile".to_owned(), profile.clone()]);
    }
    if let Some(directory) = &case.cd_flag {
        arguments.extend(["--cd".to_owned(), layout.expand(directory)]);
    }
    arguments.extend(["debug".to_owned(), "prompt-input".to_owned()]);
    arguments.extend(shared_arguments(layout, case));
    let output = layout.run(peer, case, &arguments);
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let prompt: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let items = prompt.as_array().ok_or("the peer's prompt is no list")?;
    let texts = items
        .iter()
        .flat_map(|item| item["content"].as_array().into_iter().flatten());
    let fragment = texts
        .filter_map(|part| part["text"].as_str())
        .find(|text| text.starts_with("# AGENTS.md instructions"));
    Ok(fragment.map(str::to_owned))
}

/// What the command prints for the same layout.
fn own_fragment(layout: &Layout, case: &Case) -> Result<Option<String>, String> {
    let mut arguments = vec!["instructions".to_owned(), "--text".to_owned()];
    if let Some(profile) = &case.config.profile {
        arguments.extend(["--profile".to_owned(), profile.clone()]);
    }
    arguments.extend(shared_arguments(layout, case));
    if let Some(directory) = &case.cd_flag {
        arguments.push(layout.expand(directory));
    }
    let output = layout.run(
        Path::new(env!("CARGO_BIN_EXE_codex-context")),
        case,
        &arguments,
    );
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn compare(case: &Case, peer: &Path) -> Result<(), Failed> {
    let layout = Layout::build(case);
    let theirs = peer_fragment(&layout, case, peer);
    let ours = own_fragment(&layout, case);
    match (&ours, &theirs) {
        (Err(_), Err(_)) if case.expected_error.is_some() => Ok(()),
        (Ok(ours), Ok(theirs)) if ours == theirs => Ok(()),
        _ => Err(format!("ours:   {ours:?}\ntheirs: {theirs:?}").into()),
    }
}

/// Why a case says nothing about the peer, if it does not.
fn left_out(case: &Case) -> Option<&'static str> {
    if case.reference.is_some() {
        return Some("the peer answers differently, as the case says");
    }
    if case.run_as.is_some() {
        return Some("needs an unprivileged reader");
    }
    if case.starts_at_no_directory() {
        return Some("the command refuses to start where there is no directory");
    }
    None
}

/// One trial for each layout that the peer agrees on.
pub(crate) fn trials(peer: &Path, skipped: &mut Skipped) -> Vec<Trial> {
    let file: CaseFile = serde_json::from_str(CASES).expect("case file");
    let mut trials = Vec::new();
    for case in file.cases {
        if case.get("files").is_none() {
            continue;
        }
        let case: Case = serde_json::from_value(case).expect("case");
        if let Some(reason) = left_out(&case) {
            skipped.add(reason);
            continue;
        }
        let peer = peer.to_owned();
        let name = format!("instructions::{}", case.name);
        trials.push(Trial::test(name, move || compare(&case, &peer)));
    }
    trials
}
