//! Servers that the client starts.

use std::io;
use std::time::{Duration, Instant};

use codex_exec_server::{ClientOptions, ConnectError, RemoteCallError, RemoteFileSystem};
use codex_file_system::{CommandSpec, ExecutorFileSystem};
use codex_path_uri::AbsolutePathBuf;
use pretty_assertions::assert_eq;

use crate::support::path;

fn shell(script: &str) -> CommandSpec {
    CommandSpec {
        program: "/bin/sh".to_owned(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: vec![("GREETING".to_owned(), "hey".to_owned())],
        cwd: Some(AbsolutePathBuf::from_absolute_path_checked("/").unwrap()),
    }
}

/// A server that answers the handshake and one request.
const ONE_ANSWER: &str = r#"
    read initialize
    echo '{"id":1,"result":{"sessionId":"'"$GREETING$PWD"'"}}'
    read initialized; read request
    echo '{"id":2,"result":{"dataBase64":"YQ=="}}'
"#;

async fn spawn(script: &str) -> RemoteFileSystem {
    RemoteFileSystem::spawn(shell(script), ClientOptions::default())
        .await
        .unwrap()
}

#[tokio::test]
async fn a_program_serves_on_its_pipes_with_its_arguments_environment_and_directory() {
    let remote = spawn(&format!("{ONE_ANSWER} cat > /dev/null")).await;
    let read = remote.read_file(&path("file:///a"), None).await;
    assert_eq!(read.unwrap(), b"a");
    assert_eq!(remote.server_info().await.unwrap().session_id, "hey/");
    remote.close().await;
}

#[tokio::test]
async fn a_program_that_is_not_there_cannot_be_spawned() {
    let mut command = shell("");
    command.program = "/nonexistent/program".to_owned();
    let spawned = RemoteFileSystem::spawn(command, ClientOptions::default()).await;
    let ConnectError::Spawn { program, source } = spawned.unwrap_err() else {
        panic!("spawn");
    };
    assert_eq!(program, "/nonexistent/program");
    assert_eq!(source.kind(), io::ErrorKind::NotFound);
}

#[tokio::test]
async fn a_program_that_ends_is_named_with_what_it_said() {
    let remote = spawn("echo warning >&2; echo no such host >&2; exit 255").await;
    let error = remote
        .read_file(&path("file:///a"), None)
        .await
        .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
    let source = error.get_ref().and_then(|source| source.downcast_ref());
    let source: &RemoteCallError = source.unwrap();
    assert_eq!(
        source.message,
        "the server process ended (exit status: 255): warning\nno such host"
    );
}

#[tokio::test]
async fn only_the_end_of_what_a_program_says_is_kept() {
    let script = "i=0; while [ $i -lt 3000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1";
    let remote = spawn(script).await;
    let error = remote
        .read_file(&path("file:///a"), None)
        .await
        .unwrap_err();
    let message = error.to_string();
    assert!(message.ends_with("line 2999"));
    assert!(message.len() < 8 * 1024 + 200);
}

#[tokio::test]
async fn a_program_that_ends_is_started_again_for_the_next_call() {
    let remote = spawn(ONE_ANSWER).await;
    for _ in 0..3 {
        let read = remote.read_file(&path("file:///a"), None).await;
        assert_eq!(read.unwrap(), b"a");
    }
    assert_eq!(remote.statistics().reconnections, 2);
}

#[tokio::test]
async fn a_program_that_has_never_served_is_started_once_more_and_then_once_for_each_call() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("starts");
    let remote = spawn(&format!("echo start >> {}; exit 5", log.display())).await;
    for starts_by_then in 2..=4 {
        let error = remote.read_file(&path("file:///a"), None).await;
        assert_eq!(
            error.unwrap_err().to_string(),
            "fs/readFile: the server process ended (exit status: 5)"
        );
        let starts = std::fs::read_to_string(&log).unwrap().lines().count();
        assert_eq!(starts, starts_by_then);
    }
}

#[tokio::test]
async fn a_program_that_does_not_end_with_its_input_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let pid_file = directory.path().join("pid");
    let script = format!(
        "trap '' TERM; echo $$ > {}; exec sleep 1000",
        pid_file.display()
    );
    let remote = spawn(&script).await;
    let pid = loop {
        match std::fs::read_to_string(&pid_file) {
            Ok(pid) if pid.ends_with('\n') => break pid.trim().to_owned(),
            _ => tokio::task::yield_now().await,
        }
    };
    let begun = Instant::now();
    remote.close().await;
    assert!(begun.elapsed() >= Duration::from_secs(2));
    assert!(!std::path::Path::new(&format!("/proc/{pid}/cmdline")).exists());
}
