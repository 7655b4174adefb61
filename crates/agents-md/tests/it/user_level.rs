//! The user-level text: which document it is, what is done to it, and what it costs.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_agents_md::{
    InstructionDiagnosticKind as Kind, InstructionsOptions, UserInstructions,
    UserInstructionsOutcome, load_project_instructions_with, load_user_instructions,
    load_user_instructions_with,
};
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{FileKind, Lookahead, TextPosition, Window};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
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
    let source = PathUri::from_abs_path(&home().join(name).unwrap());
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
fn it_costs_one_round_trip_for_both_names_and_one_for_what_is_there_and_no_text() {
    let cases = [
        ("/home/", 0),
        ("/home/AGENTS.md/\n/home/AGENTS.override.md |", 1),
        ("/home/AGENTS.md = p", 0),
        ("/home/AGENTS.override.md = o\n/home/AGENTS.md = p", 0),
        ("/home/AGENTS.override.md = %20\n/home/AGENTS.md = p", 0),
    ];
    for (tree, asked) in cases {
        let fs = metered(tree);
        let (_, round_trips) = timed(load_user_instructions(&*fs, &home()));
        let expected = Calls {
            get_metadata: asked,
            read_file_prefix: 2,
            ..Calls::default()
        };
        assert_eq!(fs.calls(), expected, "{tree}");
        assert_eq!(round_trips, 1 + asked, "{tree}");
    }
}

#[test]
fn a_blank_document_gives_way_to_the_next_name() {
    // NBSP and the line separator are White_Space.
    let outcome = load("/home/AGENTS.override.md = %C2%A0%E2%80%A8%0A\n/home/AGENTS.md = p");
    assert_eq!(outcome.instructions, user("p", "AGENTS.md"));
    let blank = Some(uri("/home/AGENTS.override.md"));
    let expected = [(blank, Kind::UserDocumentBlank)];
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
    let replaced = Kind::InvalidUtf8 {
        replacement_characters: 2,
        encoding: None,
    };
    let position = TextPosition { line: 1, column: 6 };
    assert_eq!(
        found(&outcome.diagnostics),
        [
            (path.clone(), replaced),
            (path, Kind::WrapperTagInDocument { position }),
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
        let details = Kind::UserDocumentUnreadable {
            kind: ErrorKind::PermissionDenied,
        };
        let expected = [(path, details)];
        assert_eq!(found(&outcome.diagnostics), expected);
    }
}

#[test]
fn what_is_no_regular_file_gives_way_and_is_told() {
    for (entry, found_kind) in [
        ("AGENTS.override.md/", FileKind::Directory),
        ("AGENTS.override.md |", FileKind::Other),
    ] {
        let outcome = load(&format!("/home/{entry}\n/home/AGENTS.md = p"));
        assert_eq!(outcome.instructions, user("p", "AGENTS.md"), "{entry}");
        let kind = Kind::CandidateNotAFile { found: found_kind };
        let path = Some(uri("/home/AGENTS.override.md"));
        assert_eq!(found(&outcome.diagnostics), [(path, kind)]);
    }
    let linked = load("/home/text = linked\n/home/AGENTS.override.md -> text\n/home/AGENTS.md = p");
    assert_eq!(linked.instructions, user("linked", "AGENTS.override.md"));
    let broken = load("/home/AGENTS.override.md -> nowhere\n/home/AGENTS.md = p");
    assert_eq!(broken.instructions, user("p", "AGENTS.md"));
}

#[test]
fn the_config_home_may_be_on_a_machine_of_the_other_convention() {
    let fs = MemoryFileSystem::from_tree(Flavor::Windows, r"C:/Users/me/.codex/AGENTS.md = mine");
    let fs = fs.unwrap();
    let lookahead = Lookahead::new(&fs, Window::default());
    let home = uri(r"C:\Users\me\.codex");
    let load = load_user_instructions_with(&lookahead, &home);
    let outcome = paused(lookahead.drive(load));
    let instructions = outcome.instructions.unwrap();
    assert_eq!(instructions.text, "mine");
    assert_eq!(instructions.source, uri(r"C:\Users\me\.codex\AGENTS.md"));
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
