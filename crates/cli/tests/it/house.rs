//! Rules of the house that a reader would otherwise have to check by eye.

use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 400;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("listing") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn library_sources() -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(workspace().join("crates")).expect("crates") {
        rust_files(&entry.expect("crate").path().join("src"), &mut files);
    }
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("source");
            (path, text)
        })
        .collect()
}

fn crate_manifests() -> Vec<String> {
    let crates = fs::read_dir(workspace().join("crates")).expect("crates");
    crates
        .map(|entry| {
            let manifest = entry.expect("crate").path().join("Cargo.toml");
            fs::read_to_string(manifest).expect("manifest")
        })
        .collect()
}

#[test]
fn every_file_opens_with_its_purpose() {
    for (path, text) in library_sources() {
        assert!(
            text.starts_with("//!"),
            "{} does not open with `//!`",
            path.display()
        );
    }
}

#[test]
fn no_file_is_longer_than_one_sitting() {
    for (path, text) in library_sources() {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().count();
        assert!(
            lines <= LONGEST_FILE,
            "{} has {lines} lines",
            path.display()
        );
    }
}

#[test]
fn every_dependency_is_used_and_explained() {
    let manifest = fs::read_to_string(workspace().join("Cargo.toml")).expect("manifest");
    let page = fs::read_to_string(workspace().join("docs/dependencies.md")).expect("page");
    let table = manifest
        .split("[workspace.dependencies]")
        .nth(1)
        .expect("dependencies");
    let names = table
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('=').map(|(name, _)| name.trim()))
        .filter(|name| !name.starts_with("codex-"));
    let manifests = crate_manifests();
    for name in names {
        assert!(
            manifests
                .iter()
                .any(|manifest| manifest.contains(&format!("\n{name}"))),
            "no crate uses `{name}`"
        );
        let rows = page.matches(&format!("| `{name}` |")).count();
        assert_eq!(rows, 1, "rows of docs/dependencies.md for `{name}`");
    }
}
