//! Every tree of the cases of `codex-agents-md`, through the command: text, sources, findings and
//! failures.
//!
//! What trust each case is given is not told to the command: it finds out from the case's
//! configuration. Themes without a tree (`assembly`, `merge`, `override`, `cost`) are tested in
//! the libraries.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use super::{Comparison, cases, decode_base64, digest, text};
use crate::sandbox::{Ran, Sandbox};

const CASES: &str = codex_file_system_testkit::cases::AGENTS_MD.text;
const WITHOUT_TREE: [&str; 4] = ["assembly", "merge", "override", "cost"];
/// Cases whose start directory is none, which the command refuses though the library does not.
const NO_DIRECTORY: [&str; 2] = ["missing_cd", "cd_is_file"];
const NOBODY: u32 = 65534;

#[test]
fn every_case_gives_the_expected_text_sources_and_findings() {
    let mut comparison = Comparison::default();
    for case in cases(CASES) {
        if WITHOUT_TREE.contains(&text(&case["theme"])) {
            continue;
        }
        let name = text(&case["name"]);
        let mut compare = |label: &str, expected: Value, found: Value| {
            comparison.compare(&format!("{name} {label}"), &expected, &found);
        };
        Case::new(&case).check(&mut compare);
        comparison.ran += 1;
    }
    comparison.end(168);
}

struct Case<'a> {
    case: &'a Map<String, Value>,
    sandbox: Sandbox,
}

impl<'a> Case<'a> {
    fn new(case: &'a Value) -> Self {
        let case = case.as_object().unwrap();
        let built = Self {
            case,
            sandbox: Sandbox::new(""),
        };
        std::fs::create_dir_all(built.home()).unwrap();
        built.create(&built.sandbox.path("/w"), &case["files"]);
        built.create(&built.home(), case.get("home").unwrap_or(&json!({})));
        let config = case.get("config").unwrap_or(&Value::Null);
        if let Some(toml) = config["toml"].as_str() {
            std::fs::write(built.home().join("config.toml"), built.filled(toml)).unwrap();
        }
        for (name, toml) in config["extra_toml"].as_object().into_iter().flatten() {
            std::fs::write(built.home().join(name), built.filled(text(toml))).unwrap();
        }
        if case.get("no_mkcwd").is_none() {
            // A case may start in what is no directory.
            let _ = std::fs::create_dir_all(built.cwd());
        }
        built.set_modes(&built.sandbox.path("/w"), &case["files"]);
        built.set_modes(&built.home(), case.get("home").unwrap_or(&json!({})));
        built
    }

    fn home(&self) -> PathBuf {
        let below = self.case.get("home_at").map(text);
        below.map_or_else(
            || self.sandbox.path("/home"),
            |below| self.sandbox.path("/w").join(below),
        )
    }

    fn cwd(&self) -> PathBuf {
        self.sandbox
            .path("/w")
            .join(native(text(&self.case["cwd"])))
    }

    /// `{ROOT}` and `{HOME}` replaced; a byte that is no UTF-8 is shown as U+FFFD.
    fn filled(&self, text: &str) -> String {
        let root = self.sandbox.path("/w");
        let text = text.replace("{xFF}", "\u{fffd}");
        let text = text.replace("{ROOT}", root.to_str().unwrap());
        text.replace("{HOME}", self.home().to_str().unwrap())
    }

    fn create(&self, root: &Path, files: &Value) {
        for (path, file) in files.as_object().unwrap() {
            let path = root.join(native(path));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            match text(&file["kind"]) {
                "text" => std::fs::write(path, text(&file["text"])).unwrap(),
                "base64" => std::fs::write(path, decode_base64(text(&file["data"]))).unwrap(),
                "repeat" => {
                    let count = usize::try_from(file["count"].as_u64().unwrap()).unwrap();
                    let unit = text(&file["unit"]).repeat(count);
                    let (prefix, suffix) = (text(&file["prefix"]), text(&file["suffix"]));
                    std::fs::write(path, format!("{prefix}{unit}{suffix}")).unwrap();
                }
                "dir" => std::fs::create_dir_all(path).unwrap(),
                "symlink" => {
                    let target = self.filled(text(&file["target"]));
                    std::os::unix::fs::symlink(target, path).unwrap();
                }
                "fifo" => {
                    let status = Command::new("mkfifo").arg(path).status().unwrap();
                    assert!(status.success());
                }
                other => panic!("unknown kind {other}"),
            }
        }
    }

    fn set_modes(&self, root: &Path, files: &Value) {
        for (path, file) in files.as_object().unwrap() {
            if let Some(mode) = file.get("mode") {
                let mode = match mode {
                    Value::String(octal) => u32::from_str_radix(octal, 8).unwrap(),
                    mode => u32::try_from(mode.as_u64().unwrap()).unwrap(),
                };
                let permissions = std::fs::Permissions::from_mode(mode);
                std::fs::set_permissions(root.join(native(path)), permissions).unwrap();
            }
        }
    }

    fn run(&self, more: &[&str]) -> Ran {
        let mut command = self.command();
        command
            .arg("instructions")
            .args(["--format", "json"])
            .args(more);
        match (self.case.get("cd_flag"), self.case.get("level")) {
            (Some(directory), _) => {
                command
                    .current_dir(self.cwd())
                    .arg(self.filled(text(directory)));
            }
            (None, Some(_)) => {
                command.current_dir(self.cwd());
            }
            (None, None) => {
                command.arg(self.cwd());
            }
        }
        let config = self.case.get("config").unwrap_or(&Value::Null);
        if let Some(profile) = config["profile"].as_str() {
            command.args(["--profile", profile]);
        }
        for argument in config["overrides"].as_array().into_iter().flatten() {
            command.args(["-c", &self.filled(text(argument))]);
        }
        command.arg("--config-home").arg(self.home());
        for option in ["--system-config", "--managed-config"] {
            command.arg(option).arg(self.sandbox.path("/absent.toml"));
        }
        self.sandbox.finish(&mut command)
    }

    fn command(&self) -> Command {
        let sandbox = self.sandbox.path("");
        let is_root = std::fs::metadata(&sandbox).unwrap().uid() == 0;
        if self.case.get("run_as").is_none() || !is_root {
            return self.sandbox.bare_command();
        }
        // Somebody without privileges must reach the binary and the tree.
        let binary = self.sandbox.path("/codex-context");
        // Copied by another process: while this one holds the copy open for writing, a command
        // that another test starts would inherit it, and nobody could run it (ETXTBSY).
        let mut copy = Command::new("cp");
        copy.arg(crate::sandbox::BINARY).arg(&binary);
        assert!(copy.status().unwrap().success());
        for path in [&binary, &sandbox] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = Command::new(binary);
        command
            .env_clear()
            .current_dir(self.sandbox.path("/w"))
            .uid(NOBODY)
            .gid(NOBODY);
        command
    }

    fn check(&self, compare: &mut impl FnMut(&str, Value, Value)) {
        let ran = self.run(&[]);
        if NO_DIRECTORY.contains(&text(&self.case["name"])) {
            return compare("exit code", json!(2), json!(ran.code));
        }
        if let Some(error) = self.case["expected_error"].as_str() {
            compare("exit code", json!(2), json!(ran.code));
            compare("stdout", json!(""), json!(ran.stdout));
            let position = self.case.get("expected_error_position").map(text);
            let position = position.map(|position| self.sandbox.shown(&self.filled(position)));
            let starts = position
                .is_none_or(|position| ran.stderr.starts_with(&format!("error: {position}: ")));
            compare(
                &format!("position of {error}"),
                json!(true),
                json!((starts, &ran.stderr).0),
            );
            return;
        }
        self.check_result(&ran, self.case, "", compare);
        if let Some(lenient) = self.case.get("keep_readable") {
            let mut expected = self.case.clone();
            expected.insert("expected_environment_error".to_owned(), Value::Null);
            for (key, value) in lenient.as_object().unwrap() {
                expected.insert(format!("expected_{key}"), value.clone());
            }
            expected.insert(
                "expected_present".to_owned(),
                json!(lenient["text"].is_string()),
            );
            self.check_result(
                &self.run(&["--keep-readable"]),
                &expected,
                "lenient ",
                compare,
            );
        }
    }

    fn check_result(
        &self,
        ran: &Ran,
        expected: &Map<String, Value>,
        label: &str,
        compare: &mut impl FnMut(&str, Value, Value),
    ) {
        let mut compare = |part: &str, expected, found| {
            compare(&format!("{label}{part}"), expected, found);
        };
        compare("exit code", json!(0), json!(ran.code));
        if ran.code != Some(0) {
            return compare("stderr", json!(""), json!(ran.stderr));
        }
        let found = ran.json();
        let shown = |value: &Value| {
            value
                .as_str()
                .map(|text| self.sandbox.shown(&self.filled(text)))
        };
        compare(
            "present",
            expected["expected_present"].clone(),
            json!(!found["text"].is_null()),
        );
        if let Some(text) = expected["expected_text"].as_str() {
            compare(
                "text",
                json!(self.sandbox.shown(&self.filled(text))),
                found["text"].clone(),
            );
        }
        if let Some(expected) = expected.get("expected_text_sha256") {
            compare(
                "digest",
                expected.clone(),
                json!(digest(text(&found["text"]))),
            );
        }
        for (key, from_end) in [("expected_text_head", false), ("expected_text_tail", true)] {
            if let Some(part) = expected.get(key).and_then(Value::as_str) {
                let whole = text(&found["text"]);
                let fits = if from_end {
                    whole.ends_with(part)
                } else {
                    whole.starts_with(part)
                };
                compare(key, json!(true), json!(fits));
            }
        }
        compare(
            "directory",
            json!(shown(&expected["expected_directory"])),
            found["directoryNative"].clone(),
        );
        let sources = expected["expected_sources"].as_array().unwrap();
        let sources: Vec<_> = sources.iter().map(|path| shown(path).unwrap()).collect();
        compare("sources", json!(sources), found["sourcesNative"].clone());
        let codes = expected["expected_diagnostics"].as_array().unwrap();
        let mut codes: Vec<&str> = codes.iter().map(text).collect();
        codes.sort_unstable();
        compare("diagnostics", json!(codes), diagnostics(&found));
        let failure = expected
            .get("expected_environment_error")
            .unwrap_or(&Value::Null);
        compare("failure", failure.clone(), failure_kind(&found));
    }
}

/// The codes that the cases speak of, sorted as a multiset.
fn diagnostics(found: &Value) -> Value {
    let infos = BTreeSet::from(["project_documents_withheld", "project_documents_disabled"]);
    let codes = found["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|found| found["severity"] != "info" || infos.contains(text(&found["code"])));
    let mut codes: Vec<&str> = codes.map(|found| text(&found["code"])).collect();
    codes.sort_unstable();
    json!(codes)
}

/// The kind of error that lost the documents.
fn failure_kind(found: &Value) -> Value {
    let mut diagnostics = found["diagnostics"].as_array().unwrap().iter();
    let failure = diagnostics.find(|found| found["code"] == "environment_failed");
    failure.map_or(Value::Null, |failure| failure["details"]["kind"].clone())
}

/// A path of the cases, in which `{xFF}` is the byte 0xFF.
fn native(path: &str) -> OsString {
    let mut parts = path.split("{xFF}");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(0xFF);
        bytes.extend_from_slice(part.as_bytes());
    }
    OsString::from_vec(bytes)
}
