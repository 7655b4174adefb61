//! What holds where a case of the suite is excused: the milder answer, and the rest of the case.

use std::future::Future;
use std::io::ErrorKind;
use std::pin::Pin;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileKind, MAX_WALK_DEPTH,
    ReadDirectoryEntry, RemoveOptions, WalkOptions,
};
use codex_file_system_testkit::conformance::{Fixture, Subject};
use codex_path_uri::{FileName, PathConvention, PathUri};
use libtest_mimic::Trial;
use pretty_assertions::assert_eq;

use crate::servers::Server;
use crate::subject::Real;

const REMOVE: RemoveOptions = RemoveOptions {
    recursive: true,
    force: false,
};
const REMOVE_IF_THERE: RemoveOptions = RemoveOptions {
    recursive: true,
    force: true,
};

type Outcome<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;
type Examination = for<'a> fn(&'a Fixture) -> Outcome<'a>;

/// Name, tree and examination.
const ALL: &[(&str, &str, Examination)] = &[
    ("below_a_file_is_not_found", "a.txt = hello\nd/", |fs| {
        Box::pin(below_a_file(fs))
    }),
    (
        "a_link_loop_is_not_found",
        "d/a/up -> ..\nd/a/x.txt = x\nd/b -> a\nd/self -> .\nd/loop -> loop",
        |fs| Box::pin(a_loop(fs)),
    ),
    (
        "a_name_that_is_not_utf8_is_listed_lossy_and_hides_no_other",
        "d/bad%FFname = x\nd/good = x",
        |fs| Box::pin(lossy_names(fs)),
    ),
    (
        "a_kind_decided_by_a_stat_survives",
        "a.txt = caf%E9\nd/",
        |fs| Box::pin(decided_kinds(fs)),
    ),
];

pub(crate) fn trials(name: &str, server: &Server) -> Vec<Trial> {
    let trial = |(rule, tree, examine): &(&str, &'static str, Examination)| {
        let (server, tree, examine) = (server.clone(), *tree, *examine);
        Trial::test(format!("{name}::{rule}"), move || {
            let subject = Real(server);
            let runtime = subject.runtime()?;
            runtime.block_on(async {
                let fixture = subject.build(tree).await.map_err(|bad| bad.to_string())?;
                examine(&fixture).await;
                Ok(())
            })
        })
    };
    ALL.iter().map(trial).collect()
}

fn at(fixture: &Fixture, path: &str) -> PathUri {
    fixture.base().join(path).expect("a path below the base")
}

/// How every call that only asks ends.
async fn kinds(fs: &dyn ExecutorFileSystem, path: &PathUri) -> Vec<Option<ErrorKind>> {
    let answers = [
        fs.get_metadata(path, None).await.map(drop),
        fs.read_file(path, None).await.map(drop),
        fs.read_file_text(path, None).await.map(drop),
        fs.read_file_prefix(path, 1, Some(1), None).await.map(drop),
        fs.read_directory(path, None).await.map(drop),
        fs.canonicalize(path, None).await.map(drop),
    ];
    answers
        .into_iter()
        .map(|answer| answer.err().map(|error| error.kind()))
        .collect()
}

fn kind<T>(answer: std::io::Result<T>) -> Option<ErrorKind> {
    answer.err().map(|error| error.kind())
}

async fn below_a_file(fixture: &Fixture) {
    let fs = fixture.filesystem();
    let not_found = vec![Some(ErrorKind::NotFound); 6];
    for path in ["a.txt/x", "a.txt/x/y", "missing", "missing/below"] {
        assert_eq!(kinds(fs, &at(fixture, path)).await, not_found, "{path}");
    }
    let a_file = at(fixture, "a.txt");
    let plain = CreateDirectoryOptions { recursive: false };
    let copy = CopyOptions { recursive: true };
    for path in ["a.txt/b.txt", "a.txt/b/c", "missing/b.txt"].map(|path| at(fixture, path)) {
        let answers = [
            fs.write_file(&path, b"x".to_vec(), None).await,
            fs.create_directory(&path, plain, None).await,
            fs.remove(&path, REMOVE, None).await,
            fs.copy(&path, &at(fixture, "copy"), copy, None).await,
            fs.copy(&a_file, &path, copy, None).await,
        ];
        for answer in answers {
            assert_eq!(kind(answer), Some(ErrorKind::NotFound), "{path}");
        }
        // What is not there is removed.
        assert_eq!(
            kind(fs.remove(&path, REMOVE_IF_THERE, None).await),
            None,
            "{path}"
        );
    }
    // Where the parents are asked about, one of them is seen to be a file.
    let with_parents = CreateDirectoryOptions { recursive: true };
    for path in ["a.txt/b", "a.txt/b/c"].map(|path| at(fixture, path)) {
        let answer = fs.create_directory(&path, with_parents, None).await;
        assert_eq!(kind(answer), Some(ErrorKind::NotADirectory), "{path}");
    }
    let listing = fs.read_directory(&at(fixture, "a.txt"), None).await;
    assert_eq!(kind(listing), Some(ErrorKind::NotADirectory));
}

async fn a_loop(fixture: &Fixture) {
    let fs = fixture.filesystem();
    let not_found = vec![Some(ErrorKind::NotFound); 6];
    assert_eq!(kinds(fs, &at(fixture, "d/loop")).await, not_found);
    let options = WalkOptions::new(MAX_WALK_DEPTH, 100, 100);
    let walk = fs.walk(&at(fixture, "d/loop"), &options, None).await;
    assert_eq!(kind(walk), Some(ErrorKind::NotFound));
    let walk = fs.walk(&at(fixture, "d"), &options, None).await;
    let entries = walk.expect("a walk").entries.into_iter();
    let paths: Vec<PathUri> = entries.map(|entry| entry.path).collect();
    let expected = ["d/a", "d/b", "d/self", "d/a/up", "d/a/x.txt"];
    assert_eq!(paths, expected.map(|path| at(fixture, path)));
}

async fn lossy_names(fixture: &Fixture) {
    let fs = fixture.filesystem();
    let entry = |name| {
        let name = FileName::new(name, PathConvention::Posix).expect("a name");
        ReadDirectoryEntry::new(name, FileKind::File).with_is_symlink(Some(false))
    };
    let listing = fs.read_directory(&at(fixture, "d"), None).await;
    let expected = vec![entry("bad\u{FFFD}name"), entry("good")];
    assert_eq!(listing.expect("a listing"), expected);

    let lossy = kinds(fs, &at(fixture, "d/bad\u{FFFD}name")).await;
    assert_eq!(lossy, vec![Some(ErrorKind::NotFound); 6]);
    let real = fixture.base().join_native_bytes(b"d/bad\xFFname");
    let real = kinds(fs, &real.expect("a path")).await;
    assert_eq!(real, vec![Some(ErrorKind::InvalidInput); 6]);

    // What nobody has to spell is reached all the same.
    let copy = CopyOptions { recursive: true };
    fs.copy(&at(fixture, "d"), &at(fixture, "copy"), copy, None)
        .await
        .expect("a copy");
    let listing = fs.read_directory(&at(fixture, "copy"), None).await;
    assert_eq!(listing.expect("a listing"), expected);
    fs.remove(&at(fixture, "d"), REMOVE, None)
        .await
        .expect("a removal");
    let gone = fs.get_metadata(&at(fixture, "d"), None).await;
    assert_eq!(kind(gone), Some(ErrorKind::NotFound));
}

async fn decided_kinds(fixture: &Fixture) {
    let fs = fixture.filesystem();
    let directory = kinds(fs, &at(fixture, "d")).await;
    let is_a_directory = Some(ErrorKind::IsADirectory);
    let expected = [
        None,
        is_a_directory,
        is_a_directory,
        is_a_directory,
        None,
        None,
    ];
    assert_eq!(directory, expected);
    let text = fs.read_file_text(&at(fixture, "a.txt"), None).await;
    assert_eq!(kind(text), Some(ErrorKind::InvalidData));
}
