//! What `get_metadata` answers for each state of a path without links.

use std::io::ErrorKind;

use codex_file_system::{FileKind, FileMetadata};

use crate::conformance::case::{CaseResult, cases};
use crate::conformance::check::{check, check_error, check_metadata, must};
use crate::conformance::subject::Subject;

cases![
    stat_file,
    stat_directory,
    stat_empty_file_size_zero,
    stat_missing_is_not_found,
    stat_below_missing_is_not_found,
    stat_below_file_is_not_a_directory,
    stat_unreadable_file_succeeds[Modes],
    stat_in_unsearchable_directory_is_denied[Modes],
    stat_root,
    stat_fifo_is_other[Fifo],
    stat_flags_agree_with_kind,
];

fn file(size: u64) -> FileMetadata {
    FileMetadata::new(FileKind::File)
        .with_size(Some(size))
        .with_is_symlink(Some(false))
}

fn directory() -> FileMetadata {
    FileMetadata::new(FileKind::Directory).with_is_symlink(Some(false))
}

async fn stat_file(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check_metadata(fs.stat("d/a.txt").await, file(5))
}

async fn stat_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello\nempty/").await?;
    check_metadata(fs.stat("d").await, directory())?;
    check_metadata(fs.stat("empty").await, directory())
}

async fn stat_empty_file_size_zero(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt =").await?;
    check_metadata(fs.stat("a.txt").await, file(0))
}

async fn stat_missing_is_not_found(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(fs.stat("b.txt").await, ErrorKind::NotFound)
}

async fn stat_below_missing_is_not_found(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check_error(fs.stat("d/missing/a.txt").await, ErrorKind::NotFound)?;
    check_error(fs.stat("missing/deep/er/a.txt").await, ErrorKind::NotFound)
}

async fn stat_below_file_is_not_a_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(fs.stat("a.txt/x").await, ErrorKind::NotADirectory)?;
    check_error(fs.stat("a.txt/x/y").await, ErrorKind::NotADirectory)
}

async fn stat_unreadable_file_succeeds(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt !000 = hello\nd/ !000").await?;
    check_metadata(fs.stat("a.txt").await, file(5))?;
    check_metadata(fs.stat("d").await, directory())
}

async fn stat_in_unsearchable_directory_is_denied(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello\nd/ !600").await?;
    check_error(fs.stat("d/a.txt").await, ErrorKind::PermissionDenied)?;
    check_error(fs.stat("d/missing").await, ErrorKind::PermissionDenied)?;
    check_error(
        fs.stat("d/missing/below").await,
        ErrorKind::PermissionDenied,
    )
}

async fn stat_root(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    let root = fs
        .base()
        .ancestors()
        .last()
        .unwrap_or_else(|| fs.base().clone());
    let answer = fs.filesystem().get_metadata(&root, None).await;
    check_metadata(answer.map_err(|error| error.kind()), directory())
}

async fn stat_fifo_is_other(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("pipe |").await?;
    let other = FileMetadata::new(FileKind::Other).with_is_symlink(Some(false));
    check_metadata(fs.stat("pipe").await, other)
}

async fn stat_flags_agree_with_kind(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello\nd/").await?;
    for path in ["a.txt", "d"] {
        let metadata = must(fs.stat(path).await)?;
        check(metadata.is_file, metadata.kind == FileKind::File)?;
        check(metadata.is_directory, metadata.kind == FileKind::Directory)?;
    }
    Ok(())
}
