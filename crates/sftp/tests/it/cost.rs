//! What each call costs: requests by name, and dependent round trips.

use std::io::ErrorKind;

use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, MAX_READ_FILE_BYTES, RemoveOptions,
};
use codex_sftp::SftpOptions;
use futures::future::join_all;
use pretty_assertions::assert_eq;

use crate::peer::{Script, Tree};
use crate::support::{Cost, greeted, greeted_with, kind, measured, uri};

const CHUNK: usize = 32 * 1024;

#[tokio::test(start_paused = true)]
async fn metadata_is_two_requests_in_one_round_trip() {
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), Script::default()).await;
    let (answer, cost) = measured(&peer, fs.get_metadata(&uri("/a"), None)).await;
    answer.unwrap();
    assert_eq!(cost, Cost::new([("stat", 1), ("lstat", 1)], 1));
}

#[tokio::test(start_paused = true)]
async fn a_canonical_path_is_two_requests_in_one_round_trip() {
    let (fs, peer) = greeted(
        Tree::new().link("/l", "a").file("/a", "x"),
        Script::default(),
    )
    .await;
    let (answer, cost) = measured(&peer, fs.canonicalize(&uri("/l"), None)).await;
    assert_eq!(answer.unwrap(), uri("/a"));
    assert_eq!(cost, Cost::new([("stat", 1), ("realpath", 1)], 1));
}

#[tokio::test(start_paused = true)]
async fn a_file_is_one_open_and_a_read_per_chunk_and_one_behind_the_end() {
    let sizes = [
        0,
        1,
        1024,
        CHUNK - 1,
        CHUNK,
        CHUNK + 1,
        15 * CHUNK,
        15 * CHUNK + 1,
        16 * CHUNK,
        16 * CHUNK + 1,
        40 * CHUNK + 7,
    ];
    for size in sizes {
        let contents: Vec<u8> = (0..size).map(|index| index as u8).collect();
        let tree = Tree::new().file("/a", contents.clone());
        let (fs, peer) = greeted(tree, Script::default()).await;
        let chunks = size.div_ceil(CHUNK);
        let reads = chunks + 1;
        // The read behind the end takes no place in the window.
        let round_trips = 1 + chunks.div_ceil(16).max(1);

        let (answer, cost) = measured(&peer, fs.read_file(&uri("/a"), None)).await;
        assert!(answer.unwrap() == contents, "{size} bytes");
        let requests = [("stat", 1), ("open", 1), ("read", reads), ("close", 1)];
        assert_eq!(cost, Cost::new(requests, round_trips), "{size} bytes");

        if size == 0 {
            continue;
        }
        // A hint takes the place of the stat.
        let hint = Some(size as u64);
        let path = uri("/a");
        let call = fs.read_file_prefix(&path, u64::MAX, hint, None);
        let (answer, cost) = measured(&peer, call).await;
        let prefix = answer.unwrap();
        assert!(
            prefix.bytes == contents && prefix.is_complete,
            "{size} bytes"
        );
        let requests = [("open", 1), ("read", reads), ("close", 1)];
        assert_eq!(cost, Cost::new(requests, round_trips), "{size} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_prefix_reads_no_further_than_one_byte_behind_it() {
    let tree = Tree::new().file("/a", vec![7; 100 * CHUNK]);
    let (fs, peer) = greeted(tree, Script::default()).await;
    let path = uri("/a");
    let call = fs.read_file_prefix(&path, 3 * CHUNK as u64, None, None);
    let (answer, cost) = measured(&peer, call).await;
    let prefix = answer.unwrap();
    assert_eq!((prefix.bytes.len(), prefix.is_complete), (3 * CHUNK, false));
    assert_eq!(peer.bytes_asked(), 3 * CHUNK + 1);
    assert_eq!(prefix.size, Some(100 * CHUNK as u64));
    // The stat is waited for: only a regular file is opened.
    let requests = [("stat", 1), ("open", 1), ("read", 4), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 3));
}

#[tokio::test(start_paused = true)]
async fn a_file_above_the_limit_is_refused_for_its_size_and_not_read() {
    let script = Script {
        told_size: Some(MAX_READ_FILE_BYTES + 1),
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), script).await;
    let path = uri("/a");
    let (answer, cost) = measured(&peer, fs.read_file(&path, None)).await;
    assert_eq!(kind(answer), Some(ErrorKind::FileTooLarge));
    assert_eq!(cost, Cost::new([("stat", 1), ("open", 1), ("close", 1)], 1));
    // The beginning of it can be read all the same.
    let prefix = fs.read_file_prefix(&path, 0, None, None).await.unwrap();
    assert_eq!(prefix.size, Some(MAX_READ_FILE_BYTES + 1));
    assert!(prefix.bytes.is_empty() && !prefix.is_complete);
}

#[tokio::test(start_paused = true)]
async fn a_listing_asks_in_waves_of_four_and_once_more_for_its_links() {
    for replies in 1..=9_usize {
        for links in [0, 3] {
            // The peer lists `.` and `..` as well.
            let mut tree = Tree::new().directory("/d").file("/target", "x");
            for index in 0..2 * replies - 2 - links.min(2 * replies - 2) {
                tree = tree.file(&format!("/d/{index:02}"), "x");
            }
            for index in 0..links.min(2 * replies - 2) {
                tree = tree.link(&format!("/d/link-{index}"), "/target");
            }
            let links = links.min(2 * replies - 2);
            let script = Script {
                names_per_reply: 2,
                ..Script::default()
            };
            let (fs, peer) = greeted(tree, script).await;
            let (answer, cost) = measured(&peer, fs.read_directory(&uri("/d"), None)).await;
            assert_eq!(answer.unwrap().len(), 2 * replies - 2);
            let waves = (replies + 1).div_ceil(4);
            let requests = [
                ("opendir", 1),
                ("readdir", 4 * waves),
                ("close", 1),
                ("stat", links),
            ];
            let round_trips = 1 + waves + usize::from(links > 0);
            assert_eq!(cost, Cost::new(requests, round_trips), "{replies} replies");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_is_three_round_trips_however_long() {
    for (size, round_trips) in [(0, 2), (1, 3), (CHUNK, 3), (100 * CHUNK + 1, 3)] {
        let (fs, peer) = greeted(Tree::new(), Script::default()).await;
        let contents: Vec<u8> = (0..size).map(|index| (index / 3) as u8).collect();
        let path = uri("/a");
        let (answer, cost) = measured(&peer, fs.write_file(&path, contents.clone(), None)).await;
        answer.unwrap();
        assert!(peer.contents("/a") == Some(contents));
        let writes = size.div_ceil(CHUNK);
        let requests = [("stat", 1), ("open", 1), ("write", writes), ("close", 1)];
        assert_eq!(cost, Cost::new(requests, round_trips), "{size} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn an_announced_limit_is_the_chunk_of_reads_and_writes() {
    let script = Script {
        limits: Some((100_000, 50_000)),
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().file("/a", vec![7; 200_001]), script).await;
    let (answer, cost) = measured(&peer, fs.read_file(&uri("/a"), None)).await;
    assert_eq!(answer.unwrap().len(), 200_001);
    let requests = [("stat", 1), ("open", 1), ("read", 4), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 2));
    let path = uri("/b");
    let (answer, cost) = measured(&peer, fs.write_file(&path, vec![7; 200_001], None)).await;
    answer.unwrap();
    let requests = [("stat", 1), ("open", 1), ("write", 5), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 3));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_announces_nothing_is_sent_32_kib_at_once_however_much_is_read() {
    let options = SftpOptions {
        read_chunk: 100_000,
        ..SftpOptions::default()
    };
    let tree = Tree::new().file("/a", vec![7; 100_000]);
    let (fs, peer) = greeted_with(tree, Script::default(), options).await;
    let (answer, cost) = measured(&peer, fs.read_file(&uri("/a"), None)).await;
    assert_eq!(answer.unwrap().len(), 100_000);
    let requests = [("stat", 1), ("open", 1), ("read", 2), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 2));
    let path = uri("/b");
    let (answer, cost) = measured(&peer, fs.write_file(&path, vec![7; 100_000], None)).await;
    answer.unwrap();
    let requests = [("stat", 1), ("open", 1), ("write", 4), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 3));
}

#[tokio::test(start_paused = true)]
async fn fifty_megabytes_of_openssh_are_thirteen_round_trips() {
    let script = Script {
        limits: Some((261_120, 261_120)),
        ..Script::default()
    };
    let (fs, peer) = greeted(Tree::new().file("/a", vec![7; 50_000_000]), script).await;
    let (answer, cost) = measured(&peer, fs.read_file(&uri("/a"), None)).await;
    assert_eq!(answer.unwrap().len(), 50_000_000);
    let requests = [("stat", 1), ("open", 1), ("read", 193), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 1 + 192 / 16));
}

#[tokio::test(start_paused = true)]
async fn any_number_of_metadata_calls_takes_one_round_trip() {
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), Script::default()).await;
    let path = uri("/a");
    let calls = join_all((0..256).map(|_| fs.get_metadata(&path, None)));
    let (answers, cost) = measured(&peer, calls).await;
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(cost, Cost::new([("stat", 256), ("lstat", 256)], 1));
}

#[tokio::test(start_paused = true)]
async fn a_directory_costs_two_more_requests_per_missing_parent() {
    let (fs, peer) = greeted(Tree::new(), Script::default()).await;
    let recursive = CreateDirectoryOptions { recursive: true };
    let (answer, cost) = measured(&peer, fs.create_directory(&uri("/new"), recursive, None)).await;
    answer.unwrap();
    assert_eq!(cost, Cost::new([("mkdir", 1)], 1));

    let path = uri("/x/y/z");
    let (answer, cost) = measured(&peer, fs.create_directory(&path, recursive, None)).await;
    answer.unwrap();
    // Up to the first that can be created, and down again.
    assert_eq!(cost, Cost::new([("mkdir", 5)], 5));
}

#[tokio::test(start_paused = true)]
async fn a_removal_costs_round_trips_per_level_and_not_per_entry() {
    let tree = Tree::new()
        .file("/d/a", "x")
        .file("/d/b", "x")
        .file("/d/sub/c", "x");
    let (fs, peer) = greeted(tree.file("/e", "x"), Script::default()).await;
    let remove = RemoveOptions {
        recursive: true,
        force: false,
    };
    let (answer, cost) = measured(&peer, fs.remove(&uri("/e"), remove, None)).await;
    answer.unwrap();
    assert_eq!(cost, Cost::new([("lstat", 1), ("remove", 1)], 1));

    let (answer, cost) = measured(&peer, fs.remove(&uri("/d"), remove, None)).await;
    answer.unwrap();
    let requests = [
        ("lstat", 1),
        ("remove", 4),
        ("rmdir", 3),
        ("opendir", 2),
        ("readdir", 8),
        ("close", 2),
    ];
    // Name and directory, two levels of open, names and removal, two levels of directories.
    assert_eq!(cost, Cost::new(requests, 2 + 6 + 2));
}

#[tokio::test(start_paused = true)]
async fn a_copied_file_costs_where_it_lies_a_read_and_a_write() {
    for (chunks, round_trips) in [(1, 7), (16, 7), (17, 8)] {
        let tree = Tree::new().file("/d/a", vec![7; chunks * CHUNK]);
        let (fs, peer) = greeted(tree, Script::default()).await;
        let (from, to) = (uri("/d/a"), uri("/d/b"));
        let copy = CopyOptions { recursive: false };
        let (answer, cost) = measured(&peer, fs.copy(&from, &to, copy, None)).await;
        answer.unwrap();
        let requests = [
            ("lstat", 2),
            ("realpath", 2),
            ("open", 2),
            ("read", chunks + 1),
            ("stat", 1),
            ("write", chunks),
            ("fsetstat", 1),
            ("close", 2),
        ];
        assert_eq!(cost, Cost::new(requests, round_trips), "{chunks} chunks");
    }
}

#[tokio::test(start_paused = true)]
async fn a_copied_directory_costs_its_levels_and_the_permission_bits_of_each_directory() {
    let tree = Tree::new().file("/d/a", "x").directory("/d/sub");
    let (fs, peer) = greeted(tree, Script::default()).await;
    let (from, to) = (uri("/d"), uri("/copy"));
    let copy = CopyOptions { recursive: true };
    let (answer, cost) = measured(&peer, fs.copy(&from, &to, copy, None)).await;
    answer.unwrap();
    let requests = [
        ("lstat", 2),
        ("realpath", 2),
        ("mkdir", 2),
        ("opendir", 2),
        ("readdir", 8),
        ("open", 2),
        ("read", 2),
        ("stat", 1),
        ("write", 1),
        ("fsetstat", 1),
        ("close", 4),
        ("setstat", 2),
    ];
    // Where it lies, the directory and its names, the file beside the directory, then the bits.
    assert_eq!(cost, Cost::new(requests, 1 + 3 + 6 + 2));
}

#[tokio::test(start_paused = true)]
async fn a_window_of_one_reads_chunk_after_chunk() {
    let options = SftpOptions {
        reads_in_flight: 1,
        read_chunk: 10,
        ..SftpOptions::default()
    };
    let tree = Tree::new().file("/a", vec![7; 35]);
    let (fs, peer) = greeted_with(tree, Script::default(), options).await;
    let (answer, cost) = measured(&peer, fs.read_file(&uri("/a"), None)).await;
    assert_eq!(answer.unwrap().len(), 35);
    let requests = [("stat", 1), ("open", 1), ("read", 5), ("close", 1)];
    assert_eq!(cost, Cost::new(requests, 5));
}
