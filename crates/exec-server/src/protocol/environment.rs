//! `environment/info`, `environment/status` and `environmentConfig/read`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{EnvironmentInfo, Method, Nothing, bounded};

/// `environment/info`: what the handshake told, again.
#[derive(Debug)]
pub struct EnvironmentInfoMethod;

impl Method for EnvironmentInfoMethod {
    const NAME: &'static str = "environment/info";
    const PARAMS_ARE_OPTIONAL: bool = true;
    type Params<'a> = Nothing;
    type Result<'a> = EnvironmentInfo;
}

/// `environment/status`: whether the environment can be used.
#[derive(Debug)]
pub struct EnvironmentStatus;

impl Method for EnvironmentStatus {
    const NAME: &'static str = "environment/status";
    const PARAMS_ARE_OPTIONAL: bool = true;
    type Params<'a> = Nothing;
    type Result<'a> = EnvironmentStatusResult<'a>;
}

/// `environmentConfig/read`: configuration that belongs to the environment.
#[derive(Debug)]
pub struct EnvironmentConfigRead;

impl Method for EnvironmentConfigRead {
    const NAME: &'static str = "environmentConfig/read";
    type Params<'a> = EnvironmentConfigReadParams<'a>;
    type Result<'a> = EnvironmentConfigReadResult<'a>;
}

/// The result of [`EnvironmentStatus`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentStatusResult<'a> {
    /// `ready`.
    #[serde(borrow)]
    pub status: Cow<'a, str>,
}

/// The parameters of [`EnvironmentConfigRead`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentConfigReadParams<'a> {
    /// The directory the configuration is for, a `file:` URI.
    #[serde(borrow)]
    pub cwd: Cow<'a, str>,
    /// The keys of the configuration that are asked for, each a path of names.
    #[serde(borrow, deserialize_with = "bounded::keys")]
    pub config_paths: Vec<Vec<Cow<'a, str>>>,
    /// The keys of the requirements that are asked for, each a path of names.
    #[serde(borrow, deserialize_with = "bounded::keys")]
    pub requirements_paths: Vec<Vec<Cow<'a, str>>>,
}

/// The result of [`EnvironmentConfigRead`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentConfigReadResult<'a> {
    /// The user's home directory, a `file:` URI.
    #[serde(borrow)]
    pub user_home_dir: Cow<'a, str>,
    /// The directory of the user's configuration, a `file:` URI.
    #[serde(borrow)]
    pub codex_home_dir: Cow<'a, str>,
    /// The name of the machine.
    #[serde(borrow)]
    pub hostname: Cow<'a, str>,
    /// The configuration asked for.
    pub config: ConfigLayers,
    /// The requirements asked for.
    pub requirements: ConfigLayers,
}

/// Layers of configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigLayers {
    /// The layers; a server of this crate has none.
    pub layers: Vec<Value>,
    /// Where layers from the cloud would go.
    pub cloud_insertion_index: u64,
}
