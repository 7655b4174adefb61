//! The order of layers, and what is no stack.

use codex_config::{
    ConfigError, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ConfigLayerStackOrdering,
    DisabledReason, TomlValue,
};
use pretty_assertions::assert_eq;

use crate::support::{layer, managed, profile, project, session, stack, system, table, user};

#[test]
fn precedence_grows_from_the_machine_to_the_managed_file() {
    let sources = [
        system(),
        user(),
        profile("work"),
        project("/r"),
        session(),
        managed(),
    ];
    let precedence = sources.map(|source| source.precedence());
    assert_eq!(precedence, [10, 20, 21, 25, 30, 40]);
}

#[test]
fn a_layer_overrides_every_layer_of_lower_precedence() {
    let sources = [
        system(),
        user(),
        profile("work"),
        project("/r"),
        project("/r/a"),
        session(),
        managed(),
    ];
    for (index, lower) in sources.iter().enumerate() {
        for higher in &sources[index + 1..] {
            let stack = stack([
                (lower.clone(), "k = 'lower'"),
                (higher.clone(), "k = 'higher'"),
            ]);
            assert_eq!(
                stack.effective_config(),
                table("k = 'higher'"),
                "{lower} and {higher}"
            );
        }
    }
}

#[test]
fn layers_are_listed_in_either_order() {
    let stack = stack([(user(), "a = 1"), (session(), "a = 2")]);
    let names = |ordering| {
        let layers = stack.get_layers(ordering, true);
        layers
            .into_iter()
            .map(|layer| layer.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(ConfigLayerStackOrdering::LowestPrecedenceFirst),
        [user(), session()]
    );
    assert_eq!(
        names(ConfigLayerStackOrdering::HighestPrecedenceFirst),
        [session(), user()]
    );
}

#[test]
fn a_disabled_layer_is_listed_on_request_and_never_merged() {
    let disabled = layer(project("/r"), "a = 2\nb = 2").disabled(DisabledReason::Untrusted);
    let stack = ConfigLayerStack::new(vec![layer(user(), "a = 1"), disabled.clone()]).unwrap();
    let lowest_first = ConfigLayerStackOrdering::LowestPrecedenceFirst;
    assert_eq!(stack.get_layers(lowest_first, false).len(), 1);
    assert_eq!(stack.get_layers(lowest_first, true)[1], &disabled);
    assert_eq!(stack.effective_config(), table("a = 1"));
}

#[test]
fn project_layers_can_be_left_out_of_the_merge() {
    let stack = stack([
        (user(), "a = 1"),
        (project("/r"), "a = 2"),
        (session(), "b = 3"),
    ]);
    assert_eq!(stack.effective_config(), table("a = 2\nb = 3"));
    assert_eq!(
        stack.effective_config_without_project(),
        table("a = 1\nb = 3")
    );
}

#[test]
fn a_stack_without_layers_is_an_empty_table() {
    assert_eq!(ConfigLayerStack::default().effective_config(), table(""));
}

/// The reason for which these are no stack.
fn refusal(sources: &[ConfigLayerSource]) -> String {
    let layers = sources
        .iter()
        .map(|source| layer(source.clone(), ""))
        .collect();
    match ConfigLayerStack::new(layers) {
        Err(ConfigError::InvalidStack { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn unsorted_layers_are_no_stack() {
    assert_eq!(
        refusal(&[session(), user()]),
        "-c must not come before user configuration (/home/.codex/config.toml)"
    );
}

#[test]
fn two_project_layers_of_one_folder_are_no_stack() {
    assert_eq!(
        refusal(&[project("/r"), project("/r")]),
        "two project layers have the folder /r/.codex"
    );
}

#[test]
fn project_layers_that_do_not_run_downward_are_no_stack() {
    for (above, below) in [("/r/a", "/r"), ("/r/a", "/r/b"), ("/r", "/ra")] {
        let reason = refusal(&[project(above), project(below)]);
        assert!(
            reason.contains("is not below the directory of the one before it"),
            "{reason}"
        );
    }
}

#[test]
fn layers_of_a_folder_inside_another_run_downward_too() {
    let inside = [project("/r"), project("/r/.codex"), project("/r/.codex/a")];
    let layers = inside.iter().map(|source| layer(source.clone(), ""));
    assert!(ConfigLayerStack::new(layers.collect()).is_ok());
    // The folder `/r/.codex` lies below the directory `/r/.codex` only by its spelling.
    assert_eq!(
        refusal(&[project("/r/.codex"), project("/r")]),
        "project folder /r/.codex is not below the directory of the one before it"
    );
    assert_eq!(
        refusal(&[project("/r"), project("/r/.codex"), project("/r")]),
        "two project layers have the folder /r/.codex"
    );
}

#[test]
fn project_layers_may_skip_directories() {
    let stack = stack([(project("/r"), "a = 1"), (project("/r/a/b"), "a = 2")]);
    assert_eq!(stack.effective_config(), table("a = 2"));
}

#[test]
fn a_config_that_is_no_table_makes_no_stack() {
    let layers = vec![ConfigLayerEntry::new(session(), TomlValue::Integer(1))];
    let error = ConfigLayerStack::new(layers).unwrap_err();
    assert_eq!(
        error.to_string(),
        "configuration layers: the config of -c is not a table"
    );
}
