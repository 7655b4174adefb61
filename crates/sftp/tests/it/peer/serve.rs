//! A peer at the other end of two streams: every answer comes one latency after its request.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codex_sftp::{SftpFileSystem, SftpOptions};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

use super::Script;
use super::codec::Message;
use super::server::{Outcome, Server, name_of};
use super::tree::{Node, Tree};

/// How long an answer takes.
pub(crate) const LATENCY: Duration = Duration::from_millis(50);

/// A peer behind in-process pipes, and what it has seen.
#[derive(Clone)]
pub(crate) struct Peer {
    server: Arc<Mutex<Server>>,
    log: Arc<Mutex<Vec<&'static str>>>,
}

impl Peer {
    /// A filesystem of this tree, behind a peer that keeps to this script.
    pub(crate) fn start(
        tree: Tree,
        script: Script,
        options: SftpOptions,
    ) -> (SftpFileSystem, Self) {
        let cut_at = script.cut_at;
        let is_reversed = script.is_reversed;
        let peer = Self {
            server: Arc::new(Mutex::new(Server::new(script, tree))),
            log: Arc::default(),
        };
        let (near, far) = tokio::io::duplex(1024 * 1024);
        let (reader, writer) = tokio::io::split(far);
        let log = Arc::clone(&peer.log);
        let seen = move |name| log.lock().unwrap().push(name);
        let server = Arc::clone(&peer.server);
        tokio::spawn(async move {
            let pace = Pace {
                latency: LATENCY,
                is_reversed,
                cut_at,
            };
            run(reader, writer, &server, pace, seen).await;
        });
        let (reader, writer) = tokio::io::split(near);
        (SftpFileSystem::from_streams(reader, writer, options), peer)
    }

    /// How often each request was seen since the last time.
    pub(crate) fn take_counts(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        for name in self.take_log() {
            *counts.entry(name).or_insert(0) += 1;
        }
        counts
    }

    /// The requests seen since the last time.
    pub(crate) fn take_log(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    pub(crate) fn open_now(&self) -> usize {
        self.server.lock().unwrap().open_now()
    }

    pub(crate) fn most_open(&self) -> usize {
        self.server.lock().unwrap().most_open
    }

    /// The bytes that all reads asked for.
    pub(crate) fn bytes_asked(&self) -> usize {
        self.server.lock().unwrap().bytes_asked
    }

    /// The content of a file.
    pub(crate) fn contents(&self, path: &str) -> Option<Vec<u8>> {
        match self.server.lock().unwrap().tree.node(path.as_bytes(), true) {
            Some((_, Node::File(contents))) => Some(contents.clone()),
            _ => None,
        }
    }

    /// All paths below the root.
    pub(crate) fn paths(&self) -> Vec<String> {
        let server = self.server.lock().unwrap();
        let paths = server.tree.0.keys().skip(1);
        paths
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect()
    }
}

/// Serves one connection without delay, and tells of every request.
pub(crate) async fn serve(
    reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    tree: Tree,
    script: Script,
    seen: impl FnMut(&'static str),
) {
    let pace = Pace {
        latency: Duration::ZERO,
        is_reversed: script.is_reversed,
        cut_at: script.cut_at,
    };
    let server = Mutex::new(Server::new(script, tree));
    run(reader, writer, &server, pace, seen).await;
}

struct Pace {
    latency: Duration,
    is_reversed: bool,
    cut_at: Option<usize>,
}

async fn run(
    mut reader: impl AsyncRead + Unpin,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    server: &Mutex<Server>,
    pace: Pace,
    mut seen: impl FnMut(&'static str),
) {
    let (answers, queue) = mpsc::unbounded_channel();
    let writing = tokio::spawn(answer_all(writer, queue, pace.is_reversed));
    let mut requests = 0;
    while let Some(message) = next_message(&mut reader).await {
        let mut body = Message(&message);
        let kind = body.byte();
        let due = Instant::now() + pace.latency;
        if kind == 1 {
            let _ = answers.send((due, server.lock().unwrap().version()));
            continue;
        }
        let id = body.number();
        seen(name_of(kind));
        requests += 1;
        if pace.cut_at == Some(requests) {
            break;
        }
        let outcome = server.lock().unwrap().handle(kind, id, body.0);
        match outcome {
            Outcome::Answer(answer) => drop(answers.send((due, answer))),
            Outcome::Nothing => {}
            Outcome::Stuck => std::future::pending().await,
        }
    }
    drop(answers);
    if pace.cut_at.is_some() {
        writing.abort();
    }
    let _ = writing.await;
}

async fn next_message(reader: &mut (impl AsyncRead + Unpin)) -> Option<Vec<u8>> {
    let length = reader.read_u32().await.ok()?;
    let mut message = vec![0; length as usize];
    reader.read_exact(&mut message).await.ok()?;
    Some(message)
}

async fn answer_all(
    mut writer: impl AsyncWrite + Unpin,
    mut queue: mpsc::UnboundedReceiver<(Instant, Vec<u8>)>,
    is_reversed: bool,
) {
    while let Some((due, answer)) = queue.recv().await {
        sleep_until(due).await;
        let mut ready = vec![answer];
        while let Ok((_, answer)) = queue.try_recv() {
            ready.push(answer);
        }
        if is_reversed {
            ready.reverse();
        }
        for answer in ready {
            if writer.write_all(&answer).await.is_err() {
                return;
            }
        }
        let _ = writer.flush().await;
    }
}
