//! Several environments in one turn: order, isolation, labels, and a Windows machine on any host.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use codex_agents_md::{
    EnvironmentStatus, InstructionDiagnosticKind as Kind, InstructionsOptions, InstructionsOutcome,
    ProjectDocuments, ProjectRootInput, UserInstructions, load_project_instructions_with,
};
use codex_config::{Config, find_project_root};
use codex_file_system::wrap::{Calls, Counting, Latency};
use codex_file_system::{FindUpErrorPolicy, TokioTimer};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathConvention;
use pretty_assertions::assert_eq;

use crate::support::{
    UNIT, codes, config, found, load_with, memory, metered, paused, text, timed, turn, turns, uri,
};

fn windows(tree: &str) -> Arc<MemoryFileSystem> {
    Arc::new(MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap())
}

fn statuses(outcome: &InstructionsOutcome) -> Vec<EnvironmentStatus> {
    outcome
        .report
        .environments
        .iter()
        .map(|environment| environment.status)
        .collect()
}

#[test]
fn a_windows_environment_is_loaded_on_any_host() {
    let tree = r"
        C:/src/repo/.git/
        C:/src/repo/AGENTS.md = root
        C:/src/repo/Docs/agents.md = stored in lower case";
    let snapshot = turns([turn("win", windows(tree), uri(r"C:\src\repo\Docs"))]);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    let loaded = outcome.loaded.as_ref().unwrap();
    assert_eq!(loaded.text(), "root\n\nstored in lower case");
    let directory = loaded.contextual_user_fragment().directory;
    assert_eq!(directory.as_deref(), Some(r"C:\src\repo\Docs"));
    let sources: Vec<_> = loaded
        .sources()
        .map(|uri| uri.as_str().to_owned())
        .collect();
    assert_eq!(
        sources,
        [
            "file:///C:/src/repo/AGENTS.md",
            "file:///C:/src/repo/Docs/AGENTS.md"
        ]
    );
}

#[test]
fn a_share_is_searched_up_to_its_root() {
    let tree = r"
        \\server\share\AGENTS.md = share
        \\server\share\.git/
        \\server\share\a\AGENTS.md = a";
    let snapshot = turns([turn("win", windows(tree), uri(r"\\server\share\a"))]);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    assert_eq!(text(&outcome), "share\n\na");
}

#[test]
fn the_convention_of_each_environment_judges_markers_and_names() {
    let toml = r#"
        project_root_markers = ['\x', '.git']
        project_doc_fallback_filenames = ['a\b.md', 'C:x.md', 'ok.md']"#;
    let posix = memory("/r/.git/\n/r/a%5Cb.md = backslash");
    let win = windows("C:/r/.git/\nC:/r/ok.md = ok");
    let snapshot = turns([
        turn("posix", posix, uri("/r")),
        turn("win", win, uri(r"C:\r")),
    ]);
    let outcome = load_with(toml, &snapshot, &InstructionsOptions::default());
    let entries = outcome.loaded.as_ref().unwrap().entries();
    let texts: Vec<_> = entries
        .iter()
        .map(|entry| entry.contents.as_str())
        .collect();
    assert_eq!(texts, ["backslash", "ok"]);
    let names = |environment: usize| &outcome.report.environments[environment].names[2..];
    assert_eq!(names(0), [r"a\b.md", "C:x.md", "ok.md"]);
    assert_eq!(names(1), ["ok.md"]);
    let refused: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|found| {
            let Kind::Configuration(configuration) = &found.kind else {
                panic!("{found:?}");
            };
            let id = found.environment_id.as_ref().unwrap().as_str();
            (
                id,
                found.code(),
                configuration.text(),
                configuration.reason().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        refused
            .iter()
            .map(|(id, code, text, reason)| (*id, *code, &**text, &**reason))
            .collect::<Vec<_>>(),
        [
            ("win", "invalid_marker", r"\x", "absolute"),
            ("win", "invalid_fallback_name", r"a\b.md", "separator"),
            ("win", "invalid_fallback_name", "C:x.md", "drive"),
        ]
    );
}

#[test]
fn several_contributing_environments_are_labelled_and_others_do_not_count() {
    let one = memory("/w/.git/\n/w/AGENTS.md = W1");
    let none = memory("/n/.git/");
    let two = memory("/v/.git/\n/v/AGENTS.md = V1");
    let one_and_none = turns([
        turn("one", Arc::clone(&one), uri("/w")),
        turn("none", Arc::clone(&none), uri("/n")),
    ]);
    let outcome = load_with("", &one_and_none, &InstructionsOptions::default());
    assert_eq!(text(&outcome), "W1");

    let all = turns([
        turn("one", one, uri("/w")),
        turn("none", none, uri("/n")),
        turn("two", two, uri("/v")),
    ]);
    let outcome = load_with("", &all, &InstructionsOptions::default());
    assert_eq!(
        text(&outcome),
        "for `one` with root /w\n\nW1\n\nfor `two` with root /v\n\nV1"
    );
    use EnvironmentStatus::{Loaded, NoDocuments};
    assert_eq!(statuses(&outcome), [Loaded, NoDocuments, Loaded]);
}

#[cfg(unix)]
#[test]
fn a_failing_environment_touches_no_other_and_not_the_user_level_text() {
    let broken = memory("/w/.git/\n/w/AGENTS.md !000 = x");
    let sound = memory("/w/.git/\n/w/AGENTS.md = sound");
    let snapshot = turns([
        turn("broken", broken, uri("/w")),
        turn("sound", sound, uri("/w")),
    ]);
    let source = uri("/home/AGENTS.md");
    let user = Some(UserInstructions {
        text: "U".to_owned(),
        source,
    });
    let (config, options) = (Config::default(), InstructionsOptions::default());
    let outcome = paused(load_project_instructions_with(
        &config, user, &snapshot, &options,
    ));
    assert_eq!(text(&outcome), "U\n\n--- project-doc ---\n\nsound");
    use EnvironmentStatus::{Failed, Loaded};
    assert_eq!(statuses(&outcome), [Failed, Loaded]);
    let error = outcome.environments[0].error.as_ref().unwrap();
    assert_eq!(error.environment_id.as_str(), "broken");
    assert_eq!(outcome.environments[1].environment_id.as_str(), "sound");
}

#[test]
fn the_same_environment_and_directory_given_twice_is_loaded_twice() {
    let fs = memory("/w/.git/\n/w/AGENTS.md = W");
    let snapshot = turns([
        turn("one", Arc::clone(&fs), uri("/w")),
        turn("one", fs, uri("/w")),
    ]);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    assert_eq!(text(&outcome), "W\n\nW");
    let details = Kind::DuplicateDocument {
        earlier_path: uri("/w/AGENTS.md"),
        earlier_environment_id: Some(outcome.environments[0].environment_id.clone()),
    };
    let expected = (Some(uri("/w/AGENTS.md")), details);
    assert_eq!(found(&outcome.diagnostics), [expected]);
}

#[test]
fn the_answers_of_a_slow_environment_keep_their_place() {
    let tree = "/w/.git/\n/w/AGENTS.md = text";
    let slow = Latency::new(memory(tree), TokioTimer, UNIT, Duration::ZERO);
    let slow = turn("slow", Arc::new(slow), uri("/w"));
    let snapshot = turns([slow, turn("fast", memory(tree), uri("/w"))]);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    let ids: Vec<_> = outcome
        .environments
        .iter()
        .map(|outcome| outcome.environment_id.as_str())
        .collect();
    assert_eq!(ids, ["slow", "fast"]);
    assert!(text(&outcome).starts_with("for `slow`"));
}

#[test]
fn environments_run_at_the_same_time_as_far_as_their_window_goes() {
    let tree = "/w/.git/\n/w/AGENTS.md = text";
    let machines = [metered(tree), metered(tree), metered(tree), metered(tree)];
    let snapshot = turns(["a", "b", "c", "d"].map(|id| {
        let index = usize::from(id.as_bytes()[0] - b'a');
        turn(id, Arc::clone(&machines[index]), uri("/w"))
    }));
    let (config, options) = (Config::default(), InstructionsOptions::default());
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let (_, elapsed) = timed(load);
    // Markers, and both names together.
    assert_eq!(elapsed, 2);
    for machine in &machines {
        let expected = Calls {
            get_metadata: 2,
            read_file_prefix: 2,
            ..Calls::default()
        };
        assert_eq!(machine.calls(), expected);
    }
}

#[test]
fn withheld_documents_cost_no_call() {
    let fs = Arc::new(Counting::new(memory("/w/.git/\n/w/AGENTS.md = text")));
    let withheld = turn("local", Arc::clone(&fs), uri("/w"))
        .with_project_documents(ProjectDocuments::Withheld);
    let outcome = load_with("", &turns([withheld]), &InstructionsOptions::default());
    assert_eq!(fs.calls(), Calls::default());
    assert_eq!(outcome.loaded, None);
    let expected = (Some(uri("/w")), Kind::ProjectDocumentsWithheld);
    assert_eq!(found(&outcome.diagnostics), [expected]);
    assert_eq!(statuses(&outcome), [EnvironmentStatus::Withheld]);
    assert!(outcome.environments[0].root.is_none());
}

#[test]
fn a_limit_of_zero_costs_no_call() {
    let fs = Arc::new(Counting::new(memory("/w/.git/\n/w/AGENTS.md = text")));
    let snapshot = turns([turn("local", Arc::clone(&fs), uri("/w"))]);
    let outcome = load_with(
        "project_doc_max_bytes = 0",
        &snapshot,
        &InstructionsOptions::default(),
    );
    assert_eq!(fs.calls(), Calls::default());
    let expected = (Some(uri("/w")), Kind::ProjectDocumentsDisabled);
    assert_eq!(found(&outcome.diagnostics), [expected]);
    assert_eq!(statuses(&outcome), [EnvironmentStatus::Disabled]);
}

#[test]
fn what_the_host_withholds_is_withheld_whatever_the_limit_and_the_root() {
    let failed = Arc::new(io::Error::from(io::ErrorKind::TimedOut));
    let withheld = turn("local", memory("/w/"), uri("/w"))
        .with_project_documents(ProjectDocuments::Withheld)
        .with_project_root(ProjectRootInput::Failed(failed));
    let toml = "project_doc_max_bytes = 0\nproject_root_markers = ['..']";
    let outcome = load_with(toml, &turns([withheld]), &InstructionsOptions::default());
    assert_eq!(codes(&outcome.diagnostics), ["project_documents_withheld"]);
    assert_eq!(statuses(&outcome), [EnvironmentStatus::Withheld]);
}

#[test]
fn a_limit_of_zero_comes_before_a_failed_root() {
    let failed = Arc::new(io::Error::from(io::ErrorKind::TimedOut));
    let turn =
        turn("local", memory("/w/"), uri("/w")).with_project_root(ProjectRootInput::Failed(failed));
    let toml = "project_doc_max_bytes = 0";
    let outcome = load_with(toml, &turns([turn]), &InstructionsOptions::default());
    assert_eq!(codes(&outcome.diagnostics), ["project_documents_disabled"]);
    assert!(outcome.environments[0].error.is_none());
}

#[test]
fn an_environment_whose_documents_are_all_blank_has_none() {
    let snapshot = turns([turn("local", memory("/w/.git/\n/w/AGENTS.md ="), uri("/w"))]);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    assert_eq!(statuses(&outcome), [EnvironmentStatus::NoDocuments]);
    assert_eq!(outcome.loaded, None);
}

#[test]
fn a_known_root_asks_for_no_marker_and_reports_the_search_just_the_same() {
    let tree = "/w/.git/\n/w/AGENTS.md = root\n/w/a/.git -> .git\n/w/a/AGENTS.md = a";
    let config = config("project_root_markers = ['', '.git']");
    let fs = Arc::new(Counting::new(memory(tree)));
    let markers = config
        .config_layer_stack
        .usable_project_root_markers(PathConvention::Posix);
    let cwd = uri("/w/a");
    let policy = FindUpErrorPolicy::Ignore;
    let search = paused(find_project_root(&*fs, &cwd, markers, policy)).unwrap();
    fs.reset();

    let known = turn("local", Arc::clone(&fs), cwd)
        .with_project_root(ProjectRootInput::Known(search.clone()));
    let options = InstructionsOptions::default();
    let outcome = paused(load_project_instructions_with(
        // What is reported is what was searched for, whatever the configuration says.
        &Config::default(),
        None,
        &turns([known]),
        &options,
    ));
    assert_eq!(text(&outcome), "root\n\na");
    assert_eq!(
        codes(&outcome.diagnostics),
        ["invalid_marker", "marker_probe_failed"]
    );
    assert_eq!(outcome.report.environments[0].markers, [".git"]);
    let source = &outcome.report.environments[0].markers_source;
    assert_eq!(source, &search.markers.source);
    assert_eq!(outcome.environments[0].root, Some(search));
    let calls = outcome.report.environments[0].calls;
    assert_eq!(
        (calls.marker_probes, calls.candidate_probes, calls.reads),
        (2, 0, 4)
    );
    // The probes are those of the host's search.
    assert_eq!(fs.calls().total(), 4);
}
