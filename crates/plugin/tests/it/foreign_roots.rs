//! Roots of another machine's convention, and names no host path can spell.

use codex_file_system::Operation;
use codex_file_system_testkit::{Fault, Faulty};
use codex_path_uri::PathUri;
use codex_plugin::ComponentDeclaration;
use pretty_assertions::assert_eq;

use crate::support::{Scene, memory_with, uri};

const CODEX: &str = ".codex-plugin/plugin.json";

/// Resolves a plugin with an app file at each of these roots.
fn resolves_at(root: &PathUri) {
    let text = r#"{"apps":"./a/b.json","mcpServers":["./m.json"]}"#;
    let scene = Scene::in_memory(root, &[(CODEX, text)]);
    let plugin = scene.resolve(root).unwrap().unwrap();
    assert_eq!(plugin.root(), root);
    assert_eq!(plugin.canonical_root(), Some(root));
    let expected = root.join("a").unwrap().join("b.json").unwrap();
    assert_eq!(plugin.manifest().apps().unwrap().path(), &expected);
    let Some(ComponentDeclaration::Files(files)) = plugin.manifest().mcp_servers() else {
        panic!("{plugin:?}")
    };
    assert!(files[0].path().starts_with(root));
}

#[test]
fn windows_and_posix_roots_resolve_on_every_host() {
    for root in [
        "file:///plugins/p",
        "file:///C:/plugins/p",
        "file:///C:/",
        "file:///",
        "file://server/share",
        "file://server/share/p",
    ] {
        resolves_at(&uri(root));
    }
}

#[test]
fn roots_with_awkward_names_resolve() {
    for root in [
        "file:///a%5Cb",
        "file:///a%0Ab",
        "file:///%FF%FE",
        "file:///%20",
        "file:///a%3Fb%23c%25d",
        "file:///p/%C3%A4",
    ] {
        resolves_at(&uri(root));
    }
}

#[test]
fn a_posix_root_that_looks_like_a_drive_resolves() {
    let root = uri("file:///").join("C:").unwrap().join("p").unwrap();
    resolves_at(&root);
}

#[test]
fn a_root_of_the_other_convention_is_an_error_of_the_environment() {
    let posix = Scene::in_memory(&uri("file:///p"), &[(CODEX, "{}")]);
    let windows = Scene::in_memory(&uri("file:///C:/p"), &[(CODEX, "{}")]);
    for (scene, root) in [(posix, "file:///C:/p"), (windows, "file:///p")] {
        let error = scene.resolve(&uri(root)).unwrap_err();
        assert_eq!(error.code(), "inspect_root");
        assert_eq!(error.io_kind(), Some(std::io::ErrorKind::InvalidInput));
    }
}

#[test]
fn a_windows_filesystem_finds_a_location_in_another_spelling() {
    let root = uri("file:///C:/p");
    let scene = Scene::in_memory(&root, &[(".Codex-Plugin/PLUGIN.json", "{}")]);
    assert!(scene.resolve(&root).unwrap().is_some());
}

#[test]
fn names_that_are_not_unicode_stay_out_of_names_for_people() {
    let root = uri("file:///plugins/%FFx");
    let plugin = Scene::in_memory(&root, &[(CODEX, "{}")])
        .resolve(&root)
        .unwrap()
        .unwrap();
    assert_eq!(plugin.manifest().name(), "\u{FFFD}x");
    assert_eq!(plugin.namespace().namespace(), "\u{FFFD}x");
}

#[test]
fn a_failing_environment_never_leads_to_the_host() {
    // The same directory is there on a host, which nobody binds and nobody asks.
    let root = uri("file:///");
    let gone = Faulty::new(memory_with(&root, &[]))
        .on(Fault::error(std::io::ErrorKind::ConnectionReset).of(Operation::GetMetadata));
    let error = Scene::new(gone).resolve(&root).unwrap_err();
    assert_eq!(error.io_kind(), Some(std::io::ErrorKind::ConnectionReset));
}
