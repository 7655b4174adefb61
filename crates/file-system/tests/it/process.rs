//! Programs behind pipes: what is told of their end, and that they end.

use std::{os::unix::process::ExitStatusExt as _, time::Duration};

use codex_file_system::{ChildProcess, CommandSpec};
use pretty_assertions::assert_eq;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

fn sh(script: &str) -> CommandSpec {
    CommandSpec {
        program: "sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: vec![("GREETING".to_owned(), "hello".to_owned())],
        cwd: None,
    }
}

#[tokio::test]
async fn a_program_is_spoken_to_over_its_pipes() {
    let command = sh("read line; printf '%s %s' \"$GREETING\" \"$line\"");
    let (mut stdin, mut stdout, mut program) = ChildProcess::spawn(&command).unwrap();
    stdin.write_all(b"world\n").await.unwrap();
    let mut said = String::new();
    stdout.read_to_string(&mut said).await.unwrap();
    assert_eq!(said, "hello world");
    program.ended().await;
    let report = program.finish(Duration::ZERO).await;
    assert_eq!(report.status.and_then(|status| status.code()), Some(0));
}

#[tokio::test]
async fn the_last_8_kib_of_the_standard_error_are_kept() {
    let command = sh("i=0; while [ $i -lt 2000 ]; do echo line $i >&2; i=$((i + 1)); done; exit 7");
    let (_, _, program) = ChildProcess::spawn(&command).unwrap();
    let report = program.finish(Duration::from_secs(60)).await;
    assert_eq!(report.status.and_then(|status| status.code()), Some(7));
    assert_eq!(report.stderr_tail.len(), 8 * 1024);
    assert!(report.stderr_tail.ends_with("\nline 1999\n"));
}

#[tokio::test]
async fn a_program_that_does_not_end_within_its_grace_is_killed() {
    let (stdin, _, program) = ChildProcess::spawn(&sh("exec sleep 600")).unwrap();
    drop(stdin);
    let report = program.finish(Duration::ZERO).await;
    assert_eq!(report.status.and_then(|status| status.signal()), Some(9));
}

#[tokio::test]
async fn what_a_program_started_does_not_hold_up_its_report() {
    let (_, _, program) = ChildProcess::spawn(&sh("sleep 2 & echo gone >&2")).unwrap();
    let report = program.finish(Duration::from_secs(60)).await;
    assert_eq!(report.stderr_tail, "gone\n");
}

#[tokio::test]
async fn what_a_program_started_ends_with_it_where_there_is_no_terminal() {
    if std::fs::File::open("/dev/tty").is_ok() {
        return;
    }
    let (_, mut stdout, program) =
        ChildProcess::spawn(&sh("sleep 600 & echo started; wait")).unwrap();
    let mut said = [0; 8];
    stdout.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"started\n");
    drop(program);
    // The pipe is open until the last of them is gone.
    assert_eq!(stdout.read(&mut said).await.unwrap(), 0);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_not_found() {
    let command = CommandSpec {
        program: "/nonexistent/program".to_owned(),
        ..sh("")
    };
    let error = ChildProcess::spawn(&command).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
}
