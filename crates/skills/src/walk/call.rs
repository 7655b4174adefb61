//! What a walk asks and what it is told.

use std::io;

use codex_file_system::wrap::Calls;
use codex_file_system::{FileMetadata, ReadDirectoryEntry};
use codex_path_uri::PathUri;
use codex_plugin::{ManifestDirectories, PluginNamespace, PluginProviderError};

use super::namespace::PlaceId;
use super::queue::EntryId;
use super::root::{LocationId, RootId};
use super::skills::{SidecarId, SkillId, TextId};

/// One thing to ask a filesystem. Every kind but the last is exactly one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    List(PathUri),
    Stat(PathUri),
    Resolve(PathUri),
    Read(PathUri),
    /// The namespace that the manifest of a directory gives: one call per location tried, one
    /// after another.
    Namespace {
        directory: PathUri,
        present: ManifestDirectories,
    },
}

/// The answer to a call of the same kind. Of a failure only its kind is of interest.
#[derive(Debug)]
pub(crate) enum Answer {
    Listing(Result<Vec<ReadDirectoryEntry>, io::ErrorKind>),
    Metadata(Result<FileMetadata, io::ErrorKind>),
    Path(Result<PathUri, io::ErrorKind>),
    Contents(Result<Vec<u8>, io::ErrorKind>),
    Namespace(
        Result<Option<PluginNamespace>, Box<PluginProviderError>>,
        Calls,
    ),
}

/// Why a call is made; it comes back with the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// List a location of a root.
    Listing(RootId, LocationId),
    /// Learn whether a directory is a link, which its listing did not say.
    Flag(RootId, EntryId),
    /// Resolve a link to a directory.
    Link(RootId, EntryId),
    /// Resolve the root itself.
    Root(RootId),
    /// Read a skill file.
    Text(RootId, TextId),
    /// Resolve a skill file that is a link.
    SkillLink(RootId, SkillId),
    /// Read a sidecar.
    Sidecar(RootId, SidecarId),
    /// Read the manifest of a directory.
    Manifest(PlaceId),
    /// Probe a manifest location of a directory above a traversal root.
    Probe(PlaceId, usize),
}
