//! What is outside of the roots, and what cannot lead there.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use codex_exec_server::ConfinedFileSystem;
use codex_file_system::error::is_broken_link;
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem as _, FileKind,
    FileSystemSandboxContext, FindUpErrorPolicy, RemoveOptions, SandboxPolicy,
    find_nearest_ancestor_with_markers,
};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use super::fixture::Fixture;

const TREE: &str = "/srv/one/a.txt = a\n/srv/one/in/b.txt = b\n/srv/two/c.txt = c\n\
     /srv/secret/s.txt = secret\n/srv/one/up -> ../secret\n/srv/one/absolute -> /srv/secret\n\
     /srv/one/back -> /srv/one/in\n/srv/one/round -> in/../a.txt\n/srv/one/over -> ../one/a.txt\n\
     /srv/one/other -> ../two/c.txt\n/srv/one/in/again -> ../../../srv/one/in\n\
     /srv/one/self -> ../one\n/srv/one/above -> ..\n/srv/one/beside -> ../one.txt\n\
     /srv/one/twice -> ../one/../secret/s.txt";

struct Confined {
    fixture: Fixture,
    fs: ConfinedFileSystem,
}

impl Confined {
    fn to(roots: &[&str]) -> Self {
        let fixture = Fixture::build(TREE);
        let roots = roots.iter().map(|root| fixture.host_path(root));
        let fs = ConfinedFileSystem::new(roots).unwrap();
        Self { fixture, fs }
    }

    fn at(&self, path: &str) -> PathUri {
        PathUri::from_abs_path(&self.fixture.host_path(path))
    }

    async fn read(&self, path: &str) -> Result<String, ErrorKind> {
        let bytes = self.fs.read_file(&self.at(path), None).await;
        bytes
            .map(|bytes| String::from_utf8(bytes).unwrap())
            .map_err(|error| error.kind())
    }

    async fn canonical(&self, path: &str) -> PathUri {
        self.fs.canonicalize(&self.at(path), None).await.unwrap()
    }

    async fn list(&self, path: &str) -> Vec<String> {
        let entries = self.fs.read_directory(&self.at(path), None).await.unwrap();
        let live = entries
            .iter()
            .filter(|entry| entry.kind != FileKind::BrokenLink);
        live.map(|entry| entry.file_name.to_string()).collect()
    }
}

const ALL: RemoveOptions = RemoveOptions {
    recursive: true,
    force: true,
};
const COPY: CopyOptions = CopyOptions { recursive: true };

#[tokio::test]
async fn outside_of_the_roots_nothing_exists() {
    let confined = Confined::to(&["/srv/one"]);
    let path = confined.at("/srv/secret/s.txt");
    let kind = |error: std::io::Error| error.kind();
    let fs = &confined.fs;
    let missing = Some(ErrorKind::NotFound);
    assert_eq!(fs.get_metadata(&path, None).await.err().map(kind), missing);
    assert_eq!(fs.read_file(&path, None).await.err().map(kind), missing);
    assert_eq!(fs.canonicalize(&path, None).await.err().map(kind), missing);
    let directory = confined.at("/srv/secret");
    assert_eq!(
        fs.read_directory(&directory, None).await.err().map(kind),
        missing
    );
    // A sibling whose name begins like the root's is outside too.
    assert_eq!(
        confined.read("/srv/one.txt").await,
        Err(ErrorKind::NotFound)
    );
}

#[tokio::test]
async fn outside_of_the_roots_nothing_is_changed() {
    let confined = Confined::to(&["/srv/one"]);
    let fs = &confined.fs;
    let (inside, outside) = (
        confined.at("/srv/one/a.txt"),
        confined.at("/srv/secret/s.txt"),
    );
    let recursive = CreateDirectoryOptions::default();
    let denied = |answer: std::io::Result<()>| {
        assert_eq!(
            answer.err().map(|error| error.kind()),
            Some(ErrorKind::PermissionDenied)
        );
    };
    denied(fs.write_file(&outside, Vec::new(), None).await);
    denied(
        fs.create_directory(&confined.at("/srv/new"), recursive, None)
            .await,
    );
    denied(fs.remove(&outside, ALL, None).await);
    denied(fs.copy(&inside, &outside, COPY, None).await);
    denied(fs.remove(&confined.at("/srv"), ALL, None).await);
    denied(fs.remove(&confined.at("/srv/one"), ALL, None).await);
    let secret = confined.fixture.host_path("/srv/secret/s.txt");
    assert_eq!(fs::read(secret.as_path()).unwrap(), b"secret");
}

#[tokio::test]
async fn what_is_above_a_root_lists_only_the_way() {
    let confined = Confined::to(&["/srv/one", "/srv/two"]);
    assert_eq!(confined.list("/srv").await, ["one", "two"]);
    let root = PathUri::parse("file:///").unwrap();
    assert_eq!(
        confined.fs.read_directory(&root, None).await.unwrap().len(),
        1
    );
    let metadata = confined.fs.get_metadata(&root, None).await.unwrap();
    assert_eq!(metadata.kind, FileKind::Directory);
}

#[tokio::test]
async fn a_search_upward_ends_quietly() {
    let confined = Confined::to(&["/srv/one"]);
    let start = confined.at("/srv/one/in");
    let policy = FindUpErrorPolicy::Propagate;
    let search = find_nearest_ancestor_with_markers(&confined.fs, &start, [".git"], policy, None);
    assert_eq!(search.await.unwrap(), None);
}

#[tokio::test]
async fn a_link_that_leads_out_of_its_root_is_denied() {
    let confined = Confined::to(&["/srv/one", "/srv/two"]);
    let denied = Err(ErrorKind::PermissionDenied);
    for path in [
        "up/s.txt",
        "absolute/s.txt",
        "other",
        "above",
        "beside",
        "twice",
    ] {
        let path = format!("/srv/one/{path}");
        assert_eq!(confined.read(&path).await, denied, "{path}");
    }
    let up = confined.at("/srv/one/up/new.txt");
    let written = confined.fs.write_file(&up, b"x".to_vec(), None).await;
    assert_eq!(
        written.err().map(|error| error.kind()),
        Some(ErrorKind::PermissionDenied)
    );
    assert_eq!(
        confined.list("/srv/one").await,
        ["a.txt", "back", "in", "over", "round", "self"]
    );
    let one = confined.at("/srv/one");
    let entries = confined.fs.read_directory(&one, None).await.unwrap();
    let broken = entries
        .iter()
        .filter(|entry| entry.kind == FileKind::BrokenLink);
    let names: Vec<_> = broken.map(|entry| entry.file_name.to_string()).collect();
    assert_eq!(
        names,
        ["above", "absolute", "beside", "other", "twice", "up"]
    );
}

#[tokio::test]
async fn a_link_that_stays_in_its_root_is_followed() {
    let confined = Confined::to(&["/srv/one"]);
    assert_eq!(confined.read("/srv/one/round").await.as_deref(), Ok("a"));
    // Built on disk, an absolute link begins with the scratch directory, as its root does.
    assert_eq!(
        confined.read("/srv/one/back/b.txt").await.as_deref(),
        Ok("b")
    );
    assert_eq!(
        confined.canonical("/srv/one/back/b.txt").await,
        confined.at("/srv/one/in/b.txt")
    );
}

#[tokio::test]
async fn a_link_that_goes_above_its_root_and_comes_back_is_followed() {
    let confined = Confined::to(&["/srv/one"]);
    assert_eq!(confined.read("/srv/one/over").await.as_deref(), Ok("a"));
    assert_eq!(
        confined.list("/srv/one/self").await,
        confined.list("/srv/one").await
    );
    assert_eq!(
        confined.canonical("/srv/one/in/again/b.txt").await,
        confined.at("/srv/one/in/b.txt")
    );
}

#[tokio::test]
async fn a_root_that_was_removed_is_missing() {
    let confined = Confined::to(&["/srv/one"]);
    let root = confined.fixture.host_path("/srv/one");
    fs::remove_dir_all(root.as_path()).unwrap();
    let (fs, root) = (&confined.fs, confined.at("/srv/one"));
    let answers = [
        fs.get_metadata(&root, None).await.map(drop),
        fs.read_directory(&root, None).await.map(drop),
        fs.canonicalize(&root, None).await.map(drop),
        fs.write_file(&confined.at("/srv/one/new"), Vec::new(), None)
            .await,
    ];
    let kinds = answers.map(|answer| answer.map_err(|error| error.kind()));
    assert_eq!(kinds, [Err(ErrorKind::NotFound); 4]);
}

#[tokio::test]
async fn a_root_below_a_link_is_known_by_both_names() {
    let fixture = Fixture::build(TREE);
    let alias = fixture.host_path("/alias");
    symlink(fixture.host_path("/srv/one").as_path(), alias.as_path()).unwrap();
    let fs = ConfinedFileSystem::new([alias.clone()]).unwrap();
    let confined = Confined { fixture, fs };
    assert_eq!(confined.read("/alias/a.txt").await.as_deref(), Ok("a"));
    assert_eq!(confined.read("/srv/one/a.txt").await.as_deref(), Ok("a"));
    assert_eq!(
        confined.canonical("/alias/a.txt").await,
        confined.at("/srv/one/a.txt")
    );
}

#[tokio::test]
async fn one_made_in_the_place_of_a_removed_root_is_another() {
    let confined = Confined::to(&["/srv/one"]);
    let host = confined.fixture.host_path("/srv/one").into_path_buf();
    fs::remove_dir_all(&host).unwrap();
    fs::create_dir(&host).unwrap();
    fs::write(host.join("a.txt"), "of another").unwrap();
    let missing = ErrorKind::NotFound;
    assert_eq!(confined.read("/srv/one/a.txt").await, Err(missing));
    let root = confined.at("/srv/one");
    let listed = confined.fs.read_directory(&root, None).await;
    assert_eq!(listed.err().map(|error| error.kind()), Some(missing));
    let new = confined.at("/srv/one/new");
    let written = confined.fs.write_file(&new, Vec::new(), None).await;
    assert_eq!(written.err().map(|error| error.kind()), Some(missing));
    let options = CreateDirectoryOptions::default();
    let created = confined.fs.create_directory(&new, options, None).await;
    assert_eq!(created.err().map(|error| error.kind()), Some(missing));
    let left: Vec<_> = fs::read_dir(&host).unwrap().flatten().collect();
    assert_eq!(left.len(), 1);
}

#[tokio::test]
async fn a_copy_between_two_roots_is_a_copy() {
    let confined = Confined::to(&["/srv/one", "/srv/two"]);
    let (from, to) = (confined.at("/srv/one/in"), confined.at("/srv/two/in"));
    confined.fs.copy(&from, &to, COPY, None).await.unwrap();
    assert_eq!(confined.read("/srv/two/in/b.txt").await.as_deref(), Ok("b"));
}

#[tokio::test]
async fn a_sandbox_on_top_is_refused() {
    let confined = Confined::to(&["/srv/one"]);
    let sandbox = FileSystemSandboxContext::new(SandboxPolicy::Restricted(Vec::new()));
    let path = confined.at("/srv/one/a.txt");
    let answer = confined.fs.read_file(&path, Some(&sandbox)).await;
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::Unsupported);
}

/// Swaps directories for links that lead out, over and over, while everything is asked for what
/// is behind them: the secret is never read, listed, changed or found.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn swapping_links_never_leaves_the_root() {
    let confined = Arc::new(Confined::to(&["/srv/one"]));
    let is_over = Arc::new(AtomicBool::new(false));
    let swapping = {
        let host = |path: &str| confined.fixture.host_path(path).into_path_buf();
        let (name, kept) = (host("/srv/one/swapped"), host("/srv/one/kept"));
        let (file, kept_file) = (host("/srv/one/s.txt"), host("/srv/one/kept.txt"));
        let secret = host("/srv/secret");
        fs::create_dir(&name).unwrap();
        fs::write(name.join("s.txt"), "harmless").unwrap();
        fs::write(&file, "harmless").unwrap();
        let is_over = Arc::clone(&is_over);
        std::thread::spawn(move || {
            let mut swaps = 0;
            while !is_over.load(SeqCst) {
                fs::rename(&name, &kept).unwrap();
                symlink(&secret, &name).unwrap();
                fs::rename(&file, &kept_file).unwrap();
                symlink(secret.join("s.txt"), &file).unwrap();
                std::hint::spin_loop();
                fs::remove_file(&name).unwrap();
                fs::rename(&kept, &name).unwrap();
                let _ = fs::remove_file(&file);
                fs::rename(&kept_file, &file).unwrap();
                swaps += 1;
            }
            swaps
        })
    };
    let below = confined.at("/srv/one/swapped/s.txt");
    let (directory, file) = (
        confined.at("/srv/one/swapped"),
        confined.at("/srv/one/s.txt"),
    );
    let new = confined.at("/srv/one/swapped/new.txt");
    let mut read = 0;
    for _ in 0..2000 {
        for path in [&below, &file] {
            match confined.fs.read_file(path, None).await {
                Ok(bytes) => {
                    assert_eq!(bytes, b"harmless");
                    read += 1;
                }
                // What was swapped while it was looked at is no invalid path.
                Err(error) => assert_ne!(error.kind(), ErrorKind::InvalidInput, "{error:?}"),
            }
        }
        if let Ok(canonical) = confined.fs.canonicalize(&below, None).await {
            assert!(
                canonical.starts_with(&confined.at("/srv/one")),
                "{canonical}"
            );
        }
        let _ = confined.fs.read_directory(&directory, None).await;
        let _ = confined.fs.write_file(&new, b"new".to_vec(), None).await;
        let _ = confined.fs.remove(&new, ALL, None).await;
    }
    is_over.store(true, SeqCst);
    let swaps = swapping.join().unwrap();
    assert!(swaps > 100 && read > 0, "{swaps} swaps, {read} reads");
    let secret = confined.fixture.host_path("/srv/secret").into_path_buf();
    let left: Vec<_> = fs::read_dir(&secret)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left, ["s.txt"]);
    assert_eq!(fs::read(secret.join("s.txt")).unwrap(), b"secret");
}

/// A directory in a directory, and so on.
fn nest(confined: &Confined, levels: usize) -> PathUri {
    let path = format!("/srv/one/deep{}", "/d".repeat(levels));
    confined.at(&path)
}

#[tokio::test]
async fn a_tree_as_deep_as_a_client_likes_is_created_and_removed() {
    let confined = Confined::to(&["/srv/one"]);
    let deep = nest(&confined, 1500);
    let creation = CreateDirectoryOptions { recursive: true };
    confined
        .fs
        .create_directory(&deep, creation, None)
        .await
        .unwrap();
    assert!(
        confined
            .fs
            .get_metadata(&deep, None)
            .await
            .unwrap()
            .is_directory
    );
    let top = confined.at("/srv/one/deep");
    confined.fs.remove(&top, ALL, None).await.unwrap();
    let gone = confined.fs.get_metadata(&top, None).await.unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
    assert_eq!(confined.read("/srv/one/a.txt").await, Ok("a".to_owned()));
}

#[tokio::test]
async fn a_tree_that_is_too_deep_is_not_copied_and_says_so() {
    let confined = Confined::to(&["/srv/one"]);
    let creation = CreateDirectoryOptions { recursive: true };
    for (levels, is_copied) in [(126, true), (300, false)] {
        let deep = nest(&confined, levels);
        confined
            .fs
            .create_directory(&deep, creation, None)
            .await
            .unwrap();
        let (from, to) = (confined.at("/srv/one/deep"), confined.at("/srv/one/copy"));
        let copied = confined.fs.copy(&from, &to, COPY, None).await;
        assert_eq!(copied.is_ok(), is_copied, "{copied:?}");
        if let Err(error) = copied {
            assert_eq!(error.kind(), ErrorKind::InvalidInput);
            assert!(error.to_string().contains("128 levels"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_link_without_a_target_says_so_where_nothing_is_found() {
    let confined = Confined::to(&["/srv/one"]);
    let link = confined.fixture.host_path("/srv/one/dangling");
    symlink("nowhere/at/all", link.as_path()).unwrap();
    for (name, is_link) in [("dangling", true), ("missing", false)] {
        let path = confined.at(&format!("/srv/one/{name}"));
        let read = confined.fs.read_file(&path, None).await;
        assert_eq!(is_broken_link(&read.unwrap_err()), is_link);
    }
}
