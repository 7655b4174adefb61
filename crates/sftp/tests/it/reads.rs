//! Bytes and entries are those of the server, however it answers.

use std::io::ErrorKind;

use codex_file_system::{
    ExecutorFileSystem, FileKind, FileMetadata, FilePrefix, MAX_READ_FILE_BYTES, ReadDirectoryEntry,
};
use codex_path_uri::{FileName, PathConvention};
use codex_sftp::SftpOptions;
use futures::future::join_all;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::peer::{Script, Tree};
use crate::support::{greeted, greeted_with, kind, settle, uri};

#[tokio::test(start_paused = true)]
async fn answers_out_of_order_change_nothing() {
    let contents: Vec<u8> = (0..200_000_u32).map(|index| (index / 7) as u8).collect();
    let mut tree = Tree::new().file("/a", contents.clone());
    for index in 0..20 {
        tree = tree.file(&format!("/d/{index}"), format!("text {index}"));
    }
    let script = Script {
        is_reversed: true,
        names_per_reply: 3,
        ..Script::default()
    };
    let (fs, _) = greeted(tree, script).await;
    assert!(fs.read_file(&uri("/a"), None).await.unwrap() == contents);
    assert_eq!(fs.read_directory(&uri("/d"), None).await.unwrap().len(), 20);
    let paths: Vec<_> = (0..20).map(|index| uri(&format!("/d/{index}"))).collect();
    let texts = join_all(paths.iter().map(|path| fs.read_file_text(path, None))).await;
    for (index, text) in texts.into_iter().enumerate() {
        assert_eq!(text.unwrap(), format!("text {index}"));
    }
}

#[tokio::test(start_paused = true)]
async fn metadata_tells_the_target_and_whether_the_name_is_a_link() {
    let tree = Tree::new()
        .file("/a", "hello")
        .link("/l", "/a")
        .link("/dir", "/")
        .fifo("/p");
    let (fs, _) = greeted(tree, Script::default()).await;
    let expected = |kind, is_link, size| {
        FileMetadata::new(kind)
            .with_is_symlink(Some(is_link))
            .with_size(size)
            .with_modified_at_ms(Some(1_700_000_000_000))
    };
    for (path, kind, is_link, size) in [
        ("/a", FileKind::File, false, Some(5)),
        ("/l", FileKind::File, true, Some(5)),
        ("/dir", FileKind::Directory, true, None),
        ("/p", FileKind::Other, false, None),
    ] {
        let metadata = fs.get_metadata(&uri(path), None).await.unwrap();
        assert_eq!(metadata, expected(kind, is_link, size), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_listing_is_sorted_and_follows_links_and_names_broken_ones() {
    let tree = Tree::new()
        .file("/d/b", "x")
        .directory("/d/a")
        .link("/d/to-b", "b")
        .link("/d/to-a", "a")
        .link("/d/dead", "nowhere")
        .link("/d/loop", "loop")
        .fifo("/d/p");
    let (fs, _) = greeted(tree, Script::default()).await;
    let entry = |name, kind, is_link| {
        let name = FileName::new(name, PathConvention::Posix).unwrap();
        ReadDirectoryEntry::new(name, kind).with_is_symlink(Some(is_link))
    };
    let expected = vec![
        entry("a", FileKind::Directory, false),
        entry("b", FileKind::File, false),
        entry("dead", FileKind::BrokenLink, true),
        entry("loop", FileKind::BrokenLink, true),
        entry("p", FileKind::Other, false),
        entry("to-a", FileKind::Directory, true),
        entry("to-b", FileKind::File, true),
    ];
    let listing = fs.read_directory(&uri("/d"), None).await.unwrap();
    assert_eq!(listing, expected);
}

#[tokio::test(start_paused = true)]
async fn more_bytes_than_were_asked_for_are_nonsense() {
    let script = Script {
        surplus: 1,
        ..Script::default()
    };
    let (fs, _) = greeted(Tree::new().file("/a", "hello"), script).await;
    let path = uri("/a");
    let error = fs.read_file_prefix(&path, 2, None, None).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert_eq!(
        error.to_string(),
        "the server answers read with nonsense: more data than asked for"
    );
}

/// How the listing of a directory without end ends.
async fn endless_listing(name_bytes: usize, names_per_reply: usize) -> (ErrorKind, String) {
    let script = Script {
        endless: Some(name_bytes),
        names_per_reply,
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().directory("/d"), script).await;
    let error = fs.read_directory(&uri("/d"), None).await.unwrap_err();
    settle().await;
    assert_eq!(peer.open_now(), 0);
    (error.kind(), error.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_listing_without_end_is_left_at_the_limit_of_entries() {
    let told = "the listing has more than 500000 entries".to_owned();
    assert_eq!(
        endless_listing(1, 10_000).await,
        (ErrorKind::FileTooLarge, told)
    );
}

#[tokio::test(start_paused = true)]
async fn a_listing_of_endless_names_is_left_at_the_limit_of_bytes() {
    let told = "the listing has more than 134217728 bytes of names".to_owned();
    assert_eq!(
        endless_listing(500_000, 2).await,
        (ErrorKind::FileTooLarge, told)
    );
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_longer_than_it_says_is_read_no_further_than_was_asked_for() {
    let script = Script {
        told_size: Some(50),
        endless: Some(0),
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), script).await;
    let path = uri("/a");
    for hint in [None, Some(50)] {
        let before = peer.bytes_asked();
        let prefix = fs.read_file_prefix(&path, 1000, hint, None).await.unwrap();
        assert_eq!((prefix.bytes.len(), prefix.is_complete), (1000, false));
        assert_eq!(peer.bytes_asked() - before, 1001);
    }
}

#[tokio::test(start_paused = true)]
async fn a_small_file_without_end_is_read_as_a_prefix_of_the_budget() {
    let script = Script {
        told_size: Some(15),
        endless: Some(0),
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), script).await;
    let budget = 32 * 1024;
    let path = uri("/a");
    let prefix = fs.read_file_prefix(&path, budget + 1, None, None).await;
    assert_eq!(prefix.unwrap().bytes.len() as u64, budget + 1);
    assert_eq!(peer.bytes_asked() as u64, budget + 2);
}

#[tokio::test(start_paused = true)]
async fn a_file_without_end_is_left_at_the_limit_of_the_contract() {
    let script = Script {
        told_size: Some(50),
        endless: Some(0),
        limits: Some((1_000_000, 1_000_000)),
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), script).await;
    let answer = fs.read_file(&uri("/a"), None).await;
    assert_eq!(kind(answer), Some(ErrorKind::FileTooLarge));
    assert_eq!(peer.bytes_asked() as u64, MAX_READ_FILE_BYTES + 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Whatever the hint says and however little the server gives at once.
    #[test]
    fn a_prefix_is_the_beginning_of_the_file(
        size in 0_usize..400,
        max in 0_u64..500,
        hint in proptest::option::of(0_u64..600),
        longest_read in 1_usize..40,
        chunk in 1_usize..40,
        width in 1_usize..6,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let contents: Vec<u8> = (0..size).map(|index| index as u8).collect();
        let prefix = runtime.block_on(async {
            let script = Script { longest_read, ..Script::default() };
            let options = SftpOptions {
                read_chunk: chunk,
                reads_in_flight: width,
                call_timeout: None,
                ..SftpOptions::default()
            };
            let tree = Tree::new().file("/a", contents.clone());
            let (fs, _) = greeted_with(tree, script, options).await;
            fs.read_file_prefix(&uri("/a"), max, hint, None).await.unwrap()
        });
        let length = size.min(usize::try_from(max).unwrap());
        let size_told = prefix.size.map(|_| size as u64);
        let expected = FilePrefix::new(contents[..length].to_vec(), length == size);
        prop_assert_eq!(prefix, expected.with_size(size_told));
    }
}
