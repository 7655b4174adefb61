//! Reading a plugin's resources.

use std::io::ErrorKind;

use codex_file_system::Operation;
use codex_file_system_testkit::{Fault, Faulty, Forbidden};
use codex_path_uri::PathUri;
use codex_plugin::{
    PluginOptions, PluginProvider, PluginResourceLocator, ResolvedPlugin, ResourceReadError,
    SymlinkPolicy, read_plugin_resource,
};
use pretty_assertions::assert_eq;

use crate::support::{Cost, Scene, block_on, env, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/p";
const REFUSE: SymlinkPolicy = SymlinkPolicy::RefuseEscape;
const FOLLOW: SymlinkPolicy = SymlinkPolicy::Follow;

fn scene_with(faults: Vec<Fault>) -> Scene {
    let files = [
        (".codex-plugin/plugin.json", "{}"),
        ("a.txt", "hello"),
        ("../out.txt", "out"),
    ];
    let memory = memory_with(&uri(ROOT), &files);
    memory
        .add_tree("/plugins/p/escape -> ../out.txt\n/plugins/p/inside -> a.txt")
        .unwrap();
    Scene::new(faults.into_iter().fold(Faulty::new(memory), Faulty::on))
}

/// The plugin, resolved under a policy that decides whether its canonical root is known.
fn plugin(symlinks: SymlinkPolicy) -> ResolvedPlugin {
    let provider = scene_with(vec![]).provider(PluginOptions {
        symlinks,
        ..PluginOptions::default()
    });
    block_on(async { provider.resolve(&selected(&uri(ROOT))).await })
        .unwrap()
        .unwrap()
}

fn locator(path: &str) -> PluginResourceLocator {
    PluginResourceLocator::new(env("env-1"), uri(ROOT).join(path).unwrap())
}

fn read(
    scene: &Scene,
    plugin: &ResolvedPlugin,
    path: &str,
    symlinks: SymlinkPolicy,
) -> (Result<Vec<u8>, ResourceReadError>, Cost) {
    let locator = locator(path);
    let work = read_plugin_resource(scene.fs.as_ref(), plugin, &locator, symlinks, 5);
    block_on(async { scene.measure(work).await })
}

#[test]
fn a_resource_is_read_in_one_trip() {
    let scene = scene_with(vec![]);
    for (known, symlinks, calls) in [
        (REFUSE, REFUSE, 2),
        (FOLLOW, REFUSE, 3),
        (REFUSE, FOLLOW, 1),
        (FOLLOW, FOLLOW, 1),
    ] {
        let plugin = plugin(known);
        for path in ["a.txt", "inside"] {
            let (bytes, cost) = read(&scene, &plugin, path, symlinks);
            assert_eq!(bytes.unwrap(), b"hello");
            assert_eq!((cost.calls, cost.round_trips), (calls, 1));
        }
    }
}

#[test]
fn a_link_out_of_the_root_is_refused_or_followed() {
    let scene = scene_with(vec![]);
    for plugin in [plugin(REFUSE), plugin(FOLLOW)] {
        let (refused, _) = read(&scene, &plugin, "escape", REFUSE);
        let Err(ResourceReadError::OutsideRoot(outside)) = refused else {
            panic!("{refused:?}")
        };
        assert_eq!(outside.resolved(), Some(&uri("file:///plugins/out.txt")));
        assert_eq!(read(&scene, &plugin, "escape", FOLLOW).0.unwrap(), b"out");
    }
}

#[test]
fn a_link_out_of_the_root_outranks_a_failed_read() {
    let escape = uri(ROOT).join("escape").unwrap();
    let unread = Fault::error(ErrorKind::PermissionDenied)
        .of(Operation::ReadFile)
        .at(escape);
    let (refused, _) = read(&scene_with(vec![unread]), &plugin(REFUSE), "escape", REFUSE);
    assert!(
        matches!(refused, Err(ResourceReadError::OutsideRoot(_))),
        "{refused:?}"
    );
}

#[test]
fn a_locator_outside_the_root_is_refused_without_a_call() {
    let outside = PluginResourceLocator::new(env("env-1"), uri("file:///plugins/p2/a"));
    let plugin = plugin(REFUSE);
    for symlinks in [REFUSE, FOLLOW] {
        let error = block_on(read_plugin_resource(
            &Forbidden, &plugin, &outside, symlinks, 5,
        ));
        assert!(
            matches!(error, Err(ResourceReadError::OutsideRoot(_))),
            "{error:?}"
        );
    }
}

#[test]
fn the_size_limit_is_inclusive() {
    let scene = scene_with(vec![]);
    let plugin = plugin(REFUSE);
    let locator = locator("a.txt");
    let work = read_plugin_resource(scene.fs.as_ref(), &plugin, &locator, REFUSE, 4);
    let error = block_on(work).unwrap_err();
    assert!(
        matches!(
            error,
            ResourceReadError::TooLarge {
                limit: 4,
                actual: 5,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(
        error.to_string(),
        "resource `file:///plugins/p/a.txt` has 5 bytes, more than 4"
    );
}

#[test]
fn every_failing_call_is_a_failed_read() {
    let at = |operation, path: PathUri| Fault::error(ErrorKind::TimedOut).of(operation).at(path);
    let path = || uri(ROOT).join("a.txt").unwrap();
    for (known, fault) in [
        (REFUSE, at(Operation::ReadFile, path())),
        (REFUSE, at(Operation::Canonicalize, path())),
        (FOLLOW, at(Operation::Canonicalize, uri(ROOT))),
    ] {
        let (result, _) = read(&scene_with(vec![fault]), &plugin(known), "a.txt", REFUSE);
        let Err(ResourceReadError::Read { path, source }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(
            (path, source.kind()),
            (uri(ROOT).join("a.txt").unwrap(), ErrorKind::TimedOut)
        );
    }
}

#[test]
fn a_long_path_is_cut_in_messages() {
    let (result, _) = read(
        &scene_with(vec![]),
        &plugin(REFUSE),
        &"a".repeat(200),
        REFUSE,
    );
    let shown: String = format!("{ROOT}/{}", "a".repeat(200))
        .chars()
        .take(120)
        .collect();
    assert_eq!(
        result.unwrap_err().to_string(),
        format!("cannot read resource `{shown}…`")
    );
}
