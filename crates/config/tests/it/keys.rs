//! Keys that a person believes to be active and nothing reads.

use codex_config::{
    ConfigDiagnostic, ConfigLayerStack, ConfigSources, ProjectLayerDecision, load_base_layers,
    load_project_layers,
};
use pretty_assertions::assert_eq;

use crate::support::{memory, posix};

fn sentences(diagnostics: &[ConfigDiagnostic]) -> Vec<String> {
    let told = diagnostics.iter();
    told.map(|told| format!("{told} [{}]", told.code()))
        .collect()
}

/// What is told about the user's file with this text and these `-c` arguments.
async fn of_user(text: &str, overrides: &[&str]) -> Vec<String> {
    let fs = memory(&format!(
        "/h/.codex/config.toml = {}",
        text.replace('\n', "%0A")
    ));
    let overrides = overrides.iter().map(|text| (*text).to_owned()).collect();
    let sources = ConfigSources {
        overrides,
        ..ConfigSources::new(&fs, posix("/h/.codex"))
    };
    sentences(&load_base_layers(&sources).await.unwrap().diagnostics)
}

/// What is told about the layer of `/r` with this text.
async fn of_project(text: &str) -> Vec<String> {
    let fs = memory(&format!(
        "/r/.codex/config.toml = {}",
        text.replace('\n', "%0A")
    ));
    let base = ConfigLayerStack::default();
    let enable = |_: &_| ProjectLayerDecision::Enable;
    let directories = [posix("/r")];
    let layers = load_project_layers(base, &fs, &directories, &enable);
    sentences(&layers.await.unwrap().diagnostics)
}

#[tokio::test]
async fn a_misspelt_key_is_told_with_its_place_and_the_key_that_was_meant() {
    let text =
        "project_doc_max_byte = 3\n[skill]\nx = 1\n[projects.'/r']\ntrust-level = 'trusted'\n";
    assert_eq!(
        of_user(text, &["projectRootMarkers=['x']"]).await,
        [
            "/h/.codex/config.toml:1:24: nothing reads the key \"project_doc_max_byte\"; did you mean \
             `project_doc_max_bytes`? [unknown_key]",
            "/h/.codex/config.toml:2:1: nothing reads the key \"skill\"; did you mean `skills`? [unknown_key]",
            "/h/.codex/config.toml:5:15: nothing reads the key \"projects.\\\"/r\\\".trust-level\"; did you mean \
             `trust_level`? [unknown_key]",
            "-c: nothing reads the key \"projectRootMarkers\"; did you mean `project_root_markers`? [unknown_key]",
        ]
    );
}

#[tokio::test]
async fn a_key_of_the_top_level_in_a_table_is_told_once() {
    let text = "[project]\nproject_doc_fallback_filenames = ['CLAUDE.md']\n";
    assert_eq!(
        of_user(text, &[]).await,
        [
            "/h/.codex/config.toml:2:34: nothing reads the key \"project.project_doc_fallback_filenames\" here; \
             it belongs at the top level, before the first table [misplaced_key]"
        ]
    );
}

#[tokio::test]
async fn keys_that_belong_to_other_programs_are_not_told() {
    let text = "model = 'x'\nmodel_provider = 'y'\nunknown = 1\n[profiles.a]\nmodel_context_window = 1\n\
                [mcp_servers.s]\ncommand = 'c'\n[tui]\nskills = 1\n[skills.bundled]\nenabled = true\n\
                [plugins.'p@m']\nenabled = true\n";
    assert_eq!(of_user(text, &[]).await, [] as [&str; 0]);
}

#[tokio::test]
async fn what_a_project_may_not_set_is_told_where_it_tries() {
    let text = "project_doc_max_bytes = 3\nproject_root_markers = []\n[[skills.config]]\nname = 'x'\n\
                [projects.'/r']\ntrust_level = 'trusted'\n";
    assert_eq!(
        of_project(text).await,
        [
            "/r/.codex/config.toml:2:24: the key \"project_root_markers\" has no effect in a project's \
             configuration [key_without_effect]",
            "/r/.codex/config.toml:5:2: the key \"projects\" has no effect in a project's configuration \
             [key_without_effect]",
            "/r/.codex/config.toml:3:1: the key \"skills.config\" has no effect in a project's configuration \
             [key_without_effect]",
        ]
    );
}
