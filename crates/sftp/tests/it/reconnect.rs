//! A program that ends is started again: reads are made again, writes never.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
#[cfg(target_os = "linux")]
use std::path::Path;
use std::time::Duration;

use codex_file_system::{CommandSpec, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions};
use codex_sftp::{ConnectError, SftpError, SftpFileSystem, SftpOptions};
use futures::future::join_all;
use pretty_assertions::assert_eq;

use crate::program::Program;
use crate::support::{kind, uri};

/// More than the requests of any call below, the greeting included.
const REQUESTS: usize = 12;

async fn started(program: &Program) -> Result<SftpFileSystem, ConnectError> {
    SftpFileSystem::spawn(program.command.clone(), SftpOptions::default()).await
}

/// Everything that only asks.
async fn answers(fs: &SftpFileSystem) -> Vec<Result<String, ErrorKind>> {
    let [big, listed, link, missing] = [uri("/big"), uri("/d"), uri("/d/l"), uri("/missing")];
    let text = |answer: io::Result<String>| answer.map_err(|error| error.kind());
    let big = fs.read_file(&big, None).await;
    let sum = big.map(|bytes| format!("{} {:?}", bytes.len(), bytes.last()));
    let listing = fs.read_directory(&listed, None).await;
    vec![
        text(sum),
        text(listing.map(|listing| format!("{listing:?}"))),
        text(
            fs.get_metadata(&link, None)
                .await
                .map(|metadata| format!("{metadata:?}")),
        ),
        text(
            fs.canonicalize(&link, None)
                .await
                .map(|path| path.to_string()),
        ),
        text(fs.read_file_text(&missing, None).await),
    ]
}

#[tokio::test]
async fn a_cut_at_any_message_changes_no_answer() {
    let uncut = Program::cut_at(&[]);
    let expected = answers(&started(&uncut).await.unwrap()).await;
    let [requests] = &uncut.starts()[..] else {
        panic!("one start is enough");
    };
    // The first request is the greeting's.
    for cut in 2..=requests.len() {
        let program = Program::cut_at(&[cut]);
        let fs = started(&program).await.unwrap();
        assert_eq!(answers(&fs).await, expected, "cut at {cut}");
        assert_eq!(program.starts().len(), 2, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_write_is_made_once_or_not_at_all() {
    let remove = RemoveOptions {
        recursive: false,
        force: false,
    };
    let create = CreateDirectoryOptions { recursive: false };
    for cut in 2..=REQUESTS {
        let program = Program::cut_at(&[cut]);
        let fs = started(&program).await.unwrap();
        let [new, old, directory] = [uri("/new"), uri("/d/a"), uri("/made")];
        let answers = [
            fs.write_file(&new, b"x".to_vec(), None).await,
            fs.create_directory(&directory, create, None).await,
            fs.remove(&old, remove, None).await,
        ];
        for answer in answers {
            let Err(error) = answer else { continue };
            assert_eq!(error.kind(), ErrorKind::BrokenPipe, "cut at {cut}: {error}");
            let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
            assert!(matches!(
                payload,
                Some(SftpError::ConnectionLost { sent: true })
            ));
        }
        let mut counts = BTreeMap::new();
        for request in program.starts().concat() {
            *counts.entry(request).or_insert(0) += 1;
        }
        for request in ["open", "write", "mkdir", "remove"] {
            let count = counts.get(request).copied().unwrap_or(0);
            assert!(count <= 1, "cut at {cut}: {request} {count} times");
        }
    }
}

#[tokio::test]
async fn a_second_loss_is_the_end_of_a_read() {
    let program = Program::cut_at(&[3, 3]);
    let fs = started(&program).await.unwrap();
    let answer = fs.get_metadata(&uri("/d/a"), None).await;
    assert_eq!(kind(answer), Some(ErrorKind::BrokenPipe));
    // The next call begins anew.
    fs.get_metadata(&uri("/d/a"), None).await.unwrap();
    assert_eq!(program.starts().len(), 3);
}

#[tokio::test]
async fn five_failed_attempts_fail_everybody_and_the_next_call_begins_anew() {
    // The greeting itself is cut five times.
    let program = Program::cut_at(&[3, 1, 1, 1, 1, 1]);
    let fs = started(&program).await.unwrap();
    let path = uri("/d/a");
    let answers = join_all((0..3).map(|_| fs.get_metadata(&path, None))).await;
    for answer in answers {
        let error = answer.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BrokenPipe);
        let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
        let Some(SftpError::Unreachable { source }) = payload else {
            panic!("{error}");
        };
        assert!(matches!(**source, ConnectError::ChildExited { .. }));
    }
    assert_eq!(program.starts().len(), 6);
    fs.get_metadata(&path, None).await.unwrap();
    assert_eq!(program.starts().len(), 7);
}

#[tokio::test]
async fn one_reconnection_serves_everybody() {
    let program = Program::cut_at(&[20]);
    let fs = started(&program).await.unwrap();
    let path = uri("/d/a");
    let texts = join_all((0..50).map(|_| fs.read_file_text(&path, None))).await;
    for text in texts {
        assert_eq!(text.unwrap(), "hello");
    }
    assert_eq!(program.starts().len(), 2);
}

#[tokio::test]
async fn nothing_is_started_again_where_nobody_wants_it() {
    let program = Program::cut_at(&[3]);
    let options = SftpOptions {
        reconnect: false,
        ..SftpOptions::default()
    };
    let command = program.command.clone();
    let fs = SftpFileSystem::spawn(command, options).await.unwrap();
    for _ in 0..2 {
        let answer = fs.get_metadata(&uri("/d/a"), None).await;
        assert_eq!(kind(answer), Some(ErrorKind::BrokenPipe));
    }
    assert_eq!(program.starts().len(), 1);
}

fn shell(script: &str) -> CommandSpec {
    CommandSpec {
        program: "sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: Vec::new(),
        cwd: None,
    }
}

#[tokio::test]
async fn a_program_that_ends_early_tells_why() {
    let command = shell("echo 'Host key verification failed.' >&2; exit 255");
    let error = SftpFileSystem::spawn(command, SftpOptions::default())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the program ended (exit status: 255): Host key verification failed."
    );
}

#[tokio::test]
async fn the_end_of_a_long_complaint_is_kept() {
    let command = shell("i=0; while [ $i -lt 5000 ]; do echo \"line $i\"; i=$((i+1)); done >&2");
    let error = SftpFileSystem::spawn(command, SftpOptions::default()).await;
    match error.unwrap_err() {
        ConnectError::ChildExited { stderr_tail, .. } => {
            assert_eq!(stderr_tail.len(), 8 * 1024);
            assert!(stderr_tail.ends_with("line 4999\n"));
        }
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_program_that_cannot_be_started_is_named() {
    let mut command = shell("");
    command.program = "no-such-program-anywhere".to_owned();
    let error = SftpFileSystem::spawn(command, SftpOptions::default()).await;
    let error = error.unwrap_err();
    assert_eq!(error.to_string(), "cannot start `no-such-program-anywhere`");
    assert!(matches!(error, ConnectError::Spawn { .. }));
}

#[tokio::test]
async fn a_program_that_says_nothing_is_given_up() {
    let after = Duration::from_millis(100);
    let options = SftpOptions {
        call_timeout: Some(after),
        ..SftpOptions::default()
    };
    let error = SftpFileSystem::spawn(shell("exec sleep 100"), options).await;
    assert!(matches!(
        error.unwrap_err(),
        ConnectError::Timeout { after: told } if told == after
    ));
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the process is on this host")]
async fn a_program_that_does_not_end_when_it_is_let_go_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let told = directory.path().join("process");
    let script = format!("echo $$ > '{}'; exec sleep 1000", told.display());
    let options = SftpOptions {
        call_timeout: Some(Duration::from_millis(500)),
        ..SftpOptions::default()
    };
    let error = SftpFileSystem::spawn(shell(&script), options).await;
    assert!(matches!(error.unwrap_err(), ConnectError::Timeout { .. }));
    let process = std::fs::read_to_string(&told).unwrap();
    gone(&Path::new("/proc").join(process.trim())).await;
}

/// Waits until a process has ended.
#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "the process is on this host")]
async fn gone(process: &Path) {
    let gone = async {
        while process.exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone)
        .await
        .unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the process is on this host")]
async fn no_program_outlives_its_filesystem() {
    let program = Program::cut_at(&[]);
    let fs = started(&program).await.unwrap();
    let clone = fs.clone();
    drop(fs);
    clone.get_metadata(&uri("/d/a"), None).await.unwrap();
    let [process] = &program.processes()[..] else {
        panic!("one start is enough");
    };
    assert!(process.exists());
    drop(clone);
    gone(process).await;
}
