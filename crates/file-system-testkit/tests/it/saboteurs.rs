//! The suite notices: a filesystem that breaks one rule of the contract fails the cases of that rule.

use std::future::ready;
use std::io::ErrorKind;

use codex_file_system::call::{Call, Uniform};
use codex_file_system::error::filesystem_loop;
use codex_file_system::{
    CopyOptions, ExecutorFileSystem, FileKind, FileMetadata, FilePrefix, FileSystemFuture,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, Walk, WalkOptions,
    uniform_file_system,
};
use codex_file_system_testkit::conformance::{
    Built, CASES, MemorySubject, Need, Subject, Verdict, examine,
};
use codex_file_system_testkit::{Alteration, Altered, Flavor};
use codex_path_uri::{FileName, PathConvention, PathUri};
use futures::FutureExt;
use pretty_assertions::assert_eq;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// Expects a subject to fail these cases, others perhaps as well.
fn assert_caught(saboteur: &dyn Subject, cases: &[&str]) {
    let runtime = saboteur.runtime().unwrap();
    let caught = CASES.iter().filter(|case| cases.contains(&case.name));
    let caught = caught.filter(|case| {
        let verdict = runtime.block_on(examine(saboteur, case));
        matches!(verdict, Verdict::Failed(_))
    });
    let caught: Vec<&str> = caught.map(|case| case.name).collect();
    assert_eq!(caught, cases);
}

fn posix() -> MemorySubject {
    MemorySubject::new(Flavor::Posix)
}

fn altered(alteration: impl Alteration + Clone + 'static) -> MemorySubject {
    posix().wrapped(move |memory| Altered::new(memory, alteration.clone()))
}

/// Tells one kind of error as another.
struct Retold<F>(F, ErrorKind, ErrorKind);

impl<F: ExecutorFileSystem> Uniform for Retold<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            call.make(&self.0)
                .await
                .map_err(|error| match error.kind() {
                    kind if kind == self.1 => self.2.into(),
                    _ => error,
                })
        })
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Retold<F> }

fn retold(from: ErrorKind, to: ErrorKind) -> MemorySubject {
    posix().wrapped(move |memory| Retold(memory, from, to))
}

#[test]
fn denied_is_not_missing() {
    let saboteur = retold(ErrorKind::PermissionDenied, ErrorKind::NotFound);
    let cases = ["read_unreadable_is_denied", "list_denied", "write_denied"];
    assert_caught(&saboteur, &cases);
}

#[test]
fn a_loop_is_not_missing() {
    let saboteur = retold(filesystem_loop(), ErrorKind::NotFound);
    let cases = ["stat_loop_is_filesystem_loop", "read_loop", "list_loop"];
    assert_caught(&saboteur, &cases);
}

/// Makes each call when its future is created.
struct Eager<F>(F);

impl<F: ExecutorFileSystem> Uniform for Eager<F> {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        // The memory filesystem answers at the first poll.
        let mut call = call.make(&self.0);
        match (&mut call).now_or_never() {
            Some(answer) => Box::pin(ready(answer)),
            None => call,
        }
    }
}

uniform_file_system! { impl[F: ExecutorFileSystem] for Eager<F> }

#[test]
fn nothing_happens_before_the_first_poll() {
    assert_caught(&posix().wrapped(Eager), &["no_io_before_first_poll"]);
}

/// Changes listings.
#[derive(Clone)]
struct Relisted(fn(&mut Vec<ReadDirectoryEntry>));

impl Alteration for Relisted {
    fn read_directory<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        Box::pin(async move {
            let mut entries = below.read_directory(path, sandbox).await?;
            self.0(&mut entries);
            Ok(entries)
        })
    }
}

#[test]
fn a_listing_is_sorted() {
    let unsorted = altered(Relisted(|entries| entries.reverse()));
    assert_caught(&unsorted, &["list_sorted", "list_kinds"]);
}

#[test]
fn a_listing_keeps_the_bytes_of_a_name() {
    let lossy = altered(Relisted(|entries| {
        for entry in entries {
            let text = entry.file_name.to_string_lossy().into_owned();
            entry.file_name = FileName::new(&text, PathConvention::Posix).unwrap();
        }
    }));
    assert_caught(&lossy, &["name_not_utf8_listed_and_read"]);
}

#[test]
fn a_listing_tells_the_kind_of_the_target() {
    let of_links = altered(Relisted(|entries| {
        let is_link = |entry: &&mut ReadDirectoryEntry| entry.is_symlink == Some(true);
        for entry in entries.iter_mut().filter(is_link) {
            entry.kind = FileKind::Other;
        }
    }));
    assert_caught(&of_links, &["list_marks_live_links"]);
}

#[test]
fn broken_links_are_all_listed_or_none() {
    let some = altered(Relisted(|entries| {
        entries.retain(|entry| entry.file_name.to_string_lossy() != "loop");
    }));
    assert_caught(&some, &["list_names_all_broken_links_or_none"]);
}

/// A link is none.
#[derive(Clone)]
struct NeverLink;

impl Alteration for NeverLink {
    fn get_metadata<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        Box::pin(async move {
            let metadata = below.get_metadata(path, sandbox).await?;
            Ok(metadata.with_is_symlink(Some(false)))
        })
    }
}

#[test]
fn metadata_says_that_a_path_is_a_link() {
    let cases = ["stat_live_link", "stat_link_to_directory"];
    assert_caught(&altered(NeverLink), &cases);
}

/// Links are not resolved.
#[derive(Clone)]
struct CanonicalizeIsIdentity;

impl Alteration for CanonicalizeIsIdentity {
    fn canonicalize<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        Box::pin(async move {
            below.canonicalize(path, sandbox).await?;
            Ok(path.clone())
        })
    }
}

#[test]
fn a_canonical_path_contains_no_link() {
    let cases = ["canonicalize_link", "canonicalize_parent_link"];
    assert_caught(&altered(CanonicalizeIsIdentity), &cases);
}

/// Reads without a sandbox, and the whole file for a prefix of it.
#[derive(Clone)]
struct Generous;

impl Alteration for Generous {
    fn read_file<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        _: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        below.read_file(path, None)
    }

    fn read_file_prefix<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        _: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        below.read_file_prefix(path, u64::MAX, size_hint, sandbox)
    }
}

#[test]
fn a_sandbox_is_never_ignored_and_a_prefix_is_no_more_than_asked_for() {
    let cases = [
        "read_prefix_shorter",
        "sandbox_restricted_is_enforced_or_unsupported",
    ];
    assert_caught(&altered(Generous), &cases);
}

/// Removes and copies what a link leads to.
#[derive(Clone)]
struct FollowsLinks;

impl Alteration for FollowsLinks {
    fn remove<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let target = below.canonicalize(path, None).await;
            let path = target.as_ref().unwrap_or(path);
            below.remove(path, options, sandbox).await
        })
    }

    fn copy<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            let target = below.canonicalize(source, None).await;
            let source = target.as_ref().unwrap_or(source);
            below.copy(source, destination, options, sandbox).await
        })
    }
}

#[test]
fn removing_and_copying_take_the_link_itself() {
    let cases = ["remove_link_keeps_target", "copy_link_as_link"];
    assert_caught(&altered(FollowsLinks), &cases);
}

/// Walks in another order.
#[derive(Clone)]
struct WalksBackwards;

impl Alteration for WalksBackwards {
    fn walk<'a>(
        &'a self,
        below: &'a dyn ExecutorFileSystem,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(async move {
            let mut walk = below.walk(root, options, sandbox).await?;
            walk.entries.reverse();
            Ok(walk)
        })
    }
}

#[test]
fn a_walk_has_the_order_of_its_default_body() {
    let cases = ["walk_order", "walk_equals_default_body"];
    assert_caught(&altered(WalksBackwards), &cases);
}

/// An honest filesystem of another tree than the case asks for.
struct Replanted(fn(&str) -> String);

impl Subject for Replanted {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        Box::pin(async move { posix().build(&self.0(tree)).await })
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        (need == Need::WindowsNames).then_some("a POSIX filesystem")
    }
}

#[test]
fn a_relative_link_does_not_start_at_the_root() {
    let from_root = Replanted(|tree| tree.replace(" -> /", " -> ").replace(" -> ", " -> /"));
    let case = ["relative_link_resolves_from_its_own_directory"];
    assert_caught(&from_root, &case);
}

#[test]
fn an_absolute_link_does_not_start_at_its_own_directory() {
    let from_directory = Replanted(|tree| tree.replace(" -> /", " -> "));
    let case = ["absolute_link_below_a_directory_resolves_from_the_root"];
    assert_caught(&from_directory, &case);
}
