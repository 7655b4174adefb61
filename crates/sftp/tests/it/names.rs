//! Which paths are asked for, and how they are spelled.

use std::fmt;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use codex_file_system::{
    ExecutorFileSystem, FileKind, FileSystemSandboxContext, ReadDirectoryEntry, SandboxPolicy,
};
use codex_path_uri::{FileName, PathConvention, PathUri};
use pretty_assertions::assert_eq;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::peer::{Node, Script, Tree};
use crate::support::{greeted, kind, uri};

fn windows() -> Script {
    Script {
        own_directory: "/C:/Users/peer",
        ..Script::default()
    }
}

#[tokio::test(start_paused = true)]
async fn windows_paths_are_sent_behind_a_slash() {
    let tree = Tree::new().file("/C:/repo/AGENTS.md", "hello");
    let (fs, _) = greeted(tree, windows()).await;
    let document = uri("/C:/repo/AGENTS.md");
    assert_eq!(fs.read_file_text(&document, None).await.unwrap(), "hello");
    assert_eq!(fs.canonicalize(&document, None).await.unwrap(), document);
    let listing = fs.read_directory(&uri("/C:/"), None).await.unwrap();
    let name = FileName::new("repo", PathConvention::Windows).unwrap();
    let entry = ReadDirectoryEntry::new(name, FileKind::Directory);
    assert_eq!(listing, vec![entry.with_is_symlink(Some(false))]);
}

#[tokio::test(start_paused = true)]
async fn a_path_that_the_server_cannot_name_is_refused_without_a_request() {
    let with_nul = |native, convention| PathUri::from_native(native, convention).unwrap();
    let share = PathUri::parse("file://server/share/a").unwrap();
    for (script, paths) in [
        (
            Script::default(),
            [
                uri("/C:/a"),
                uri("/a/%FF"),
                with_nul("/a\0", PathConvention::Posix),
                share.clone(),
            ],
        ),
        (
            windows(),
            [
                uri("/a"),
                uri("/c/a"),
                with_nul("C:\\a\0", PathConvention::Windows),
                share,
            ],
        ),
    ] {
        let (fs, peer) = greeted(Tree::new(), script).await;
        for path in paths {
            let answer = fs.get_metadata(&path, None).await;
            assert_eq!(kind(answer), Some(ErrorKind::InvalidInput), "{path}");
            let answer = fs.read_file(&path, None).await;
            assert_eq!(kind(answer), Some(ErrorKind::InvalidInput), "{path}");
        }
        assert!(peer.take_log().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_not_utf8_is_listed_lossy_and_hides_no_other() {
    let tree = Tree::new()
        .with(b"/d/bad\xFF", Node::File(b"x".to_vec()))
        .with(b"/d/bad\xFE", Node::File(b"x".to_vec()))
        .file("/d/good", "x");
    let (fs, _) = greeted(tree, Script::default()).await;
    let listing = fs.read_directory(&uri("/d"), None).await.unwrap();
    let names: Vec<String> = listing
        .iter()
        .map(|entry| entry.file_name.to_string_lossy().into_owned())
        .collect();
    // Each name once, also where two become one.
    assert_eq!(names, ["bad\u{FFFD}", "good"]);
    let lossy = uri("/d").join("bad\u{FFFD}").unwrap();
    let answer = fs.read_file(&lossy, None).await;
    assert_eq!(kind(answer), Some(ErrorKind::NotFound));
}

#[test]
fn a_name_that_is_not_utf8_is_a_warning() {
    let codes = Codes::default();
    tracing::subscriber::with_default(codes.clone(), || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let tree = Tree::new()
                .with(b"/d/bad\xFF", Node::Fifo)
                .file("/d/good", "x");
            let (fs, _) = greeted(tree, Script::default()).await;
            fs.read_directory(&uri("/d"), None).await.unwrap();
        });
    });
    assert_eq!(*codes.0.lock().unwrap(), ["lossy_file_name"]);
}

/// Keeps the codes of warnings.
#[derive(Clone, Default)]
struct Codes(Arc<Mutex<Vec<String>>>);

impl Subscriber for Codes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::WARN
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut self.clone());
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for Codes {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "code" {
            self.0.lock().unwrap().push(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

#[tokio::test(start_paused = true)]
async fn a_canonical_path_is_lossless() {
    let tree = Tree::new()
        .with(b"/caf\xE9/a", Node::File(b"x".to_vec()))
        .with(b"/l", Node::Link(b"/caf\xE9/a".to_vec()));
    let (fs, _) = greeted(tree, Script::default()).await;
    let canonical = fs.canonicalize(&uri("/l"), None).await.unwrap();
    assert_eq!(canonical, uri("/caf%E9/a"));
}

#[tokio::test(start_paused = true)]
async fn a_restricted_sandbox_is_refused_without_a_request() {
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), Script::default()).await;
    let restricted = FileSystemSandboxContext::new(SandboxPolicy::Restricted(Vec::new()));
    let answer = fs.get_metadata(&uri("/a"), Some(&restricted)).await;
    assert_eq!(kind(answer), Some(ErrorKind::Unsupported));
    assert!(peer.take_log().is_empty());
    let unrestricted = FileSystemSandboxContext::new(SandboxPolicy::Unrestricted);
    let answer = fs.read_file(&uri("/a"), Some(&unrestricted)).await;
    assert_eq!(answer.unwrap(), b"x");
}
