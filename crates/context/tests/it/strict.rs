//! What is never asked: anything above a project root but markers and plugin manifests; anything of a project, but
//! markers and what trust depends on, before trust and budget are known or where it is withheld.

use std::sync::Arc;
use std::time::Duration;

use codex_context::file_system::call::CallKind;
use codex_context::path_uri::PathUri;
use codex_context::{ContextRequest, absolute_path};
use codex_file_system_testkit::meter::{Metered, MeteredCall, on_paused_clock};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use proptest::prelude::*;
use proptest::sample::select;

use crate::layout::{layouts, machine};
use crate::support::{here, sources};

/// The user's files answer later than the project's machine.
const HOST_DELAY: Duration = Duration::from_millis(50);

const PROJECT: &str = "
    /1/2/AGENTS.md = Above.
    /1/2/.codex/config.toml = project_doc_max_bytes = 1
    /1/2/.agents/skills/above/SKILL.md = ---%0Adescription: D%0A---%0A
    /1/2/repo/.git/
    /1/2/repo/AGENTS.md = Root.
    /1/2/repo/.codex/config.toml = project_doc_max_bytes = 99
    /1/2/repo/.agents/skills/one/SKILL.md = ---%0Adescription: D%0A---%0A
    /1/2/repo/a/AGENTS.md = Leaf.
    /1/2/repo/a/.codex/config.toml = model = 'm'
";

/// What the machine of the project was asked, with times since the beginning.
fn asked(config: &str, window: usize) -> Vec<(Duration, MeteredCall)> {
    let memory = |tree: &str| MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
    let host = format!("/home/ada/.codex/config.toml = {config}\n");
    let host = Arc::new(Metered::with_delay(memory(&host), HOST_DELAY));
    let project = Arc::new(Metered::new(memory(PROJECT)));
    let mut environment = here("/1/2/repo/a", Arc::clone(&project) as _);
    environment.id = codex_context::file_system::EnvironmentId::new("box").unwrap();
    environment.start_directory = codex_context::StartDirectory::Checked;
    let request = ContextRequest {
        environments: vec![environment],
        sources: sources(host),
        window: codex_context::file_system::Window::new(window).unwrap(),
        ..ContextRequest::default()
    };
    on_paused_clock(async {
        let begin = tokio::time::Instant::now();
        codex_context::load(&request).await.unwrap();
        let calls = project.cost().calls.into_iter();
        calls.map(|call| (call.started - begin, call)).collect()
    })
    .0
}

fn is_in_project(path: &PathUri) -> bool {
    path.starts_with(&absolute_path("/1/2/repo").unwrap())
}

/// The namespace of a skill is that of the nearest plugin around it, however far up.
fn is_manifest(call: &MeteredCall) -> bool {
    call.path.as_str().ends_with("-plugin/plugin.json")
}

fn is_marker(call: &MeteredCall) -> bool {
    call.kind == CallKind::GetMetadata && call.path.as_str().ends_with("/.git")
}

/// Whether the user's own files lie inside the project.
fn is_config_home(call: &MeteredCall) -> bool {
    call.kind == CallKind::Canonicalize && call.path.as_str().ends_with("/.codex")
}

/// Markers, the start directory itself, and what trust depends on.
fn is_allowed_before_trust(call: &MeteredCall) -> bool {
    is_marker(call)
        || is_config_home(call)
        || call.path == absolute_path("/1/2/repo/a").unwrap()
        || call.path == absolute_path("/1/2/repo").unwrap()
        || call.path.as_str().ends_with("/repo/.git")
}

const WINDOWS: [usize; 4] = [1, 8, 64, 256];

#[test]
fn above_the_root_nothing_is_asked_but_markers() {
    for config in [
        "",
        "[projects.'/1/2/repo']%0Atrust_level = 'trusted'",
        "project_doc_max_bytes = 0",
    ] {
        for window in WINDOWS {
            for (_, call) in asked(config, window) {
                let is_allowed = is_in_project(&call.path)
                    || is_marker(&call)
                    || is_manifest(&call)
                    || is_config_home(&call);
                assert!(is_allowed, "{call:?}");
            }
        }
    }
}

#[test]
fn before_trust_is_known_nothing_of_the_project_is_asked() {
    for config in ["", "[projects.'/1/2/repo']%0Atrust_level = 'trusted'"] {
        for window in WINDOWS {
            for (at, call) in asked(config, window) {
                assert!(
                    at >= HOST_DELAY || is_allowed_before_trust(&call),
                    "{at:?} {call:?}"
                );
            }
        }
    }
}

#[test]
fn of_a_withheld_project_no_document_is_asked_and_no_layer_is_read() {
    for window in WINDOWS {
        let config = "[projects.'/1/2/repo']%0Atrust_level = 'untrusted'";
        let mut layers = 0;
        for (_, call) in asked(config, window) {
            let path = call.path.as_str();
            let is_layer = path.ends_with("/.codex/config.toml");
            layers += usize::from(is_layer);
            // Skills of a project are given whether it is trusted or not, as the Codex CLI does.
            let is_of_skills = path.contains("/skills") || is_manifest(&call);
            let is_allowed = is_allowed_before_trust(&call)
                || is_of_skills
                || (is_layer && call.kind == CallKind::GetMetadata);
            assert!(is_allowed, "{call:?}");
        }
        assert_eq!(layers, 2, "one question for each directory");
    }
}

#[test]
fn documents_that_are_switched_off_are_not_asked_for() {
    for window in WINDOWS {
        for (_, call) in asked("project_doc_max_bytes = 0", window) {
            assert!(!call.path.as_str().contains("AGENTS"), "{call:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn no_call_is_made_twice(layout in layouts(), window in select(vec![1, 2, 8, 64, 256])) {
        let files = Arc::new(Metered::new(machine(Flavor::Posix, &layout)));
        let request = crate::support::at_home("/w/a/b", Arc::clone(&files) as _, window);
        let (_, _) = on_paused_clock(codex_context::load(&request));
        let twice = crate::support::made_twice(&files.cost());
        prop_assert!(twice.is_empty(), "{:?}", twice);
    }
}
