//! A refresh gives what a load gives at that moment, whatever has changed.

use std::sync::Arc;
use std::time::Duration;

use codex_context::file_system::EnvironmentId;
use codex_context::{
    ContextRequest, Environment, HostSources, SelectedCapabilityRoot, StartDirectory, absolute_path,
};
use codex_file_system_testkit::Flavor;
use codex_file_system_testkit::meter::{Metered, on_paused_clock};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use proptest::sample::select;

use crate::layout::{Exchanged, edited_layouts, machine, prefix};
use crate::support::Shared;

/// A session in the middle of everything, on the machine that holds the user's files too.
fn request(flavor: Flavor, files: Shared, window: usize) -> ContextRequest {
    let path = |text: &str| absolute_path(&format!("{}{text}", prefix(flavor))).unwrap();
    let here = |cwd: &str| Environment {
        id: EnvironmentId::new("local").unwrap(),
        cwd: path(cwd),
        filesystem: Arc::clone(&files),
        call_timeout: None,
        start_directory: StartDirectory::Checked,
    };
    let plugin = format!("{}/opt/p", prefix(flavor));
    ContextRequest {
        environments: vec![here("/w/a/b")],
        sources: HostSources {
            environment: Some(here("/home/ada")),
            config_home: Some(path("/home/ada/.codex")),
            home: Some(path("/home/ada")),
            ..HostSources::default()
        },
        plugins: vec![SelectedCapabilityRoot::parse("p", "local", &plugin).unwrap()],
        window: codex_context::file_system::Window::new(window).unwrap(),
        ..ContextRequest::default()
    }
}

/// Everything that was found, or why nothing was. How many calls it took is left out.
fn found(context: &Result<codex_context::Context, codex_context::ContextError>) -> String {
    let text = format!("{context:#?}");
    let mut is_of_calls = false;
    let lines = text.lines().filter(|line| {
        let line = line.trim();
        is_of_calls |= line.starts_with("calls: ") && line.ends_with('{');
        let is_left_out = is_of_calls;
        is_of_calls &= line != "},";
        !is_left_out
    });
    lines.collect::<Vec<_>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn a_refresh_is_a_load(
        (before, after) in edited_layouts(),
        flavor in select(vec![Flavor::Posix, Flavor::Windows]),
        window in select(vec![1, 2, 8, 64, 256]),
        delay in select(vec![0, 1]),
    ) {
        let files = Arc::new(Exchanged::new(machine(flavor, &before)));
        let far = Metered::with_delay(Arc::clone(&files), Duration::from_millis(delay));
        let request = request(flavor, Arc::new(far), window);
        let (results, _) = on_paused_clock(async {
            let first = codex_context::load(&request).await;
            files.exchange(machine(flavor, &after));
            let Ok(first) = first else { return None };
            let refreshed = first.refresh().await;
            let serial = ContextRequest {
                window: codex_context::file_system::Window::SERIAL,
                ..request.clone()
            };
            Some((refreshed, codex_context::load(&request).await, codex_context::load(&serial).await))
        });
        if let Some((refreshed, loaded, serial)) = results {
            let is_same = before == after;
            if let Ok((_, changes)) = &refreshed {
                prop_assert!(!is_same || changes.is_empty());
            }
            let refreshed = refreshed.map(|(context, _)| context);
            assert_eq!(found(&refreshed), found(&loaded));
            let loaded = loaded.map(|context| format!("{:?}", context.diagnostics()));
            let serial = serial.map(|context| format!("{:?}", context.diagnostics()));
            assert_eq!(format!("{loaded:?}"), format!("{serial:?}"));
        }
    }
}
