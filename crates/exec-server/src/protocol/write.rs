//! `fs/writeFile`, `fs/createDirectory`, `fs/remove` and `fs/copy`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Method, Nothing, SandboxParam};

/// `fs/writeFile`: creates a file or replaces its content.
#[derive(Debug)]
pub struct WriteFile;

impl Method for WriteFile {
    const NAME: &'static str = "fs/writeFile";
    type Params<'a> = WriteFileParams<'a>;
    type Result<'a> = Nothing;
}

/// `fs/createDirectory`: creates a directory.
#[derive(Debug)]
pub struct CreateDirectory;

impl Method for CreateDirectory {
    const NAME: &'static str = "fs/createDirectory";
    type Params<'a> = CreateDirectoryParams<'a>;
    type Result<'a> = Nothing;
}

/// `fs/remove`: removes a file, a link or a directory.
#[derive(Debug)]
pub struct RemovePath;

impl Method for RemovePath {
    const NAME: &'static str = "fs/remove";
    type Params<'a> = RemovePathParams<'a>;
    type Result<'a> = Nothing;
}

/// `fs/copy`: copies a file, a link or a directory.
#[derive(Debug)]
pub struct CopyPath;

impl Method for CopyPath {
    const NAME: &'static str = "fs/copy";
    type Params<'a> = CopyPathParams<'a>;
    type Result<'a> = Nothing;
}

/// The parameters of [`WriteFile`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WriteFileParams<'a> {
    /// A `file:` URI.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// The content in base64.
    #[serde(borrow)]
    pub data_base64: Cow<'a, str>,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// The parameters of [`CreateDirectory`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreateDirectoryParams<'a> {
    /// A `file:` URI.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// Create missing parents, and accept a directory that exists; true when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recursive: Option<bool>,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// The parameters of [`RemovePath`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovePathParams<'a> {
    /// A `file:` URI.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// Remove a directory with everything in it; true when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recursive: Option<bool>,
    /// Succeed when there is nothing to remove; true when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// The parameters of [`CopyPath`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CopyPathParams<'a> {
    /// What is copied, a `file:` URI.
    #[serde(borrow)]
    pub source_path: Cow<'a, str>,
    /// Where to, a `file:` URI.
    #[serde(borrow)]
    pub destination_path: Cow<'a, str>,
    /// Copy a directory with everything in it.
    pub recursive: bool,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}
