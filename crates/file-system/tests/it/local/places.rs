//! Where the calls run: on the blocking pool, or on the polling thread.

use std::io::ErrorKind;
use std::sync::mpsc;

use codex_file_system::{
    ExecutorFileSystem, FileSystemSandboxContext, LocalFileSystem, SandboxPolicy, WalkOptions,
};
use pretty_assertions::assert_eq;

use super::Scratch;
use crate::support::{is_pending, now};

const TREE: &str = "/a.txt = hello\n/d/e/f = x\n/d/l -> ../a.txt";

#[test]
fn the_pool_is_unsupported_outside_a_runtime() {
    let scratch = Scratch::new(TREE);
    let answer = now(LocalFileSystem::new().read_file(&scratch.uri("a.txt"), None));
    assert_eq!(answer.unwrap_err().kind(), ErrorKind::Unsupported);
}

#[test]
fn an_inline_call_is_ready_at_its_first_poll() {
    let scratch = Scratch::new(TREE);
    let fs = LocalFileSystem::inline();
    assert_eq!(
        now(fs.read_file(&scratch.uri("a.txt"), None)).unwrap(),
        b"hello"
    );
    let walk = now(fs.walk(&scratch.uri(""), &WalkOptions::new(9, 9, 99), None)).unwrap();
    assert_eq!(walk.entries.len(), 5);
}

#[test]
fn both_places_give_the_same_results() {
    let scratch = Scratch::new(TREE);
    let (pool, inline) = (LocalFileSystem::new(), LocalFileSystem::inline());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        for below in ["", "a.txt", "d", "d/l", "missing", "a.txt/x"] {
            let path = scratch.uri(below);
            assert_eq!(
                pool.get_metadata(&path, None)
                    .await
                    .map_err(|error| error.kind()),
                inline
                    .get_metadata(&path, None)
                    .await
                    .map_err(|error| error.kind()),
            );
            assert_eq!(
                pool.read_directory(&path, None)
                    .await
                    .map_err(|error| error.kind()),
                inline
                    .read_directory(&path, None)
                    .await
                    .map_err(|error| error.kind()),
            );
            assert_eq!(
                pool.read_file(&path, None)
                    .await
                    .map_err(|error| error.kind()),
                inline
                    .read_file(&path, None)
                    .await
                    .map_err(|error| error.kind()),
            );
            assert_eq!(
                pool.canonicalize(&path, None)
                    .await
                    .map_err(|error| error.kind()),
                inline
                    .canonicalize(&path, None)
                    .await
                    .map_err(|error| error.kind()),
            );
        }
    });
}

#[test]
fn a_job_that_has_not_begun_when_its_future_is_dropped_never_begins() {
    let scratch = Scratch::new("/d/");
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(1).build().unwrap();
    let fs = LocalFileSystem::new();
    let (kept, dropped) = (scratch.uri("d/kept"), scratch.uri("d/dropped"));
    runtime.block_on(async {
        let (release, occupied) = mpsc::channel::<()>();
        let occupation = tokio::task::spawn_blocking(move || occupied.recv());
        let mut first = fs.write_file(&dropped, b"x".to_vec(), None);
        assert!(is_pending(&mut first));
        drop(first);
        let mut second = fs.write_file(&kept, b"x".to_vec(), None);
        assert!(is_pending(&mut second));
        release.send(()).unwrap();
        occupation.await.unwrap().unwrap();
        second.await.unwrap();
    });
    assert!(scratch.path("d/kept").exists());
    assert!(!scratch.path("d/dropped").exists());
}

#[test]
fn a_walk_is_one_job() {
    let scratch = Scratch::new(TREE);
    let root = scratch.uri("");
    let options = WalkOptions::new(9, 9, 99);
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(1).build().unwrap();
    runtime.block_on(async {
        let (release, occupied) = mpsc::channel::<()>();
        let occupation = tokio::task::spawn_blocking(move || occupied.recv());
        let fs = LocalFileSystem::new();
        let mut walk = fs.walk(&root, &options, None);
        assert!(is_pending(&mut walk));
        // Whatever the walk has to do stands in the queue before this.
        let after = tokio::task::spawn_blocking(|| ());
        release.send(()).unwrap();
        occupation.await.unwrap().unwrap();
        after.await.unwrap();
        assert_eq!(now(walk).unwrap().entries.len(), 5);
    });
}

#[test]
fn an_unrestricted_sandbox_restricts_nothing() {
    let scratch = Scratch::new(TREE);
    let sandbox = FileSystemSandboxContext::new(SandboxPolicy::Unrestricted)
        .with_cwd(scratch.uri("elsewhere"));
    let fs = LocalFileSystem::inline();
    assert!(now(fs.read_file(&scratch.uri("a.txt"), Some(&sandbox))).is_ok());
}
