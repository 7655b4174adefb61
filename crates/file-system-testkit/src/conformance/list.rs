//! The laws of a listing: order, completeness, kinds, and one failing entry hides no other.

use std::io::ErrorKind;

use codex_file_system::{FileKind, ReadDirectoryEntry};

use crate::conformance::case::{CaseResult, cases};
use crate::conformance::check::{Failure, check, check_error, check_listing, must};
use crate::conformance::subject::{Fixture, Subject};

cases![
    list_sorted,
    list_empty,
    list_kinds,
    list_file_is_not_a_directory,
    list_missing_is_not_found,
    list_denied[Modes],
    list_unsearchable_keeps_kinds[Modes],
    list_thousand_entries,
    list_agrees_with_stat,
];

/// Entries that are no links, by name and kind.
fn entries(
    fs: &Fixture,
    expected: &[(&str, FileKind)],
) -> Result<Vec<ReadDirectoryEntry>, Failure> {
    let entry = |(name, kind): &(&str, FileKind)| {
        Ok(ReadDirectoryEntry::new(fs.name(name)?, *kind).with_is_symlink(Some(false)))
    };
    expected.iter().map(entry).collect()
}

async fn list_sorted(subject: &dyn Subject) -> CaseResult {
    let names = [
        "b", "%C3%A9", "B.txt", "a.txt", "a", "10", "a-b", "9", "_", "Z",
    ];
    let tree: String = names.map(|name| format!("d/{name} =\n")).concat();
    let fs = subject.build(&tree).await?;
    let sorted = ["10", "9", "B.txt", "Z", "_", "a", "a-b", "a.txt", "b", "é"];
    let expected = entries(&fs, &sorted.map(|name| (name, FileKind::File)))?;
    check_listing(fs.list("d").await, expected)
}

async fn list_empty(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check_listing(fs.list("d").await, Vec::new())
}

async fn list_kinds(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/sub/deep/x =\nd/file = x\nd/empty/")
        .await?;
    let expected = [
        ("empty", FileKind::Directory),
        ("file", FileKind::File),
        ("sub", FileKind::Directory),
    ];
    check_listing(fs.list("d").await, entries(&fs, &expected)?)
}

async fn list_file_is_not_a_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(fs.list("a.txt").await, ErrorKind::NotADirectory)?;
    check_error(fs.list("a.txt/x").await, ErrorKind::NotADirectory)
}

async fn list_missing_is_not_found(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/").await?;
    check_error(fs.list("missing").await, ErrorKind::NotFound)?;
    check_error(fs.list("missing/below").await, ErrorKind::NotFound)
}

async fn list_denied(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/sub/a.txt = hello\nd/ !300").await?;
    check_error(fs.list("d").await, ErrorKind::PermissionDenied)?;
    check(fs.list("d/sub").await.map(|entries| entries.len()), Ok(1))?;
    let fs = subject.build("d/sub/a.txt = hello\nd/ !600").await?;
    check_error(fs.list("d/sub").await, ErrorKind::PermissionDenied)
}

async fn list_unsearchable_keeps_kinds(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/sub/\nd/file = x\nd/ !400").await?;
    let expected = [("file", FileKind::File), ("sub", FileKind::Directory)];
    check_listing(fs.list("d").await, entries(&fs, &expected)?)
}

async fn list_thousand_entries(subject: &dyn Subject) -> CaseResult {
    let names: Vec<String> = (0..1000).map(|index| format!("entry-{index:03}")).collect();
    let tree: String = names
        .iter()
        .rev()
        .map(|name| format!("d/{name} =\n"))
        .collect();
    let fs = subject.build(&tree).await?;
    let listed = must(fs.list("d").await)?;
    check(listed.len(), 1000)?;
    // One by one: nobody reads the difference of two lists this long.
    for (entry, name) in listed.into_iter().zip(&names) {
        check_listing(Ok(vec![entry]), entries(&fs, &[(name, FileKind::File)])?)?;
    }
    Ok(())
}

async fn list_agrees_with_stat(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a.txt = hello\nd/Sub/x =\nd/%20odd%20%25name =")
        .await?;
    let directory = fs.at("d")?;
    let listed = must(fs.list("d").await)?;
    check(listed.len(), 3)?;
    for entry in listed {
        let path = directory.join_name(&entry.file_name)?;
        let metadata = fs.filesystem().get_metadata(&path, None).await?;
        check(metadata.kind, entry.kind)?;
        if entry.is_symlink.is_some() && metadata.is_symlink.is_some() {
            check(metadata.is_symlink, entry.is_symlink)?;
        }
    }
    Ok(())
}
