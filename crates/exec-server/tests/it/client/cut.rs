//! Lines that are cut at each message boundary, on streams and on the pipes of a program.
//!
//! The server is that of this crate. Between it and the client stands a relay that carries so many
//! messages, in either direction, and no more.

use std::io;
use std::sync::{Arc, Mutex};

use codex_exec_server::server::{EnvironmentInfo, Server, ServerOptions};
use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::CommandSpec;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::session::{
    Step, TREE, assert_unchanged, run_all, run_uncut, runtime, steps, was_sent, written_once,
};
use crate::support::path;

/// A server whose first connection is cut.
struct Relay {
    port: u16,
    state: Arc<State>,
}

struct State {
    server: Server,
    /// How many messages the first connection carries.
    cut: usize,
    /// How many messages of the first connection were carried.
    carried: Mutex<usize>,
    /// What came through to the server.
    log: Mutex<Vec<Value>>,
}

impl Relay {
    async fn start(cut: usize) -> Self {
        let files = MemoryFileSystem::from_tree(Flavor::Posix, TREE).unwrap();
        let info = EnvironmentInfo::new(path("file:///"));
        let state = Arc::new(State {
            server: Server::new(Arc::new(files), ServerOptions::new(info)),
            cut,
            carried: Mutex::new(0),
            log: Mutex::new(Vec::new()),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = state.clone();
        tokio::spawn(async move {
            let mut is_first = true;
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(carry(shared.clone(), stream, is_first));
                is_first = false;
            }
        });
        Self { port, state }
    }

    async fn connect(&self) -> RemoteFileSystem {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let (reader, writer) = stream.into_split();
        RemoteFileSystem::from_streams(reader, writer, ClientOptions::default())
    }

    /// Reaches the server through the pipes of a program.
    async fn spawn(&self) -> RemoteFileSystem {
        let port = self.port;
        // A shell gives a command in the background nothing to read unless it is told to.
        let script = format!(
            "exec 3<>/dev/tcp/127.0.0.1/{port} 4<&0; cat <&4 >&3 & exec cat <&3 4<&- 2>/dev/null"
        );
        let command = CommandSpec {
            program: "bash".to_owned(),
            args: vec!["-c".to_owned(), script],
            env: Vec::new(),
            cwd: None,
        };
        let spawned = RemoteFileSystem::spawn(command, ClientOptions::default());
        spawned.await.unwrap()
    }

    fn log(&self) -> Vec<Value> {
        self.state.log.lock().unwrap().clone()
    }

    fn carried(&self) -> usize {
        *self.state.carried.lock().unwrap()
    }
}

/// Carries lines between a client and the server until there have been enough.
async fn carry(state: Arc<State>, stream: TcpStream, is_first: bool) -> Option<()> {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(there);
    let server = state.server.clone();
    tokio::spawn(async move { server.serve_stdio(reader, writer).await });
    let (from_client, mut to_client) = stream.into_split();
    let (from_server, mut to_server) = tokio::io::split(here);
    let mut of_client = BufReader::new(from_client).lines();
    let mut of_server = BufReader::new(from_server).lines();
    let mut left = if is_first { state.cut } else { usize::MAX };
    loop {
        let (line, is_request) = tokio::select! {
            line = of_client.next_line() => (line.ok()??, true),
            line = of_server.next_line() => (line.ok()??, false),
        };
        left = left.checked_sub(1)?;
        if is_first {
            *state.carried.lock().unwrap() += 1;
        }
        let bytes = format!("{line}\n");
        if is_request {
            let message = serde_json::from_str(&line).unwrap();
            state.log.lock().unwrap().push(message);
            to_server.write_all(bytes.as_bytes()).await.ok()?;
        } else {
            to_client.write_all(bytes.as_bytes()).await.ok()?;
        }
    }
}

/// The path of a write, as it stands in a message.
fn target(step: &Step) -> Option<String> {
    match step {
        Step::Write(number) => Some(format!("\"file:///w{number}\"")),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Streams are not made again: a call has its result or is lost, and a write of which the
    /// client says that it was not sent has not been made.
    #[test]
    fn on_streams_a_cut_at_any_message_loses_calls_and_changes_none(steps in steps()) {
        runtime().block_on(async {
            let whole = Relay::start(usize::MAX).await;
            let uncut = run_uncut(&whole.connect().await, &steps).await;
            for cut in 0..=whole.carried() {
                let relay = Relay::start(cut).await;
                let results = run_all(&relay.connect().await, &steps).await;
                let writes = written_once(&relay.log());
                for ((_, expected), (step, result)) in uncut.iter().zip(results) {
                    match (expected, result) {
                        (Ok(expected), Ok(result)) => assert_eq!(*expected, result),
                        (Err(expected), Err(error)) if expected.kind() == error.kind() => {}
                        (_, Err(error)) => {
                            assert_eq!(error.kind(), io::ErrorKind::BrokenPipe, "{cut}, {step:?}");
                            let is_made = target(&step).is_some_and(|path| writes.contains(&path));
                            assert!(was_sent(&error) || !is_made, "{cut}, {step:?}");
                        }
                        (expected, result) => panic!("{cut}, {step:?}: {expected:?}, {result:?}"),
                    }
                }
            }
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2))]

    /// A program is started again, and nothing but a write of which nobody knows is lost.
    #[test]
    fn on_pipes_of_a_program_a_cut_at_any_message_changes_no_read_and_repeats_no_write(
        steps in steps(),
    ) {
        runtime().block_on(async {
            let whole = Relay::start(usize::MAX).await;
            let uncut = run_uncut(&whole.spawn().await, &steps).await;
            for cut in 0..=whole.carried() {
                let relay = Relay::start(cut).await;
                let remote = relay.spawn().await;
                assert_unchanged(&uncut, run_all(&remote, &steps).await);
                written_once(&relay.log());
                assert!(remote.statistics().reconnections <= 1);
            }
        });
    }
}
