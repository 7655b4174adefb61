//! Where the binary runs: a temporary directory with a work tree and a config home.

use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use codex_file_system_testkit::build_on_disk;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_codex-context");

/// What stands for the temporary directory in outputs.
const SHOWN_AS: &str = "/sandbox";

/// A work tree `w`, a config home `home`, and nothing else of this machine. The home directory is
/// `user`, the administrator's folder `etc`; neither is there unless the tree has it.
pub(crate) struct Sandbox {
    directory: TempDir,
}

impl Sandbox {
    /// With these entries, in the tree literal of the testkit; paths start with one of these.
    pub(crate) fn new(tree: &str) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("cx")
            .rand_bytes(8)
            .tempdir()
            .unwrap();
        for name in ["w", "home"] {
            std::fs::create_dir(directory.path().join(name)).unwrap();
        }
        build_on_disk(directory.path(), tree).unwrap();
        Self { directory }
    }

    /// The real path of one like `/w/repo`.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let root = self.directory.path().canonicalize().unwrap();
        root.join(path.trim_start_matches('/'))
    }

    /// Writes a file, parents created; `{SANDBOX}` in it stands for the sandbox's real path.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let (path, root) = (self.path(path), self.path(""));
        let root = root.to_str().unwrap().trim_end_matches('/');
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace("{SANDBOX}", root)).unwrap();
    }

    /// Puts a program into the work tree.
    pub(crate) fn program(&self, name: &str, text: &str) {
        let path = self.path("/w").join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }

    /// The binary without any argument, in `/w`, without any environment variable.
    pub(crate) fn bare_command(&self) -> Command {
        let mut command = Command::new(BINARY);
        command.env_clear().current_dir(self.path("/w"));
        command
    }

    /// The binary with these arguments and all configuration from the sandbox.
    pub(crate) fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = self.bare_command();
        command.args(arguments);
        for (option, path) in [
            ("--config-home", "/home"),
            ("--system-config", "/etc/config.toml"),
            ("--managed-config", "/etc/managed_config.toml"),
            ("--admin-folder", "/etc"),
        ] {
            command.arg(option).arg(self.path(path));
        }
        command.env("HOME", self.path("/user"));
        command
    }

    /// Runs the binary with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.finish(&mut self.command(arguments))
    }

    /// Runs it in this directory.
    pub(crate) fn run_in(&self, directory: &str, arguments: &[&str]) -> Ran {
        self.finish(self.command(arguments).current_dir(self.path(directory)))
    }

    /// Runs a command to its end; the sandbox's path is replaced in what it says.
    pub(crate) fn finish(&self, command: &mut Command) -> Ran {
        Ran::new(command.output().unwrap(), &self.path(""))
    }

    /// The text with the sandbox's path replaced.
    pub(crate) fn shown(&self, text: &str) -> String {
        replaced(text, &self.path(""))
    }
}

/// How a run ended and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    fn new(output: Output, root: &Path) -> Self {
        let text = |bytes| replaced(&String::from_utf8(bytes).unwrap(), root);
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Standard output of a run without complaints.
    #[track_caller]
    pub(crate) fn clean(self) -> String {
        pretty_assertions::assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""));
        self.stdout
    }

    /// Standard output as one JSON document, in which every path has its native spelling beside it.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let document: Value = serde_json::from_str(&self.stdout).unwrap();
        assert_eq!(document["schemaVersion"], 1);
        let mut bare = Vec::new();
        find_bare_paths(&document, &mut bare);
        assert_eq!(bare, Vec::<&str>::new(), "paths without a native spelling");
        document
    }

    /// Everything for a snapshot.
    pub(crate) fn all(&self) -> String {
        let Self {
            code,
            stdout,
            stderr,
        } = self;
        let code = code.map_or_else(|| "signal".to_owned(), |code| code.to_string());
        format!("exit code: {code}\n----- stdout -----\n{stdout}----- stderr -----\n{stderr}")
    }
}

/// The keys of texts, which may hold a URI and are no path.
const TEXTS: [&str; 4] = ["text", "message", "value", "input"];

/// Finds the keys of paths that have no native spelling beside them.
fn find_bare_paths<'a>(value: &'a Value, bare: &mut Vec<&'a str>) {
    let is_path = |value: &Value| value.as_str().is_some_and(|text| text.starts_with("file:"));
    match value {
        Value::Array(items) => items.iter().for_each(|item| find_bare_paths(item, bare)),
        Value::Object(fields) => {
            for (key, value) in fields.iter().filter(|(key, _)| !TEXTS.contains(&&***key)) {
                let is_list = value
                    .as_array()
                    .is_some_and(|items| items.iter().any(is_path));
                let is_alone = !fields.contains_key(&format!("{key}Native"));
                if (is_path(value) || is_list) && is_alone && !key.ends_with("Native") {
                    bare.push(key);
                }
                find_bare_paths(value, bare);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn replaced(text: &str, root: &Path) -> String {
    text.replace(root.to_str().unwrap().trim_end_matches('/'), SHOWN_AS)
}
