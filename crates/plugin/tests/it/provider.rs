//! Judging roots: which step decides, and that roots are judged alone.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_file_system::Operation;
use codex_file_system::wrap::Counting;
use codex_file_system_testkit::{Altered, Fault, Faulty};
use codex_path_uri::PathUri;
use codex_plugin::{
    ExecutorPluginProvider, PluginOptions, PluginProvider, PluginProviderError, ResolvedPlugin,
    SelectedCapabilityRoot, SymlinkPolicy,
};
use pretty_assertions::assert_eq;

use crate::support::{Forged, Scene, block_on, env, environments, memory_with, selected, uri};

const ROOT: &str = "file:///plugins/p";
const CODEX: &str = ".codex-plugin/plugin.json";
const CLAUDE: &str = ".claude-plugin/plugin.json";

fn at(path: &str) -> PathUri {
    uri(ROOT).join(path).unwrap()
}

fn fault(operation: Operation, path: PathUri, kind: ErrorKind) -> Fault {
    Fault::error(kind).of(operation).at(path)
}

/// Resolves a root with both manifests under faults.
fn resolve_with(faults: Vec<Fault>) -> Result<Option<ResolvedPlugin>, PluginProviderError> {
    let memory = memory_with(&uri(ROOT), &[(CODEX, "{\"name\":\"cx\"}"), (CLAUDE, "{}")]);
    Scene::new(faults.into_iter().fold(Faulty::new(memory), Faulty::on)).resolve(&uri(ROOT))
}

fn code_kind_path(
    result: Result<Option<ResolvedPlugin>, PluginProviderError>,
) -> (&'static str, Option<ErrorKind>, String) {
    let error = result.unwrap_err();
    assert_eq!(error.root_id(), "root-1");
    assert_eq!(error.environment_id(), Some(&env("env-1")));
    (
        error.code(),
        error.io_kind(),
        error.path().unwrap().to_string(),
    )
}

#[test]
fn a_failing_root_outranks_every_probe() {
    for kind in [
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
        ErrorKind::TimedOut,
    ] {
        let faults = vec![
            fault(Operation::GetMetadata, uri(ROOT), kind),
            fault(Operation::GetMetadata, at(CODEX), ErrorKind::Other),
        ];
        let expected = ("inspect_root", Some(kind), ROOT.to_owned());
        assert_eq!(code_kind_path(resolve_with(faults)), expected);
    }
}

#[test]
fn a_probe_that_fails_before_a_hit_decides() {
    let denied = || {
        fault(
            Operation::GetMetadata,
            at(CODEX),
            ErrorKind::PermissionDenied,
        )
    };
    let expected = (
        "inspect_manifest",
        Some(ErrorKind::PermissionDenied),
        at(CODEX).to_string(),
    );
    assert_eq!(code_kind_path(resolve_with(vec![denied()])), expected);
}

#[test]
fn a_probe_that_fails_behind_a_hit_is_not_looked_at() {
    let denied = fault(
        Operation::GetMetadata,
        at(CLAUDE),
        ErrorKind::PermissionDenied,
    );
    assert_eq!(
        resolve_with(vec![denied])
            .unwrap()
            .unwrap()
            .manifest()
            .name(),
        "cx"
    );
}

#[test]
fn missing_and_irregular_locations_are_passed_over() {
    let root = uri(ROOT);
    let memory = memory_with(
        &root,
        &[(".codex-plugin/plugin.json/x", ""), (CLAUDE, "{}")],
    );
    let plugin = Scene::new(memory).resolve(&root).unwrap().unwrap();
    assert_eq!(plugin.manifest_path().path(), &at(CLAUDE));

    let memory = memory_with(&root, &[(CLAUDE, "{}")]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json |")
        .unwrap();
    let plugin = Scene::new(memory).resolve(&root).unwrap().unwrap();
    assert_eq!(plugin.manifest_path().path(), &at(CLAUDE));

    let memory = memory_with(&root, &[(CLAUDE, "{}")]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json -> nowhere")
        .unwrap();
    let plugin = Scene::new(memory).resolve(&root).unwrap().unwrap();
    assert_eq!(plugin.manifest_path().path(), &at(CLAUDE));
}

#[test]
fn a_canonical_root_that_fails_is_an_error_of_the_root() {
    let lost = || {
        fault(
            Operation::Canonicalize,
            uri(ROOT),
            ErrorKind::ConnectionReset,
        )
    };
    let expected = (
        "inspect_root",
        Some(ErrorKind::ConnectionReset),
        ROOT.to_owned(),
    );
    assert_eq!(code_kind_path(resolve_with(vec![lost()])), expected);
    // It outranks everything that is learnt from the manifest.
    let unread = fault(Operation::ReadFile, at(CODEX), ErrorKind::NotFound);
    assert_eq!(code_kind_path(resolve_with(vec![lost(), unread])), expected);
}

#[test]
fn without_a_manifest_the_canonical_root_does_not_matter() {
    let memory = Faulty::new(memory_with(&uri(ROOT), &[]));
    let lost = fault(
        Operation::Canonicalize,
        uri(ROOT),
        ErrorKind::ConnectionReset,
    );
    assert_eq!(
        Scene::new(memory.on(lost)).resolve(&uri(ROOT)).unwrap(),
        None
    );
}

#[test]
fn a_failed_read_outranks_a_failed_canonical_path() {
    let unresolved = || {
        fault(
            Operation::Canonicalize,
            at(CODEX),
            ErrorKind::PermissionDenied,
        )
    };
    let unread = fault(Operation::ReadFile, at(CODEX), ErrorKind::NotFound);
    let read = (
        "read_manifest",
        Some(ErrorKind::NotFound),
        at(CODEX).to_string(),
    );
    assert_eq!(
        code_kind_path(resolve_with(vec![unresolved(), unread])),
        read
    );
    let inspect = (
        "inspect_manifest",
        Some(ErrorKind::PermissionDenied),
        at(CODEX).to_string(),
    );
    assert_eq!(code_kind_path(resolve_with(vec![unresolved()])), inspect);
}

#[test]
fn an_escape_outranks_a_failed_read() {
    let root = uri(ROOT);
    let memory = memory_with(&root, &[("../out.json", "{}")]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json -> ../../out.json")
        .unwrap();
    let unread = fault(Operation::ReadFile, at(CODEX), ErrorKind::PermissionDenied);
    for window in [1, 32] {
        let scene = Scene::new(Faulty::new(memory.clone()).on(unread.clone()));
        let options = PluginOptions {
            window: codex_file_system::Window::new(window).unwrap(),
            ..PluginOptions::default()
        };
        let provider = scene.provider(options);
        let result = block_on(async { provider.resolve(&selected(&root)).await });
        let expected = ("construct_descriptor", None, ROOT.to_owned());
        assert_eq!(code_kind_path(result), expected);
        let reads = u64::from(window > 1);
        assert_eq!(
            scene.calls().read_file_prefix,
            reads,
            "a serial caller does not read what escaped"
        );
    }
}

#[test]
fn a_root_that_is_a_link_is_fine() {
    let memory = memory_with(&uri("file:///real"), &[(CODEX, "{\"apps\":\"./a.json\"}")]);
    memory.add_tree("/plugins/p -> ../real").unwrap();
    let plugin = Scene::new(memory).resolve(&uri(ROOT)).unwrap().unwrap();
    assert_eq!(plugin.root(), &uri(ROOT));
    assert_eq!(plugin.canonical_root(), Some(&uri("file:///real")));
    assert_eq!(plugin.manifest().apps().unwrap().path(), &at("a.json"));
}

#[test]
fn the_canonical_root_is_known_under_refuse_escape_only() {
    let scene = Scene::in_memory(&uri(ROOT), &[(CODEX, "{}")]);
    let follow = scene.provider(PluginOptions {
        symlinks: SymlinkPolicy::Follow,
        ..PluginOptions::default()
    });
    let plugin = block_on(async { follow.resolve(&selected(&uri(ROOT))).await })
        .unwrap()
        .unwrap();
    assert_eq!(plugin.canonical_root(), None);
    let plugin = scene.resolve(&uri(ROOT)).unwrap().unwrap();
    assert_eq!(plugin.canonical_root(), Some(&uri(ROOT)));
}

#[test]
fn the_size_limit_is_inclusive_and_adjustable() {
    let scene = Scene::in_memory(&uri(ROOT), &[(CODEX, "{}   ")]);
    for (limit, fits) in [(5, true), (4, false)] {
        let provider = scene.provider(PluginOptions {
            max_manifest_bytes: limit,
            ..PluginOptions::default()
        });
        let result = block_on(async { provider.resolve(&selected(&uri(ROOT))).await });
        match result {
            Ok(plugin) => assert!(plugin.is_some() && fits),
            Err(PluginProviderError::ManifestTooLarge { limit, actual, .. }) => {
                assert!(!fits);
                assert_eq!((limit, actual), (4, 5));
            }
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn a_filesystem_that_tells_no_sizes_is_judged_by_its_bytes() {
    let text = " ".repeat(1024 * 1024) + "{}";
    let memory = memory_with(&uri(ROOT), &[(CODEX, &text)]).without_sizes();
    let error = Scene::new(memory).resolve(&uri(ROOT)).unwrap_err();
    assert!(
        matches!(
            error,
            PluginProviderError::ManifestTooLarge {
                actual: 1_048_578,
                ..
            }
        ),
        "{error:?}"
    );
}

#[test]
fn a_root_that_takes_no_names_is_refused_without_a_call() {
    let scene = Scene::in_memory(&uri("file:///C:/x"), &[]);
    let device =
        PathUri::from_native(r"\\.\COM1", codex_path_uri::PathConvention::Windows).unwrap();
    let error = scene.resolve(&device).unwrap_err();
    assert_eq!(
        (error.code(), error.path()),
        ("invalid_manifest_path", Some(&device))
    );
    assert_eq!(scene.calls().total(), 0);
}

#[test]
fn equal_roots_are_asked_about_once_and_keep_their_ids() {
    let scene = Scene::in_memory(&uri(ROOT), &[(CODEX, "{}")]);
    let root = |id: &str, path: &str| SelectedCapabilityRoot::new(id, env("env-1"), uri(path));
    let roots = [
        root("a", ROOT),
        root("x", "file:///plugins/missing"),
        root("b", ROOT),
        root("y", "file:///plugins/missing"),
    ];
    let provider = scene.provider(PluginOptions::default());
    let (results, cost) = block_on(async { scene.measure(provider.resolve_all(&roots)).await });
    assert_eq!(cost.calls, 6 + 3);
    let ids = results.iter().map(|result| match result {
        Ok(plugin) => plugin.as_ref().unwrap().selected_root_id(),
        Err(error) => error.root_id(),
    });
    assert_eq!(ids.collect::<Vec<_>>(), ["a", "x", "b", "y"]);
}

#[test]
fn one_roots_failure_leaves_the_others_untouched() {
    let base = uri("file:///plugins");
    let memory = memory_with(
        &base,
        &[
            ("good/.codex-plugin/plugin.json", "{}"),
            ("bad/.codex-plugin/plugin.json", "{,"),
            ("file", ""),
        ],
    );
    let scene = Scene::new(memory);
    let root = |name: &str| selected(&base.join(name).unwrap());
    let roots = [root("missing"), root("file"), root("bad"), root("good")];
    let results = block_on(async {
        scene
            .provider(PluginOptions::default())
            .resolve_all(&roots)
            .await
    });
    let codes = results
        .iter()
        .map(|result| result.as_ref().map(|_| ()).map_err(|it| it.code()));
    assert_eq!(
        codes.collect::<Vec<_>>(),
        [
            Err("inspect_root"),
            Err("root_not_directory"),
            Err("parse_manifest"),
            Ok(())
        ]
    );
}

#[test]
fn each_root_is_asked_about_in_its_own_environment_only() {
    let root = uri(ROOT);
    let first = Arc::new(Counting::new(memory_with(
        &root,
        &[(CODEX, "{\"name\":\"one\"}")],
    )));
    let second = Arc::new(Counting::new(memory_with(&root, &[])));
    let environments = environments(vec![("first", first.clone()), ("second", second.clone())]);
    let provider = ExecutorPluginProvider::new(environments);
    let roots =
        ["second", "first"].map(|id| SelectedCapabilityRoot::new(id, env(id), root.clone()));
    let results = block_on(async { provider.resolve_all(&roots).await });
    // A failure or an absence in one environment never leads to another.
    assert_eq!(results[0].as_ref().unwrap(), &None);
    assert_eq!(
        results[1]
            .as_ref()
            .unwrap()
            .as_ref()
            .unwrap()
            .manifest()
            .name(),
        "one"
    );
    assert_eq!((first.calls().total(), second.calls().total()), (6, 2));
}

#[test]
fn bytes_that_are_not_utf8_are_invalid_data() {
    let root = uri(ROOT);
    let memory = memory_with(&root, &[]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json = {%FF}")
        .unwrap();
    let result = Scene::new(memory).resolve(&root);
    let expected = (
        "read_manifest",
        Some(ErrorKind::InvalidData),
        at(CODEX).to_string(),
    );
    assert_eq!(code_kind_path(result), expected);
}

#[test]
fn a_canonical_manifest_is_compared_by_whole_names() {
    let root = uri(ROOT);
    let elsewhere = uri("file:///plugins/p2/plugin.json");
    let forged = Forged::default().with_canonical(at(CODEX), elsewhere);
    let fs = Altered::new(memory_with(&root, &[(CODEX, "{}")]), forged);
    let error = Scene::new(fs).resolve(&root).unwrap_err();
    let PluginProviderError::ConstructDescriptor { source, .. } = error else {
        panic!("{error}")
    };
    assert_eq!(source.field(), "manifest");
    assert_eq!(source.root(), &root);
    assert_eq!(source.path(), &at(CODEX));
    assert_eq!(
        source.resolved(),
        Some(&uri("file:///plugins/p2/plugin.json"))
    );
}
