//! `get_metadata` and `canonicalize`: two questions about one path, sent together.

use codex_file_system::{FileKind, FileMetadata};
use codex_path_uri::PathUri;

use super::{Operation, kind_of};
use crate::attempt::{Attempt, attributes, only_name};
use crate::error::Failure;
use crate::path::{ServerPath, uri_of};
use crate::wire::{Attributes, FileType, Request};

/// What is known of a path: stat and lstat.
pub(crate) struct Metadata {
    pub(crate) path: ServerPath,
}

impl Operation for Metadata {
    type Output = FileMetadata;

    async fn run(&self, attempt: &Attempt<'_>) -> Result<FileMetadata, Failure> {
        let path = attempt.path(&self.path)?;
        let target = attempt.send(&Request::Stat { path });
        let own = attempt.send(&Request::LinkStat { path });
        let target = attributes(target).await?;
        let own = match attributes(own).await {
            Ok(own) => Some(own),
            // The path went away in between, or the server knows no links.
            Err(Failure::Refused(_)) => None,
            Err(failure) => return Err(failure),
        };
        let kind = kind_of(&target)?;
        attempt.shared.special_files.note(path, kind);
        let is_link = own.as_ref().and_then(Attributes::file_type);
        let modified = target.modified.map(|seconds| i64::from(seconds) * 1000);
        Ok(FileMetadata::new(kind)
            .with_is_symlink(is_link.map(|own| own == FileType::Link))
            .with_size(target.size.filter(|_| kind == FileKind::File))
            .with_modified_at_ms(modified))
    }
}

/// The path without links: realpath and stat.
///
/// A server resolves a path whose last name is missing as gladly as any other: the stat decides.
pub(crate) struct Canonicalize {
    pub(crate) path: ServerPath,
}

impl Operation for Canonicalize {
    type Output = PathUri;

    async fn run(&self, attempt: &Attempt<'_>) -> Result<PathUri, Failure> {
        let path = attempt.path(&self.path)?;
        let real = attempt.send(&Request::RealPath { path });
        let target = attempt.send(&Request::Stat { path });
        attributes(target).await?;
        let real = only_name("realpath", real).await?;
        uri_of(&real.name, attempt.convention())
    }
}
