//! What a load tells a subscriber: a span per phase with its figures, an event per call, a
//! warning per loss.

use codex_agents_md::{
    InstructionsOptions, load_project_instructions_with, load_user_instructions,
};
use codex_path_uri::AbsolutePathBuf;
use pretty_assertions::assert_eq;
use tracing::Level;

use crate::recorder::Recorder;
use crate::support::{config, load_with, memory, one_turn, paused, uri};

const TREE: &str = "/r/.git/\n/r/AGENTS.md = root\n/r/a/AGENTS.md = longer";

fn record(tree: &str) -> Recorder {
    let recorder = Recorder::default();
    tracing::subscriber::with_default(recorder.clone(), || {
        let snapshot = one_turn(memory(tree), uri("/r/a"));
        load_with(
            "project_doc_max_bytes = 6",
            &snapshot,
            &InstructionsOptions::default(),
        )
    });
    recorder
}

#[test]
fn each_phase_is_a_debug_span_with_its_figures() {
    let recorder = record(TREE);
    let spans = recorder.spans().into_iter();
    let phases: Vec<_> = spans
        .filter(|span| ["root_search", "documents"].contains(&span.name))
        .map(|span| {
            assert_eq!(span.level, Level::DEBUG);
            let field = |name| span.fields.get(name).cloned();
            (
                span.name,
                field("environment_id"),
                field("calls"),
                field("bytes"),
            )
        })
        .collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        phases,
        [
            ("documents", text("local"), text("4"), text("6")),
            ("root_search", text("local"), text("2"), None),
        ]
    );
}

#[test]
fn each_call_is_one_trace_event() {
    let events = record(TREE).events(Level::TRACE);
    let calls = events.iter().filter(|event| event.level == Level::TRACE);
    assert_eq!(calls.count(), 2 + 4);
}

#[test]
fn each_loss_is_a_warning_and_a_sound_tree_gives_none() {
    let recorder = record(TREE);
    let events = recorder.events(Level::WARN);
    let codes: Vec<_> = events
        .iter()
        .map(|event| event.fields["code"].as_str())
        .collect();
    assert_eq!(codes, ["document_truncated"]);
    let fields = &events[0].fields;
    assert_eq!(fields["environment_id"], "local");
    assert_eq!(fields["path"], "file:///r/a/AGENTS.md");
    assert!(events[0].target.starts_with("codex_agents_md"));

    let sound = record("/r/.git/\n/r/AGENTS.override.md/\n/r/AGENTS.md = root\n/r/a/");
    assert_eq!(sound.events(Level::WARN), []);
}

#[cfg(unix)]
#[test]
fn a_loss_of_the_user_level_text_is_a_warning_too() {
    let recorder = Recorder::default();
    tracing::subscriber::with_default(recorder.clone(), || {
        let home = AbsolutePathBuf::try_from("/home").unwrap();
        paused(load_user_instructions(&*memory("/home/AGENTS.md ="), &home))
    });
    let events = recorder.events(Level::WARN);
    assert_eq!(events[0].fields["code"], "user_document_blank");
    assert_eq!(events[0].fields.get("environment_id"), None);
}

#[test]
fn a_missing_document_is_no_event_above_trace() {
    let recorder = record("/r/a/");
    assert_eq!(recorder.events(Level::DEBUG), []);
}

#[test]
fn nothing_is_recorded_before_the_first_poll() {
    let recorder = Recorder::default();
    tracing::subscriber::with_default(recorder.clone(), || {
        let (config, snapshot) = (config(""), one_turn(memory(TREE), uri("/r/a")));
        let options = InstructionsOptions::default();
        let load = load_project_instructions_with(&config, None, &snapshot, &options);
        assert_eq!(recorder.spans(), []);
        paused(load);
    });
    assert!(!recorder.spans().is_empty());
}
