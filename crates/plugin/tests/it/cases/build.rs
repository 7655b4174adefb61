//! The ground a case stands on: its files and faults, in memory or in a temporary directory.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codex_file_system::error::kind_from_name;
use codex_file_system::{ExecutorFileSystem, FileKind, FileMetadata, LocalFileSystem, Operation};
use codex_file_system_testkit::{Altered, Fault, Faulty, build_on_disk, escape};
use codex_path_uri::{PathConvention, PathUri};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{Forged, Scene, empty_memory, literal_path, uri};

/// Where the files of a case are.
pub(super) struct Ground {
    /// The case's root on this ground.
    pub(super) root: PathUri,
    /// The directory of a case on disk, removed at the end.
    disk: Option<TempDir>,
}

impl Ground {
    pub(super) fn memory(case: &Value) -> Self {
        let root = case["root"].as_str().unwrap_or("file:///plugins/p");
        Self {
            root: uri(root),
            disk: None,
        }
    }

    /// Nothing for a case without files, with files that name their own place, or with a root that
    /// is not below `/plugins`.
    #[expect(
        clippy::disallowed_methods,
        reason = "the test's directory is on the host"
    )]
    pub(super) fn disk(case: &Value) -> Option<Self> {
        if case.get("files")?.to_string().contains("/plugins/") {
            return None;
        }
        let root = uri(case["root"].as_str()?);
        if root.convention() != Some(PathConvention::Posix) {
            return None;
        }
        let below = root.relative_path_from(&uri("file:///plugins"))?;
        let disk = tempfile::tempdir().unwrap();
        let place = disk.path().canonicalize().unwrap();
        let root = PathUri::from_host_native_path(place)
            .unwrap()
            .join(&format!("plugins/{below}"));
        Some(Self {
            root: root.unwrap(),
            disk: Some(disk),
        })
    }

    /// The directory that stands for `/plugins`.
    pub(super) fn plugins(&self) -> String {
        self.root.parent().unwrap().to_string()
    }

    /// A scene with the case's files and faults.
    pub(super) fn scene(&self, case: &Value, faults: Option<&Value>) -> Scene {
        let tree = self.tree(case);
        match &self.disk {
            Some(directory) => {
                let prefix = PathUri::from_host_native_path(directory.path()).unwrap();
                let tree = tree.replace(&literal_path(&prefix), "");
                build_on_disk(directory.path(), &tree).unwrap();
                self.with_faults(LocalFileSystem::inline(), faults)
            }
            None => {
                let memory = empty_memory(&self.root);
                memory.add_tree(&tree).unwrap();
                self.with_faults(memory, faults)
            }
        }
    }

    fn with_faults(&self, fs: impl ExecutorFileSystem + 'static, faults: Option<&Value>) -> Scene {
        let mut forged = Forged::default();
        let mut script = Vec::new();
        for fault in faults.and_then(Value::as_array).into_iter().flatten() {
            let path = match fault["path"].as_str().unwrap() {
                "" => self.root.clone(),
                below => self.root.join(below).unwrap(),
            };
            let operation = match fault["call"].as_str().unwrap() {
                "get_metadata" => Operation::GetMetadata,
                "read_file" => Operation::ReadFile,
                "canonicalize" => Operation::Canonicalize,
                other => panic!("unknown call {other}"),
            };
            match fault["result"].as_str().unwrap() {
                "file" => forged = forged.with_metadata(path, FileMetadata::new(FileKind::File)),
                kind => script.push(Fault::error(kind_from_name(kind)).of(operation).at(path)),
            }
        }
        let faulty = Faulty::new(Altered::new(fs, forged));
        Scene::new(script.into_iter().fold(faulty, Faulty::on))
    }

    /// The case's files as a tree literal.
    fn tree(&self, case: &Value) -> String {
        let root = literal_path(&self.root);
        let mut tree = format!("{}/\n", root.trim_end_matches('/'));
        for (path, file) in case["files"].as_object().into_iter().flatten() {
            let path = literal_path(&self.root.join(path).unwrap());
            let line = match file {
                Value::String(text) => format!("{path} = {}", escape(text.as_bytes())),
                file if file.get("dir").is_some() => format!("{path}/"),
                file if file.get("symlink").is_some() => {
                    format!("{path} -> {}", file["symlink"].as_str().unwrap())
                }
                file if file.get("b64").is_some() => {
                    let bytes = STANDARD.decode(file["b64"].as_str().unwrap()).unwrap();
                    format!("{path} = {}", escape(&bytes))
                }
                file => format!(
                    "{path} = {}",
                    escape(super::view::repeated(file).as_bytes())
                ),
            };
            tree.push_str(&line);
            tree.push('\n');
        }
        tree
    }
}
