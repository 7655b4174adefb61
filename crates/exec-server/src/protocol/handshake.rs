//! `initialize` and `initialized`, and what a server tells of its machine.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::Method;

/// The notification with which the client ends the handshake.
pub const INITIALIZED: &str = "initialized";

/// `initialize`: the first request of a connection.
#[derive(Debug)]
pub struct Initialize;

impl Method for Initialize {
    const NAME: &'static str = "initialize";
    type Params<'a> = InitializeParams<'a>;
    type Result<'a> = InitializeResult<'a>;
}

/// The parameters of [`Initialize`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams<'a> {
    /// What the client calls itself.
    #[serde(borrow)]
    pub client_name: Cow<'a, str>,
    /// The session to go on with.
    #[serde(borrow, default)]
    pub resume_session_id: Option<Cow<'a, str>>,
}

/// The result of [`Initialize`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult<'a> {
    /// The session, for a later resume.
    #[serde(borrow)]
    pub session_id: Cow<'a, str>,
    /// What the server tells of its machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment_info: Option<EnvironmentInfo>,
}

/// What a server tells of its machine. Every field may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentInfo {
    /// The user's shell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell: Option<Shell>,
    /// Version of the server program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executor_version: Option<String>,
    /// The server's working directory, a `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// The user's home directory, a `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_home_dir: Option<String>,
    /// Where temporary files go, a `file:` URI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temp_dir: Option<String>,
    /// `linux`, `macos` or `windows`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub platform_os: Option<String>,
    /// Directories to put before the search path of programs.
    #[serde(default)]
    pub prepend_path_dirs: Vec<String>,
    /// Further directories for temporary files.
    #[serde(default)]
    pub temporary_directories: Vec<String>,
    /// What the server can do beyond the base; what is no yes or no is left out.
    #[serde(default, deserialize_with = "yes_or_no")]
    pub capabilities: BTreeMap<String, bool>,
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

fn yes_or_no<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, bool>, D::Error> {
    let capabilities = Option::<BTreeMap<String, Value>>::deserialize(deserializer)?;
    let known = capabilities.unwrap_or_default().into_iter();
    Ok(known
        .filter_map(|(name, value)| Some((name, value.as_bool()?)))
        .collect())
}
