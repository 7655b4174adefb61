//! What the writing calls leave behind.

use std::io::ErrorKind;

use codex_file_system::{CopyOptions, ExecutorFileSystem, RemoveOptions};
use pretty_assertions::assert_eq;

use crate::peer::{Script, Tree};
use crate::support::{greeted, kind, uri};

const SHALLOW: CopyOptions = CopyOptions { recursive: false };
const DEEP: CopyOptions = CopyOptions { recursive: true };

#[tokio::test(start_paused = true)]
async fn a_copy_onto_itself_changes_nothing() {
    let tree = Tree::new().file("/d/a", "hello").link("/l", "/d");
    let (fs, peer) = greeted(tree, Script::default()).await;
    let [a, through_link] = [uri("/d/a"), uri("/l/a")];
    fs.copy(&a, &a, SHALLOW, None).await.unwrap();
    fs.copy(&a, &through_link, SHALLOW, None).await.unwrap();
    assert_eq!(peer.contents("/d/a"), Some(b"hello".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn a_directory_is_not_copied_into_itself_through_a_link() {
    let tree = Tree::new().file("/d/sub/a", "hello").link("/l", "/d");
    let (fs, peer) = greeted(tree, Script::default()).await;
    let before = peer.paths();
    for path in ["/d", "/d/copy", "/l/copy", "/l/sub/copy", "/d/none/copy"] {
        let answer = fs.copy(&uri("/d"), &uri(path), DEEP, None).await;
        assert_eq!(kind(answer), Some(ErrorKind::InvalidInput), "{path}");
    }
    assert_eq!(peer.paths(), before);
    fs.copy(&uri("/d"), &uri("/d-beside"), DEEP, None)
        .await
        .unwrap();
    assert_eq!(peer.contents("/d-beside/sub/a"), Some(b"hello".to_vec()));
}

#[tokio::test(start_paused = true)]
async fn a_copy_replaces_a_link_and_not_what_it_leads_to() {
    let tree = Tree::new()
        .file("/a", "hello")
        .file("/kept", "kept")
        .link("/l", "kept")
        .link("/source", "a");
    let (fs, peer) = greeted(tree, Script::default()).await;
    fs.copy(&uri("/a"), &uri("/l"), SHALLOW, None)
        .await
        .unwrap();
    assert_eq!(peer.contents("/kept"), Some(b"kept".to_vec()));
    assert_eq!(peer.contents("/l"), Some(b"hello".to_vec()));
    // A link is copied as its text, in the place of a file as well.
    fs.copy(&uri("/source"), &uri("/l"), SHALLOW, None)
        .await
        .unwrap();
    let metadata = fs.get_metadata(&uri("/l"), None).await.unwrap();
    assert_eq!(metadata.is_symlink, Some(true));
    assert_eq!(fs.canonicalize(&uri("/l"), None).await.unwrap(), uri("/a"));
}

#[tokio::test(start_paused = true)]
async fn a_file_is_not_copied_onto_a_directory_and_a_fifo_not_at_all() {
    let tree = Tree::new().file("/a", "hello").directory("/d").fifo("/p");
    let (fs, peer) = greeted(tree, Script::default()).await;
    let before = peer.paths();
    let answer = fs.copy(&uri("/a"), &uri("/d"), SHALLOW, None).await;
    assert_eq!(kind(answer), Some(ErrorKind::IsADirectory));
    for (source, destination) in [("/p", "/new"), ("/a", "/p")] {
        let answer = fs
            .copy(&uri(source), &uri(destination), SHALLOW, None)
            .await;
        assert_eq!(kind(answer), Some(ErrorKind::InvalidInput), "{source}");
    }
    assert_eq!(peer.paths(), before);
}

#[tokio::test(start_paused = true)]
async fn a_removal_follows_no_link() {
    let tree = Tree::new()
        .file("/kept/a", "hello")
        .link("/d/directory", "/kept")
        .link("/d/up", "..")
        .fifo("/d/sub/p");
    let (fs, peer) = greeted(tree, Script::default()).await;
    let remove = RemoveOptions {
        recursive: true,
        force: false,
    };
    fs.remove(&uri("/d/directory"), remove, None).await.unwrap();
    fs.remove(&uri("/d"), remove, None).await.unwrap();
    assert_eq!(peer.paths(), ["/kept", "/kept/a"]);
}
