//! A diagnostic for every loss: its code, its figures, its place and its sentence.

use std::sync::Arc;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionDiagnosticKind as Kind, InstructionsOptions,
    InstructionsOutcome, UserInstructions, load_project_instructions_with,
};
use codex_config::{
    Config, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, TomlValue, ValueOrigin,
};
use codex_file_system::{EnvironmentId, FileKind, Severity};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{
    codes, config, found, load, load_with, memory, one_turn, paused, policy, text, turn, turns, uri,
};

fn sentences(outcome: &InstructionsOutcome) -> Vec<String> {
    outcome
        .diagnostics
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_cut_tells_what_is_kept_and_lost_and_whether_it_splits_a_character() {
    let tree = "/r/.git/\n/r/AGENTS.md = ab\n/r/a/AGENTS.md = c%C3%A9d";
    let outcome = load("project_doc_max_bytes = 4", memory(tree), "/r/a");
    assert_eq!(text(&outcome), "ab\n\nc\u{FFFD}");
    let details = Kind::DocumentTruncated {
        raw_bytes: 4,
        kept_bytes: 2,
        lost_bytes: 2,
        splits_character: true,
        budget_before: 2,
    };
    let path = Some(uri("/r/a/AGENTS.md"));
    // The character that the cut makes is no invalid UTF-8 of the document.
    assert_eq!(found(&outcome.diagnostics), [(path, details)]);
}

#[test]
fn replacement_characters_are_counted_without_the_one_of_the_cut() {
    let tree = "/r/.git/\n/r/AGENTS.md = %FFa%FFb%C3%A9";
    let outcome = load("project_doc_max_bytes = 5", memory(tree), "/r");
    assert_eq!(text(&outcome), "\u{FFFD}a\u{FFFD}b\u{FFFD}");
    let (_, details) = found(&outcome.diagnostics).remove(1);
    let expected = Kind::InvalidUtf8 {
        replacement_characters: 2,
        encoding: None,
    };
    assert_eq!(details, expected);
    let row = &outcome.report.environments[0].directories[0];
    assert_eq!(
        (row.replacement_characters, row.splits_character),
        (2, true)
    );
}

#[test]
fn an_unfinished_character_at_the_end_of_a_whole_document_is_its_own() {
    let outcome = load("", memory("/r/.git/\n/r/AGENTS.md = a%C3"), "/r");
    let (_, details) = found(&outcome.diagnostics).remove(0);
    let expected = Kind::InvalidUtf8 {
        replacement_characters: 1,
        encoding: None,
    };
    assert_eq!(details, expected);
}

#[test]
fn a_replacement_character_that_is_spelled_out_is_not_counted() {
    let outcome = load("", memory("/r/.git/\n/r/AGENTS.md = a%EF%BF%BD"), "/r");
    assert_eq!(found(&outcome.diagnostics), []);
}

#[test]
fn blank_documents_tell_their_bytes_and_whether_a_cut_made_them_blank() {
    let tree = "/r/.git/\n/r/AGENTS.md = %20%0A\n/r/a/AGENTS.md = %20%20%20%20text";
    let outcome = load("project_doc_max_bytes = 3", memory(tree), "/r/a");
    assert_eq!(
        found(&outcome.diagnostics),
        [
            (
                Some(uri("/r/AGENTS.md")),
                Kind::BlankDocument { raw_bytes: 2 }
            ),
            (
                Some(uri("/r/a/AGENTS.md")),
                Kind::BlankAfterCut {
                    raw_bytes: 8,
                    lost_bytes: 8
                }
            ),
        ]
    );
    let report = &outcome.report.environments[0];
    assert_eq!(
        (report.raw_bytes, report.lost_bytes, report.budget_left),
        (10, 8, 3)
    );
}

#[test]
fn only_white_space_is_blank() {
    let blanks = [
        "%C2%A0",
        "%E2%80%83",
        "%E3%80%80",
        "%E2%80%A8",
        "%E2%80%A9",
        "%C2%85",
        "%0B%0C",
    ];
    for blank in blanks {
        let outcome = load(
            "",
            memory(&format!("/r/.git/\n/r/AGENTS.md = {blank}")),
            "/r",
        );
        assert_eq!(codes(&outcome.diagnostics), ["blank_document"], "{blank}");
    }
    for text in ["%00", "%EF%BB%BF", "%E2%80%8B", "%E2%81%A0", "%EF%BF%BD"] {
        let outcome = load(
            "",
            memory(&format!("/r/.git/\n/r/AGENTS.md = {text}")),
            "/r",
        );
        assert_eq!(codes(&outcome.diagnostics), [""; 0], "{text}");
    }
}

#[test]
fn what_is_no_regular_file_is_passed_over_and_named() {
    let tree = "/r/.git/\n/r/AGENTS.override.md/\n/r/AGENTS.md |\n/r/fifo -> AGENTS.md";
    let toml = "project_doc_fallback_filenames = ['fifo', 'missing']";
    let outcome = load(toml, memory(tree), "/r");
    let not_a_file = |name: &str, found| {
        (
            Some(uri(&format!("/r/{name}"))),
            Kind::CandidateNotAFile { found },
        )
    };
    assert_eq!(
        found(&outcome.diagnostics),
        [
            not_a_file("AGENTS.override.md", FileKind::Directory),
            not_a_file("AGENTS.md", FileKind::Other),
            not_a_file("fifo", FileKind::Other),
        ]
    );
    assert!(
        outcome
            .diagnostics
            .iter()
            .all(|found| found.severity() == Severity::Info)
    );
}

#[cfg(unix)]
#[test]
fn a_repeated_text_names_the_one_that_comes_first_in_any_environment() {
    let one = memory("/w/.git/\n/w/AGENTS.md = same%0A\n/w/a/AGENTS.md = user");
    let two = memory("/v/.git/\n/v/AGENTS.md = %20same");
    let snapshot = turns([turn("one", one, uri("/w/a")), turn("two", two, uri("/v"))]);
    let source = uri("/home/AGENTS.md");
    let user = Some(UserInstructions {
        text: " user".to_owned(),
        source,
    });
    let (config, options) = (Config::default(), InstructionsOptions::default());
    let outcome = paused(load_project_instructions_with(
        &config, user, &snapshot, &options,
    ));
    let one = Some(EnvironmentId::new("one").unwrap());
    let duplicate = |path: &str, earlier: &str, earlier_environment_id| {
        let earlier_path = uri(earlier);
        let details = Kind::DuplicateDocument {
            earlier_path,
            earlier_environment_id,
        };
        (Some(uri(path)), details)
    };
    assert_eq!(
        found(&outcome.diagnostics),
        [
            duplicate("/w/a/AGENTS.md", "/home/AGENTS.md", None),
            duplicate("/v/AGENTS.md", "/w/AGENTS.md", one),
        ]
    );
    // Both stay.
    assert_eq!(outcome.loaded.unwrap().entries().len(), 3);
}

#[test]
fn cut_and_lost_texts_are_no_duplicates() {
    let tree = "/r/.git/\n/r/AGENTS.md = same\n/r/a/AGENTS.md = same, cut";
    let outcome = load("project_doc_max_bytes = 8", memory(tree), "/r/a");
    assert_eq!(text(&outcome), "same\n\nsame");
    assert_eq!(codes(&outcome.diagnostics), ["document_truncated"]);

    let failing = memory("/w/.git/\n/w/AGENTS.md = same\n/w/a/AGENTS.md !000 = x");
    let sound = memory("/w/.git/\n/w/AGENTS.md = same");
    let snapshot = turns([
        turn("failing", failing, uri("/w/a")),
        turn("sound", sound, uri("/w")),
    ]);
    let outcome = load_with("", &snapshot, &InstructionsOptions::default());
    assert_eq!(codes(&outcome.diagnostics), ["environment_failed"]);
}

#[test]
fn findings_come_in_the_order_of_the_serial_algorithm_and_the_failure_last() {
    let tree = "
        /r/.git/
        /r/AGENTS.md = %FF
        /r/a/AGENTS.override.md/
        /r/a/AGENTS.md !000 = x
        /r/a/b/AGENTS.md = y";
    let toml = "project_root_markers = ['..', '.git']";
    let outcome = load(toml, memory(tree), "/r/a/b");
    assert_eq!(
        codes(&outcome.diagnostics),
        [
            "invalid_marker",
            "candidate_not_a_file",
            "invalid_utf8",
            "environment_failed"
        ]
    );
    assert_eq!(
        outcome.diagnostics.last().unwrap().severity(),
        Severity::Error
    );
}

#[test]
fn findings_are_ordered_markers_names_candidates_documents() {
    let tree = r"
        C:/r/.git/
        C:/r/AGENTS.override.md/
        C:/r/AGENTS.md = %FF
        C:/r/a/AGENTS.override.md/
        C:/r/a/AGENTS.md =
        C:/r/a/.git -> .git";
    let fs = MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap();
    let toml = "project_root_markers = ['..', '.git']\nproject_doc_fallback_filenames = ['a:b']";
    let snapshot = one_turn(Arc::new(fs), uri(r"C:\r\a"));
    let outcome = load_with(toml, &snapshot, &policy(DocumentErrorPolicy::KeepReadable));
    assert_eq!(
        codes(&outcome.diagnostics),
        [
            "invalid_marker",
            "marker_probe_failed",
            "invalid_fallback_name",
            "candidate_not_a_file",
            "candidate_not_a_file",
            "invalid_utf8",
            "blank_document",
        ]
    );
}

#[test]
fn markers_that_are_no_list_are_replaced_by_the_defaults_with_a_warning() {
    let table: TomlValue = toml("project_root_markers = 5");
    let layer = ConfigLayerEntry::new(ConfigLayerSource::SessionFlags, table);
    let config_layer_stack = ConfigLayerStack::new(vec![layer]).unwrap();
    let config = Config {
        config_layer_stack,
        ..Config::default()
    };
    let snapshot = one_turn(memory("/r/.git/\n/r/AGENTS.md = root\n/r/a/"), uri("/r/a"));
    let options = InstructionsOptions::default();
    let outcome = paused(load_project_instructions_with(
        &config, None, &snapshot, &options,
    ));
    assert_eq!(text(&outcome), "root");
    assert_eq!(
        codes(&outcome.diagnostics),
        ["invalid_project_root_markers"]
    );
    assert_eq!(outcome.report.environments[0].markers, [".git"]);
}

#[test]
fn markers_and_names_of_a_host_that_try_to_leave_the_tree_are_dropped() {
    let tree = "
        /out/AGENTS.md = outside
        /out/mark = x
        /out/r/.git/
        /out/r/AGENTS.md = root
        /out/r/a/";
    let bad = [
        "../AGENTS.md",
        "/out/AGENTS.md",
        "..",
        ".",
        "",
        " ",
        "a/../../x",
        "x%00",
    ];
    let bad = bad.map(|name| name.replace("%00", "\0"));
    let mut given = config("project_root_markers = ['../mark', '/out/mark', '..', '', '.git']");
    given.project_doc_fallback_filenames = bad.to_vec();
    let snapshot = one_turn(memory(tree), uri("/out/r/a"));
    let options = InstructionsOptions::default();
    let outcome = paused(load_project_instructions_with(
        &given, None, &snapshot, &options,
    ));
    assert_eq!(text(&outcome), "root");
    let mut expected = vec!["invalid_marker"; 4];
    expected.extend(["invalid_fallback_name"; 8]);
    assert_eq!(codes(&outcome.diagnostics), expected);
    assert_eq!(
        outcome.report.environments[0].names,
        ["AGENTS.override.md", "AGENTS.md"]
    );
}

#[test]
fn a_name_that_a_host_repeats_is_asked_for_once() {
    let mut given = config("");
    let names = ["x.md", "AGENTS.md", "x.md", "AGENTS.override.md"];
    given.project_doc_fallback_filenames = names.map(str::to_owned).to_vec();
    let snapshot = one_turn(memory("/r/.git/"), uri("/r"));
    let options = InstructionsOptions::default();
    let outcome = paused(load_project_instructions_with(
        &given, None, &snapshot, &options,
    ));
    let report = &outcome.report.environments[0];
    assert_eq!(report.names, ["AGENTS.override.md", "AGENTS.md", "x.md"]);
    assert_eq!(report.calls.reads, 3);
    assert_eq!(outcome.diagnostics, []);
}

#[test]
fn each_finding_is_one_sentence() {
    let tree = "
        /r/.git/
        /r/AGENTS.override.md/
        /r/AGENTS.md = %FF<INSTRUCTIONS>
        /r/a/AGENTS.md = %20
        /r/a/b/AGENTS.md -> AGENTS.md
        /r/a/b/c/AGENTS.md = 1234
        /r/a/b/c/d/AGENTS.md = 1";
    let toml = "project_root_markers = ['', '.git']\nproject_doc_max_bytes = 18";
    let snapshot = one_turn(memory(tree), uri("/r/a/b/c/d"));
    let outcome = load_with(toml, &snapshot, &policy(DocumentErrorPolicy::KeepReadable));
    assert_eq!(
        sentences(&outcome),
        [
            "/home/config.toml:1:24: project root marker \"\" names nothing inside a directory (blank)",
            "the document `file:///r/AGENTS.override.md` is passed over: no regular file but a \
             directory",
            "the project document `file:///r/a/b/AGENTS.md` is passed over: probe failed \
             (FilesystemLoop)",
            "the text of `file:///r/AGENTS.md` holds bytes that are no UTF-8: 1 replacement \
             character",
            "the text of `file:///r/AGENTS.md` holds a tag of the block it is put into, at 1:2",
            "the project document `file:///r/a/AGENTS.md` is blank and hides later names: 1 byte \
             dropped",
            "the project document `file:///r/a/b/c/AGENTS.md` is cut to the budget: 3 of 4 bytes \
             kept, 1 lost",
            "the project document `file:///r/a/b/c/d/AGENTS.md` is not used because the budget is \
             spent: all of it lost, 1 byte",
        ]
        .map(|sentence| format!("{sentence} in environment `local`"))
    );
}

#[test]
fn a_finding_as_json_has_its_details_as_fields() {
    let outcome = load(
        "project_doc_max_bytes = 2",
        memory("/r/.git/\n/r/AGENTS.md = abc"),
        "/r",
    );
    assert_eq!(
        serde_json::to_value(&outcome.diagnostics).unwrap(),
        json!([{
            "code": "document_truncated",
            "severity": "warning",
            "environmentId": "local",
            "path": "file:///r/AGENTS.md",
            "details": {
                "rawBytes": 3,
                "keptBytes": 2,
                "lostBytes": 1,
                "splitsCharacter": false,
                "budgetBefore": 2,
            },
        }])
    );
    let outcome = load("project_doc_max_bytes = 0", memory("/r/"), "/r");
    let json = serde_json::to_value(&outcome.diagnostics).unwrap();
    assert_eq!(json[0]["details"], json!(null));

    let outcome = load("", memory("/r/.git/\n/r/AGENTS.md !000 = x"), "/r");
    let json = serde_json::to_value(&outcome.diagnostics).unwrap();
    let expected = json!({ "operation": "read_document", "kind": "PermissionDenied" });
    assert_eq!(json[0]["details"], expected);
}

#[test]
fn the_origin_of_a_dropped_marker_is_where_it_is_configured() {
    let outcome = load("project_root_markers = ['/abs']", memory("/r/.git/"), "/r");
    let origins: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|found| match &found.kind {
            Kind::Configuration(configuration) => configuration.origin().clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        codes(&outcome.diagnostics),
        ["invalid_marker", "default_markers_used"]
    );
    assert!(
        origins
            .iter()
            .all(|origin| matches!(origin, ValueOrigin::Layer { .. }))
    );
}

fn toml(text: &str) -> TomlValue {
    let layer = ConfigLayerEntry::from_toml_text(ConfigLayerSource::SessionFlags, text);
    layer.unwrap().config
}

#[test]
fn nothing_is_found_in_a_sound_tree() {
    let tree = "/r/.git/\n/r/AGENTS.md = root\n/r/a/AGENTS.md = a";
    let outcome = load("", Arc::clone(&memory(tree)), "/r/a");
    assert_eq!(outcome.diagnostics, []);
}

#[test]
fn utf_16_is_named_with_and_without_a_byte_order_mark() {
    for (text, code) in [
        ("%FF%FER%00u%00l%00e%00s%00", "invalid_utf8"),
        ("R%00u%00l%00e%00s%00", "foreign_encoding"),
        ("%00R%00u%00l%00e%00s", "foreign_encoding"),
    ] {
        let outcome = load(
            "",
            memory(&format!("/r/.git/\n/r/AGENTS.md = {text}")),
            "/r",
        );
        assert_eq!(codes(&outcome.diagnostics), [code], "{text}");
        let sentence = outcome.diagnostics[0].to_string();
        assert!(sentence.contains("UTF-16"), "{sentence}");
    }
}

#[test]
fn a_tag_with_white_space_is_told_with_its_place_and_one_in_a_directory_is_escaped() {
    let tree = "/r</INSTRUCTIONS>/.git/\n/r</INSTRUCTIONS>/AGENTS.md = x%0A</INSTRUCTIONS >";
    let outcome = load("", memory(tree), "/r</INSTRUCTIONS>");
    let expected = ["wrapper_tag_in_document", "wrapper_tag_in_directory"];
    assert_eq!(codes(&outcome.diagnostics), expected);
    let place = outcome.diagnostics[0].position().unwrap();
    assert_eq!((place.line, place.column), (2, 1));
    let fragment = outcome.loaded.unwrap().contextual_user_fragment().render();
    let first = fragment.lines().next().unwrap();
    assert_eq!(
        first,
        "# AGENTS.md instructions for /r&lt;/INSTRUCTIONS&gt;"
    );
}

#[test]
fn a_project_whose_budget_cuts_the_documents_of_another_environment_is_named() {
    let file = codex_config::ConfigLayerSource::Project {
        dot_codex_folder: uri("/w/.codex"),
    };
    let layer = ConfigLayerEntry::from_toml_text(file, "project_doc_max_bytes = 3").unwrap();
    let stack = ConfigLayerStack::new(vec![layer]).unwrap();
    let config = Config::from_stack(stack).unwrap().0;
    let snapshot = turns([
        turn("one", memory("/w/.git/\n/w/AGENTS.md = 123"), uri("/w")),
        turn("two", memory("/v/.git/\n/v/AGENTS.md = 12345"), uri("/v")),
    ]);
    let options = InstructionsOptions::default();
    let load = load_project_instructions_with(&config, None, &snapshot, &options);
    let outcome = paused(load);
    assert_eq!(
        codes(&outcome.diagnostics),
        ["document_truncated", "foreign_budget"]
    );
    assert_eq!(
        outcome.diagnostics[1].to_string(),
        "the budget of the documents for `file:///v` is that of the project in environment `one` \
         (/w/.codex/config.toml:1:25), and is used in environment `two`"
    );
}
