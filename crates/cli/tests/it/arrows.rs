//! The arrows between the crates of this workspace, checked from `cargo metadata`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use pretty_assertions::assert_eq;
use serde_json::Value;

/// Which crates of the workspace each crate may depend on in its normal build.
const ARROWS: &[(&str, &[&str])] = &[
    (
        "codex-agents-md",
        &["codex-config", "codex-file-system", "codex-path-uri"],
    ),
    ("codex-bench-support", &[]),
    (
        "codex-cli",
        &[
            "codex-agents-md",
            "codex-config",
            "codex-context",
            "codex-exec-server",
            "codex-file-system",
            "codex-path-uri",
            "codex-plugin",
            "codex-sftp",
            "codex-skills",
        ],
    ),
    ("codex-config", &["codex-file-system", "codex-path-uri"]),
    (
        "codex-context",
        &[
            "codex-agents-md",
            "codex-config",
            "codex-exec-server",
            "codex-file-system",
            "codex-path-uri",
            "codex-plugin",
            "codex-sftp",
            "codex-skills",
        ],
    ),
    (
        "codex-exec-server",
        &["codex-file-system", "codex-path-uri"],
    ),
    ("codex-file-system", &["codex-path-uri"]),
    (
        "codex-file-system-testkit",
        &["codex-file-system", "codex-path-uri"],
    ),
    ("codex-path-uri", &[]),
    ("codex-plugin", &["codex-file-system", "codex-path-uri"]),
    (
        "codex-skills",
        &[
            "codex-config",
            "codex-file-system",
            "codex-path-uri",
            "codex-plugin",
        ],
    ),
    ("codex-sftp", &["codex-file-system", "codex-path-uri"]),
];

/// Crates that know nothing of the host they run on.
const HOSTLESS: &[&str] = &[
    "codex-agents-md",
    "codex-config",
    "codex-path-uri",
    "codex-plugin",
    "codex-skills",
];

/// Dependencies that start processes, open sockets or reach the host in another way.
const HOST_CRATES: &[&str] = &[
    "async-process",
    "cap-std",
    "hyper",
    "mio",
    "reqwest",
    "rustix",
    "socket2",
    "tempfile",
    "tokio",
];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .arg("--manifest-path")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .output()
        .expect("cargo metadata starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

/// Normal dependencies of each package of the workspace, by package name.
fn normal_dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("dependencies");
            let normal = dependencies
                .iter()
                .filter(|dependency| dependency["kind"].is_null())
                .map(|dependency| dependency["name"].as_str().expect("name").to_owned())
                .collect();
            (package["name"].as_str().expect("name").to_owned(), normal)
        })
        .collect()
}

#[test]
fn arrows_between_crates_point_inward() {
    let actual: BTreeMap<String, BTreeSet<String>> = normal_dependencies()
        .into_iter()
        .map(|(name, all)| {
            (
                name,
                all.into_iter()
                    .filter(|name| name.starts_with("codex-"))
                    .collect(),
            )
        })
        .collect();
    let allowed: BTreeMap<String, BTreeSet<String>> = ARROWS
        .iter()
        .map(|(name, arrows)| {
            (
                (*name).to_owned(),
                arrows.iter().map(|arrow| (*arrow).to_owned()).collect(),
            )
        })
        .collect();
    assert_eq!(actual, allowed);
}

#[test]
fn hostless_crates_depend_on_nothing_that_reaches_the_host() {
    let dependencies = normal_dependencies();
    for name in HOSTLESS {
        let host: Vec<_> = dependencies[*name]
            .iter()
            .filter(|name| HOST_CRATES.contains(&name.as_str()))
            .collect();
        assert!(host.is_empty(), "{name} depends on {host:?}");
    }
}
