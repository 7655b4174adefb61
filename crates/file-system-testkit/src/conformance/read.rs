//! What `read_file` and the two provided ways to read return, byte for byte.

use std::io::ErrorKind;

use codex_file_system::{FileKind, FileMetadata, FilePrefix, MAX_READ_FILE_BYTES};

use crate::conformance::case::{CaseResult, cases};
use crate::conformance::check::{Failure, check, check_error, check_metadata, must};
use crate::conformance::subject::{Fixture, Subject};

cases![
    read_bytes_exactly,
    read_empty,
    read_binary_256,
    read_missing_is_not_found,
    read_directory_is_a_directory,
    read_below_file_is_not_a_directory,
    read_unreadable_is_denied[Modes],
    read_fifo_does_not_block[Fifo],
    read_above_limit_is_too_large[BigFile],
    read_text_invalid_utf8_is_invalid_data,
    read_prefix_shorter,
    read_prefix_longer_is_complete,
    read_prefix_exact,
    read_prefix_wrong_size_hint,
    read_prefix_zero,
];

async fn read_bytes_exactly(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = %EF%BB%BF a%0D%0Ab%09%0A%0A").await?;
    let text = "\u{FEFF} a\r\nb\t\n\n";
    check(fs.read("a.txt").await, Ok(text.as_bytes().to_vec()))?;
    check(fs.read_text("a.txt").await, Ok(text.to_owned()))
}

async fn read_empty(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt =").await?;
    check(fs.read("a.txt").await, Ok(Vec::new()))?;
    check(fs.read_text("a.txt").await, Ok(String::new()))
}

async fn read_binary_256(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.bin =*256").await?;
    check(fs.read("a.bin").await, Ok((0..=255).collect()))
}

async fn read_missing_is_not_found(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check_error(fs.read("d/a.txt").await, ErrorKind::NotFound)?;
    check_error(fs.read("missing/a.txt").await, ErrorKind::NotFound)
}

async fn read_directory_is_a_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check_error(fs.read("d").await, ErrorKind::IsADirectory)
}

async fn read_below_file_is_not_a_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(fs.read("a.txt/x").await, ErrorKind::NotADirectory)
}

async fn read_unreadable_is_denied(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("a.txt !000 = hello\nd/b.txt = hello\nd/ !600")
        .await?;
    check_error(fs.read("a.txt").await, ErrorKind::PermissionDenied)?;
    check_error(fs.read("d/b.txt").await, ErrorKind::PermissionDenied)
}

async fn read_fifo_does_not_block(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("pipe |").await?;
    check_error(fs.read("pipe").await, ErrorKind::InvalidInput)?;
    check_error(
        fs.read_prefix("pipe", 8, None).await,
        ErrorKind::InvalidInput,
    )
}

async fn read_above_limit_is_too_large(subject: &dyn Subject) -> CaseResult {
    let size = MAX_READ_FILE_BYTES + 1;
    let fs = subject.build(&format!("big.bin =~{size}")).await?;
    let metadata = FileMetadata::new(FileKind::File).with_size(Some(size));
    check_metadata(
        fs.stat("big.bin").await,
        metadata.with_is_symlink(Some(false)),
    )?;
    check_error(fs.read("big.bin").await, ErrorKind::FileTooLarge)
}

async fn read_text_invalid_utf8_is_invalid_data(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = caf%E9\nb.txt = caf%C3%A9").await?;
    check_error(fs.read_text("a.txt").await, ErrorKind::InvalidData)?;
    check(fs.read("a.txt").await, Ok(b"caf\xE9".to_vec()))?;
    check(fs.read_text("b.txt").await, Ok("café".to_owned()))
}

/// Expects the first `max_bytes` bytes of `all`, and its length where the filesystem tells it.
async fn check_prefix(
    fs: &Fixture,
    all: &[u8],
    max_bytes: usize,
    size_hint: Option<u64>,
) -> Result<(), Failure> {
    let prefix = must(fs.read_prefix("a.txt", max_bytes as u64, size_hint).await)?;
    let bytes = all.get(..max_bytes).unwrap_or(all).to_vec();
    let is_complete = max_bytes >= all.len();
    let size = prefix.size.map(|_| all.len() as u64);
    check(prefix, FilePrefix::new(bytes, is_complete).with_size(size))
}

async fn read_prefix_shorter(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = 0123456789").await?;
    check_prefix(&fs, b"0123456789", 1, None).await?;
    check_prefix(&fs, b"0123456789", 9, Some(10)).await
}

async fn read_prefix_longer_is_complete(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = 0123456789").await?;
    check_prefix(&fs, b"0123456789", 11, None).await?;
    check_prefix(&fs, b"0123456789", 1 << 20, Some(10)).await
}

async fn read_prefix_exact(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = 0123456789").await?;
    check_prefix(&fs, b"0123456789", 10, None).await?;
    check_prefix(&fs, b"0123456789", 10, Some(10)).await
}

async fn read_prefix_wrong_size_hint(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = 0123456789").await?;
    for size_hint in [0, 3, 1_000_000] {
        for max_bytes in [0, 4, 10, 20] {
            check_prefix(&fs, b"0123456789", max_bytes, Some(size_hint)).await?;
        }
    }
    Ok(())
}

async fn read_prefix_zero(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = 0123456789").await?;
    check_prefix(&fs, b"0123456789", 0, None).await?;
    let fs = subject.build("a.txt =").await?;
    check_prefix(&fs, b"", 0, None).await
}
