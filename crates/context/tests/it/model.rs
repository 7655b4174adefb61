//! A load equals the plain algorithms: metadata first, one call after the other, nothing shared.
//!
//! The models know nothing of windows, expectations or prefixes. They are run on the same random
//! machines, of both conventions, with the same calls failing.

use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::time::Duration;

use codex_context::file_system::{ExecutorFileSystem, FileKind, Window};
use codex_context::path_uri::PathUri;
use codex_context::{ContextRequest, Environment, StartDirectory, absolute_path};
use codex_file_system_testkit::meter::{Metered, on_paused_clock};
use codex_file_system_testkit::{Fault, Faulty, Flavor};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::layout::{layouts, machine, prefix};

const BUDGET: usize = 60;
const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// The documents of a project, root first, or the path and kind of the failure that loses them.
type Documents = Result<Vec<(PathUri, String)>, (PathUri, ErrorKind)>;

async fn exists(fs: &dyn ExecutorFileSystem, path: &PathUri) -> Result<bool, (PathUri, ErrorKind)> {
    match fs.get_metadata(path, None).await {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err((path.clone(), error.kind())),
    }
}

/// The directories from the project root down to `cwd`.
async fn directories(
    fs: &dyn ExecutorFileSystem,
    cwd: &PathUri,
) -> Result<Vec<PathUri>, (PathUri, ErrorKind)> {
    let mut inside = Vec::new();
    for directory in cwd.ancestors() {
        let marker = directory.join(".git").unwrap();
        inside.insert(0, directory);
        if exists(fs, &marker).await? {
            return Ok(inside);
        }
    }
    Ok(vec![cwd.clone()])
}

async fn documents(fs: &dyn ExecutorFileSystem, cwd: &PathUri) -> Documents {
    let mut found = Vec::new();
    for directory in directories(fs, cwd).await? {
        for name in NAMES {
            let path = directory.join(name).unwrap();
            match fs.get_metadata(&path, None).await {
                Ok(metadata) if metadata.kind == FileKind::File => {
                    found.push(path);
                    break;
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err((path, error.kind())),
            }
        }
    }
    let (mut budget, mut documents) = (BUDGET, Vec::new());
    for path in found {
        if budget == 0 {
            break;
        }
        let bytes = fs.read_file(&path, None).await;
        let bytes = bytes.map_err(|error| (path.clone(), error.kind()))?;
        let kept = &bytes[..bytes.len().min(budget)];
        let text = String::from_utf8_lossy(kept).into_owned();
        if !text.trim().is_empty() {
            budget -= kept.len();
            documents.push((path, text));
        }
    }
    Ok(documents)
}

/// The directories of skills below a root: no links, nothing hidden, depth of these layouts.
async fn skills(fs: &dyn ExecutorFileSystem, root: PathUri, found: &mut BTreeSet<PathUri>) {
    let mut directories = vec![root];
    while let Some(directory) = directories.pop() {
        let Ok(entries) = fs.read_directory(&directory, None).await else {
            continue;
        };
        for entry in entries {
            let path = directory.join_name(&entry.file_name).unwrap();
            let name = entry.file_name.to_string_lossy();
            match fs.get_metadata(&path, None).await.map(|it| it.kind) {
                Ok(FileKind::Directory) if !name.starts_with('.') => directories.push(path),
                Ok(FileKind::File) if name == "SKILL.md" => {
                    let text = fs.read_file(&path, None).await;
                    if text.is_ok_and(|text| text.starts_with(b"---")) {
                        found.insert(path);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Calls that fail: places of a document, and how.
fn faults() -> impl Strategy<Value = Vec<(&'static str, ErrorKind)>> {
    let places = [
        "/w/AGENTS.md",
        "/w/AGENTS.override.md",
        "/w/a/AGENTS.md",
        "/w/a/b/AGENTS.md",
        "/w/.git",
        "/w/a/.git",
        "/.git",
    ];
    let kinds = [
        ErrorKind::PermissionDenied,
        ErrorKind::NotFound,
        ErrorKind::TimedOut,
        ErrorKind::NotADirectory,
        ErrorKind::Other,
    ];
    vec((select(places.to_vec()), select(kinds.to_vec())), 0..3)
}

fn failure(error: &io::Error) -> (PathUri, ErrorKind) {
    let told = codex_context::file_system::FileSystemError::find(error).unwrap();
    (told.path.clone(), error.kind())
}

/// How many random machines are compared. A nightly run asks for more.
fn cases() -> u32 {
    let asked = option_env!("CODEX_CONTEXT_MODEL_CASES").and_then(|text| text.parse().ok());
    asked.unwrap_or(500)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn a_load_equals_the_plain_algorithms(
        layout in layouts(),
        faults in faults(),
        flavor in select(vec![Flavor::Posix, Flavor::Windows]),
        window in select(vec![1, 3, 32, 256]),
    ) {
        let path = |text: &str| absolute_path(&format!("{}{text}", prefix(flavor))).unwrap();
        let faulty = |files| {
            faults.iter().fold(Faulty::new(files), |files, (place, kind)| {
                files.on(Fault::error(*kind).at(path(place)))
            })
        };
        let cwd = path("/w/a/b");
        let files = faulty(machine(flavor, &layout));
        let mut environment = Environment::new("box", &cwd.inferred_native_path_string(), Metered::with_delay(
            faulty(machine(flavor, &layout)),
            Duration::from_millis(u64::from(window > 3)),
        )).unwrap();
        environment.start_directory = StartDirectory::Known;
        // No files of the user: layers of the project count for nothing, and the budget is given.
        let request = ContextRequest {
            environments: vec![environment],
            overrides: vec![format!("project_doc_max_bytes={BUDGET}")],
            window: Window::new(window).unwrap(),
            ..ContextRequest::default()
        };
        let ((loaded, expected, expected_skills), _) = on_paused_clock(async {
            let loaded = codex_context::load(&request).await;
            let expected = documents(&files, &cwd).await;
            let mut expected_skills = BTreeSet::new();
            let inside = directories(&files, &cwd).await.unwrap_or(vec![cwd.clone()]);
            for directory in inside {
                for folder in [".codex/skills", ".agents/skills"] {
                    skills(&files, directory.join(folder).unwrap(), &mut expected_skills).await;
                }
            }
            (loaded, expected, expected_skills)
        });
        let context = loaded.unwrap();
        let instructions = context.instructions().get().unwrap();
        let outcome = &instructions.outcome.environments[0];
        let found: Documents = match &outcome.error {
            Some(error) => Err(match context.environments()[0].project().unwrap().search.as_ref() {
                Err(source) => failure(source),
                Ok(_) => (error.path.clone(), error.source.kind()),
            }),
            None => Ok(context
                .instructions()
                .get()
                .unwrap()
                .loaded()
                .into_iter()
                .flat_map(|loaded| loaded.entries())
                .map(|entry| match &entry.provenance {
                    codex_context::agents_md::InstructionProvenance::Project { source_path, .. } => {
                        (source_path.clone(), entry.contents.clone())
                    }
                    codex_context::agents_md::InstructionProvenance::Internal => panic!("{entry:?}"),
                })
                .collect()),
        };
        assert_eq!(found, expected);
        let skills = &context.skills().get().unwrap().outcome.skills;
        let skills: BTreeSet<_> = skills.iter().map(|it| it.handle.entrypoint().clone()).collect();
        assert_eq!(skills, expected_skills);
    }
}
