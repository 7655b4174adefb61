//! The one finder: locations, their judge, and the namespace that skills take.

use std::io::ErrorKind;

use codex_file_system::wrap::Context;
use codex_file_system::{EnvironmentId, FileSystemSandboxContext, Operation, SandboxPolicy};
use codex_file_system_testkit::{Fault, Faulty};
use codex_path_uri::{FileName, PathConvention, PathUri};
use codex_plugin::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, ManifestDirectories, PluginNamespace, PluginProviderError,
    find_plugin_manifest, manifest_candidates, read_plugin_namespace,
};
use pretty_assertions::assert_eq;

use crate::support::{block_on, memory_with, uri};

const ROOT: &str = "file:///plugins/p";
const CODEX: &str = DISCOVERABLE_PLUGIN_MANIFEST_PATHS[0];
const CLAUDE: &str = DISCOVERABLE_PLUGIN_MANIFEST_PATHS[1];

#[test]
fn candidates_are_below_the_root_in_the_order_of_the_constant() {
    for root in [ROOT, "file:///", "file:///C:/p", "file://server/share"] {
        let root = uri(root);
        let candidates = manifest_candidates(&root).unwrap();
        let below = candidates
            .each_ref()
            .map(|it| it.relative_path_from(&root).unwrap());
        assert_eq!(
            below.map(|it| it.replace('\\', "/")),
            DISCOVERABLE_PLUGIN_MANIFEST_PATHS
        );
    }
    let device = PathUri::from_native(r"\\.\COM1", PathConvention::Windows);
    assert!(manifest_candidates(&device.unwrap()).is_err());
}

#[test]
fn finding_is_judging_the_probes() {
    let root = uri(ROOT);
    let find = |fault: Option<Fault>| {
        let fs = Faulty::new(memory_with(&root, &[(CLAUDE, "not even JSON")]));
        fault.into_iter().for_each(|fault| fs.add(fault));
        block_on(find_plugin_manifest(&fs, &root, None)).map_err(|error| error.kind())
    };
    let at = |path| root.join(path).unwrap();
    assert_eq!(find(None), Ok(Some(at(CLAUDE))));
    let denied = |path| Fault::error(ErrorKind::PermissionDenied).at(at(path));
    assert_eq!(find(Some(denied(CODEX))), Err(ErrorKind::PermissionDenied));
    assert_eq!(
        find(Some(denied(DISCOVERABLE_PLUGIN_MANIFEST_PATHS[2]))),
        Ok(Some(at(CLAUDE)))
    );
    let device = PathUri::from_native(r"\\.\COM1", PathConvention::Windows).unwrap();
    let found = block_on(find_plugin_manifest(
        &memory_with(&root, &[]),
        &device,
        None,
    ));
    assert_eq!(found.unwrap_err().kind(), ErrorKind::InvalidInput);
}

#[test]
fn directories_are_those_a_listing_shows() {
    let exact = ManifestDirectories::from_names([".Codex-Plugin", ".claude-plugin", "x"]);
    assert_eq!(exact.iter().collect::<Vec<_>>(), [1]);
    assert!(exact.contains(1) && !exact.contains(0) && !exact.contains(7));
    assert_eq!(ManifestDirectories::ALL.iter().count(), 3);
    assert_eq!(ManifestDirectories::first(9), ManifestDirectories::ALL);
    assert_eq!(ManifestDirectories::default(), ManifestDirectories::EMPTY);
    let listed = |convention| {
        let names =
            [".Codex-Plugin", ".cursor-plugin"].map(|it| FileName::new(it, convention).unwrap());
        ManifestDirectories::from_listing(&names)
            .iter()
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(PathConvention::Posix), [2]);
    assert_eq!(listed(PathConvention::Windows), [0, 2]);
}

fn namespace_with(
    files: &[(&str, &str)],
    faults: Vec<Fault>,
) -> Result<Option<PluginNamespace>, PluginProviderError> {
    let fs = faults
        .into_iter()
        .fold(Faulty::new(memory_with(&uri(ROOT), files)), Faulty::on);
    block_on(read_plugin_namespace(
        &fs,
        &uri(ROOT),
        ManifestDirectories::ALL,
        None,
    ))
}

fn fault(operation: Operation, path: &str, kind: ErrorKind) -> Fault {
    Fault::error(kind)
        .of(operation)
        .at(uri(ROOT).join(path).unwrap())
}

#[test]
fn a_namespace_is_that_of_the_first_regular_file() {
    let both = [(CODEX, "{\"name\":\"cx\"}"), (CLAUDE, "{\"name\":\"cl\"}")];
    let namespace = |result: Result<Option<PluginNamespace>, _>| {
        result
            .map(|it| it.unwrap().namespace().to_owned())
            .map_err(|it: PluginProviderError| it.code())
    };
    assert_eq!(
        namespace(namespace_with(&both, vec![])),
        Ok("cx".to_owned())
    );
    let directory = [
        (".codex-plugin/plugin.json/x", ""),
        (CLAUDE, "{\"name\":\"cl\"}"),
    ];
    assert_eq!(
        namespace(namespace_with(&directory, vec![])),
        Ok("cl".to_owned())
    );
    // A file that vanishes between the failed read and the question what it is.
    let vanishes = vec![
        fault(Operation::ReadFile, CODEX, ErrorKind::PermissionDenied),
        fault(Operation::GetMetadata, CODEX, ErrorKind::NotFound),
    ];
    assert_eq!(
        namespace(namespace_with(&both, vanishes)),
        Ok("cl".to_owned())
    );
}

#[test]
fn a_manifest_that_cannot_be_read_gives_the_first_error() {
    let both = [(CODEX, "{}"), (CLAUDE, "{}")];
    let denied = || fault(Operation::ReadFile, CODEX, ErrorKind::PermissionDenied);
    let error = namespace_with(&both, vec![denied()]).unwrap_err();
    assert_eq!(
        (error.code(), error.io_kind()),
        ("read_manifest", Some(ErrorKind::PermissionDenied))
    );
    assert_eq!((error.root_id(), error.environment_id()), ("", None));
    let also_unknown = fault(Operation::GetMetadata, CODEX, ErrorKind::TimedOut);
    let error = namespace_with(&both, vec![denied(), also_unknown]).unwrap_err();
    assert_eq!(error.io_kind(), Some(ErrorKind::PermissionDenied));
}

#[test]
fn a_refused_manifest_never_falls_through() {
    let large = " ".repeat(1024 * 1024) + "{}";
    for (text, code) in [
        ("{,", "parse_manifest"),
        ("\u{FEFF}{}", "parse_manifest"),
        ("{\"name\":7}", "parse_manifest"),
        ("{\"description\":7}", "parse_manifest"),
        (large.as_str(), "manifest_too_large"),
    ] {
        let error = namespace_with(&[(CODEX, text), (CLAUDE, "{}")], vec![]).unwrap_err();
        assert_eq!(error.code(), code);
    }
}

#[test]
fn a_manifest_that_is_not_utf8_cannot_be_read() {
    let memory = memory_with(&uri(ROOT), &[]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json = {%FF}")
        .unwrap();
    let all = ManifestDirectories::ALL;
    let error = block_on(read_plugin_namespace(&memory, &uri(ROOT), all, None)).unwrap_err();
    assert_eq!(
        (error.code(), error.io_kind()),
        ("read_manifest", Some(ErrorKind::InvalidData))
    );
}

#[test]
fn a_namespace_follows_links_and_hands_out_nothing_but_the_name() {
    let memory = memory_with(&uri(ROOT), &[("../out.json", "{\"name\":\"out\"}")]);
    memory
        .add_tree("/plugins/p/.codex-plugin/plugin.json -> ../../out.json")
        .unwrap();
    let all = ManifestDirectories::ALL;
    let namespace = block_on(read_plugin_namespace(&memory, &uri(ROOT), all, None)).unwrap();
    assert_eq!(namespace.unwrap().name(), "out");
}

#[test]
fn the_environment_is_told_where_the_filesystem_names_it() {
    let id = EnvironmentId::new("box").unwrap();
    let failing = Faulty::new(memory_with(&uri(ROOT), &[(CODEX, "{}")])).on(fault(
        Operation::ReadFile,
        CODEX,
        ErrorKind::TimedOut,
    ));
    let fs = Context::new(failing, Some(id.clone()));
    let all = ManifestDirectories::ALL;
    let error = block_on(read_plugin_namespace(&fs, &uri(ROOT), all, None)).unwrap_err();
    assert_eq!(error.environment_id(), Some(&id));
}

#[test]
fn the_sandbox_is_passed_to_every_call() {
    let nothing = FileSystemSandboxContext::new(SandboxPolicy::Restricted(vec![]));
    let fs = memory_with(&uri(ROOT), &[(CODEX, "{}")]);
    let all = ManifestDirectories::ALL;
    let error = block_on(read_plugin_namespace(&fs, &uri(ROOT), all, Some(&nothing))).unwrap_err();
    assert_eq!(error.io_kind(), Some(ErrorKind::PermissionDenied));
    let found = block_on(find_plugin_manifest(&fs, &uri(ROOT), Some(&nothing)));
    assert_eq!(found.unwrap_err().kind(), ErrorKind::PermissionDenied);
}

#[test]
fn names_give_namespaces_as_the_table_says() {
    let root = uri("file:///plugins/demo");
    let namespace = |name: Option<&str>, root: &PathUri| {
        let namespace = PluginNamespace::new(name, root);
        (
            namespace.name().to_owned(),
            namespace.namespace().to_owned(),
        )
    };
    for plain in ["p", "a.b", "a:b", " p ", "my demo", "ä", "\u{A0}x"] {
        assert_eq!(
            namespace(Some(plain), &root),
            (plain.to_owned(), plain.to_owned())
        );
    }
    let replaced = [
        "../x",
        "a/b",
        "a\\b",
        "p\nIGNORE",
        "..",
        ".",
        "a\u{7f}",
        "a\u{85}",
        "a\u{2028}",
        "a\u{2029}",
        "\u{61c}a",
        "a\u{200e}",
        "a\u{200f}",
        "a\u{202a}",
        "a\u{202e}",
        "a\u{2066}",
        "a\u{2069}",
    ];
    for name in replaced {
        assert_eq!(
            namespace(Some(name), &root),
            (name.to_owned(), "demo".to_owned()),
            "{name:?}"
        );
    }
    for missing in [None, Some(""), Some(" \t\u{3000}")] {
        assert_eq!(
            namespace(missing, &root),
            ("demo".to_owned(), "demo".to_owned())
        );
        assert_eq!(
            namespace(missing, &uri("file:///C:/")),
            ("plugin".to_owned(), "plugin".to_owned())
        );
    }
    let lossy = uri("file:///plugins/%FF");
    assert_eq!(
        namespace(None, &lossy),
        ("\u{FFFD}".to_owned(), "\u{FFFD}".to_owned())
    );
    let unfit = uri("file:///plugins/a%5Cb");
    assert_eq!(
        namespace(None, &unfit),
        ("a\\b".to_owned(), "plugin".to_owned())
    );
}
