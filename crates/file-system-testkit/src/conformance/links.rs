//! Links: followed by every read, marked where the filesystem can tell, resolved where they are.

use std::io::ErrorKind;

use codex_file_system::error::{filesystem_loop, is_broken_link};
use codex_file_system::{FileKind, FileMetadata, ReadDirectoryEntry};

use crate::conformance::case::{CaseResult, cases};
use crate::conformance::check::{Failure, check, check_error, check_listing, check_metadata, must};
use crate::conformance::subject::Subject;

cases![
    stat_live_link[Links],
    stat_link_to_directory[Links],
    stat_link_without_target_is_not_found[Links],
    stat_loop_is_filesystem_loop[Links],
    read_through_chain[Links],
    read_loop[Links],
    list_through_link[Links],
    list_loop[Links],
    list_marks_live_links[Links],
    list_names_all_broken_links_or_none[Links],
    only_a_link_is_told_as_a_broken_link[Links],
    canonicalize_file,
    canonicalize_link[Links],
    canonicalize_parent_link[Links],
    canonicalize_twice_is_stable[Links],
    canonicalize_missing,
    canonicalize_loop[Links],
    relative_link_resolves_from_its_own_directory[Links],
    absolute_link_below_a_directory_resolves_from_the_root[Links],
];

/// Two links that lead to each other.
const LOOP: &str = "loop-a -> loop-b\nloop-b -> loop-a";

async fn stat_live_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello, world\nlink -> a.txt").await?;
    let target = FileMetadata::new(FileKind::File).with_size(Some(12));
    check_metadata(fs.stat("link").await, target.with_is_symlink(Some(true)))
}

async fn stat_link_to_directory(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello\nlink -> d").await?;
    let directory = FileMetadata::new(FileKind::Directory);
    check_metadata(fs.stat("link").await, directory.with_is_symlink(Some(true)))?;
    // The flag speaks of the last component, whatever the way there.
    let file = FileMetadata::new(FileKind::File).with_size(Some(5));
    check_metadata(
        fs.stat("link/a.txt").await,
        file.with_is_symlink(Some(false)),
    )
}

async fn stat_link_without_target_is_not_found(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("link -> nowhere\nd/link -> ../missing/a.txt")
        .await?;
    check_error(fs.stat("link").await, ErrorKind::NotFound)?;
    check_error(fs.stat("d/link").await, ErrorKind::NotFound)?;
    check_error(fs.stat("link/below").await, ErrorKind::NotFound)
}

async fn stat_loop_is_filesystem_loop(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(&format!("{LOOP}\nself -> self")).await?;
    check_error(fs.stat("loop-a").await, filesystem_loop())?;
    check_error(fs.stat("loop-a/below").await, filesystem_loop())?;
    check_error(fs.stat("self").await, filesystem_loop())
}

async fn read_through_chain(subject: &dyn Subject) -> CaseResult {
    let tree = "
        d/a.txt = hello
        e/one -> ../d
        two -> e/one
        three -> two
        four -> three/a.txt
        five -> four
    ";
    let fs = subject.build(tree).await?;
    check(fs.read("five").await, Ok(b"hello".to_vec()))?;
    check(fs.read_text("three/a.txt").await, Ok("hello".to_owned()))
}

async fn read_loop(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(LOOP).await?;
    check_error(fs.read("loop-a").await, filesystem_loop())
}

async fn list_through_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello\nd/sub/\nlink -> d").await?;
    let direct = must(fs.list("d").await)?;
    check(direct.len(), 2)?;
    check(fs.list("link").await, Ok(direct))
}

async fn list_loop(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(LOOP).await?;
    check_error(fs.list("loop-a").await, filesystem_loop())
}

async fn list_marks_live_links(subject: &dyn Subject) -> CaseResult {
    let tree = "
        a.txt = hello
        d/directory -> ../d
        d/file -> ../a.txt
        d/plain = x
    ";
    let fs = subject.build(tree).await?;
    let entry = |name: &str, kind, is_link| {
        let name = fs.name(name)?;
        Ok::<_, Failure>(ReadDirectoryEntry::new(name, kind).with_is_symlink(Some(is_link)))
    };
    let expected = [
        entry("directory", FileKind::Directory, true),
        entry("file", FileKind::File, true),
        entry("plain", FileKind::File, false),
    ];
    check_listing(
        fs.list("d").await,
        expected.into_iter().collect::<Result<_, _>>()?,
    )
}

async fn list_names_all_broken_links_or_none(subject: &dyn Subject) -> CaseResult {
    let tree = "
        d/below -> plain/x
        d/dead -> nowhere
        d/loop -> loop
        d/plain = x
    ";
    let fs = subject.build(tree).await?;
    let entries = must(fs.list("d").await)?;
    let broken = entries
        .iter()
        .filter(|entry| entry.kind == FileKind::BrokenLink);
    let broken: Vec<String> = broken
        .map(|entry| entry.file_name.to_string_lossy().into_owned())
        .collect();
    if !broken.is_empty() {
        check(
            broken.as_slice(),
            &["below", "dead", "loop"].map(str::to_owned),
        )?;
    }
    check(entries.len() - broken.len(), 1)
}

async fn only_a_link_is_told_as_a_broken_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/\ndead -> nowhere").await?;
    for path in ["missing", "d/missing", "dead/below"] {
        let asked = fs.filesystem().get_metadata(&fs.at(path)?, None).await;
        check(asked.is_err_and(|error| is_broken_link(&error)), false)?;
    }
    // Told or not, it is the error of what is missing.
    let asked = fs.filesystem().read_file(&fs.at("dead")?, None).await;
    check(
        asked.map_err(|error| error.kind()),
        Err(ErrorKind::NotFound),
    )
}

async fn canonicalize_file(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    check(fs.canonicalize("d/a.txt").await, fs.real("d/a.txt").await)?;
    check(fs.canonicalize("d").await, fs.real("d").await)
}

async fn canonicalize_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a.txt = hello\nlink -> d/a.txt\nabsolute -> /d/a.txt")
        .await?;
    check(fs.canonicalize("link").await, fs.real("d/a.txt").await)?;
    check(fs.canonicalize("absolute").await, fs.real("d/a.txt").await)
}

async fn canonicalize_parent_link(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/e/a.txt = hello\nlink -> d/e").await?;
    check(
        fs.canonicalize("link/a.txt").await,
        fs.real("d/e/a.txt").await,
    )
}

async fn canonicalize_twice_is_stable(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("d/a.txt = hello\none -> d\ntwo -> one/a.txt")
        .await?;
    for path in ["two", "one", "one/a.txt", "d/a.txt"] {
        let once = must(fs.canonicalize(path).await)?;
        check(fs.filesystem().canonicalize(&once, None).await?, once)?;
    }
    Ok(())
}

async fn canonicalize_missing(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello").await?;
    check_error(fs.canonicalize("missing").await, ErrorKind::NotFound)?;
    check_error(fs.canonicalize("missing/below").await, ErrorKind::NotFound)?;
    check_error(
        fs.canonicalize("a.txt/below").await,
        ErrorKind::NotADirectory,
    )
}

async fn canonicalize_loop(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build(&format!("{LOOP}\ndead -> nowhere")).await?;
    check_error(fs.canonicalize("loop-a").await, filesystem_loop())?;
    check_error(fs.canonicalize("dead").await, ErrorKind::NotFound)
}

async fn relative_link_resolves_from_its_own_directory(subject: &dyn Subject) -> CaseResult {
    let tree = "
        t.txt = outer
        d/t.txt = inner
        d/same -> t.txt
        d/up -> ../t.txt
        d/e/twice -> ../../t.txt
        via -> d/e
    ";
    let fs = subject.build(tree).await?;
    check(fs.read_text("d/same").await, Ok("inner".to_owned()))?;
    check(fs.read_text("d/up").await, Ok("outer".to_owned()))?;
    // Reached through another link, it still starts where it really is.
    check(fs.read_text("via/twice").await, Ok("outer".to_owned()))
}

async fn absolute_link_below_a_directory_resolves_from_the_root(
    subject: &dyn Subject,
) -> CaseResult {
    let tree = "
        t.txt = outer
        d/t.txt = inner
        d/d/t.txt = innermost
        d/e/file -> /d/t.txt
        d/e/directory -> /d
        d/top -> /t.txt
        via -> d/e
    ";
    let fs = subject.build(tree).await?;
    check(fs.read_text("d/top").await, Ok("outer".to_owned()))?;
    check(fs.read_text("d/e/file").await, Ok("inner".to_owned()))?;
    check(fs.read_text("via/file").await, Ok("inner".to_owned()))?;
    let directory = fs.canonicalize("d/e/directory").await;
    check(directory, fs.real("d").await)
}
