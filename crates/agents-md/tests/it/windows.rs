//! Whatever the windows, the delays and the failures, a load gives what the serial loop gives.

use std::sync::Arc;
use std::time::Duration;

use codex_agents_md::{
    DocumentErrorPolicy, InstructionsOptions, InstructionsOutcome, load_project_instructions_with,
};
use codex_file_system::wrap::Counting;
use codex_file_system::{FileKind, Window};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use std::io::ErrorKind;

use crate::scripted::{Call, Script, scripted};
use crate::serial_model::{Model, Row, Scenario, Summary};
use crate::support::{config, one_turn, paused};

const MOST_DIRECTORIES: usize = 7;
const MOST_MARKERS: usize = 3;
const MOST_NAMES: usize = 4;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn reading_first_gives_what_asking_first_gives_in_every_window(
        scenario in scenario(),
        window in window(),
    ) {
        let expected = Model::run(&scenario);
        let fs = Arc::new(Counting::new(scripted(scenario.scripts.clone())));
        let outcome = load(&scenario, &fs, &options(&scenario, window));
        assert_eq!(summary(&outcome), expected);
        prop_assert!(fs.peak_in_flight() <= window.get());
    }

    #[test]
    fn no_path_is_asked_twice_and_none_above_the_root_is_a_candidate(
        scenario in scenario(),
        window in window(),
    ) {
        let fs = Arc::new(scripted(scenario.scripts.clone()));
        let outcome = load(&scenario, &fs, &options(&scenario, window));
        let log = fs.alteration().log();
        let mut distinct = log.clone();
        distinct.sort();
        distinct.dedup();
        prop_assert_eq!(distinct.len(), log.len());
        if let Some(root) = outcome.environments[0].root.as_ref() {
            let top = root.root.clone().unwrap_or(scenario.cwd.clone());
            for (_, path) in log.iter().filter(|(call, path)| {
                *call == Call::Read
                    || scenario.names.iter().any(|name| path.basename().as_deref() == Some(name))
            }) {
                prop_assert!(path.starts_with(&top), "{path} lies above {top}");
            }
        }
    }
}

fn options(scenario: &Scenario, window: Window) -> InstructionsOptions {
    InstructionsOptions {
        document_errors: scenario.policy,
        window,
    }
}

fn load<F>(scenario: &Scenario, fs: &Arc<F>, options: &InstructionsOptions) -> InstructionsOutcome
where
    F: codex_file_system::ExecutorFileSystem + 'static,
{
    let config = config(&format!(
        "project_root_markers = {:?}\nproject_doc_fallback_filenames = {:?}\nproject_doc_max_bytes = {}",
        scenario.markers,
        &scenario.names[2..],
        scenario.max_bytes,
    ));
    let snapshot = one_turn(Arc::clone(fs), scenario.cwd.clone());
    paused(load_project_instructions_with(
        &config, None, &snapshot, options,
    ))
}

/// The outcome in the terms of the model, which does not look for duplicates.
fn summary(outcome: &InstructionsOutcome) -> Summary {
    let environment = &outcome.environments[0];
    let entries = outcome.loaded.iter().flat_map(|loaded| loaded.entries());
    let sources = outcome.loaded.iter().flat_map(|loaded| loaded.sources());
    let failure = environment.error.as_ref();
    let found = outcome.diagnostics.iter();
    let found = found.filter(|found| found.code() != "duplicate_document");
    Summary {
        documents: sources
            .zip(entries.map(|entry| entry.contents.clone()))
            .collect(),
        failure: failure.map(|error| (error.operation, error.path.clone(), error.kind())),
        diagnostics: found
            .map(|found| (found.path.clone().unwrap(), found.kind.clone()))
            .collect(),
        rows: outcome.report.environments[0]
            .directories
            .iter()
            .map(|row| Row {
                document: row.document.clone(),
                state: row.state,
                raw_bytes: row.raw_bytes,
                kept_bytes: row.kept_bytes,
                lost_bytes: row.lost_bytes,
                budget_left: row.budget_left,
            })
            .collect(),
    }
}

prop_compose! {
    fn scenario()(
        depth in 0..MOST_DIRECTORIES,
        markers in 1..=MOST_MARKERS,
        names in 2..=MOST_NAMES,
        max_bytes in 1..40_u64,
        keeps_readable in any::<bool>(),
        marker_scripts in scripts(MOST_DIRECTORIES * MOST_MARKERS, 12),
        name_scripts in scripts(MOST_DIRECTORIES * MOST_NAMES, 3),
    ) -> Scenario {
        let markers: Vec<String> = (0..markers).map(|marker| format!(".m{marker}")).collect();
        let mut all_names = vec!["AGENTS.override.md".to_owned(), "AGENTS.md".to_owned()];
        all_names.extend((2..names).map(|name| format!("n{name}.md")));
        let cwd = PathUri::parse(&format!("file:///{}", vec!["d"; depth].join("/"))).unwrap();
        let ancestors = || cwd.ancestors();
        let paths = |texts: &[String]| -> Vec<PathUri> {
            ancestors().flat_map(|at| texts.iter().map(move |text| at.join(text).unwrap())).collect()
        };
        let marker_paths = paths(&markers).into_iter().zip(marker_scripts);
        let name_paths = paths(&all_names).into_iter().zip(name_scripts);
        let scripts = marker_paths.chain(name_paths);
        let scripts = scripts.filter_map(|(path, script)| Some((path, script?))).collect();
        let policy = if keeps_readable {
            DocumentErrorPolicy::KeepReadable
        } else {
            DocumentErrorPolicy::FailEnvironment
        };
        Scenario { cwd, markers, names: all_names, max_bytes, policy, scripts }
    }
}

/// Scripts of which one in so many exists.
fn scripts(count: usize, one_in: u32) -> impl Strategy<Value = Vec<Option<Script>>> {
    let script = prop_oneof![
        one_in - 1 => Just(None),
        1 => script().prop_map(Some),
    ];
    prop::collection::vec(script, count)
}

fn script() -> impl Strategy<Value = Script> {
    let kinds = [
        ErrorKind::PermissionDenied,
        ErrorKind::NotADirectory,
        ErrorKind::Other,
    ];
    let error = prop::sample::select(kinds.to_vec());
    let read_errors = [
        ErrorKind::PermissionDenied,
        ErrorKind::TimedOut,
        ErrorKind::Other,
    ];
    let read_error = prop::sample::select(read_errors.to_vec());
    let script = prop_oneof![
        8 => contents().prop_map(|contents| Script::file(&contents)),
        1 => (contents(), read_error).prop_map(|(contents, kind)| {
            Script::file(&contents).unreadable(kind)
        }),
        1 => error.prop_map(Script::failing),
        1 => prop::sample::select(vec![FileKind::Directory, FileKind::Other]).prop_map(Script::kind),
    ];
    let delay = (0..6_u64).prop_map(Duration::from_millis);
    (script, delay.clone(), delay)
        .prop_map(|(script, metadata, read)| script.delayed(metadata, read))
}

/// Texts of every sort, among them blank ones and pieces of characters.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"text",
        b" ",
        b"\n",
        "é".as_bytes(),
        "€".as_bytes(),
        "😀".as_bytes(),
        b"\xFF",
        b"\xE2\x82",
        b"<INSTRUCTIONS>",
    ];
    let text = prop::collection::vec(prop::sample::select(pieces), 0..5);
    let blank = prop::collection::vec(Just(" ".as_bytes()), 0..30);
    prop_oneof![4 => text, 1 => blank].prop_map(|pieces| pieces.concat())
}

/// One of 1 to 8, and one that holds everything.
fn window() -> impl Strategy<Value = Window> {
    prop_oneof![1..=8_usize, Just(32)].prop_map(|width| Window::new(width).unwrap())
}
