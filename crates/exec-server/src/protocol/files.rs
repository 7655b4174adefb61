//! `fs/getMetadata`, `fs/readFile` and `fs/canonicalize`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Method, SandboxParam};

/// `fs/getMetadata`: what is known of a path's target.
#[derive(Debug)]
pub struct GetMetadata;

impl Method for GetMetadata {
    const NAME: &'static str = "fs/getMetadata";
    type Params<'a> = PathParams<'a>;
    type Result<'a> = GetMetadataResult;
}

/// `fs/readFile`: the whole content of a file.
#[derive(Debug)]
pub struct ReadFile;

impl Method for ReadFile {
    const NAME: &'static str = "fs/readFile";
    type Params<'a> = PathParams<'a>;
    type Result<'a> = ReadFileResult<'a>;
}

/// `fs/canonicalize`: the path of the same file without links.
#[derive(Debug)]
pub struct Canonicalize;

impl Method for Canonicalize {
    const NAME: &'static str = "fs/canonicalize";
    type Params<'a> = PathParams<'a>;
    type Result<'a> = CanonicalizeResult<'a>;
}

/// The parameters of every method that asks about one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PathParams<'a> {
    /// A `file:` URI.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// The result of [`GetMetadata`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetMetadataResult {
    /// Whether the target is a directory.
    pub is_directory: bool,
    /// Whether the target is a regular file.
    pub is_file: bool,
    /// Whether the last component of the path is a link; absent where the server cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_symlink: Option<bool>,
    /// Length of the target in bytes; absent where the server cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Creation time in milliseconds since the Unix epoch; 0 where it is unknown.
    #[serde(default)]
    pub created_at_ms: i64,
    /// Last modification in milliseconds since the Unix epoch; 0 where it is unknown.
    #[serde(default)]
    pub modified_at_ms: i64,
}

/// The result of [`ReadFile`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadFileResult<'a> {
    /// The content in base64.
    #[serde(borrow)]
    pub data_base64: Cow<'a, str>,
}

/// The result of [`Canonicalize`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CanonicalizeResult<'a> {
    /// A `file:` URI without links.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
}
