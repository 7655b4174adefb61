//! The methods on paths: `fs/getMetadata` to `fs/watchMissing`.

use serde::{Deserialize, Serialize};

use super::{Bounded, MAX_LISTED_ENTRIES, MAX_LISTED_PATHS, Method, Nothing, SandboxParam, object};
use crate::codec::Content;

/// `fs/getMetadata`: what is known of a path's target.
pub(crate) struct GetMetadata;

impl Method for GetMetadata {
    const NAME: &'static str = "fs/getMetadata";
    type Params = PathParams;
    type Result = GetMetadataResult;
}

/// `fs/readFile`: the whole content of a file.
pub(crate) struct ReadFile;

impl Method for ReadFile {
    const NAME: &'static str = "fs/readFile";
    type Params = PathParams;
    type Result = ReadFileResult;
}

/// `fs/canonicalize`: the path of the same file without links.
pub(crate) struct Canonicalize;

impl Method for Canonicalize {
    const NAME: &'static str = "fs/canonicalize";
    type Params = PathParams;
    type Result = CanonicalizeResult;
}

/// `fs/readDirectory`: the entries of a directory.
pub(crate) struct ReadDirectory;

impl Method for ReadDirectory {
    const NAME: &'static str = "fs/readDirectory";
    type Params = PathParams;
    type Result = ReadDirectoryResult;
}

/// `fs/walk`: a directory and what is below it.
pub(crate) struct WalkDirectory;

impl Method for WalkDirectory {
    const NAME: &'static str = "fs/walk";
    type Params = WalkDirectoryParams;
    type Result = WalkDirectoryResult;
}

/// `fs/writeFile`: creates a file or replaces its content.
pub(crate) struct WriteFile;

impl Method for WriteFile {
    const NAME: &'static str = "fs/writeFile";
    type Params = WriteFileParams;
    type Result = Nothing;
}

/// `fs/createDirectory`: creates a directory.
pub(crate) struct CreateDirectory;

impl Method for CreateDirectory {
    const NAME: &'static str = "fs/createDirectory";
    type Params = CreateDirectoryParams;
    type Result = Nothing;
}

/// `fs/remove`: removes a file, a link or a directory.
pub(crate) struct RemovePath;

impl Method for RemovePath {
    const NAME: &'static str = "fs/remove";
    type Params = RemoveParams;
    type Result = Nothing;
}

/// `fs/copy`: copies a file, a link or a directory.
pub(crate) struct CopyPath;

impl Method for CopyPath {
    const NAME: &'static str = "fs/copy";
    type Params = CopyParams;
    type Result = Nothing;
}

/// `fs/watchMissing`: asks to be told when missing files appear; answered, and nothing is watched.
pub(crate) struct WatchMissing;

impl Method for WatchMissing {
    const NAME: &'static str = "fs/watchMissing";
    type Params = WatchMissingParams;
    type Result = WatchMissingResult;
}

/// The parameters of every method that asks about one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PathParams {
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GetMetadataResult {
    /// Whether the target is a directory.
    pub(crate) is_directory: bool,
    /// Whether the target is a regular file.
    pub(crate) is_file: bool,
    /// Whether the last component of the path is a link; absent where the server cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is_symlink: Option<bool>,
    /// Length of the target in bytes; absent where the server cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) size: Option<u64>,
    /// Creation time in milliseconds since the Unix epoch; 0 where it is unknown.
    #[serde(default)]
    pub(crate) created_at_ms: i64,
    /// Last modification in milliseconds since the Unix epoch; 0 where it is unknown.
    #[serde(default)]
    pub(crate) modified_at_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ReadFileResult {
    pub(crate) data_base64: Content,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CanonicalizeResult {
    /// A `file:` URI without links.
    pub(crate) path: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReadDirectoryResult {
    /// The entries; sorted by a server of this crate, in any order from others.
    pub(crate) entries: Bounded<DirectoryEntry, MAX_LISTED_ENTRIES>,
}

/// One entry of a listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DirectoryEntry {
    /// The name, with U+FFFD in place of what text cannot hold.
    pub(crate) file_name: String,
    /// Whether the entry's target is a directory.
    pub(crate) is_directory: bool,
    /// Whether the entry's target is a regular file.
    pub(crate) is_file: bool,
    /// Whether the entry itself is a link; absent where the server cannot say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is_symlink: Option<bool>,
    /// Whether the entry is a link whose target cannot be reached; sent by a server of this crate
    /// only.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_broken_link: bool,
    /// The entry's URI, present whenever `file_name` does not hold the whole name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) path: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WalkDirectoryParams {
    /// The directory to start from.
    pub(crate) path: String,
    #[serde(deserialize_with = "object")]
    pub(crate) options: WalkLimits,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

/// What a walk enters, lists and stops at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WalkLimits {
    /// How far below the root directories are entered.
    pub(crate) max_depth: u64,
    /// The most directories that are entered, the root included.
    pub(crate) max_directories: u64,
    /// The most entries in the result.
    pub(crate) max_entries: u64,
    /// Enter links to directories.
    pub(crate) follow_directory_symlinks: bool,
    /// Leave out directories whose name starts with `.`.
    #[serde(default)]
    pub(crate) prune_hidden_directories: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WalkDirectoryResult {
    /// What was found, breadth first.
    pub(crate) entries: Bounded<WalkedEntry, MAX_LISTED_ENTRIES>,
    /// Directories that could not be entered.
    pub(crate) errors: Bounded<WalkedError, MAX_LISTED_ENTRIES>,
    /// Whether a limit kept something out.
    pub(crate) truncated: bool,
}

/// A file or directory below the root of a walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WalkedEntry {
    /// Its URI, as walked.
    pub(crate) path: String,
    /// The kind of its target.
    pub(crate) kind: WalkedKind,
}

/// The kinds of file a walk reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum WalkedKind {
    File,
    Directory,
}

/// A directory that could not be entered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WalkedError {
    /// Its URI, as walked.
    pub(crate) path: String,
    /// Why; the message of an error of the system ends in ` (os error N)`.
    pub(crate) message: String,
    /// The name of the `io::ErrorKind`; sent by a server of this crate only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteFileParams {
    pub(crate) path: String,
    /// The content in base64; text here, since a fault in it has an answer of its own.
    pub(crate) data_base64: String,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CreateDirectoryParams {
    pub(crate) path: String,
    /// Create missing parents, and accept a directory that exists; true when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) recursive: Option<bool>,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemoveParams {
    pub(crate) path: String,
    /// Remove a directory with everything in it; true when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) recursive: Option<bool>,
    /// Succeed when there is nothing to remove; true when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) force: Option<bool>,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CopyParams {
    pub(crate) source_path: String,
    pub(crate) destination_path: String,
    /// Copy a directory with everything in it.
    pub(crate) recursive: bool,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WatchMissingParams {
    /// The client's number for the watch.
    pub(crate) watch_id: u64,
    /// URIs that do not exist.
    pub(crate) missing: Bounded<String, MAX_LISTED_PATHS>,
    /// The URI of a directory that exists.
    pub(crate) present: String,
    #[serde(default)]
    pub(crate) sandbox: SandboxParam,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WatchMissingResult {
    /// Whether anything is watched.
    pub(crate) watching: bool,
}
