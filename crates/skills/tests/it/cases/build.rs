//! The tree of a case, in memory or on disk.

use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codex_file_system::{ExecutorFileSystem, LocalFileSystem};
use codex_file_system_testkit::{Flavor, MemoryFileSystem, build_on_disk, escape};
use codex_path_uri::{PathConvention, PathUri};
use serde_json::Value;
use tempfile::TempDir;

use super::Case;

/// A filesystem with the tree of a case below `base`.
pub(super) struct Built {
    pub(super) fs: Arc<dyn ExecutorFileSystem>,
    /// Native spelling of the base directory.
    pub(super) base: String,
    _directory: Option<TempDir>,
}

impl Built {
    pub(super) fn path(&self, below: &str) -> PathUri {
        let base = PathUri::from_native(&self.base, PathConvention::Posix).unwrap();
        base.join(below).unwrap()
    }

    /// A text of the case with the base directory in it.
    pub(super) fn expand(&self, text: &str) -> String {
        text.replace("$BASE", &self.base)
    }
}

pub(super) fn in_memory(case: &Case) -> Built {
    let base = "/base";
    let tree = literal(case, base, &format!("{base}/"));
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    Built {
        fs: Arc::new(fs),
        base: base.to_owned(),
        _directory: None,
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the directory of a test is on the host"
)]
pub(super) fn on_disk(case: &Case) -> Built {
    let directory = tempfile::tempdir().unwrap();
    let canonical = directory.path().canonicalize().unwrap();
    let base = canonical.to_str().unwrap().to_owned();
    // On disk a tree literal is rooted in the directory it is built in, link targets included.
    build_on_disk(Path::new(&base), &literal(case, "", "")).unwrap();
    Built {
        fs: Arc::new(LocalFileSystem::inline()),
        base,
        _directory: Some(directory),
    }
}

/// The tree literal of a case; paths begin with `prefix`, links are spelled with `base`.
fn literal(case: &Case, base: &str, prefix: &str) -> String {
    let mut tree = String::new();
    for directory in ["home", "ch", "repo/.git"] {
        writeln!(tree, "{prefix}{directory}/").unwrap();
    }
    for (path, content) in &case.files {
        let path = escaped(path);
        let (operator, content) = content_of(content, base);
        writeln!(tree, "{prefix}{path}{operator}{content}").unwrap();
    }
    for generated in &case.generate {
        for number in generated.from..generated.to {
            let path = escaped(&numbered(&generated.pattern, number));
            let text = escape(numbered(&generated.text, number).as_bytes());
            writeln!(tree, "{prefix}{path} = {text}").unwrap();
        }
    }
    let config = user_config(case);
    if !config.is_empty() {
        writeln!(
            tree,
            "{prefix}ch/config.toml = {}",
            escape(config.as_bytes())
        )
        .unwrap();
    }
    tree
}

fn user_config(case: &Case) -> String {
    let written = case.files.get("ch/config.toml").and_then(Value::as_str);
    let parts = [case.config_top.as_deref(), written, case.config.as_deref()];
    parts.into_iter().flatten().collect()
}

fn content_of(content: &Value, base: &str) -> (&'static str, String) {
    if let Some(text) = content.as_str() {
        return (" = ", escape(text.as_bytes()));
    }
    if let Some(bytes) = content.get("b64").and_then(Value::as_str) {
        return (" = ", escape(&STANDARD.decode(bytes).unwrap()));
    }
    if let Some(target) = content.get("link").and_then(Value::as_str) {
        return (" -> ", escape(target.replace("$BASE", base).as_bytes()));
    }
    if content.get("dir").is_some() {
        return ("/", String::new());
    }
    let part = |key: &str| content.get(key).and_then(Value::as_str).unwrap();
    let count = usize::try_from(content.get("count").and_then(Value::as_u64).unwrap()).unwrap();
    let text = format!(
        "{}{}{}",
        part("head"),
        part("unit").repeat(count),
        part("tail")
    );
    (" = ", escape(text.as_bytes()))
}

/// Fills in `{i}` and `{i:04}`.
fn numbered(pattern: &str, number: usize) -> String {
    let mut text = pattern.replace("{i}", &number.to_string());
    for width in 1..=9 {
        text = text.replace(&format!("{{i:0{width}}}"), &format!("{number:0width$}"));
    }
    text
}

/// A path with its separators as they are.
fn escaped(path: &str) -> String {
    let names: Vec<String> = path
        .split('/')
        .map(|name| escape(name.as_bytes()))
        .collect();
    names.join("/")
}
