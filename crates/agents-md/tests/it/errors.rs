//! What a failure does: to the environment it happens in under each policy, and to nothing else.

use std::collections::HashMap;
use std::error::Error;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Duration;

use codex_agents_md::{
    DirectoryState, DocumentErrorPolicy, EnvironmentStatus, InstructionDiagnosticKind as Kind,
    InstructionsError, InstructionsOperation, InstructionsOutcome, ProjectRootInput,
};
use codex_file_system::TokioTimer;
use codex_file_system::error::filesystem_loop;
use codex_file_system::wrap::{Calls, Counting, Latency};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::scripted::{Script, scripted};
use crate::support::{
    UNIT, codes, found, load, load_with, memory, one_turn, policy, text, turn, turns, uri,
};

const POLICIES: [DocumentErrorPolicy; 2] = [
    DocumentErrorPolicy::FailEnvironment,
    DocumentErrorPolicy::KeepReadable,
];

/// Three directories with a document each; the middle one cannot be read.
const UNREADABLE_MIDDLE: &str = "
    /r/.git/
    /r/AGENTS.md = root
    /r/a/AGENTS.md !000 = middle
    /r/a/b/AGENTS.md = leaf";

fn states(outcome: &InstructionsOutcome) -> Vec<DirectoryState> {
    outcome.report.environments[0]
        .directories
        .iter()
        .map(|row| row.state)
        .collect()
}

fn error(outcome: &InstructionsOutcome) -> (InstructionsOperation, PathUri, ErrorKind) {
    let error = outcome.environments[0].error.as_ref().unwrap();
    assert_eq!(error.environment_id.as_str(), "local");
    (error.operation, error.path.clone(), error.kind())
}

#[test]
fn an_unreadable_document_fails_its_environment_and_says_what_is_lost() {
    let outcome = load("", memory(UNREADABLE_MIDDLE), "/r/a/b");
    assert_eq!(text(&outcome), "");
    let path = uri("/r/a/AGENTS.md");
    let operation = InstructionsOperation::ReadDocument;
    assert_eq!(
        error(&outcome),
        (operation, path.clone(), ErrorKind::PermissionDenied)
    );
    let lost = [uri("/r/AGENTS.md"), uri("/r/a/b/AGENTS.md")];
    assert_eq!(outcome.environments[0].partial, lost);
    let kind = ErrorKind::PermissionDenied;
    let details = Kind::EnvironmentFailed { operation, kind };
    assert_eq!(found(&outcome.diagnostics), [(Some(path), details)]);
    assert_eq!(
        outcome.diagnostics[0].to_string(),
        "all project documents are lost, because the project document `file:///r/a/AGENTS.md` \
         cannot be read in environment `local`: permission denied"
    );
    use DirectoryState::{Discarded, Error};
    assert_eq!(states(&outcome), [Discarded, Error, Discarded]);
    let report = &outcome.report.environments[0];
    assert_eq!(report.status, EnvironmentStatus::Failed);
    assert_eq!(report.budget_left, report.max_bytes);
    assert_eq!(
        report.directories[1].error.as_deref(),
        Some("PermissionDenied")
    );
}

#[test]
fn keep_readable_skips_an_unreadable_document_and_leaves_the_budget_alone() {
    let snapshot = one_turn(memory(UNREADABLE_MIDDLE), uri("/r/a/b"));
    let options = policy(DocumentErrorPolicy::KeepReadable);
    let outcome = load_with("project_doc_max_bytes = 8", &snapshot, &options);
    assert_eq!(text(&outcome), "root\n\nleaf");
    assert!(outcome.environments[0].error.is_none());
    let details = Kind::DocumentUnreadable {
        kind: ErrorKind::PermissionDenied,
    };
    let path = Some(uri("/r/a/AGENTS.md"));
    assert_eq!(found(&outcome.diagnostics), [(path, details)]);
    use DirectoryState::{Error, Loaded};
    assert_eq!(states(&outcome), [Loaded, Error, Loaded]);
}

#[test]
fn an_unreadable_document_has_no_second_choice_in_its_directory() {
    let tree = "/r/.git/\n/r/AGENTS.override.md !000 = o\n/r/AGENTS.md = plain";
    let snapshot = one_turn(memory(tree), uri("/r"));
    let outcome = load_with("", &snapshot, &policy(DocumentErrorPolicy::KeepReadable));
    assert_eq!(text(&outcome), "");
    assert_eq!(codes(&outcome.diagnostics), ["document_unreadable"]);
}

#[test]
fn a_failing_candidate_gives_way_to_the_next_name_under_keep_readable() {
    let tree = "/r/.git/\n/r/AGENTS.override.md -> AGENTS.override.md\n/r/AGENTS.md = plain";
    let snapshot = one_turn(memory(tree), uri("/r"));
    let outcome = load_with("", &snapshot, &policy(DocumentErrorPolicy::KeepReadable));
    assert_eq!(text(&outcome), "plain");
    assert_eq!(codes(&outcome.diagnostics), ["candidate_probe_failed"]);

    let outcome = load_with("", &snapshot, &policy(DocumentErrorPolicy::FailEnvironment));
    assert_eq!(error(&outcome).0, InstructionsOperation::CandidateProbe);
    assert_eq!(error(&outcome).1, uri("/r/AGENTS.override.md"));
    assert_eq!(states(&outcome), [DirectoryState::Error]);
}

#[test]
fn directories_behind_a_failing_candidate_are_not_reached() {
    let tree = "
        /r/.git/
        /r/AGENTS.md = root
        /r/a/AGENTS.md -> AGENTS.md
        /r/a/b/AGENTS.md = leaf";
    let outcome = load("", memory(tree), "/r/a/b");
    use DirectoryState::{Discarded, Error, NotReached};
    assert_eq!(states(&outcome), [Discarded, Error, NotReached]);
    assert_eq!(outcome.environments[0].partial, [uri("/r/AGENTS.md")]);
    // The root was found before, and may be reused.
    let root = outcome.environments[0].root.as_ref().unwrap();
    assert_eq!(root.root, Some(uri("/r")));
    // Both names of the root and of the directory that fails.
    assert_eq!(outcome.report.environments[0].calls.reads, 4);
}

#[test]
fn a_failing_marker_below_the_root_fails_the_environment_without_rows() {
    let tree = "/r/.git/\n/r/AGENTS.md = root\n/r/a/.git -> .git\n/r/a/b/";
    let outcome = load("", memory(tree), "/r/a/b");
    let (operation, path, _) = error(&outcome);
    assert_eq!(
        (operation, path),
        (InstructionsOperation::MarkerProbe, uri("/r/a/.git"))
    );
    assert!(outcome.environments[0].root.is_none());
    let report = &outcome.report.environments[0];
    assert_eq!(
        (report.directories.len(), report.root_reason.as_ref()),
        (0, None)
    );
    assert_eq!((report.calls.candidate_probes, report.calls.reads), (0, 0));
}

#[test]
fn keep_readable_takes_a_failing_marker_for_absent_and_names_it() {
    let tree = "/r/.git/\n/r/AGENTS.md = root\n/r/a/.git -> .git\n/r/a/b/";
    let snapshot = one_turn(memory(tree), uri("/r/a/b"));
    let outcome = load_with("", &snapshot, &policy(DocumentErrorPolicy::KeepReadable));
    assert_eq!(text(&outcome), "root");
    let details = Kind::MarkerProbeFailed {
        kind: filesystem_loop(),
    };
    let path = Some(uri("/r/a/.git"));
    assert_eq!(found(&outcome.diagnostics), [(path, details)]);
    let root = outcome.environments[0].root.as_ref().unwrap();
    assert_eq!(root.failed_probes.len(), 1);
}

#[test]
fn a_failing_marker_above_the_root_is_not_looked_at() {
    for document_errors in POLICIES {
        let tree = "/.git -> .git\n/r/.git/\n/r/AGENTS.md = root";
        let outcome = load_with(
            "",
            &one_turn(memory(tree), uri("/r")),
            &policy(document_errors),
        );
        assert_eq!(text(&outcome), "root");
        assert_eq!(outcome.diagnostics, []);
    }
}

#[test]
fn every_kind_of_error_but_not_found_is_a_failure_of_its_operation() {
    let kinds = [
        ErrorKind::PermissionDenied,
        ErrorKind::NotADirectory,
        ErrorKind::InvalidFilename,
        ErrorKind::TimedOut,
        ErrorKind::Unsupported,
        ErrorKind::Other,
        filesystem_loop(),
    ];
    for kind in kinds {
        let phases = [
            (
                InstructionsOperation::MarkerProbe,
                "/r/.git",
                Script::failing(kind),
            ),
            (
                InstructionsOperation::CandidateProbe,
                "/r/AGENTS.override.md",
                Script::failing(kind),
            ),
            (
                InstructionsOperation::ReadDocument,
                "/r/AGENTS.md",
                Script::file(b"x").unreadable(kind),
            ),
        ];
        for (operation, path, failure) in phases {
            let mut scripts = HashMap::from([
                (uri("/.git"), Script::file(b"")),
                (uri("/r/AGENTS.md"), Script::file(b"x")),
            ]);
            scripts.insert(uri(path), failure);
            let outcome = load("", Arc::new(scripted(scripts)), "/r");
            assert_eq!(error(&outcome), (operation, uri(path), kind));
            assert_eq!(outcome.loaded, None);
        }
    }
}

#[test]
fn the_read_error_of_a_document_the_spent_budget_does_not_admit_is_not_looked_at() {
    let unreadable = Script::file(b"1234").unreadable(ErrorKind::PermissionDenied);
    let fs = Arc::new(scripted([
        (uri("/.git"), Script::file(b"")),
        (
            uri("/AGENTS.md"),
            Script::file(b"12345678").delayed(Duration::ZERO, UNIT),
        ),
        (uri("/a/AGENTS.md"), unreadable),
    ]));
    let outcome = load("project_doc_max_bytes = 6", fs, "/a");
    assert_eq!(text(&outcome), "123456");
    let expected = ["document_truncated", "document_over_budget"];
    assert_eq!(codes(&outcome.diagnostics), expected);
    assert_eq!(outcome.report.environments[0].lost_bytes, 2 + 4);
}

#[test]
fn the_first_error_in_order_is_reported_whichever_answer_came_first() {
    let tree = "/r/.git/\n/r/AGENTS.md -> AGENTS.md\n/r/a/AGENTS.md -> AGENTS.md";
    let slow_root = Latency::new(memory(tree), TokioTimer, Duration::ZERO, Duration::ZERO)
        .with_path(uri("/r/AGENTS.md"), UNIT);
    let outcome = load("", Arc::new(slow_root), "/r/a");
    assert_eq!(error(&outcome).1, uri("/r/AGENTS.md"));
}

#[test]
fn a_failed_host_search_fails_the_environment_without_io_under_either_policy() {
    for document_errors in POLICIES {
        let fs = Arc::new(Counting::new(memory("/r/.git/\n/r/AGENTS.md = root")));
        let host_error = Arc::new(io::Error::from(ErrorKind::TimedOut));
        let turn = turn("local", Arc::clone(&fs), uri("/r"))
            .with_project_root(ProjectRootInput::Failed(host_error));
        let outcome = load_with("", &turns([turn]), &policy(document_errors));
        let expected = (
            InstructionsOperation::MarkerProbe,
            uri("/r"),
            ErrorKind::TimedOut,
        );
        assert_eq!(error(&outcome), expected);
        assert_eq!(codes(&outcome.diagnostics), ["environment_failed"]);
        assert_eq!(fs.calls(), Calls::default());
    }
}

#[test]
fn a_directory_that_nothing_can_be_joined_to_fails_at_its_first_join() {
    let sealed = PathUri::parse("file:///%00/bad/path/AAAA").unwrap();
    assert!(sealed.is_opaque());
    for document_errors in POLICIES {
        let snapshot = one_turn(memory("/r/"), sealed.clone());
        let outcome = load_with("", &snapshot, &policy(document_errors));
        let operation = InstructionsOperation::MarkerProbe;
        let expected = (operation, sealed.clone(), ErrorKind::InvalidInput);
        assert_eq!(
            error(&outcome),
            expected,
            "markers, under {document_errors:?}"
        );
    }
    let no_markers = "project_root_markers = []";
    let snapshot = one_turn(memory("/r/"), sealed.clone());
    let outcome = load_with(
        no_markers,
        &snapshot,
        &policy(DocumentErrorPolicy::FailEnvironment),
    );
    let operation = InstructionsOperation::JoinCandidate;
    assert_eq!(
        error(&outcome),
        (operation, sealed.clone(), ErrorKind::InvalidInput)
    );

    let outcome = load_with(
        no_markers,
        &snapshot,
        &policy(DocumentErrorPolicy::KeepReadable),
    );
    let details = Kind::CandidateProbeFailed {
        kind: ErrorKind::InvalidInput,
    };
    let expected = (Some(sealed), details);
    assert_eq!(found(&outcome.diagnostics), [expected.clone(), expected]);
    assert_eq!(
        outcome.report.environments[0].status,
        EnvironmentStatus::NoDocuments
    );
}

#[test]
fn an_error_chain_says_operation_path_environment_and_cause_once_each() {
    let cases = [
        (
            "/r/.git -> .git",
            "cannot probe the project root marker `file:///r/.git`",
        ),
        (
            "/r/.git/\n/r/AGENTS.override.md -> AGENTS.override.md",
            "cannot read metadata of the project document `file:///r/AGENTS.override.md`",
        ),
        (
            "/r/.git/\n/r/AGENTS.md !000 = x",
            "cannot read the project document `file:///r/AGENTS.md`",
        ),
    ];
    for (tree, message) in cases {
        let mut outcome = load("", memory(tree), "/r");
        let error: InstructionsError = outcome.environments[0].error.take().unwrap();
        assert_eq!(
            error.to_string(),
            format!("{message} in environment `local`")
        );
        let mut causes = Vec::new();
        let mut next = error.source();
        while let Some(cause) = next {
            causes.push(cause.to_string());
            next = cause.source();
        }
        assert_eq!(causes.len(), 1, "{causes:?}");
        for said in ["file://", "local", "cannot"] {
            assert!(!causes[0].contains(said), "{causes:?}");
        }
    }
}
