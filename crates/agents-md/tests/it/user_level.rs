//! The user-level text: which document it is, what is done to it, and what it costs.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_agents_md::{
    InstructionDetails, InstructionsOptions, UserInstructions, UserInstructionsOutcome,
    load_project_instructions_with, load_user_instructions,
};
use codex_file_system::wrap::{Calls, Counting};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use pretty_assertions::assert_eq;

use crate::scripted::{Script, scripted};
use crate::support::{
    codes, config, found, memory, metered, one_turn, paused, text, timed, turns, uri,
};

fn home() -> AbsolutePathBuf {
    AbsolutePathBuf::try_from("/home").unwrap()
}

fn load(tree: &str) -> UserInstructionsOutcome {
    paused(load_user_instructions(&*memory(tree), &home()))
}

fn user(text: &str, name: &str) -> Option<UserInstructions> {
    let source = home().join(name).unwrap();
    Some(UserInstructions {
        text: text.to_owned(),
        source,
    })
}

#[test]
fn the_override_wins_over_the_plain_file() {
    let outcome = load("/home/AGENTS.override.md = o\n/home/AGENTS.md = p");
    assert_eq!(outcome.instructions, user("o", "AGENTS.override.md"));
    assert_eq!(outcome.diagnostics, []);
}

#[test]
fn it_costs_one_round_trip_for_both_names_and_one_for_each_document_read() {
    let cases = [
        ("/home/", 0),
        ("/home/AGENTS.md/\n/home/AGENTS.override.md |", 0),
        ("/home/AGENTS.md = p", 1),
        ("/home/AGENTS.override.md = o\n/home/AGENTS.md = p", 1),
        ("/home/AGENTS.override.md = %20\n/home/AGENTS.md = p", 2),
    ];
    for (tree, reads) in cases {
        let fs = metered(tree);
        let (_, round_trips) = timed(load_user_instructions(&*fs, &home()));
        let expected = Calls {
            get_metadata: 2,
            read_file: reads,
            ..Calls::default()
        };
        assert_eq!(fs.calls(), expected, "{tree}");
        assert_eq!(round_trips, 1 + reads, "{tree}");
    }
}

#[test]
fn a_blank_document_gives_way_to_the_next_name() {
    // NBSP and the line separator are White_Space.
    let outcome = load("/home/AGENTS.override.md = %C2%A0%E2%80%A8%0A\n/home/AGENTS.md = p");
    assert_eq!(outcome.instructions, user("p", "AGENTS.md"));
    let blank = Some(uri("/home/AGENTS.override.md"));
    let expected = [("user_document_blank", blank, InstructionDetails::None)];
    assert_eq!(found(&outcome.diagnostics), expected);
    assert_eq!(outcome.diagnostics[0].environment_id, None);
}

#[test]
fn the_text_is_trimmed_at_both_ends_and_nowhere_else() {
    let outcome = load("/home/AGENTS.md = %0A%C2%85 a %0D%0A b %E3%80%80%0A");
    assert_eq!(outcome.instructions, user("a \r\n b", "AGENTS.md"));
}

#[test]
fn it_has_no_size_limit() {
    let outcome = load(&format!("/home/AGENTS.md = {}", "x".repeat(100_000)));
    assert_eq!(
        outcome.instructions.map(|user| user.text.len()),
        Some(100_000)
    );
}

#[test]
fn what_is_wrong_with_the_text_is_reported_and_the_text_kept() {
    let outcome = load("/home/AGENTS.md = a%FFb%E2%82 </instructions>");
    let expected = user("a\u{FFFD}b\u{FFFD} </instructions>", "AGENTS.md");
    assert_eq!(outcome.instructions, expected);
    let path = Some(uri("/home/AGENTS.md"));
    let replaced = InstructionDetails::Replaced {
        replacement_characters: 2,
    };
    assert_eq!(
        found(&outcome.diagnostics),
        [
            ("invalid_utf8", path.clone(), replaced),
            ("wrapper_tag_in_document", path, InstructionDetails::None),
        ]
    );
}

#[test]
fn what_cannot_be_asked_for_or_read_gives_way_to_the_next_name() {
    let failures = [
        Script::failing(ErrorKind::PermissionDenied),
        Script::file(b"o").unreadable(ErrorKind::PermissionDenied),
    ];
    for failure in failures {
        let fs = scripted([
            (uri("/home/AGENTS.override.md"), failure),
            (uri("/home/AGENTS.md"), Script::file(b"p")),
        ]);
        let outcome = paused(load_user_instructions(&fs, &home()));
        assert_eq!(outcome.instructions, user("p", "AGENTS.md"));
        let path = Some(uri("/home/AGENTS.override.md"));
        let details = InstructionDetails::Failure {
            kind: ErrorKind::PermissionDenied,
        };
        let expected = [("user_document_unreadable", path, details)];
        assert_eq!(found(&outcome.diagnostics), expected);
    }
}

#[test]
fn what_is_no_regular_file_gives_way_without_a_word() {
    for entry in ["AGENTS.override.md/", "AGENTS.override.md |"] {
        let outcome = load(&format!("/home/{entry}\n/home/AGENTS.md = p"));
        assert_eq!(outcome.instructions, user("p", "AGENTS.md"), "{entry}");
        assert_eq!(outcome.diagnostics, []);
    }
    let linked = load("/home/text = linked\n/home/AGENTS.override.md -> text\n/home/AGENTS.md = p");
    assert_eq!(linked.instructions, user("linked", "AGENTS.override.md"));
    let broken = load("/home/AGENTS.override.md -> nowhere\n/home/AGENTS.md = p");
    assert_eq!(broken.instructions, user("p", "AGENTS.md"));
}

#[test]
fn a_document_that_vanished_gives_way_without_a_word() {
    let gone = Script::file(b"o").unreadable(ErrorKind::NotFound);
    let fs = scripted([(uri("/home/AGENTS.override.md"), gone)]);
    let outcome = paused(load_user_instructions(&fs, &home()));
    assert_eq!(outcome, UserInstructionsOutcome::default());
}

#[test]
fn an_answer_behind_the_chosen_document_is_not_looked_at() {
    let fs = scripted([
        (uri("/home/AGENTS.override.md"), Script::file(b"o")),
        (
            uri("/home/AGENTS.md"),
            Script::failing(ErrorKind::PermissionDenied),
        ),
    ]);
    let outcome = paused(load_user_instructions(&fs, &home()));
    assert_eq!(codes(&outcome.diagnostics), [""; 0]);
}

#[test]
fn it_is_outside_the_budget_and_the_report_tells_its_size() {
    let config = config("project_doc_max_bytes = 4");
    let snapshot = one_turn(memory("/r/.git/\n/r/AGENTS.md = 123456"), uri("/r"));
    let given = user("a user-level text\n", "AGENTS.md");
    let options = InstructionsOptions::default();
    let outcome = paused(load_project_instructions_with(
        &config, given, &snapshot, &options,
    ));
    assert_eq!(
        text(&outcome),
        "a user-level text\n\n\n--- project-doc ---\n\n1234"
    );
    let row = outcome.report.user.unwrap();
    assert_eq!((row.source, row.bytes), (uri("/home/AGENTS.md"), 17));
    assert_eq!(outcome.report.environments[0].budget_left, 0);
}

#[test]
fn a_blank_text_of_the_host_counts_as_none() {
    let given = user(" \n", "AGENTS.md");
    let options = InstructionsOptions::default();
    let config = config("");
    let snapshot = turns([]);
    let outcome = paused(load_project_instructions_with(
        &config, given, &snapshot, &options,
    ));
    assert_eq!(outcome.loaded, None);
    assert_eq!(outcome.report.user, None);
}

#[test]
fn the_config_home_need_not_exist() {
    let fs = Arc::new(Counting::new(memory("/r/")));
    let outcome = paused(load_user_instructions(&*fs, &home()));
    assert_eq!(outcome, UserInstructionsOutcome::default());
    assert_eq!(fs.calls().total(), 2);
}

#[test]
fn names_that_a_project_may_configure_are_not_used() {
    let fs = scripted([(uri("/home/CLAUDE.md"), Script::file(b"c"))]);
    let outcome = paused(load_user_instructions(&fs, &home()));
    assert_eq!(outcome.instructions, None);
    let asked: Vec<PathUri> = fs
        .alteration()
        .log()
        .into_iter()
        .map(|(_, path)| path)
        .collect();
    assert_eq!(
        asked,
        [uri("/home/AGENTS.override.md"), uri("/home/AGENTS.md")]
    );
}
