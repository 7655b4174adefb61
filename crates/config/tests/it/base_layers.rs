//! Which files become base layers, and what a broken one does.

use std::io;

use codex_config::{
    ConfigDiagnostic, ConfigError, ConfigLayerSource, ConfigLayerStackOrdering, ConfigSources,
    LoadedLayers, MAX_CONFIG_FILE_BYTES, ProfileName, TextPosition, load_base_layers,
};
use codex_file_system::Severity;
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::support::{
    managed, memory, origin, posix, profile, session, system, table, user, variant, windows,
};

fn sources(filesystem: &MemoryFileSystem) -> ConfigSources<'_> {
    ConfigSources {
        system_config: Some(posix("/etc/codex/config.toml")),
        managed_config: Some(posix("/etc/codex/managed_config.toml")),
        profile: Some(ProfileName::new("work").unwrap()),
        overrides: vec!["d=4".to_owned()],
        ..ConfigSources::new(filesystem, posix("/home/.codex"))
    }
}

fn names(loaded: &LoadedLayers) -> Vec<ConfigLayerSource> {
    let layers = loaded
        .stack
        .get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, true);
    layers.into_iter().map(|layer| layer.name.clone()).collect()
}

const ALL_FILES: &str = "
    /etc/codex/config.toml = a = 1
    /home/.codex/config.toml = b = 2
    /home/.codex/work.config.toml = c = 3
    /etc/codex/managed_config.toml = d = 5
";

#[tokio::test]
async fn every_file_and_the_arguments_become_layers_lowest_precedence_first() {
    let loaded = load_base_layers(&sources(&memory(ALL_FILES)))
        .await
        .unwrap();
    assert_eq!(
        names(&loaded),
        [system(), user(), profile("work"), session(), managed()]
    );
    assert_eq!(
        loaded.stack.effective_config(),
        table("a = 1\nb = 2\nc = 3\nd = 5")
    );
    assert_eq!(loaded.diagnostics, []);
}

#[tokio::test]
async fn a_missing_file_is_no_layer_and_only_a_selected_profile_is_missed() {
    let loaded = load_base_layers(&sources(&MemoryFileSystem::posix()))
        .await
        .unwrap();
    assert_eq!(names(&loaded), [session()]);
    let [diagnostic] = &loaded.diagnostics[..] else {
        panic!("{:?}", loaded.diagnostics)
    };
    let expected = ConfigDiagnostic::ProfileNotFound {
        origin: origin(profile("work"), None),
        profile: ProfileName::new("work").unwrap(),
    };
    assert_eq!(diagnostic, &expected);
    assert_eq!(diagnostic.severity(), Severity::Warning);
}

#[tokio::test]
async fn nothing_given_but_a_config_home_reads_the_user_file_alone() {
    let filesystem = Counting::new(memory(
        "/home/.codex/config.toml = a = 1\n/home/.codex/managed_config.toml = a = 2\n",
    ));
    let loaded = load_base_layers(&ConfigSources::new(&filesystem, posix("/home/.codex")))
        .await
        .unwrap();
    assert_eq!(names(&loaded), [user()]);
    assert_eq!(
        filesystem.calls(),
        Calls {
            read_file_prefix: 1,
            ..Calls::default()
        }
    );
}

#[tokio::test]
async fn an_empty_file_is_a_layer() {
    let filesystem = memory("/home/.codex/config.toml =");
    let loaded = load_base_layers(&ConfigSources::new(&filesystem, posix("/home/.codex")))
        .await
        .unwrap();
    assert_eq!(names(&loaded), [user()]);
}

#[tokio::test]
async fn a_file_given_twice_is_read_once_and_stays_the_lower_layer() {
    let filesystem = Counting::new(memory("/home/.codex/config.toml = a = 1"));
    let file = posix("/home/.codex/config.toml");
    let loaded = load_base_layers(&ConfigSources {
        system_config: Some(file.clone()),
        managed_config: Some(file.clone()),
        ..ConfigSources::new(&filesystem, posix("/home/.codex"))
    })
    .await
    .unwrap();
    assert_eq!(names(&loaded), [ConfigLayerSource::System { file }]);
    assert_eq!(filesystem.calls().read_file_prefix, 1);
}

#[tokio::test]
async fn malformed_arguments_fail_before_any_call() {
    let filesystem = Counting::new(memory("/home/.codex/config.toml = a = = 1"));
    let error = load_base_layers(&ConfigSources {
        overrides: vec!["no value".to_owned()],
        ..ConfigSources::new(&filesystem, posix("/home/.codex"))
    })
    .await
    .unwrap_err();
    assert!(
        matches!(error, ConfigError::InvalidOverride { .. }),
        "{error}"
    );
    assert_eq!(filesystem.calls(), Calls::default());
}

#[tokio::test]
async fn the_first_error_in_precedence_order_is_reported() {
    let tree = "
        /etc/codex/config.toml =
        /home/.codex/config.toml = x = = 1
        /home/.codex/work.config.toml/
        /etc/codex/managed_config.toml/
    ";
    match load_base_layers(&sources(&memory(tree))).await {
        Err(ConfigError::InvalidToml {
            source_layer,
            file,
            position,
            ..
        }) => {
            assert_eq!(source_layer, user());
            assert_eq!(file, posix("/home/.codex/config.toml"));
            assert_eq!(position, TextPosition { line: 1, column: 5 });
        }
        other => panic!("{other:?}"),
    }
}

/// The kind of the read error that this tree gives.
async fn read_error(tree: &str) -> io::ErrorKind {
    let filesystem = memory(tree);
    match load_base_layers(&ConfigSources::new(&filesystem, posix("/home/.codex"))).await {
        Err(error @ ConfigError::Read { .. }) => {
            assert_eq!(
                error.to_string(),
                "user configuration: cannot read /home/.codex/config.toml"
            );
            error.kind()
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_file_that_exists_and_cannot_be_read_ends_loading() {
    let cases = [
        ("/home/.codex/config.toml/", io::ErrorKind::IsADirectory),
        ("/home/.codex =", io::ErrorKind::NotADirectory),
        (
            "/home/.codex/config.toml !000 = a = 1",
            io::ErrorKind::PermissionDenied,
        ),
        ("/home/.codex/config.toml |", io::ErrorKind::InvalidInput),
    ];
    for (tree, kind) in cases {
        assert_eq!(read_error(tree).await, kind, "{tree}");
    }
}

#[tokio::test]
async fn a_file_may_have_the_largest_size_and_not_one_byte_more() {
    let comment = |length: usize| format!("/home/.codex/config.toml = #{}", "x".repeat(length - 1));
    let largest = memory(&comment(MAX_CONFIG_FILE_BYTES));
    load_base_layers(&ConfigSources::new(&largest, posix("/home/.codex")))
        .await
        .unwrap();
    assert_eq!(
        read_error(&comment(MAX_CONFIG_FILE_BYTES + 1)).await,
        io::ErrorKind::FileTooLarge
    );
}

#[tokio::test]
async fn invalid_utf8_is_reported_at_its_first_byte() {
    for (text, line, column) in [
        ("%EF%BB%BFa = 1%0Ab = \"%C3%A9%FF\"", 2, 7),
        ("%EF%BB%BFa = %FF", 1, 5),
        ("%FF", 1, 1),
    ] {
        let filesystem = memory(&format!("/home/.codex/config.toml = {text}"));
        match load_base_layers(&ConfigSources::new(&filesystem, posix("/home/.codex"))).await {
            Err(ConfigError::InvalidToml {
                position, message, ..
            }) => {
                assert_eq!(position, TextPosition { line, column });
                assert_eq!(message, "invalid UTF-8");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn a_byte_order_mark_is_removed() {
    let filesystem = memory("/home/.codex/config.toml = %EF%BB%BFa = 1");
    let loaded = load_base_layers(&ConfigSources::new(&filesystem, posix("/home/.codex")))
        .await
        .unwrap();
    assert_eq!(loaded.stack.origin(&["a"]), origin(user(), Some((1, 5))));
}

#[tokio::test]
async fn only_one_byte_order_mark_is_removed() {
    let filesystem = memory("/home/.codex/config.toml = %EF%BB%BF%EF%BB%BFa = 1");
    match load_base_layers(&ConfigSources::new(&filesystem, posix("/home/.codex"))).await {
        Err(ConfigError::InvalidToml { position, .. }) => {
            assert_eq!(position, TextPosition { line: 1, column: 1 });
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_key_profile_in_any_base_layer_is_refused() {
    for tree in [
        "/etc/codex/config.toml",
        "/home/.codex/config.toml",
        "/etc/codex/managed_config.toml",
    ] {
        let filesystem = memory(&format!(
            "{tree} = profile = \"work\"\n/home/.codex/work.config.toml ="
        ));
        let error = load_base_layers(&sources(&filesystem)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{tree}:1:11: the key `profile` selects nothing: use `--profile work` instead")
        );
    }
}

#[tokio::test]
async fn a_value_of_profile_that_names_none_is_told_but_not_advised() {
    for (written, name) in [("[1]", "an array"), ("\"a b\"", "a b"), ("\"\"", "")] {
        let filesystem = memory(&format!("/home/.codex/config.toml = profile = {written}"));
        let error = load_base_layers(&sources(&filesystem)).await.unwrap_err();
        let shown = error.to_string();
        assert!(shown.ends_with(": use `--profile NAME` instead"), "{shown}");
        let ConfigError::LegacyProfile { name: told, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(told, name);
    }
}

#[tokio::test]
async fn a_config_home_that_cannot_be_joined_is_a_read_error() {
    let filesystem = MemoryFileSystem::posix();
    let sealed = posix("/a\0b");
    let error = load_base_layers(&ConfigSources::new(&filesystem, sealed))
        .await
        .unwrap_err();
    assert!(matches!(error, ConfigError::Read { .. }), "{error:?}");
    assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
}

#[tokio::test]
async fn files_of_a_windows_host_are_read_and_named_on_any_host() {
    let tree = "C:\\me\\.codex\\config.toml = x = = 1";
    let filesystem = MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap();
    let sources = ConfigSources::new(&filesystem, windows("C:\\me\\.codex"));
    let message = load_base_layers(&sources).await.unwrap_err().to_string();
    assert!(
        message.starts_with("C:\\me\\.codex\\config.toml:1:5: invalid TOML: "),
        "{message}"
    );
}

#[tokio::test]
async fn a_file_that_is_there_and_cannot_be_read_is_an_error_also_as_a_link_to_nothing() {
    for (entry, kind) in [
        ("config.toml -> gone", io::ErrorKind::NotFound),
        ("config.toml !000 = a = 1", io::ErrorKind::PermissionDenied),
        ("config.toml/", io::ErrorKind::IsADirectory),
        ("config.toml |", io::ErrorKind::InvalidInput),
    ] {
        let filesystem = memory(&format!("/home/.codex/{entry}"));
        let sources = ConfigSources::new(&filesystem, posix("/home/.codex"));
        let error = load_base_layers(&sources).await.unwrap_err();
        assert_eq!((variant(&error), error.kind()), ("read", kind), "{entry}");
    }
}
