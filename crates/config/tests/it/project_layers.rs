//! Which project directories become layers, and what a host's decision does.

use std::io;
use std::sync::Mutex;

use codex_config::{
    ConfigDiagnostic, ConfigError, ConfigLayerStack, ConfigLayerStackOrdering, DisabledReason,
    LoadedLayers, ProjectLayerDecision, TextPosition, load_project_layers,
};
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system::{ExecutorFileSystem, Severity};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::support::{
    managed, memory, origin, posix, project, session, stack, table, user, windows,
};

fn enable(_: &PathUri) -> ProjectLayerDecision {
    ProjectLayerDecision::Enable
}

async fn load(
    base: ConfigLayerStack,
    filesystem: &dyn ExecutorFileSystem,
    directories: &[&str],
    decide: &(dyn Fn(&PathUri) -> ProjectLayerDecision + Sync),
) -> Result<LoadedLayers, ConfigError> {
    let directories: Vec<_> = directories.iter().map(|path| posix(path)).collect();
    load_project_layers(base, filesystem, &directories, decide).await
}

#[tokio::test]
async fn layers_go_between_the_user_and_the_session_and_the_nearest_wins() {
    let base = stack([
        (user(), "a = 1"),
        (session(), "b = 1"),
        (managed(), "c = 1"),
    ]);
    let filesystem =
        memory("/r/.codex/config.toml = d = 2\n/r/a/b/.codex/config.toml = d = 3\n/r/a/.codex/\n");
    let loaded = load(base, &filesystem, &["/r", "/r/a", "/r/a/b"], &enable)
        .await
        .unwrap();
    let layers = loaded
        .stack
        .get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, true);
    let names: Vec<_> = layers.into_iter().map(|layer| layer.name.clone()).collect();
    assert_eq!(
        names,
        [
            user(),
            project("/r"),
            project("/r/a/b"),
            session(),
            managed()
        ]
    );
    assert_eq!(
        loaded.stack.effective_config(),
        table("a = 1\nb = 1\nc = 1\nd = 3")
    );
    assert_eq!(
        loaded.stack.origin(&["d"]),
        origin(project("/r/a/b"), Some((1, 5)))
    );
}

#[tokio::test]
async fn without_directories_the_stack_stays_and_nothing_is_asked() {
    let base = stack([(user(), "a = 1")]);
    let filesystem = Counting::new(memory("/r/.codex/config.toml = d = 2"));
    let loaded = load(base.clone(), &filesystem, &[], &enable).await.unwrap();
    assert_eq!(
        loaded,
        LoadedLayers {
            stack: base,
            diagnostics: Vec::new()
        }
    );
    assert_eq!(filesystem.calls(), Calls::default());
}

#[tokio::test]
async fn a_dot_codex_that_is_a_file_is_no_layer() {
    let filesystem = memory("/r/.codex =");
    let loaded = load(ConfigLayerStack::default(), &filesystem, &["/r"], &enable)
        .await
        .unwrap();
    assert_eq!(loaded.stack, ConfigLayerStack::default());
}

#[tokio::test]
async fn a_disabled_file_is_never_read_so_it_cannot_be_broken() {
    let filesystem = Counting::new(memory(
        "/r/.codex/config.toml = x = = 1\n/r/a/.codex/\n/r/b/",
    ));
    let reason = DisabledReason::Other("the host's own words".to_owned());
    let decide = |_: &PathUri| ProjectLayerDecision::Disable(reason.clone());
    let loaded = load(
        ConfigLayerStack::default(),
        &filesystem,
        &["/r", "/r/a"],
        &decide,
    )
    .await
    .unwrap();

    assert_eq!(
        filesystem.calls(),
        Calls {
            get_metadata: 2,
            ..Calls::default()
        }
    );
    let layers = loaded
        .stack
        .get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, true);
    let [layer] = layers[..] else {
        panic!("{layers:?}")
    };
    assert_eq!((&layer.name, &layer.config), (&project("/r"), &table("")));
    assert_eq!(layer.disabled_reason, Some(reason));
    assert_eq!(
        loaded
            .stack
            .get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, false),
        Vec::new() as Vec<&_>
    );

    let [diagnostic] = &loaded.diagnostics[..] else {
        panic!("{:?}", loaded.diagnostics)
    };
    let expected = ConfigDiagnostic::ProjectLayerDisabled {
        origin: origin(project("/r"), None),
        file: posix("/r/.codex/config.toml"),
        reason: DisabledReason::Other("the host's own words".to_owned()),
    };
    assert_eq!(diagnostic, &expected);
    assert_eq!(diagnostic.severity(), Severity::Info);
}

#[tokio::test]
async fn any_metadata_error_of_a_disabled_file_counts_as_absent() {
    let filesystem = memory(
        "/r/.codex/ !000\n/r/.codex/config.toml =\n/r/a/.codex =\n/r/a/b/.codex -> .codex\n",
    );
    let decide = |_: &PathUri| ProjectLayerDecision::Disable(DisabledReason::NotTrusted);
    let loaded = load(
        ConfigLayerStack::default(),
        &filesystem,
        &["/r", "/r/a", "/r/a/b"],
        &decide,
    )
    .await
    .unwrap();
    assert_eq!(
        loaded,
        LoadedLayers {
            stack: ConfigLayerStack::default(),
            diagnostics: Vec::new()
        }
    );
}

#[tokio::test]
async fn the_host_is_asked_once_per_directory_root_first() {
    let asked = Mutex::new(Vec::new());
    let decide = |directory: &PathUri| {
        asked.lock().unwrap().push(directory.clone());
        ProjectLayerDecision::Enable
    };
    let filesystem = memory("/r/a/");
    load(
        ConfigLayerStack::default(),
        &filesystem,
        &["/r", "/r/a"],
        &decide,
    )
    .await
    .unwrap();
    assert_eq!(*asked.lock().unwrap(), [posix("/r"), posix("/r/a")]);
}

#[tokio::test]
async fn a_file_that_is_a_base_layer_is_not_asked_for_again() {
    let base = stack([(user(), "a = 1")]);
    let filesystem = Counting::new(memory("/home/.codex/config.toml = a = 2"));
    let loaded = load(base.clone(), &filesystem, &["/home"], &enable)
        .await
        .unwrap();
    assert_eq!(loaded.stack, base);
    assert_eq!(filesystem.calls(), Calls::default());
}

#[tokio::test]
async fn the_first_error_from_the_root_is_reported() {
    let filesystem = memory(
        "/r/.codex/config.toml = a = 1\n/r/a/.codex/config.toml/\n/r/a/b/.codex/config.toml = x = = 1\n",
    );
    let directories = ["/r", "/r/a", "/r/a/b"];
    let error = load(
        ConfigLayerStack::default(),
        &filesystem,
        &directories,
        &enable,
    )
    .await
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "project configuration: cannot read /r/a/.codex/config.toml"
    );
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
}

#[tokio::test]
async fn an_enabled_file_that_is_no_toml_is_an_error_at_its_place() {
    let filesystem = memory("/r/.codex/config.toml = a = 1%0Ax = = 1");
    let base = stack([(user(), "a = 1"), (managed(), "b = 1")]);
    match load(base, &filesystem, &["/r"], &enable).await {
        Err(ConfigError::InvalidToml {
            source_layer,
            file,
            position,
            ..
        }) => {
            assert_eq!(source_layer, project("/r"));
            assert_eq!(file, posix("/r/.codex/config.toml"));
            assert_eq!(position, TextPosition { line: 2, column: 5 });
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_that_cannot_be_read_ends_loading_unless_it_or_its_folder_is_absent() {
    let cases = [
        ("/r/.codex/config.toml/", Some(io::ErrorKind::IsADirectory)),
        (
            "/r/.codex/config.toml !000 = a = 1",
            Some(io::ErrorKind::PermissionDenied),
        ),
        (
            "/r/.codex -> .codex",
            Some(codex_file_system::error::filesystem_loop()),
        ),
        ("/r/.codex -> nowhere", None),
        (
            "/r/.codex/config.toml -> nowhere",
            Some(io::ErrorKind::NotFound),
        ),
        ("/r/.codex =", None),
        ("/r =", None),
        ("/x/", None),
    ];
    for (tree, kind) in cases {
        let base = ConfigLayerStack::default();
        let loaded = load(base, &memory(tree), &["/r"], &enable).await;
        assert_eq!(loaded.err().map(|error| error.kind()), kind, "{tree}");
    }
}

#[tokio::test]
async fn directories_of_a_windows_machine_are_read_on_any_host() {
    let tree = "C:\\r\\.codex\\config.toml = a = 1\nC:\\r\\b\\.codex\\config.toml = a = 2";
    let filesystem = MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap();
    let directories = ["C:\\r", "C:\\r\\b"].map(windows);
    let base = ConfigLayerStack::default();
    let loaded = load_project_layers(base, &filesystem, &directories, &enable)
        .await
        .unwrap();
    assert_eq!(loaded.stack.effective_config(), table("a = 2"));
    assert_eq!(
        loaded.stack.origin(&["a"]).to_string(),
        "C:\\r\\b\\.codex\\config.toml:1:5"
    );
}

#[tokio::test]
async fn a_directory_given_twice_is_asked_for_once() {
    let filesystem = Counting::new(memory("/r/.codex/config.toml = a = 1"));
    let base = ConfigLayerStack::default();
    let loaded = load(base, &filesystem, &["/r", "/r/"], &enable)
        .await
        .unwrap();
    assert_eq!(loaded.stack.effective_config(), table("a = 1"));
    assert_eq!(filesystem.calls().read_file_prefix, 1);
}

#[tokio::test]
async fn directories_that_do_not_run_downward_are_no_stack() {
    let filesystem = memory("/r/.codex/config.toml =\n/s/.codex/config.toml =\n");
    let error = load(
        ConfigLayerStack::default(),
        &filesystem,
        &["/r", "/s"],
        &enable,
    )
    .await
    .unwrap_err();
    assert!(
        matches!(error, ConfigError::InvalidStack { .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_directory_that_cannot_be_joined_is_a_read_error() {
    let filesystem = memory("");
    let error = load(
        ConfigLayerStack::default(),
        &filesystem,
        &["/a\0b"],
        &enable,
    )
    .await
    .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}
