//! `get_metadata`: stat and lstat, sent together.

use codex_file_system::{FileKind, FileMetadata};

use super::Operation;
use super::kinds::kind_of;
use crate::connection::Lane;
use crate::failure::Failure;
use crate::spelling::Spelling;
use crate::wire::{Attributes, FileType, Request};

/// What is known of a path.
pub(crate) struct Metadata {
    pub(crate) path: Spelling,
}

impl Operation for Metadata {
    type Output = FileMetadata;

    async fn run(&mut self, lane: &Lane<'_>) -> Result<FileMetadata, Failure> {
        let path = lane.path(&self.path)?;
        let target = lane.send(&Request::Stat { path });
        let own = lane.send(&Request::LinkStat { path });
        let target = Lane::attributes(target.await?)?;
        let own = match own.await {
            Ok(reply) => Some(Lane::attributes(reply)?),
            Err(lost @ Failure::Lost { .. }) => return Err(lost),
            // The path went away in between, or the server knows no links.
            Err(_) => None,
        };
        let metadata = described(&target, own.as_ref())?;
        lane.suspects().note(path, metadata.kind);
        Ok(metadata)
    }
}

fn described(target: &Attributes, own: Option<&Attributes>) -> Result<FileMetadata, Failure> {
    let kind = kind_of(target)?;
    let is_link = own
        .and_then(Attributes::file_type)
        .map(|own| own == FileType::Link);
    Ok(FileMetadata::new(kind)
        .with_is_symlink(is_link)
        .with_size(target.size.filter(|_| kind == FileKind::File))
        .with_modified_at_ms(target.modified.map(|seconds| i64::from(seconds) * 1000)))
}
