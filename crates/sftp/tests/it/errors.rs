//! Which kind each refusal becomes, and what an error carries.

use std::io::{self, ErrorKind};

use codex_file_system::{CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions};
use codex_sftp::{SftpError, SftpOptions, ssh_command};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::peer::{Peer, Script, Tree};
use crate::support::{greeted, kind, uri};

const FAILURE: u32 = 4;

fn refusing(request: &'static str, code: u32) -> Script {
    Script {
        refused: vec![(request, code)],
        ..Script::default()
    }
}

#[tokio::test(start_paused = true)]
async fn a_status_has_its_kind() {
    let expected = [
        (2, ErrorKind::NotFound),
        (3, ErrorKind::PermissionDenied),
        (4, ErrorKind::Other),
        (5, ErrorKind::InvalidData),
        (6, ErrorKind::BrokenPipe),
        (7, ErrorKind::BrokenPipe),
        (8, ErrorKind::Unsupported),
        (77, ErrorKind::Other),
    ];
    for (code, expected) in expected {
        let tree = Tree::new().file("/a", "x");
        let (fs, _) = greeted(tree, refusing("stat", code)).await;
        let answer = fs.get_metadata(&uri("/a"), None).await;
        assert_eq!(kind(answer), Some(expected), "status {code}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_decided_by_one_stat() {
    let tree = Tree::new()
        .file("/a", "x")
        .file("/d/b", "x")
        .link("/dead", "/none");
    let (fs, _) = greeted(tree.clone(), Script::default()).await;
    let plain = CreateDirectoryOptions { recursive: false };
    let recursive = CreateDirectoryOptions { recursive: true };
    let keep = RemoveOptions {
        recursive: false,
        force: false,
    };
    let [a, d, dead] = [uri("/a"), uri("/d"), uri("/dead")];
    let kinds = [
        kind(fs.read_file(&d, None).await),
        kind(fs.read_file_prefix(&d, 1, Some(9), None).await),
        kind(fs.read_directory(&a, None).await),
        kind(fs.write_file(&d, Vec::new(), None).await),
        kind(fs.create_directory(&d, plain, None).await),
        kind(fs.create_directory(&d, recursive, None).await),
        kind(fs.create_directory(&a, recursive, None).await),
        kind(fs.create_directory(&dead, recursive, None).await),
        kind(fs.remove(&d, keep, None).await),
    ];
    let expected = [
        Some(ErrorKind::IsADirectory),
        Some(ErrorKind::IsADirectory),
        Some(ErrorKind::NotADirectory),
        Some(ErrorKind::IsADirectory),
        Some(ErrorKind::AlreadyExists),
        None,
        Some(ErrorKind::AlreadyExists),
        Some(ErrorKind::AlreadyExists),
        Some(ErrorKind::DirectoryNotEmpty),
    ];
    assert_eq!(kinds, expected);

    // What no stat explains stays what it is.
    for (request, path) in [("open", "/a"), ("read", "/a")] {
        let (fs, _) = greeted(tree.clone(), refusing(request, FAILURE)).await;
        let answer = fs.read_file(&uri(path), None).await;
        assert_eq!(kind(answer), Some(ErrorKind::Other), "{request}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_has_no_canonical_path_though_the_server_resolves_it() {
    let tree = Tree::new().directory("/d").link("/dead", "/d/none");
    let (fs, _) = greeted(tree, Script::default()).await;
    for path in ["/d/none", "/dead"] {
        let answer = fs.canonicalize(&uri(path), None).await;
        assert_eq!(kind(answer), Some(ErrorKind::NotFound), "{path}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_lies_below_a_file_is_missing_unless_its_parents_are_asked_about() {
    let (fs, peer) = greeted(Tree::new().file("/a", "x"), Script::default()).await;
    let before = peer.paths();
    let plain = CreateDirectoryOptions { recursive: false };
    let recursive = CreateDirectoryOptions { recursive: true };
    let copy = CopyOptions { recursive: false };
    let remove = |force| RemoveOptions {
        recursive: true,
        force,
    };
    let (a, below) = (uri("/a"), uri("/a/b"));
    let kinds = [
        kind(fs.get_metadata(&below, None).await),
        kind(fs.write_file(&below, vec![1], None).await),
        kind(fs.create_directory(&below, plain, None).await),
        kind(fs.copy(&below, &uri("/c"), copy, None).await),
        kind(fs.copy(&a, &below, copy, None).await),
        kind(fs.remove(&below, remove(false), None).await),
    ];
    assert_eq!(kinds, [Some(ErrorKind::NotFound); 6]);
    assert_eq!(kind(fs.remove(&below, remove(true), None).await), None);
    let answer = fs.create_directory(&below, recursive, None).await;
    assert_eq!(kind(answer), Some(ErrorKind::NotADirectory));
    assert_eq!(peer.paths(), before);
}

#[tokio::test(start_paused = true)]
async fn an_error_tells_request_status_and_what_the_server_says() {
    let (fs, _) = greeted(Tree::new().file("/a", "x"), refusing("stat", 3)).await;
    let error = fs.get_metadata(&uri("/a"), None).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the server answers stat with status 3: says the peer"
    );
    let payload: Option<&SftpError> = error.get_ref().and_then(|payload| payload.downcast_ref());
    assert!(matches!(payload, Some(SftpError::Refused { code: 3, .. })));
    // What is normal carries nothing.
    let (fs, _) = greeted(Tree::new(), Script::default()).await;
    let error = fs.get_metadata(&uri("/a"), None).await.unwrap_err();
    assert!(error.get_ref().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_server_of_another_version_is_rejected() {
    let script = Script {
        version: 2,
        ..Script::default()
    };
    let (fs, _) = Peer::start(Tree::new(), script, SftpOptions::default());
    for _ in 0..2 {
        let error = fs.get_metadata(&uri("/a"), None).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData);
        assert_eq!(chain(&error), REJECTED);
    }
}

const REJECTED: &str = "the server cannot be reached again: \
    no SFTP server of version 3 answers: version 2";

/// Messages of an error and of what is behind it.
fn chain(error: &io::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}

#[tokio::test(start_paused = true)]
async fn what_is_no_sftp_is_an_error_and_never_a_panic() {
    for garbage in [
        &b"Welcome to this machine!\r\n"[..],
        b"\0\0\0\x01\x02",
        b"\0\0\0\0",
        b"\0\0\0\x09\x02\0\0\0\x03\0\0\xFF\xFF",
        b"",
    ] {
        let (near, mut far) = tokio::io::duplex(1024);
        let (reader, writer) = tokio::io::split(near);
        let fs = codex_sftp::SftpFileSystem::from_streams(reader, writer, SftpOptions::default());
        far.write_all(garbage).await.unwrap();
        let serve = async {
            let mut init = [0; 9];
            far.read_exact(&mut init).await.unwrap();
            assert_eq!(init, *b"\0\0\0\x05\x01\0\0\0\x03");
            drop(far);
        };
        let path = uri("/a");
        let ((), answer) = tokio::join!(serve, fs.get_metadata(&path, None));
        let expected = match garbage {
            b"" => ErrorKind::BrokenPipe,
            _ => ErrorKind::InvalidData,
        };
        assert_eq!(kind(answer), Some(expected), "{garbage:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn text_of_a_login_script_is_shown_where_a_server_should_speak() {
    let (near, mut far) = tokio::io::duplex(1024);
    let (reader, writer) = tokio::io::split(near);
    let fs = codex_sftp::SftpFileSystem::from_streams(reader, writer, SftpOptions::default());
    far.write_all(b"Welcome to this\x1b machine!\r\n")
        .await
        .unwrap();
    let error = fs.get_metadata(&uri("/a"), None).await.unwrap_err();
    let expected = "a message of 1466264675 bytes, beginning with \
        `Welcome to this\\x1b machine!\\r\\n`; does a login script over there print text?";
    assert!(chain(&error).ends_with(expected), "{}", chain(&error));
}

#[test]
fn a_host_that_ssh_would_take_for_an_option_is_refused() {
    for host in ["", "-", "-oProxyCommand=id"] {
        assert_eq!(ssh_command(host).unwrap_err().destination, host);
    }
    let command = ssh_command("me@host").unwrap();
    assert_eq!(command.args, ["-s", "--", "me@host", "sftp"]);
}
