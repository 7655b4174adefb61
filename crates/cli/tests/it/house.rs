//! Rules of the house that a reader would otherwise have to check by eye.

use std::fs;
use std::path::{Path, PathBuf};

const LONGEST_FILE: usize = 700;

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
    for directory in ["src", "fuzz_targets"] {
        rust_files(&workspace().join("fuzz").join(directory), &mut files);
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

fn read(path: &str) -> String {
    fs::read_to_string(workspace().join(path)).expect(path)
}

/// The part of a manifest that begins with this table, without what stands behind it.
fn section<'a>(manifest: &'a str, first: &str, behind: &str) -> &'a str {
    let at = manifest.find(first).expect(first);
    let rest = &manifest[at..];
    rest.split(behind).next().unwrap_or(rest).trim_end()
}

/// The dependencies of a table and what is asked of each, those of this repository left out.
fn dependencies<'a>(manifest: &'a str, table: &str) -> Vec<(&'a str, &'a str)> {
    let lines = manifest.split(table).nth(1).expect(table).lines().skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, asked)| (name.trim(), asked.trim()))
        .filter(|(name, _)| !name.starts_with("codex-"))
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

/// The crate that a source belongs to.
fn crate_of(path: &Path) -> String {
    let path = path.to_string_lossy();
    let below = path.rsplit_once("crates/").map_or("", |(_, below)| below);
    below.split('/').next().unwrap_or_default().to_owned()
}

#[test]
fn a_module_is_a_file_of_its_name() {
    for (path, _) in library_sources() {
        let is_named = path.file_name().is_some_and(|name| name != "mod.rs");
        assert!(is_named, "{}", path.display());
    }
}

/// The parts of the names that a source defines, in lower case.
fn parts_of_names(text: &str) -> Vec<String> {
    const DEFINING: [&str; 8] = [
        "fn", "struct", "enum", "trait", "type", "mod", "const", "static",
    ];
    let is_separator = |character: char| !character.is_alphanumeric() && character != '_';
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let mut parts = Vec::new();
    for line in code {
        let words: Vec<&str> = line.split(is_separator).collect();
        for pair in words.windows(2) {
            if DEFINING.contains(&pair[0]) {
                parts.extend(parts_of(pair[1]));
            }
        }
    }
    parts
}

fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_behind_lower = false;
    for character in name.chars() {
        if character == '_' || (character.is_uppercase() && is_behind_lower) {
            parts.push(String::new());
        }
        if character != '_'
            && let Some(part) = parts.last_mut()
        {
            part.extend(character.to_lowercase());
        }
        is_behind_lower = character.is_lowercase();
    }
    parts
}

#[test]
fn names_are_words_that_a_reader_can_search_for() {
    const DIALECT: [&str; 10] = [
        "beside", "judge", "judged", "nobody", "obituary", "said", "sealed", "settle", "stray",
        "whoever",
    ];
    /// Crates that still have such names: each is a debt.
    const STILL: [&str; 7] = [
        "agents-md",
        "cli",
        "config",
        "exec-server",
        "plugin",
        "sftp",
        "skills",
    ];
    for (path, text) in library_sources() {
        if STILL.contains(&crate_of(&path).as_str()) {
            continue;
        }
        for part in parts_of_names(&text) {
            assert!(
                !DIALECT.contains(&part.as_str()),
                "{} has a name with `{part}`",
                path.display()
            );
        }
    }
}

#[test]
fn a_test_that_hangs_is_ended() {
    assert!(read(".config/nextest.toml").contains("terminate-after"));
}

#[test]
fn every_dependency_is_used_and_explained() {
    let manifest = read("Cargo.toml");
    let page = read("docs/dependencies.md");
    let manifests = crate_manifests();
    for (name, _) in dependencies(&manifest, "[workspace.dependencies]") {
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

/// The version in what is asked of a dependency.
fn version(asked: &str) -> &str {
    asked.split('"').nth(1).expect("a version")
}

#[test]
fn the_fuzz_workspace_keeps_the_rules_of_this_one() {
    let (ours, theirs) = (read("Cargo.toml"), read("fuzz/Cargo.toml"));
    assert_eq!(
        section(&theirs, "[workspace.lints.rust]", "[profile"),
        section(&ours, "[workspace.lints.rust]", "[profile"),
    );
    let known = dependencies(&ours, "[workspace.dependencies]");
    for (name, asked) in dependencies(&theirs, "[dependencies]") {
        let known = known.iter().find(|(other, _)| *other == name);
        match known {
            Some((_, known)) => assert_eq!(version(asked), version(known), "{name}"),
            None => assert_eq!(name, "libfuzzer-sys"),
        }
    }
    let page = read("docs/dependencies.md");
    assert_eq!(page.matches("| `libfuzzer-sys` |").count(), 1);
}

#[test]
fn every_fuzz_target_is_built_has_seeds_and_runs_every_night() {
    let targets = fs::read_dir(workspace().join("fuzz/fuzz_targets")).expect("targets");
    let (manifest, library) = (read("fuzz/Cargo.toml"), read("fuzz/src/lib.rs"));
    let nightly = read(".github/workflows/nightly.yml");
    let mut count = 0;
    for target in targets {
        let path = target.expect("target").path();
        let name = path
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("a name");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
        assert!(library.contains(&format!("(\"{name}\", {name})")), "{name}");
        assert!(nightly.contains(&format!("          - {name}\n")), "{name}");
        let seeds = fs::read_dir(workspace().join("fuzz/seeds").join(name)).expect(name);
        assert!(seeds.count() > 0, "{name}");
        count += 1;
    }
    assert_eq!(manifest.matches("[[bin]]").count(), count);
}
