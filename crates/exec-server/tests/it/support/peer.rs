//! The other end of a client's pipe, played by hand: it reads one message and writes another.

use std::time::Duration;

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

/// Enough for any message of a test, so that no side waits for the other to read.
const PIPE_BYTES: usize = 64 * 1024 * 1024;

pub(crate) struct Peer {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

/// A client and the other end of its pipe.
pub(crate) fn client(options: ClientOptions) -> (RemoteFileSystem, Peer) {
    let (here, there) = tokio::io::duplex(PIPE_BYTES);
    let (reader, writer) = tokio::io::split(here);
    let remote = RemoteFileSystem::from_streams(reader, writer, options);
    let (reader, writer) = tokio::io::split(there);
    let reader = BufReader::new(reader);
    (remote, Peer { reader, writer })
}

/// A client whose handshake is done.
pub(crate) async fn greeted_client(options: ClientOptions) -> (RemoteFileSystem, Peer) {
    let (remote, mut peer) = client(options);
    peer.greet().await;
    remote.server_info().await.unwrap();
    (remote, peer)
}

pub(crate) fn path(uri: &str) -> PathUri {
    PathUri::parse(uri).unwrap()
}

impl Peer {
    /// The next message of the client.
    pub(crate) async fn next(&mut self) -> Value {
        let mut line = String::new();
        self.reader.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The next message, which is a request for `method`.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let request = self.next().await;
        assert_eq!(request["method"], method);
        request
    }

    /// All that the client has sent by now without waiting for an answer.
    pub(crate) async fn burst(&mut self) -> Vec<Value> {
        let mut bytes = vec![0; PIPE_BYTES];
        let length = self.reader.read(&mut bytes).await.unwrap();
        let text = std::str::from_utf8(&bytes[..length]).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Whether nothing comes, however long one waits.
    pub(crate) async fn is_silent(&mut self) -> bool {
        let wait = tokio::time::timeout(Duration::from_millis(50), self.reader.fill_buf());
        wait.await.is_err()
    }

    /// Whether the client has closed its end.
    pub(crate) async fn is_at_end(&mut self) -> bool {
        self.reader.fill_buf().await.unwrap().is_empty()
    }

    pub(crate) async fn greet(&mut self) {
        let request = self.expect("initialize").await;
        self.expect("initialized").await;
        self.succeed(&request, json!({"sessionId": "s"})).await;
    }

    pub(crate) async fn send(&mut self, message: &str) {
        self.writer.write_all(message.as_bytes()).await.unwrap();
        self.writer.write_all(b"\n").await.unwrap();
    }

    pub(crate) async fn succeed(&mut self, request: &Value, result: Value) {
        let answer = json!({"id": request["id"], "result": result});
        self.send(&answer.to_string()).await;
    }

    pub(crate) async fn fail(&mut self, request: &Value, error: Value) {
        let answer = json!({"id": request["id"], "error": error});
        self.send(&answer.to_string()).await;
    }
}
