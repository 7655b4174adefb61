//! `initialize`, `environment/*` and `environmentConfig/read`: what a server tells of its machine.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::{Bounded, MAX_KEY_NAMES, MAX_LISTED_PATHS, Method, Nothing};

/// The notification with which the client ends the handshake.
pub(crate) const INITIALIZED: &str = "initialized";
/// The capability of a server that enforces the sandbox of a request, on open files too.
pub(crate) const SANDBOX_CAPABILITY: &str = "sandboxedFileStreaming";

/// `initialize`: the first request of a connection.
pub(crate) struct Initialize;

impl Method for Initialize {
    const NAME: &'static str = "initialize";
    type Params = InitializeParams;
    type Result = InitializeResult;
}

/// `environment/info`: what the handshake told, again.
pub(crate) struct EnvironmentInfoMethod;

impl Method for EnvironmentInfoMethod {
    const NAME: &'static str = "environment/info";
    const PARAMS_ARE_OPTIONAL: bool = true;
    type Params = Nothing;
    type Result = EnvironmentInfo;
}

/// `environment/status`: whether the environment can be used.
pub(crate) struct EnvironmentStatus;

impl Method for EnvironmentStatus {
    const NAME: &'static str = "environment/status";
    const PARAMS_ARE_OPTIONAL: bool = true;
    type Params = Nothing;
    type Result = EnvironmentStatusResult;
}

/// `environmentConfig/read`: configuration that belongs to the environment.
pub(crate) struct EnvironmentConfigRead;

impl Method for EnvironmentConfigRead {
    const NAME: &'static str = "environmentConfig/read";
    type Params = EnvironmentConfigReadParams;
    type Result = EnvironmentConfigReadResult;
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeParams {
    /// What the client calls itself.
    pub(crate) client_name: String,
    /// The session to go on with.
    #[serde(default)]
    pub(crate) resume_session_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeResult {
    /// The session, for a later resume.
    pub(crate) session_id: String,
    /// What the server tells of its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) environment_info: Option<EnvironmentInfo>,
}

/// What a server tells of its machine; every field may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnvironmentInfo {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shell: Option<Shell>,
    /// Version of the server program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) executor_version: Option<String>,
    /// The server's working directory, a `file:` URI, as the next two are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) user_home_dir: Option<String>,
    /// Where temporary files go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) temp_dir: Option<String>,
    /// `linux`, `macos` or `windows`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) platform_os: Option<String>,
    /// Directories to put before the search path of programs.
    #[serde(default)]
    pub(crate) prepend_path_dirs: Vec<String>,
    /// Further directories for temporary files.
    #[serde(default)]
    pub(crate) temporary_directories: Vec<String>,
    /// What the server can do beyond the base; what is no yes or no is left out.
    #[serde(default, deserialize_with = "yes_or_no")]
    pub(crate) capabilities: BTreeMap<String, bool>,
}

/// A user's shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shell {
    /// Its name, such as `bash`.
    #[serde(default)]
    pub name: String,
    /// Its program.
    #[serde(default)]
    pub path: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EnvironmentStatusResult {
    /// `ready`.
    pub(crate) status: String,
}

/// Keys of a configuration, each a path of names.
type Keys = Bounded<Bounded<String, MAX_KEY_NAMES>, MAX_LISTED_PATHS>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnvironmentConfigReadParams {
    /// The directory the configuration is for.
    pub(crate) cwd: String,
    /// The keys of the configuration that are asked for.
    pub(crate) config_paths: Keys,
    /// The keys of the requirements that are asked for.
    pub(crate) requirements_paths: Keys,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EnvironmentConfigReadResult {
    /// The user's home directory, a `file:` URI, as the next is.
    pub(crate) user_home_dir: String,
    /// The directory of the user's configuration.
    pub(crate) codex_home_dir: String,
    /// The name of the machine.
    pub(crate) hostname: String,
    pub(crate) config: ConfigLayers,
    pub(crate) requirements: ConfigLayers,
}

/// Layers of configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConfigLayers {
    /// The layers; a server of this crate has none.
    pub(crate) layers: Vec<Value>,
    /// Where layers from the cloud would go.
    pub(crate) cloud_insertion_index: u64,
}

fn yes_or_no<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, bool>, D::Error> {
    let capabilities = Option::<BTreeMap<String, Value>>::deserialize(deserializer)?;
    let known = capabilities.unwrap_or_default().into_iter();
    Ok(known
        .filter_map(|(name, value)| Some((name, value.as_bool()?)))
        .collect())
}
