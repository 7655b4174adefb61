//! The cross-cutting rules: laziness, independence of calls, the sandbox, kinds of error.

use std::io::ErrorKind;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, FileSystemSandboxContext, MAX_WALK_DEPTH, RemoveOptions,
    SandboxAccess, SandboxEntry, SandboxPolicy, WalkOptions,
};
use futures::future::join_all;

use crate::conformance::case::{CaseResult, Need, cases};
use crate::conformance::check::{Failure, check, check_error};
use crate::conformance::subject::{Fixture, Subject};

cases![
    no_io_before_first_poll [Writes],
    hundred_calls_in_flight,
    drop_stops_new_calls [Writes],
    sandbox_restricted_is_enforced_or_unsupported,
    sandbox_denies_before_existence [Sandbox],
    sandbox_link_out_of_root_is_denied [Sandbox, Links],
    sandbox_longest_entry_wins [Sandbox],
    error_kind_survives,
];

/// A sandbox that grants these accesses and nothing else.
fn restricted(
    fs: &Fixture,
    grants: &[(&str, SandboxAccess)],
) -> Result<FileSystemSandboxContext, Failure> {
    let entry = |(path, access): &(&str, SandboxAccess)| {
        Ok::<_, Failure>(SandboxEntry {
            path: fs.at(path)?,
            access: *access,
        })
    };
    let entries = grants.iter().map(entry).collect::<Result<_, _>>()?;
    Ok(FileSystemSandboxContext::new(SandboxPolicy::Restricted(
        entries,
    )))
}

/// Polls a future once and leaves it as it is.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    std::future::poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context))).await
}

async fn no_io_before_first_poll(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = old\nd/").await?;
    let filesystem = fs.filesystem();
    let [existing, missing, directory] = [fs.at("a.txt")?, fs.at("new.txt")?, fs.at("d")?];

    let write = filesystem.write_file(&missing, b"never".to_vec(), None);
    check_error(fs.stat("new.txt").await, ErrorKind::NotFound)?;
    drop(write);
    check_error(fs.stat("new.txt").await, ErrorKind::NotFound)?;

    // Each answer is that of the moment of the first poll, not that of the call's creation.
    let read = filesystem.read_file(&existing, None);
    let metadata = filesystem.get_metadata(&missing, None);
    let listing = filesystem.read_directory(&directory, None);
    check(fs.write("a.txt", b"new").await, Ok(()))?;
    check(fs.write("new.txt", b"hello").await, Ok(()))?;
    check(fs.write("d/x", b"").await, Ok(()))?;
    check(read.await?, b"new".to_vec())?;
    check(metadata.await?.is_file, true)?;
    check(listing.await?.len(), 1)
}

async fn hundred_calls_in_flight(subject: &dyn Subject) -> CaseResult {
    let tree: String = (0..100)
        .map(|index| format!("d/{index} = text {index}\n"))
        .collect();
    let fs = subject.build(&tree).await?;
    let first_path = fs.at("d/0")?;
    let mut first = fs.filesystem().read_file_text(&first_path, None);
    // From here on the first call is started and nobody looks after it.
    let started = poll_once(&mut first).await;

    let names: Vec<String> = (1..100).map(|index| format!("d/{index}")).collect();
    let answers = join_all(names.iter().map(|name| fs.read_text(name))).await;
    let expected: Vec<_> = (1..100).map(|index| Ok(format!("text {index}"))).collect();
    check(answers, expected)?;

    let first = match started {
        Poll::Ready(answer) => answer,
        Poll::Pending => first.await,
    };
    check(first?, "text 0".to_owned())
}

async fn drop_stops_new_calls(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = hello\nd/b.txt = hello").await?;
    let [file, directory, new] = [fs.at("a.txt")?, fs.at("d")?, fs.at("new.txt")?];
    let filesystem = fs.filesystem();
    let has_read = AtomicBool::new(false);
    let mut sequence = Box::pin(async {
        let contents = filesystem.read_file(&file, None).await?;
        has_read.store(true, Ordering::SeqCst);
        filesystem.write_file(&new, contents, None).await
    });
    let _ = poll_once(&mut sequence).await;
    drop(sequence);
    // A hundred calls that were started and dropped hold nothing that later calls need.
    for _ in 0..100 {
        let _ = poll_once(&mut filesystem.get_metadata(&file, None)).await;
        let _ = poll_once(&mut filesystem.read_directory(&directory, None)).await;
        let _ = poll_once(&mut filesystem.read_file_text(&file, None)).await;
    }
    check(fs.read_text("d/b.txt").await, Ok("hello".to_owned()))?;
    if !has_read.load(Ordering::SeqCst) {
        check_error(fs.stat("new.txt").await, ErrorKind::NotFound)?;
    }
    Ok(())
}

/// The kind of failure of every call under a sandbox, writes included if the subject has them.
async fn kinds_under(
    subject: &dyn Subject,
    fs: &Fixture,
    sandbox: &FileSystemSandboxContext,
) -> Result<Vec<Result<(), ErrorKind>>, Failure> {
    let filesystem = fs.filesystem();
    let sandbox = Some(sandbox);
    let [file, directory, new] = [fs.at("d/a.txt")?, fs.at("d")?, fs.at("d/new")?];
    let walk = WalkOptions::new(MAX_WALK_DEPTH, 10, 10);
    let mut answers = vec![
        filesystem.get_metadata(&file, sandbox).await.map(drop),
        filesystem.read_file(&file, sandbox).await.map(drop),
        filesystem.read_file_text(&file, sandbox).await.map(drop),
        filesystem
            .read_file_prefix(&file, 1, None, sandbox)
            .await
            .map(drop),
        filesystem
            .read_directory(&directory, sandbox)
            .await
            .map(drop),
        filesystem.canonicalize(&file, sandbox).await.map(drop),
        filesystem.walk(&directory, &walk, sandbox).await.map(drop),
    ];
    if subject.lacks(Need::Writes).is_none() {
        let create = CreateDirectoryOptions { recursive: true };
        let remove = RemoveOptions {
            recursive: true,
            force: true,
        };
        let copy = CopyOptions { recursive: true };
        answers.extend([
            filesystem.write_file(&new, Vec::new(), sandbox).await,
            filesystem.remove(&new, remove, sandbox).await,
            filesystem.copy(&file, &new, copy, sandbox).await,
            filesystem.remove(&new, remove, sandbox).await,
            filesystem.create_directory(&new, create, sandbox).await,
            filesystem.remove(&new, remove, sandbox).await,
        ]);
    }
    Ok(answers
        .into_iter()
        .map(|answer| answer.map_err(|error| error.kind()))
        .collect())
}

async fn sandbox_restricted_is_enforced_or_unsupported(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("d/a.txt = hello").await?;
    let unrestricted = FileSystemSandboxContext::new(SandboxPolicy::Unrestricted);
    let allowed = kinds_under(subject, &fs, &unrestricted).await?;
    check(&allowed, &vec![Ok(()); allowed.len()])?;

    let granted = restricted(&fs, &[("", SandboxAccess::Write)])?;
    let granted = kinds_under(subject, &fs, &granted).await?;
    let nothing = kinds_under(subject, &fs, &restricted(&fs, &[])?).await?;
    let is_enforced = granted.first() == Some(&Ok(()));
    let (when_granted, when_not) = match is_enforced {
        true => (Ok(()), Err(ErrorKind::PermissionDenied)),
        false => (Err(ErrorKind::Unsupported), Err(ErrorKind::Unsupported)),
    };
    check(&granted, &vec![when_granted; granted.len()])?;
    check(&nothing, &vec![when_not; nothing.len()])?;
    check_error(fs.stat("d/new").await, ErrorKind::NotFound)
}

/// Expects how reading the metadata of a path ends under a sandbox.
async fn check_stat(
    fs: &Fixture,
    sandbox: &FileSystemSandboxContext,
    path: &str,
    expected: Result<(), ErrorKind>,
) -> Result<(), Failure> {
    let answer = fs
        .filesystem()
        .get_metadata(&fs.at(path)?, Some(sandbox))
        .await;
    check(
        (path, answer.map(drop).map_err(|error| error.kind())),
        (path, expected),
    )
}

/// Expects how writing a file ends under a sandbox.
async fn check_write(
    fs: &Fixture,
    sandbox: &FileSystemSandboxContext,
    path: &str,
    expected: Result<(), ErrorKind>,
) -> Result<(), Failure> {
    let answer = fs
        .filesystem()
        .write_file(&fs.at(path)?, b"x".to_vec(), Some(sandbox))
        .await;
    check(
        (path, answer.map_err(|error| error.kind())),
        (path, expected),
    )
}

const DENIED: Result<(), ErrorKind> = Err(ErrorKind::PermissionDenied);
const MISSING: Result<(), ErrorKind> = Err(ErrorKind::NotFound);

async fn sandbox_denies_before_existence(subject: &dyn Subject) -> CaseResult {
    let fs = subject
        .build("open/a.txt = hello\nclosed/b.txt = hello")
        .await?;
    let sandbox = restricted(&fs, &[("open", SandboxAccess::Read)])?;
    check_stat(&fs, &sandbox, "open/a.txt", Ok(())).await?;
    check_stat(&fs, &sandbox, "open/missing", MISSING).await?;
    check_stat(&fs, &sandbox, "open/missing/below", MISSING).await?;
    check_stat(&fs, &sandbox, "closed/b.txt", DENIED).await?;
    check_stat(&fs, &sandbox, "closed/missing", DENIED).await?;
    check_stat(&fs, &sandbox, "missing/below", DENIED).await?;
    // A name that only begins alike is not inside.
    check_stat(&fs, &sandbox, "open-beside", DENIED).await
}

async fn sandbox_link_out_of_root_is_denied(subject: &dyn Subject) -> CaseResult {
    let tree = "
        outside/secret.txt = secret
        root/in.txt = hello
        root/file -> ../outside/secret.txt
        root/directory -> ../outside
        way-in -> root
    ";
    let fs = subject.build(tree).await?;
    let sandbox = restricted(&fs, &[("root", SandboxAccess::Write)])?;
    check_stat(&fs, &sandbox, "root/in.txt", Ok(())).await?;
    check_stat(&fs, &sandbox, "way-in/in.txt", Ok(())).await?;
    check_stat(&fs, &sandbox, "root/file", DENIED).await?;
    check_stat(&fs, &sandbox, "root/directory/secret.txt", DENIED).await?;
    check_stat(&fs, &sandbox, "root/directory/missing", DENIED).await?;
    // An entry is resolved as a target is.
    let through_link = restricted(&fs, &[("way-in", SandboxAccess::Read)])?;
    check_stat(&fs, &through_link, "root/in.txt", Ok(())).await?;
    check_stat(&fs, &through_link, "root/file", DENIED).await?;
    if subject.lacks(Need::Writes).is_none() {
        check_write(&fs, &sandbox, "root/file", DENIED).await?;
        check_write(&fs, &sandbox, "root/directory/new", DENIED).await?;
        check(
            fs.read_text("outside/secret.txt").await,
            Ok("secret".to_owned()),
        )?;
        check_write(&fs, &sandbox, "way-in/in.txt", Ok(())).await?;
    }
    Ok(())
}

async fn sandbox_longest_entry_wins(subject: &dyn Subject) -> CaseResult {
    let tree = "
        d/a.txt = hello
        d/closed/b.txt = hello
        d/closed/open/c.txt = hello
        d/twice/e.txt = hello
    ";
    let fs = subject.build(tree).await?;
    let sandbox = restricted(
        &fs,
        &[
            ("d/closed/open", SandboxAccess::Write),
            ("d/closed", SandboxAccess::None),
            ("d", SandboxAccess::Read),
            ("d/twice", SandboxAccess::Write),
            ("d/twice", SandboxAccess::Read),
            ("d/planned", SandboxAccess::None),
        ],
    )?;
    check_stat(&fs, &sandbox, "d/a.txt", Ok(())).await?;
    check_stat(&fs, &sandbox, "d/closed/b.txt", DENIED).await?;
    check_stat(&fs, &sandbox, "d/closed/open/c.txt", Ok(())).await?;
    check_stat(&fs, &sandbox, "d/twice/e.txt", Ok(())).await?;
    // An entry that does not exist holds all the same.
    check_stat(&fs, &sandbox, "d/planned/f.txt", DENIED).await?;
    if subject.lacks(Need::Writes).is_none() {
        check_write(&fs, &sandbox, "d/a.txt", DENIED).await?;
        check_write(&fs, &sandbox, "d/closed/open/c.txt", Ok(())).await?;
        check_write(&fs, &sandbox, "d/twice/e.txt", DENIED).await?;
    }
    Ok(())
}

async fn error_kind_survives(subject: &dyn Subject) -> CaseResult {
    let fs = subject.build("a.txt = caf%E9\nd/").await?;
    for (path, kind) in [
        ("missing", ErrorKind::NotFound),
        ("a.txt/below", ErrorKind::NotADirectory),
    ] {
        check_error(fs.stat(path).await, kind)?;
        check_error(fs.read(path).await, kind)?;
        check_error(fs.read_text(path).await, kind)?;
        check_error(fs.read_prefix(path, 1, None).await, kind)?;
        check_error(fs.list(path).await, kind)?;
        check_error(fs.canonicalize(path).await, kind)?;
    }
    check_error(fs.read("d").await, ErrorKind::IsADirectory)?;
    check_error(fs.read_text("d").await, ErrorKind::IsADirectory)?;
    check_error(fs.read_prefix("d", 1, None).await, ErrorKind::IsADirectory)?;
    check_error(fs.read_text("a.txt").await, ErrorKind::InvalidData)
}
