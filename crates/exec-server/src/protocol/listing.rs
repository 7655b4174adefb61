//! `fs/readDirectory` and `fs/walk`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Method, PathParams, SandboxParam, bounded, object};

/// `fs/readDirectory`: the entries of a directory.
#[derive(Debug)]
pub struct ReadDirectory;

impl Method for ReadDirectory {
    const NAME: &'static str = "fs/readDirectory";
    type Params<'a> = PathParams<'a>;
    type Result<'a> = ReadDirectoryResult<'a>;
}

/// `fs/walk`: a directory and what is below it.
#[derive(Debug)]
pub struct WalkDirectory;

impl Method for WalkDirectory {
    const NAME: &'static str = "fs/walk";
    type Params<'a> = WalkDirectoryParams<'a>;
    type Result<'a> = WalkDirectoryResult<'a>;
}

/// The result of [`ReadDirectory`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadDirectoryResult<'a> {
    /// The entries; sorted by a server of this crate, in any order from others.
    #[serde(borrow, deserialize_with = "bounded::entries")]
    pub entries: Vec<DirectoryEntry<'a>>,
}

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DirectoryEntry<'a> {
    /// The name, with U+FFFD in place of what text cannot hold.
    #[serde(borrow)]
    pub file_name: Cow<'a, str>,
    /// Whether the entry's target is a directory.
    pub is_directory: bool,
    /// Whether the entry's target is a regular file.
    pub is_file: bool,
    /// Whether the entry itself is a link; absent where the server cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_symlink: Option<bool>,
    /// The entry's URI, present whenever `file_name` does not hold the whole name.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub path: Option<Cow<'a, str>>,
}

/// The parameters of [`WalkDirectory`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkDirectoryParams<'a> {
    /// The directory to start from, a `file:` URI.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// What is entered, listed and stopped at.
    #[serde(deserialize_with = "object::deserialize")]
    pub options: WalkLimits,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// The options of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WalkLimits {
    /// How far below the root directories are entered.
    pub max_depth: u64,
    /// The most directories that are entered, the root included.
    pub max_directories: u64,
    /// The most entries in the result.
    pub max_entries: u64,
    /// Enter links to directories.
    pub follow_directory_symlinks: bool,
    /// Leave out directories whose name starts with `.`.
    #[serde(default)]
    pub prune_hidden_directories: bool,
}

/// The result of [`WalkDirectory`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkDirectoryResult<'a> {
    /// What was found, breadth first.
    #[serde(borrow, deserialize_with = "bounded::entries")]
    pub entries: Vec<WalkedEntry<'a>>,
    /// Directories that could not be entered.
    #[serde(borrow, deserialize_with = "bounded::entries")]
    pub errors: Vec<WalkedError<'a>>,
    /// Whether a limit kept something out.
    pub truncated: bool,
}

/// A file or directory below the root of a walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkedEntry<'a> {
    /// Its URI, as walked.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// The kind of its target.
    pub kind: WalkedKind,
}

/// The kinds of file a walk reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WalkedKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
}

/// A directory that could not be entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WalkedError<'a> {
    /// Its URI, as walked.
    #[serde(borrow)]
    pub path: Cow<'a, str>,
    /// Why; the message of an error of the system ends in ` (os error N)`.
    #[serde(borrow)]
    pub message: Cow<'a, str>,
    /// The name of the `io::ErrorKind`; sent by a server of this crate only.
    #[serde(borrow, default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Cow<'a, str>>,
}
