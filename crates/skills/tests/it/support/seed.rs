//! Two ways of finding skills that ask more, as baselines for the number of calls.
//!
//! Both stat every directory, every skill file and the sidecar beside it. The first looks for a
//! plugin manifest from every skill upward; the second once per plugin that has skills, and once from
//! the root upward. Both know two manifest locations and ask one thing after another.

use std::collections::BTreeSet;

use codex_file_system::{ExecutorFileSystem, FileKind};
use codex_path_uri::PathUri;

const LOCATIONS: [&str; 2] = [".codex-plugin/plugin.json", ".claude-plugin/plugin.json"];

/// What a walk saw.
#[derive(Default)]
struct Seen {
    skills: Vec<PathUri>,
    plugins: BTreeSet<PathUri>,
}

/// Looks for a manifest at and above every skill file.
pub(crate) async fn probe_from_every_skill(fs: &impl ExecutorFileSystem, root: &PathUri) {
    for skill in walk(fs, root).await.skills {
        find_manifest_above(fs, &skill).await;
    }
}

/// Looks for a manifest once per plugin with skills, and once at and above the root.
pub(crate) async fn probe_from_every_plugin(fs: &impl ExecutorFileSystem, root: &PathUri) {
    let Seen { skills, plugins } = walk(fs, root).await;
    let relevant = plugins
        .iter()
        .filter(|plugin| skills.iter().any(|it| it.starts_with(plugin)));
    for plugin in relevant {
        read_if_there(fs, &plugin.join(LOCATIONS[0]).unwrap()).await;
    }
    if !plugins.contains(root) {
        find_manifest_above(fs, root).await;
    }
}

async fn walk(fs: &impl ExecutorFileSystem, root: &PathUri) -> Seen {
    let mut seen = Seen::default();
    let mut queue = vec![root.clone()];
    while let Some(directory) = queue.pop() {
        fs.get_metadata(&directory, None).await.unwrap();
        for entry in fs.read_directory(&directory, None).await.unwrap() {
            let path = directory.join_name(&entry.file_name).unwrap();
            match (entry.kind, entry.file_name.as_str().unwrap()) {
                (FileKind::Directory, ".codex-plugin") => {
                    seen.plugins.insert(directory.clone());
                }
                (FileKind::Directory, _) => queue.push(path),
                (FileKind::File, "SKILL.md") => {
                    fs.get_metadata(&path, None).await.unwrap();
                    fs.read_file(&path, None).await.unwrap();
                    let sidecar = directory.join("agents/openai.yaml").unwrap();
                    let _ = fs.get_metadata(&sidecar, None).await;
                    seen.skills.push(path);
                }
                _ => {}
            }
        }
    }
    seen
}

/// Probes every location at and above a path, and reads the first manifest.
async fn find_manifest_above(fs: &impl ExecutorFileSystem, path: &PathUri) {
    for ancestor in path.ancestors() {
        for location in LOCATIONS {
            if read_if_there(fs, &ancestor.join(location).unwrap()).await {
                return;
            }
        }
    }
}

async fn read_if_there(fs: &impl ExecutorFileSystem, manifest: &PathUri) -> bool {
    let is_there = fs.get_metadata(manifest, None).await.is_ok();
    if is_there {
        fs.read_file(manifest, None).await.unwrap();
    }
    is_there
}
