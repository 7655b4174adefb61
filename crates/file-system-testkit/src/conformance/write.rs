//! What the four writing operations do, and what they leave alone.

use std::io::ErrorKind;

use codex_file_system::{FileKind, FileMetadata, RemoveOptions};

use crate::conformance::case::{CaseResult, cases};
use crate::conformance::check::{Failure, check, check_error, check_metadata, must};
use crate::conformance::subject::{Fixture, Subject};

cases![
    write_new [Writes],
    write_replaces [Writes],
    write_missing_parent [Writes],
    write_onto_directory [Writes],
    write_through_link [Writes, Links],
    write_denied [Writes, Modes],
    create_recursive [Writes],
    create_existing [Writes],
    create_existing_not_recursive [Writes],
    create_over_file [Writes],
    create_missing_parent_not_recursive [Writes],
    remove_file [Writes],
    remove_link_keeps_target [Writes, Links],
    remove_not_empty [Writes],
    remove_recursive_does_not_follow_links [Writes, Links],
    remove_missing_force [Writes],
    remove_missing_not_force [Writes],
    copy_file [Writes],
    copy_link_as_link [Writes, Links],
    copy_directory_needs_recursive [Writes],
    copy_directory [Writes],
    copy_into_itself [Writes],
    copy_fifo [Writes, Fifo],
    copy_missing [Writes],
];

const PLAIN: RemoveOptions = RemoveOptions {
    recursive: false,
    force: false,
};
const RECURSIVE: RemoveOptions = RemoveOptions {
    recursive: true,
    force: false,
};
const FORCE: RemoveOptions = RemoveOptions {
    recursive: false,
    force: true,
};

/// Expects a file with this text.
async fn check_text(fs: &Fixture, path: &str, text: &str) -> Result<(), Failure> {
    check(fs.read_text(path).await, Ok(text.to_owned()))
}

/// Expects nothing under this name.
async fn check_gone(fs: &Fixture, path: &str) -> Result<(), Failure> {
    check_error(fs.stat(path).await, ErrorKind::NotFound)
}

async fn write_new(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check(fs.write("d/a.txt", b"hello").await, Ok(()))?;
    check_text(&fs, "d/a.txt", "hello").await?;
    check(fs.write("empty", b"").await, Ok(()))?;
    check_text(&fs, "empty", "").await
}

async fn write_replaces(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = a longer text").await?;
    check(fs.write("a.txt", b"short").await, Ok(()))?;
    check_text(&fs, "a.txt", "short").await
}

/// Below a file nothing is written, whatever the call.
async fn write_missing_parent(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello\nb.txt = x\nd/").await?;
    check_error(fs.write("missing/b.txt", b"x").await, ErrorKind::NotFound)?;
    check_gone(&fs, "missing").await?;
    let refused = [
        fs.write("a.txt/new", b"x").await,
        fs.create_directory("a.txt/new", false).await,
        fs.create_directory("a.txt/new", true).await,
        fs.create_directory("a.txt/new/deep/er", true).await,
        fs.remove("a.txt/new", PLAIN).await,
        fs.remove("a.txt/new", FORCE).await,
        fs.remove("a.txt/new", RECURSIVE).await,
        fs.copy("b.txt", "a.txt/new", false).await,
        fs.copy("d", "a.txt/new", true).await,
    ];
    check(refused, [Err(ErrorKind::NotADirectory); 9])?;
    check_text(&fs, "a.txt", "hello").await
}

async fn write_onto_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check_error(fs.write("d", b"x").await, ErrorKind::IsADirectory)?;
    check_text(&fs, "d/a.txt", "hello").await
}

async fn write_through_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = old\nlink -> d/a.txt").await?;
    check(fs.write("link", b"new text").await, Ok(()))?;
    check_text(&fs, "d/a.txt", "new text").await?;
    let link = FileMetadata::new(FileKind::File)
        .with_size(Some(8))
        .with_is_symlink(Some(true));
    check_metadata(fs.stat("link").await, link)
}

async fn write_denied(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("a.txt !444 = hello\nd/b.txt = hello\nd/ !555")
        .await?;
    check_error(fs.write("a.txt", b"x").await, ErrorKind::PermissionDenied)?;
    check_text(&fs, "a.txt", "hello").await?;
    check_error(fs.write("d/new", b"x").await, ErrorKind::PermissionDenied)?;
    check_error(
        fs.create_directory("d/new", true).await,
        ErrorKind::PermissionDenied,
    )?;
    check_error(
        fs.remove("d/b.txt", FORCE).await,
        ErrorKind::PermissionDenied,
    )?;
    check_error(
        fs.copy("a.txt", "d/new", false).await,
        ErrorKind::PermissionDenied,
    )?;
    check_gone(&fs, "d/new").await?;
    check_text(&fs, "d/b.txt", "hello").await
}

async fn create_recursive(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check(fs.create_directory("d/new", false).await, Ok(()))?;
    check(fs.create_directory("d/deep/er/still", true).await, Ok(()))?;
    for path in ["d/new", "d/deep", "d/deep/er", "d/deep/er/still"] {
        check(
            fs.stat(path).await.map(|metadata| metadata.kind),
            Ok(FileKind::Directory),
        )?;
    }
    Ok(())
}

async fn create_existing(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check(fs.create_directory("d", true).await, Ok(()))?;
    check_text(&fs, "d/a.txt", "hello").await
}

async fn create_existing_not_recursive(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check_error(
        fs.create_directory("d", false).await,
        ErrorKind::AlreadyExists,
    )?;
    check_text(&fs, "d/a.txt", "hello").await
}

async fn create_over_file(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(
        fs.create_directory("a.txt", true).await,
        ErrorKind::AlreadyExists,
    )?;
    check_error(
        fs.create_directory("a.txt", false).await,
        ErrorKind::AlreadyExists,
    )?;
    check_text(&fs, "a.txt", "hello").await
}

async fn create_missing_parent_not_recursive(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check_error(
        fs.create_directory("d/missing/new", false).await,
        ErrorKind::NotFound,
    )?;
    check_gone(&fs, "d/missing").await
}

async fn remove_file(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("a.txt = hello\nb.txt = hello\nempty/")
        .await?;
    check(fs.remove("a.txt", PLAIN).await, Ok(()))?;
    check_gone(&fs, "a.txt").await?;
    check(fs.remove("empty", PLAIN).await, Ok(()))?;
    check_gone(&fs, "empty").await?;
    check_text(&fs, "b.txt", "hello").await
}

async fn remove_link_keeps_target(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a.txt = hello\nfile -> d/a.txt\ndirectory -> d")
        .await?;
    check(fs.remove("file", PLAIN).await, Ok(()))?;
    check_gone(&fs, "file").await?;
    check(fs.remove("directory", RECURSIVE).await, Ok(()))?;
    check_gone(&fs, "directory").await?;
    check_text(&fs, "d/a.txt", "hello").await
}

async fn remove_not_empty(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a.txt = hello\nd/sub/b.txt = hello")
        .await?;
    check_error(fs.remove("d", PLAIN).await, ErrorKind::DirectoryNotEmpty)?;
    check_error(fs.remove("d", FORCE).await, ErrorKind::DirectoryNotEmpty)?;
    check_text(&fs, "d/a.txt", "hello").await?;
    check(fs.remove("d", RECURSIVE).await, Ok(()))?;
    check_gone(&fs, "d").await
}

async fn remove_recursive_does_not_follow_links(subject: &dyn Subject) -> CaseResult {
    let tree = "
        kept/a.txt = hello
        d/directory -> ../kept
        d/file -> ../kept/a.txt
        d/up -> ..
    ";
    let fs = subject.build(tree).await?;
    check(fs.remove("d", RECURSIVE).await, Ok(()))?;
    check_gone(&fs, "d").await?;
    check_text(&fs, "kept/a.txt", "hello").await
}

async fn remove_missing_force(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check(fs.remove("missing", FORCE).await, Ok(()))?;
    check(fs.remove("missing/below", FORCE).await, Ok(()))?;
    let everything = RemoveOptions {
        recursive: true,
        ..FORCE
    };
    check(fs.remove("missing/below", everything).await, Ok(()))?;
    check_text(&fs, "a.txt", "hello").await
}

async fn remove_missing_not_force(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(fs.remove("missing", PLAIN).await, ErrorKind::NotFound)?;
    check_error(fs.remove("missing", RECURSIVE).await, ErrorKind::NotFound)?;
    check_error(fs.remove("missing/x", PLAIN).await, ErrorKind::NotFound)
}

async fn copy_file(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("a.txt = hello\nb.txt = another text\nd/c.txt = kept")
        .await?;
    check(fs.copy("a.txt", "new.txt", false).await, Ok(()))?;
    check_text(&fs, "new.txt", "hello").await?;
    check(fs.copy("a.txt", "b.txt", false).await, Ok(()))?;
    check_text(&fs, "b.txt", "hello").await?;
    // The copy is another file.
    check(fs.write("new.txt", b"changed").await, Ok(()))?;
    check_text(&fs, "a.txt", "hello").await?;
    // A directory is no place to put it in.
    for recursive in [false, true] {
        let onto_directory = fs.copy("a.txt", "d", recursive).await;
        check_error(onto_directory, ErrorKind::IsADirectory)?;
    }
    check_text(&fs, "d/c.txt", "kept").await
}

async fn copy_link_as_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("a.txt = old\nlink -> a.txt\ndead -> nowhere")
        .await?;
    check(fs.copy("link", "copy", false).await, Ok(()))?;
    let metadata = must(fs.stat("copy").await)?;
    check(metadata.is_symlink.unwrap_or(true), true)?;
    check(fs.write("a.txt", b"new").await, Ok(()))?;
    check_text(&fs, "copy", "new").await?;
    check(fs.copy("dead", "living", false).await, Ok(()))?;
    check(fs.write("nowhere", b"found").await, Ok(()))?;
    check_text(&fs, "living", "found").await
}

async fn copy_directory_needs_recursive(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check_error(fs.copy("d", "copy", false).await, ErrorKind::InvalidInput)?;
    check_gone(&fs, "copy").await
}

async fn copy_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a.txt = hello\nd/sub/deep/b.bin =*300\nd/empty/")
        .await?;
    check(fs.copy("d", "copy", true).await, Ok(()))?;
    check_text(&fs, "copy/a.txt", "hello").await?;
    check(
        fs.read("copy/sub/deep/b.bin").await,
        fs.read("d/sub/deep/b.bin").await,
    )?;
    check(
        fs.list("copy/empty").await.map(|entries| entries.len()),
        Ok(0),
    )?;
    check_text(&fs, "d/a.txt", "hello").await?;
    copy_directory_onto(subject).await
}

/// Onto a directory it is merged, entry by entry; onto anything else it is not copied.
async fn copy_directory_onto(subject: &dyn Subject) -> CaseResult {
    let tree = "
        d/a.txt = hello
        d/sub/b.txt = hello
        file = kept
        merged/a.txt = another text
        merged/sub/c.txt = kept
        file-in-the-way/sub = kept
        directory-in-the-way/a.txt/c.txt = kept
    ";
    let fs = subject.build(tree).await?;
    check(fs.copy("d", "merged", true).await, Ok(()))?;
    check_text(&fs, "merged/a.txt", "hello").await?;
    check_text(&fs, "merged/sub/b.txt", "hello").await?;
    check_text(&fs, "merged/sub/c.txt", "kept").await?;
    check_error(fs.copy("d", "file", true).await, ErrorKind::AlreadyExists)?;
    check_text(&fs, "file", "kept").await?;
    check_error(
        fs.copy("d", "file-in-the-way", true).await,
        ErrorKind::AlreadyExists,
    )?;
    check_text(&fs, "file-in-the-way/sub", "kept").await?;
    check_error(
        fs.copy("d", "directory-in-the-way", true).await,
        ErrorKind::IsADirectory,
    )?;
    check_text(&fs, "directory-in-the-way/a.txt/c.txt", "kept").await
}

async fn copy_into_itself(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/sub/a.txt = hello\nd-beside/").await?;
    check_error(fs.copy("d", "d", true).await, ErrorKind::InvalidInput)?;
    check_error(fs.copy("d", "d/copy", true).await, ErrorKind::InvalidInput)?;
    check_error(
        fs.copy("d", "d/sub/copy", true).await,
        ErrorKind::InvalidInput,
    )?;
    check_gone(&fs, "d/copy").await?;
    // A name that only begins alike is not inside.
    check(fs.copy("d", "d-beside/copy", true).await, Ok(()))?;
    check_text(&fs, "d-beside/copy/sub/a.txt", "hello").await
}

async fn copy_fifo(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("pipe |").await?;
    check_error(
        fs.copy("pipe", "copy", false).await,
        ErrorKind::InvalidInput,
    )?;
    check_gone(&fs, "copy").await
}

async fn copy_missing(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello\nd/").await?;
    check_error(fs.copy("missing", "copy", false).await, ErrorKind::NotFound)?;
    check_error(fs.copy("missing", "a.txt", true).await, ErrorKind::NotFound)?;
    let nowhere = fs.copy("a.txt", "missing/copy", false).await;
    check_error(nowhere, ErrorKind::NotFound)?;
    let nowhere = fs.copy("d", "missing/copy", true).await;
    check_error(nowhere, ErrorKind::NotFound)?;
    check_gone(&fs, "missing").await?;
    check_text(&fs, "a.txt", "hello").await
}
