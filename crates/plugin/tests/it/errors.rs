//! What errors say, and what they keep to themselves.

use std::error::Error;
use std::io::ErrorKind;

use codex_file_system::{EnvironmentSet, FileSystemError, Operation};
use codex_file_system_testkit::{Fault, Faulty};
use codex_plugin::{
    ExecutorPluginProvider, PluginProvider, PluginProviderError, SelectedCapabilityRoot,
};
use pretty_assertions::assert_eq;

use crate::support::{Scene, block_on, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/p";
const CODEX: &str = ".codex-plugin/plugin.json";

fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

fn resolve_under(fault: Fault) -> PluginProviderError {
    let memory = memory_with(&uri(ROOT), &[(CODEX, "{}")]);
    Scene::new(Faulty::new(memory).on(fault))
        .resolve(&uri(ROOT))
        .unwrap_err()
}

#[test]
fn the_chain_names_operation_path_environment_and_cause_once() {
    let error = resolve_under(Fault::error(ErrorKind::PermissionDenied).of(Operation::ReadFile));
    assert_eq!(
        chain(&error),
        "cannot read the plugin manifest: cannot read `file:///plugins/p/.codex-plugin/plugin.json` \
         in environment `env-1`: permission denied"
    );
    let found = error.io_error().and_then(FileSystemError::find).unwrap();
    assert_eq!(found.operation, Operation::ReadFile);
}

#[test]
fn an_error_without_a_failed_call_names_path_and_environment_itself() {
    let scene = Scene::in_memory(&uri(ROOT), &[(CODEX, "{\"name\":7}")]);
    assert_eq!(
        chain(&scene.resolve(&uri(ROOT)).unwrap_err()),
        "cannot parse the plugin manifest `file:///plugins/p/.codex-plugin/plugin.json` \
         in environment `env-1`: `name` has the wrong type: expected a string, found a number, \
         at line 1 column 9"
    );
    let file = uri("file:///plugins/p/.codex-plugin/plugin.json");
    assert_eq!(
        chain(&scene.resolve(&file).unwrap_err()),
        "expected a directory at the plugin root `file:///plugins/p/.codex-plugin/plugin.json` \
         in environment `env-1`"
    );
    let nowhere = ExecutorPluginProvider::new(EnvironmentSet::default().into());
    let error = block_on(async { nowhere.resolve(&selected(&uri(ROOT))).await }).unwrap_err();
    assert_eq!(
        chain(&error),
        "environment `env-1` of the plugin root is not available"
    );
    assert_eq!((error.path(), error.io_kind()), (None, None));
}

#[test]
fn an_escape_is_told_from_an_absence() {
    let memory = memory_with(&uri(ROOT), &[("../out.json", "{}")]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json -> ../../out.json")
        .unwrap();
    assert_eq!(
        chain(&Scene::new(memory).resolve(&uri(ROOT)).unwrap_err()),
        "the plugin reaches out of its root in environment `env-1`: `manifest` names \
         `file:///plugins/p/.codex-plugin/plugin.json`, which leads to `file:///plugins/out.json`, \
         outside root `file:///plugins/p`"
    );
}

#[test]
fn a_redacted_error_is_a_code_and_a_kind() {
    let error = resolve_under(Fault::error(ErrorKind::TimedOut).of(Operation::GetMetadata));
    assert_eq!(error.redacted(), "inspect_root (TimedOut)");
    let scene = Scene::in_memory(&uri("file:///secret"), &[(CODEX, "{\"secret\":}")]);
    assert_eq!(
        scene
            .resolve(&uri("file:///secret"))
            .unwrap_err()
            .redacted(),
        "parse_manifest"
    );
}

#[test]
fn errors_can_be_cloned_and_sent() {
    fn is_portable<E: Error + Clone + Send + Sync + 'static>() {}
    is_portable::<PluginProviderError>();
    is_portable::<codex_plugin::ManifestError>();
    is_portable::<codex_plugin::ResourceReadError>();
    let root = SelectedCapabilityRoot::new("x", crate::support::env("gone"), uri(ROOT));
    let nowhere = ExecutorPluginProvider::new(EnvironmentSet::default().into());
    let error = block_on(async { nowhere.resolve(&root).await }).unwrap_err();
    assert_eq!(error.clone().root_id(), "x");
}
