//! What answers become.

use std::io;
use std::io::ErrorKind;

use codex_exec_server::{ClientOptions, RemoteCallError, RemoteFileSystem};
use codex_file_system::error::{filesystem_loop, is_broken_link};
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileKind, FileMetadata, FilePrefix,
    FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, SandboxAccess, SandboxEntry,
    SandboxPolicy, WalkEntry, WalkOptions,
};
use codex_path_uri::{FileName, PathConvention};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Peer, client, encode_base64, greeted_client, path};

/// Answers one request with `result`.
async fn serve(peer: &mut Peer, result: Value) -> Value {
    let request = peer.next().await;
    peer.succeed(&request, result).await;
    request
}

#[tokio::test(start_paused = true)]
async fn metadata_that_is_missing_or_zero_is_unknown() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let answer = json!({"isDirectory": true, "isFile": false, "createdAtMs": 0});
    let (metadata, _) = tokio::join!(remote.get_metadata(&a, None), serve(&mut peer, answer));
    assert_eq!(metadata.unwrap(), FileMetadata::new(FileKind::Directory));

    let answer = json!({"isDirectory": false, "isFile": false, "isSymlink": true, "size": 7,
        "createdAtMs": 5, "modifiedAtMs": -6, "later": {}});
    let (metadata, _) = tokio::join!(remote.get_metadata(&a, None), serve(&mut peer, answer));
    let expected = FileMetadata::new(FileKind::Other)
        .with_is_symlink(Some(true))
        .with_size(Some(7))
        .with_created_at_ms(Some(5))
        .with_modified_at_ms(Some(-6));
    assert_eq!(metadata.unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_listing_is_sorted_and_lossless() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let directory = path("file:///d");
    let answer = json!({"entries": [
        {"fileName": "b", "isDirectory": false, "isFile": true},
        {"fileName": "lossy\u{fffd}", "isDirectory": false, "isFile": true},
        {"fileName": "x\u{fffd}", "isDirectory": false, "isFile": true, "isSymlink": false,
            "path": "file:///d/x%FF"},
        {"fileName": "a\\b", "isDirectory": true, "isFile": false, "isSymlink": true},
        {"fileName": "b", "isDirectory": false, "isFile": true},
        {"fileName": "B", "isDirectory": false, "isFile": false},
    ]});
    let (entries, _) = tokio::join!(
        remote.read_directory(&directory, None),
        serve(&mut peer, answer)
    );
    let name = |text| FileName::new(text, PathConvention::Posix).unwrap();
    let lossless = FileName::from_posix_bytes(b"x\xff".to_vec()).unwrap();
    let expected = [
        ReadDirectoryEntry::new(name("B"), FileKind::Other),
        ReadDirectoryEntry::new(name(r"a\b"), FileKind::Directory).with_is_symlink(Some(true)),
        ReadDirectoryEntry::new(name("b"), FileKind::File),
        ReadDirectoryEntry::new(name("lossy\u{fffd}"), FileKind::File),
        ReadDirectoryEntry::new(lossless, FileKind::File).with_is_symlink(Some(false)),
    ];
    assert_eq!(entries.unwrap(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_walk_is_breadth_first_and_sorted_whatever_the_server_does() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let root = path("file:///r");
    let entry = |path: &str, kind: &str| json!({"path": path, "kind": kind});
    let answer = json!({"entries": [
        entry("file:///r/b", "directory"),
        entry("file:///r/b/x", "file"),
        entry("file:///r/a", "directory"),
        entry("file:///r/a/z", "file"),
        entry("file:///r/a%2Db", "file"),
        entry("file:///r/.hidden", "directory"),
        entry("file:///r/.file", "file"),
    ], "errors": [
        {"path": "file:///r/b", "message": "cannot (os error 13)"},
        {"path": "file:///r/a", "message": "strange"},
    ], "truncated": true});
    let options = WalkOptions {
        prune_hidden_directories: true,
        ..WalkOptions::new(6, 2000, 20_000)
    };
    let (walk, request) =
        tokio::join!(remote.walk(&root, &options, None), serve(&mut peer, answer));
    assert_eq!(
        request["params"],
        json!({"path": "file:///r", "sandbox": null, "options": {"maxDepth": 6,
            "maxDirectories": 2000, "maxEntries": 20000, "followDirectorySymlinks": true,
            "pruneHiddenDirectories": true}})
    );
    let walk = walk.unwrap();
    let entry = |uri: &str, kind| WalkEntry {
        path: path(uri),
        kind,
    };
    // A hidden directory is neither entered nor listed, a hidden file is a file.
    let expected = [
        entry("file:///r/.file", FileKind::File),
        entry("file:///r/a", FileKind::Directory),
        entry("file:///r/a-b", FileKind::File),
        entry("file:///r/b", FileKind::Directory),
        entry("file:///r/a/z", FileKind::File),
        entry("file:///r/b/x", FileKind::File),
    ];
    assert_eq!(walk.entries, expected);
    assert!(walk.truncated);
    let errors: Vec<_> = walk
        .errors
        .iter()
        .map(|error| (error.path.as_str(), error.error.kind()))
        .collect();
    let expected = [
        ("file:///r/a", ErrorKind::Other),
        ("file:///r/b", ErrorKind::PermissionDenied),
    ];
    assert_eq!(errors, expected);
}

#[tokio::test(start_paused = true)]
async fn a_walk_past_the_limits_sends_nothing() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let root = path("file:///r");
    let walk = remote.walk(&root, &WalkOptions::new(65, 1, 1), None).await;
    assert_eq!(walk.unwrap_err().kind(), ErrorKind::InvalidInput);
    assert!(peer.is_silent().await);
}

#[tokio::test(start_paused = true)]
async fn a_missing_walk_is_done_by_listing_and_not_asked_for_again() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let root = path("file:///r");
    let options = WalkOptions::new(6, 10, 10);
    let mut asked = Vec::new();
    for _ in 0..2 {
        let walk = remote.walk(&root, &options, None);
        let serving = async {
            let mut methods = Vec::new();
            loop {
                let request = peer.next().await;
                methods.push(request["method"].as_str().unwrap().to_owned());
                match request["method"].as_str().unwrap() {
                    "fs/walk" => {
                        let error = json!({"code": -32601, "message": "no"});
                        peer.fail(&request, error).await;
                        continue;
                    }
                    "fs/canonicalize" => {
                        peer.succeed(&request, json!({"path": "file:///r"})).await;
                    }
                    _ => {
                        let entry = json!({"fileName": "a", "isDirectory": false, "isFile": true});
                        peer.succeed(&request, json!({"entries": [entry]})).await;
                    }
                }
                if methods.iter().any(|m| m == "fs/canonicalize")
                    && methods.iter().any(|m| m == "fs/readDirectory")
                {
                    return methods;
                }
            }
        };
        let (walk, mut methods) = tokio::join!(walk, serving);
        assert_eq!(walk.unwrap().entries.len(), 1);
        methods.sort();
        asked.push(methods);
    }
    assert_eq!(asked[0], ["fs/canonicalize", "fs/readDirectory", "fs/walk"]);
    assert_eq!(asked[1], ["fs/canonicalize", "fs/readDirectory"]);
}

#[tokio::test(start_paused = true)]
async fn writes_are_sent_as_they_are_meant() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let (a, b) = (path("file:///a"), path("file:///b"));
    let ok = || json!({});
    let (done, request) = tokio::join!(
        remote.write_file(&a, b"hey".to_vec(), None),
        serve(&mut peer, ok())
    );
    done.unwrap();
    assert_eq!(
        request["params"],
        json!({"path": "file:///a", "dataBase64": "aGV5", "sandbox": null})
    );
    let options = CreateDirectoryOptions { recursive: false };
    let (done, request) = tokio::join!(
        remote.create_directory(&a, options, None),
        serve(&mut peer, ok())
    );
    done.unwrap();
    assert_eq!(
        request["params"],
        json!({"path": "file:///a", "recursive": false, "sandbox": null})
    );
    let options = RemoveOptions {
        recursive: true,
        force: false,
    };
    let (done, request) = tokio::join!(remote.remove(&a, options, None), serve(&mut peer, ok()));
    done.unwrap();
    assert_eq!(
        request["params"],
        json!({"path": "file:///a", "recursive": true, "force": false, "sandbox": null})
    );
    let options = CopyOptions { recursive: true };
    let (done, request) = tokio::join!(remote.copy(&a, &b, options, None), serve(&mut peer, ok()));
    done.unwrap();
    assert_eq!(
        request["params"],
        json!({"sourcePath": "file:///a", "destinationPath": "file:///b", "recursive": true,
            "sandbox": null})
    );
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_that_restricts_is_unsupported_and_nothing_is_sent() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let restricted = FileSystemSandboxContext::new(SandboxPolicy::Restricted(Vec::new()));
    let refused = remote.read_file(&a, Some(&restricted)).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::Unsupported);
    let options = WalkOptions::new(1, 1, 1);
    let refused = remote.walk(&a, &options, Some(&restricted)).await;
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
    assert!(peer.is_silent().await);

    let open = FileSystemSandboxContext::new(SandboxPolicy::Unrestricted);
    let (read, request) = tokio::join!(
        remote.read_file(&a, Some(&open)),
        serve(&mut peer, json!({"dataBase64": ""}))
    );
    assert_eq!(read.unwrap(), b"");
    assert_eq!(request["params"]["sandbox"], Value::Null);
}

#[tokio::test(start_paused = true)]
async fn answers_of_another_shape_are_invalid_data() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    for result in [
        json!({"dataBase64": "aGV5\n"}),
        json!({"dataBase64": "__4="}),
        json!({"dataBase64": 1}),
        json!({}),
        json!(["aGV5"]),
        json!(null),
    ] {
        let (read, _) = tokio::join!(remote.read_file(&a, None), serve(&mut peer, result));
        let error = read.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(method_of(&error), Some("fs/readFile"));
    }
    let entry = json!({"fileName": "a/b", "isDirectory": false, "isFile": true});
    let (entries, _) = tokio::join!(
        remote.read_directory(&a, None),
        serve(&mut peer, json!({"entries": [entry]}))
    );
    assert_eq!(entries.unwrap(), Vec::new());
    let (real, _) = tokio::join!(
        remote.canonicalize(&a, None),
        serve(&mut peer, json!({"path": "/a"}))
    );
    assert_eq!(real.unwrap_err().kind(), ErrorKind::InvalidData);
}

fn method_of(error: &io::Error) -> Option<&'static str> {
    let source: &RemoteCallError = error.get_ref()?.downcast_ref()?;
    Some(source.method)
}

/// The kind that a call fails with when it is answered with this error.
async fn kind_of(remote: &RemoteFileSystem, peer: &mut Peer, error: Value) -> ErrorKind {
    let a = path("file:///a");
    let serving = async {
        let request = peer.next().await;
        peer.fail(&request, error).await;
    };
    let (failed, ()) = tokio::join!(remote.get_metadata(&a, None), serving);
    failed.unwrap_err().kind()
}

#[tokio::test(start_paused = true)]
async fn a_kind_comes_from_its_name_else_from_the_number_else_from_the_code() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let told = |code: i64, message: &str, data: Value| json!({"code": code, "message": message, "data": data});
    let rows = [
        (
            told(-32600, "x (os error 13)", json!({"kind": "IsADirectory"})),
            ErrorKind::IsADirectory,
        ),
        (
            told(-32603, "x", json!({"kind": "FilesystemLoop"})),
            filesystem_loop(),
        ),
        (
            told(-32603, "x", json!({"kind": "Other"})),
            ErrorKind::Other,
        ),
        (
            told(-32603, "x (os error 17)", json!({"kind": "Strange"})),
            ErrorKind::AlreadyExists,
        ),
        (
            told(-32603, "x (os error 17)", json!("free text")),
            ErrorKind::AlreadyExists,
        ),
        (
            told(-32603, "x (os error 17)", json!(null)),
            ErrorKind::AlreadyExists,
        ),
        (
            told(-32600, "x (os error 13)", json!({})),
            ErrorKind::PermissionDenied,
        ),
        (
            told(-32600, "(os error 13) x", json!({})),
            ErrorKind::InvalidInput,
        ),
        (told(-32603, "x (os error 9)", json!({})), ErrorKind::Other),
        (told(-32603, "x (os error -2)", json!({})), ErrorKind::Other),
        (
            told(-32603, "x (os error 99999999999)", json!({})),
            ErrorKind::Other,
        ),
        (told(-32004, "gone", json!({})), ErrorKind::NotFound),
        (told(-32602, "shape", json!({})), ErrorKind::InvalidInput),
        (told(-32601, "method", json!({})), ErrorKind::Unsupported),
        (
            told(-32010, "attached", json!({})),
            ErrorKind::ConnectionRefused,
        ),
        (told(7, "strange", json!({})), ErrorKind::Other),
    ];
    for (error, expected) in rows {
        assert_eq!(
            kind_of(&remote, &mut peer, error.clone()).await,
            expected,
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn numbers_mean_what_they_mean_on_the_servers_system() {
    let table = [
        (
            "linux",
            [
                (2, "NotFound"),
                (1, "PermissionDenied"),
                (39, "DirectoryNotEmpty"),
                (40, "FilesystemLoop"),
                (36, "InvalidFilename"),
                (28, "StorageFull"),
                (122, "QuotaExceeded"),
                (30, "ReadOnlyFilesystem"),
                (66, "Other"),
                (20, "NotADirectory"),
            ],
        ),
        (
            "macos",
            [
                (2, "NotFound"),
                (13, "PermissionDenied"),
                (66, "DirectoryNotEmpty"),
                (62, "FilesystemLoop"),
                (63, "InvalidFilename"),
                (28, "StorageFull"),
                (69, "QuotaExceeded"),
                (30, "ReadOnlyFilesystem"),
                (39, "Other"),
                (21, "IsADirectory"),
            ],
        ),
        (
            "windows",
            [
                (3, "NotFound"),
                (5, "PermissionDenied"),
                (145, "DirectoryNotEmpty"),
                (1921, "FilesystemLoop"),
                (123, "InvalidFilename"),
                (112, "StorageFull"),
                (1295, "QuotaExceeded"),
                (19, "ReadOnlyFilesystem"),
                (13, "Other"),
                (267, "NotADirectory"),
            ],
        ),
    ];
    for (platform, rows) in table {
        let (remote, mut peer) = client(ClientOptions::default());
        let request = peer.expect("initialize").await;
        peer.expect("initialized").await;
        let info = json!({"platformOs": platform});
        peer.succeed(&request, json!({"sessionId": "s", "environmentInfo": info}))
            .await;
        for (number, expected) in rows {
            let error = json!({"code": -32603, "message": format!("x (os error {number})")});
            let kind = kind_of(&remote, &mut peer, error).await;
            let name = codex_file_system::error::kind_name(kind);
            assert_eq!(name, expected, "{platform} {number}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn odd_messages_are_counted_or_ignored_and_lose_no_call() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let request = peer.next().await;
        for odd in [
            "",
            r#"{"method": "fs/changed", "params": {}}"#,
            r#"{"id": 7, "method": "client/ask"}"#,
            r#"{"id": 99, "result": {}}"#,
            r#"{"id": "2", "result": {}}"#,
            "{not json",
            "[]",
            r#"{"error": {"code": -32600, "message": "malformed"}, "id": -1}"#,
        ] {
            peer.send(odd).await;
        }
        peer.succeed(&request, json!({"path": "file:///real"}))
            .await;
        peer.succeed(&request, json!({"path": "file:///twice"}))
            .await;
    };
    let (real, ()) = tokio::join!(remote.canonicalize(&a, None), serving);
    assert_eq!(real.unwrap(), path("file:///real"));
    assert_eq!(remote.statistics().protocol_errors, 3);
    let (real, _) = tokio::join!(
        remote.canonicalize(&a, None),
        serve(&mut peer, json!({"path": "file:///real"}))
    );
    assert_eq!(real.unwrap(), path("file:///real"));
}

#[tokio::test(start_paused = true)]
async fn a_prefix_keeps_no_more_of_a_long_reply_than_was_asked_for() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let content = vec![b'x'; 3 * 1024 * 1024];
    for (max, hint) in [(0, Some(33)), (1, Some(33)), (32 * 1024, Some(33))] {
        let answer = json!({"dataBase64": encode_base64(&content)});
        let reading = remote.read_file_prefix(&a, max as u64, hint, None);
        let (prefix, _) = tokio::join!(reading, serve(&mut peer, answer));
        let prefix = prefix.unwrap();
        let expected = FilePrefix::new(content[..max].to_vec(), false);
        assert_eq!(prefix, expected.with_size(Some(content.len() as u64)));
        let most = max + 64;
        assert!(prefix.bytes.capacity() <= most, "{max} bytes");
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_is_no_base64_behind_a_prefix_is_refused() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    for text in ["eHh4eHh4!", "eHh4eHh4eA", "eHh4eHh4eB=="] {
        let reading = remote.read_file_prefix(&a, 3, Some(3), None);
        let answer = json!({"dataBase64": text});
        let (prefix, _) = tokio::join!(reading, serve(&mut peer, answer));
        assert_eq!(prefix.unwrap_err().kind(), ErrorKind::InvalidData, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_malformed_answer_ends_its_call_at_once_with_the_reason() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let request = peer.next().await;
        let both = json!({"id": request["id"], "result": {}, "error": {"code": 1, "message": "x"}});
        peer.send(&both.to_string()).await;
    };
    let begun = tokio::time::Instant::now();
    let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
    let error = read.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidData);
    assert!(
        error
            .to_string()
            .contains("neither a request nor an answer"),
        "{error}"
    );
    assert_eq!(begun.elapsed(), std::time::Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn the_error_text_of_a_server_is_cut_with_its_length_and_keeps_its_number() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let message = format!("{} (os error 2)", "x".repeat(100_000));
    let serving = async {
        let request = peer.next().await;
        let error = json!({"code": -32603, "message": message});
        peer.fail(&request, error).await;
    };
    let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
    let error = read.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let text = error.to_string();
    assert!(
        text.len() < 5000 && text.contains("(100013 bytes)"),
        "{} bytes",
        text.len()
    );
}

#[tokio::test(start_paused = true)]
async fn one_bad_name_in_a_listing_is_left_out_and_the_others_stay() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let entry = |name: &str| json!({"fileName": name, "isDirectory": false, "isFile": true});
    let entries = ["b", "", "..", "x/y", "a"].map(entry);
    let (listed, _) = tokio::join!(
        remote.read_directory(&a, None),
        serve(&mut peer, json!({"entries": entries}))
    );
    let names = listed.unwrap();
    let names: Vec<_> = names
        .iter()
        .map(|entry| entry.file_name.to_string())
        .collect();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_link_without_a_target_is_told_in_listings_and_errors() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let entry = json!({"fileName": "l", "isDirectory": false, "isFile": false,
        "isSymlink": true, "isBrokenLink": true});
    let (listed, _) = tokio::join!(
        remote.read_directory(&a, None),
        serve(&mut peer, json!({"entries": [entry]}))
    );
    assert_eq!(listed.unwrap()[0].kind, FileKind::BrokenLink);
    for is_link in [true, false] {
        let serving = async {
            let request = peer.next().await;
            let data = json!({"kind": "NotFound", "brokenLink": is_link});
            let error = json!({"code": -32004, "message": "no such file", "data": data});
            peer.fail(&request, error).await;
        };
        let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
        let error = read.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert_eq!(is_broken_link(&error), is_link);
    }
}

#[tokio::test(start_paused = true)]
async fn a_walk_that_leaves_its_root_repeats_itself_or_brings_too_much_is_refused() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let root = path("file:///a");
    let options = WalkOptions::new(5, 10, 2);
    for (paths, is_taken) in [
        (vec!["file:///a/b", "file:///a/c"], true),
        (vec!["file:///a"], false),
        (vec!["file:///b"], false),
        (vec!["file:///ab"], false),
        (vec!["file:///a/b", "file:///a/b"], false),
        (vec!["file:///a/b", "file:///a/c", "file:///a/d"], false),
    ] {
        let entry = |path: &&str| json!({"path": path, "kind": "file"});
        let entries: Vec<_> = paths.iter().map(entry).collect();
        let result = json!({"entries": entries, "errors": [], "truncated": false});
        let (walk, _) = tokio::join!(remote.walk(&root, &options, None), serve(&mut peer, result));
        match walk {
            Ok(walk) => assert!(is_taken && walk.entries.len() == paths.len(), "{paths:?}"),
            Err(error) => {
                assert!(!is_taken, "{paths:?}");
                assert_eq!(error.kind(), ErrorKind::InvalidData);
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_walk_that_could_not_list_its_root_is_an_error_and_no_empty_success() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let root = path("file:///a");
    let options = WalkOptions::new(5, 10, 10);
    let failed = json!({"path": "file:///a", "message": "too many open files (os error 24)"});
    let result = json!({"entries": [], "errors": [failed], "truncated": false});
    let (walk, _) = tokio::join!(remote.walk(&root, &options, None), serve(&mut peer, result));
    assert!(
        walk.unwrap_err()
            .to_string()
            .contains("too many open files")
    );
}

#[tokio::test(start_paused = true)]
async fn a_sandbox_goes_to_a_server_that_says_it_enforces_one() {
    let (remote, mut peer) = client(ClientOptions::default());
    let a = path("file:///a");
    let entry = SandboxEntry {
        path: path("file:///a/b"),
        access: SandboxAccess::Read,
    };
    let restricted = FileSystemSandboxContext::new(SandboxPolicy::Restricted(vec![entry]));
    let serving = async {
        let hello = peer.expect("initialize").await;
        peer.expect("initialized").await;
        let info = json!({"capabilities": {"sandboxedFileStreaming": true}});
        let greeting = json!({"sessionId": "s", "environmentInfo": info});
        peer.succeed(&hello, greeting).await;
        serve(&mut peer, json!({"dataBase64": ""})).await
    };
    let (read, request) = tokio::join!(remote.read_file(&a, Some(&restricted)), serving);
    assert_eq!(read.unwrap(), b"");
    let sent = &request["params"]["sandbox"];
    assert_eq!(
        sent["permissions"]["file_system"],
        json!({"type": "restricted", "entries": [
            {"path": {"type": "path", "path": "file:///a/b"}, "access": "read"}
        ]})
    );
    assert_eq!(sent["windowsSandboxLevel"], "disabled");
}
