//! A caller of the shape that a host of codex-rs has, as `docs/from-codex-rs.md` says to write it.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_agents_md::LoadedAgentsMd;
use codex_agents_md::{TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions};
use codex_config::{Config, ConfigLayerSource};
use codex_config::{ConfigLayerStack, merge_toml_values};
use codex_exec_server::ExecutorFileSystem;
use codex_exec_server::RemoteFileSystem;
use codex_file_system::LocalFileSystem;
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, Environment, EnvironmentId, ExecutorFileSystemFuture,
    FileSystemResult, FileSystemSandboxContext, FindUpErrorPolicy, RemoveOptions, find_git_root,
    find_nearest_ancestor_with_markers,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathConvention;
use codex_path_uri::{AbsolutePathBuf, PathUri};
use codex_plugin::PluginProvider;
use codex_plugin::{CapabilityRootLocation, SelectedCapabilityRoot};
use codex_skills::load_environment_skills_from_root;
use pretty_assertions::assert_eq;

const PAGE: &str = include_str!("../../../../docs/from-codex-rs.md");
const CALLER: &str = include_str!("from_codex_rs.rs");

const TREE: &str = "/repo/.git/\n/repo/AGENTS.md = Be brief.\n/repo/src/main.rs = x\n\
    /skills/fix/SKILL.md = ---%0Adescription: Fixes it.%0A---%0A";

#[test]
fn every_line_of_the_page_is_in_the_caller_that_compiles() {
    let mut lines = 0;
    for row in PAGE.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let Some(write) = cells.last().filter(|_| is_above_behaviour(row)) else {
            continue;
        };
        for code in write.split('`').skip(1).step_by(2) {
            lines += 1;
            assert!(
                CALLER.matches(code).count() > 0,
                "{code} is not in the caller"
            );
        }
    }
    assert!(lines > 20, "{lines}");
}

/// Whether a row tells what to write.
fn is_above_behaviour(row: &str) -> bool {
    let end = PAGE.find("## What behaves differently");
    PAGE.find(row) < end
}

fn memory() -> Arc<MemoryFileSystem> {
    Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, TREE).unwrap())
}

/// A helper of a host over any filesystem, with the aliases.
async fn source_files(
    fs: &dyn ExecutorFileSystem,
    directory: &PathUri,
    sandbox: Option<&FileSystemSandboxContext>,
) -> FileSystemResult<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs.read_directory(directory, sandbox).await? {
        if entry.is_file() && !entry.is_directory() {
            names.push(entry.file_name.to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn read<'a>(
    fs: &'a dyn ExecutorFileSystem,
    path: &'a PathUri,
) -> ExecutorFileSystemFuture<'a, Vec<u8>> {
    fs.read_file(path, None)
}

#[tokio::test]
async fn files_are_asked_for_as_in_codex_rs() {
    let id = EnvironmentId::try_from("build").unwrap();
    let cwd = PathUri::try_from("file:///repo/src".to_owned()).unwrap();
    let environment = Environment::new(id, cwd.clone(), memory());
    let fs = environment.get_filesystem();

    assert_eq!(source_files(&*fs, &cwd, None).await.unwrap(), ["main.rs"]);
    let document = cwd.join("../AGENTS.md").unwrap();
    assert_eq!(read(&*fs, &document).await.unwrap(), b"Be brief.");
    assert_eq!(
        fs.read_file_text(&document, None).await.unwrap(),
        "Be brief."
    );
    assert!(fs.get_metadata(&document, None).await.unwrap().is_file);
    assert_eq!(fs.canonicalize(&document, None).await.unwrap(), document);

    let made = cwd.join("made").unwrap();
    let create = CreateDirectoryOptions { recursive: true };
    fs.create_directory(&made, create, None).await.unwrap();
    let copy = made.join("copy.md").unwrap();
    let options = CopyOptions { recursive: false };
    fs.copy(&document, &copy, options, None).await.unwrap();
    fs.write_file(&copy, b"new".to_vec(), None).await.unwrap();
    let remove = RemoveOptions {
        recursive: true,
        force: false,
    };
    fs.remove(&made, remove, None).await.unwrap();
    let error = fs.get_metadata(&made, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);

    let policy = FindUpErrorPolicy::Propagate;
    let root = find_nearest_ancestor_with_markers(&*fs, &cwd, [".git"], policy, None).await;
    let repository = PathUri::parse("file:///repo").unwrap();
    assert_eq!(root.unwrap(), Some(repository.clone()));
    assert_eq!(find_git_root(&*fs, &cwd, None).await, Some(repository));
}

#[test]
fn paths_are_converted_as_in_codex_rs() {
    let home = AbsolutePathBuf::try_from("/home/ada").unwrap();
    let path = AbsolutePathBuf::resolve_with_home("~/notes", &home, &home).unwrap();
    let uri = PathUri::from(path.clone());
    assert_eq!(uri.infer_path_convention(), Some(PathConvention::Posix));
    assert_eq!(uri.to_url().as_str(), "file:///home/ada/notes");
    assert_eq!(uri.to_abs_path().unwrap(), path);
    assert_eq!(uri.basename().as_deref(), Some("notes"));
}

#[tokio::test]
async fn instructions_and_skills_are_loaded_as_in_codex_rs() {
    let id = EnvironmentId::try_from("build").unwrap();
    let cwd = PathUri::parse("file:///repo/src").unwrap();
    let environment = Environment::new(id.clone(), cwd.clone(), memory());
    let turn = TurnEnvironment::new(id.clone(), environment.clone(), cwd);
    assert_eq!(turn.cwd(), environment.cwd());
    let environments = TurnEnvironmentSnapshot {
        turn_environments: vec![turn],
    };
    let outcome = load_project_instructions(&Config::default(), None, &environments).await;
    assert_eq!(
        outcome.loaded.map(|loaded| loaded.text()).as_deref(),
        Some("Be brief.")
    );
    let internal = LoadedAgentsMd::from_internal_text("Be brief.");
    assert_eq!(internal.text(), "Be brief.");

    let root = PathUri::parse("file:///skills").unwrap();
    let fs = environment.get_filesystem();
    let skills = load_environment_skills_from_root(&*fs, &root, None).await;
    let skills = skills.bind(id, "capability".to_owned()).skills;
    assert_eq!(skills[0].description, "Fixes it.");
}

#[test]
fn configuration_is_merged_as_in_codex_rs() {
    let parse = |text| toml::from_str(text).unwrap();
    let mut base = parse("a = 1\n[t]\nb = 1");
    merge_toml_values(&mut base, &parse("[t]\nb = 2"));
    assert_eq!(base, parse("a = 1\n[t]\nb = 2"));
    let stack = ConfigLayerStack::new(Vec::new()).unwrap();
    assert_eq!(
        stack.effective_config().as_table().map(|table| table.len()),
        Some(0)
    );
    assert_eq!(
        ConfigLayerSource::SessionFlags,
        ConfigLayerSource::SessionFlags
    );
}

/// A host's own way to resolve the root that it selected.
async fn resolved<P: PluginProvider>(provider: &P, environment_id: EnvironmentId) -> bool {
    let selected = SelectedCapabilityRoot {
        id: "release".to_owned(),
        location: CapabilityRootLocation::Environment {
            environment_id,
            path: PathUri::parse("file:///srv/plugins/release").unwrap(),
        },
    };
    matches!(provider.resolve(&selected).await, Ok(Some(_)))
}

#[test]
fn what_a_host_holds_is_the_trait_whatever_machine_it_is() {
    fn holds<F: ExecutorFileSystem + 'static>() {}
    holds::<LocalFileSystem>();
    holds::<RemoteFileSystem>();
    holds::<Arc<dyn ExecutorFileSystem>>();
    let _ = resolved::<codex_plugin::ExecutorPluginProvider>;
}
