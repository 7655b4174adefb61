//! Short spellings of paths, sources, layers and stacks.

use codex_config::{
    ConfigError, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ProfileName, TextPosition,
    TomlValue, ValueOrigin,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{PathConvention, PathUri};

/// The URI of a native POSIX path.
pub(crate) fn posix(path: &str) -> PathUri {
    PathUri::from_native(path, PathConvention::Posix).unwrap()
}

/// The URI of a native Windows path.
pub(crate) fn windows(path: &str) -> PathUri {
    PathUri::from_native(path, PathConvention::Windows).unwrap()
}

/// A POSIX filesystem with this tree.
pub(crate) fn memory(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

pub(crate) fn system() -> ConfigLayerSource {
    ConfigLayerSource::System {
        file: posix("/etc/codex/config.toml"),
    }
}

pub(crate) fn user() -> ConfigLayerSource {
    ConfigLayerSource::User {
        file: posix("/home/.codex/config.toml"),
        profile: None,
    }
}

pub(crate) fn profile(name: &str) -> ConfigLayerSource {
    ConfigLayerSource::User {
        file: posix(&format!("/home/.codex/{name}.config.toml")),
        profile: Some(ProfileName::new(name).unwrap()),
    }
}

/// The layer of a project directory.
pub(crate) fn project(directory: &str) -> ConfigLayerSource {
    ConfigLayerSource::Project {
        dot_codex_folder: posix(directory).join(".codex").unwrap(),
    }
}

pub(crate) fn session() -> ConfigLayerSource {
    ConfigLayerSource::SessionFlags
}

pub(crate) fn managed() -> ConfigLayerSource {
    ConfigLayerSource::LegacyManagedConfigTomlFromFile {
        file: posix("/etc/codex/managed_config.toml"),
    }
}

/// A layer parsed from text.
pub(crate) fn layer(source: ConfigLayerSource, text: &str) -> ConfigLayerEntry {
    ConfigLayerEntry::from_toml_text(source, text).unwrap()
}

/// A stack of layers parsed from text, lowest precedence first.
pub(crate) fn stack<const N: usize>(layers: [(ConfigLayerSource, &str); N]) -> ConfigLayerStack {
    let layers = layers.map(|(source, text)| layer(source, text));
    ConfigLayerStack::new(layers.to_vec()).unwrap()
}

/// A table from TOML text.
pub(crate) fn table(text: &str) -> TomlValue {
    TomlValue::Table(toml::from_str(text).unwrap())
}

/// The origin of a value in a layer, with its position where it has one.
pub(crate) fn origin(source: ConfigLayerSource, at: Option<(u32, u32)>) -> ValueOrigin {
    let position = at.map(|(line, column)| TextPosition { line, column });
    ValueOrigin::Layer { source, position }
}

/// The variant of an error in snake_case, as the case file names it.
pub(crate) fn variant(error: &ConfigError) -> &'static str {
    match error {
        ConfigError::Read { .. } => "read",
        ConfigError::InvalidToml { .. } => "invalid_toml",
        ConfigError::InvalidValue { .. } => "invalid_value",
        ConfigError::InvalidOverride { .. } => "invalid_override",
        ConfigError::LegacyProfile { .. } => "legacy_profile",
        ConfigError::InvalidProfileName { .. } => "invalid_profile_name",
        ConfigError::InvalidStack { .. } => "invalid_stack",
        _ => "unknown",
    }
}
