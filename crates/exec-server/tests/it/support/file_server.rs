//! A small WebSocket server over a filesystem in memory, which can be told to break connections.
//!
//! It is written for the tests alone and shares no code with the server of the crate, so the
//! client is held against the protocol and not against its sibling.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use codex_file_system::{ExecutorFileSystem, FileKind, WalkEntry, WalkOptions};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::path;

/// When a connection is broken without a goodbye.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Never,
    /// The first connection, after so many messages in either direction.
    FirstAfter(usize),
    /// Every connection, after so many messages in either direction.
    EveryAfter(usize),
}

pub(crate) struct FileServer {
    pub(crate) url: String,
    state: Arc<State>,
}

struct State {
    files: MemoryFileSystem,
    cut: Cut,
    /// What came in, connection by connection.
    log: Mutex<Vec<Vec<Value>>>,
    /// The answers to `initialize`, before the usual one.
    greetings: Mutex<Vec<Value>>,
    connections: AtomicUsize,
}

impl FileServer {
    pub(crate) async fn start(tree: &str, cut: Cut) -> Self {
        Self::with_greetings(tree, cut, Vec::new()).await
    }

    /// A server that answers the first `initialize` of later connections with these errors.
    pub(crate) async fn with_greetings(tree: &str, cut: Cut, greetings: Vec<Value>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}", listener.local_addr().unwrap());
        let state = Arc::new(State {
            files: MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap(),
            cut,
            log: Mutex::new(Vec::new()),
            greetings: Mutex::new(greetings),
            connections: AtomicUsize::new(0),
        });
        let shared = state.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(shared.clone(), stream));
            }
        });
        Self { url, state }
    }

    /// The methods of each connection, in the order they came.
    pub(crate) fn methods(&self) -> Vec<Vec<String>> {
        let method = |message: &Value| message["method"].as_str().unwrap().to_owned();
        let log = self.state.log.lock().unwrap();
        log.iter()
            .map(|messages| messages.iter().map(method).collect())
            .collect()
    }

    /// Every message, whichever connection it came on.
    pub(crate) fn messages(&self) -> Vec<Value> {
        self.state.log.lock().unwrap().concat()
    }
}

/// One connection, and how many messages it may still carry.
struct Wire {
    socket: WebSocketStream<TcpStream>,
    left: usize,
}

impl Wire {
    async fn receive(&mut self) -> Option<Value> {
        loop {
            match self.socket.next().await?.ok()? {
                Message::Text(text) => {
                    self.left = self.left.checked_sub(1)?;
                    return Some(serde_json::from_str(&text).unwrap());
                }
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    async fn send(&mut self, message: Value) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        let message = Message::text(message.to_string());
        self.socket.send(message).await.ok()
    }
}

async fn serve(state: Arc<State>, stream: TcpStream) -> Option<()> {
    let number = state.connections.fetch_add(1, Ordering::SeqCst);
    let socket = tokio_tungstenite::accept_async(stream).await.ok()?;
    let left = match state.cut {
        Cut::FirstAfter(left) if number == 0 => left,
        Cut::EveryAfter(left) => left,
        _ => usize::MAX,
    };
    let mut wire = Wire { socket, left };
    let connection = {
        let mut log = state.log.lock().unwrap();
        log.push(Vec::new());
        log.len() - 1
    };
    loop {
        let message = wire.receive().await?;
        state.log.lock().unwrap()[connection].push(message.clone());
        if message["id"].is_null() {
            continue;
        }
        let outcome = if message["method"] == "initialize" {
            let scripted = (number > 0).then(|| state.greetings.lock().unwrap().pop());
            match scripted.flatten() {
                Some(error) => Err(error),
                None => Ok(json!({"sessionId": "the-session"})),
            }
        } else {
            answer(&state.files, &message).await
        };
        let answer = match outcome {
            Ok(result) => json!({"id": message["id"], "result": result}),
            Err(error) => json!({"id": message["id"], "error": error}),
        };
        wire.send(answer).await?;
    }
}

async fn answer(files: &MemoryFileSystem, message: &Value) -> Result<Value, Value> {
    let params = &message["params"];
    let asked = params["path"].as_str().map(path);
    let asked = asked.unwrap_or_else(|| path("file:///handle"));
    let result = match message["method"].as_str().unwrap() {
        "fs/getMetadata" => files.get_metadata(&asked, None).await.map(|metadata| {
            json!({"isFile": metadata.is_file, "isDirectory": metadata.is_directory,
                "size": metadata.size})
        }),
        "fs/readFile" => files
            .read_file(&asked, None)
            .await
            .map(|bytes| json!({"dataBase64": BASE64_STANDARD.encode(&bytes)})),
        "fs/readDirectory" => files.read_directory(&asked, None).await.map(|entries| {
            let entry = |entry: &codex_file_system::ReadDirectoryEntry| {
                json!({"fileName": entry.file_name.as_str(),
                    "isFile": entry.kind == FileKind::File,
                    "isDirectory": entry.kind == FileKind::Directory})
            };
            json!({"entries": entries.iter().map(entry).collect::<Vec<_>>()})
        }),
        "fs/walk" => {
            let options = WalkOptions::new(6, 2_000, 20_000);
            files.walk(&asked, &options, None).await.map(|walk| {
                let entry = |entry: &WalkEntry| {
                    let is_file = entry.kind == FileKind::File;
                    json!({"path": entry.path.as_str(),
                        "kind": if is_file { "file" } else { "directory" }})
                };
                let entries: Vec<_> = walk.entries.iter().map(entry).collect();
                json!({"entries": entries, "errors": [], "truncated": walk.truncated})
            })
        }
        "fs/writeFile" => {
            let contents = BASE64_STANDARD
                .decode(params["dataBase64"].as_str().unwrap())
                .unwrap();
            let written = files.write_file(&asked, contents, None).await;
            written.map(|()| json!({}))
        }
        // The handle is the path, which no client may count on.
        "fs/open" => {
            let handle = params["handleId"].as_str().unwrap();
            let link = format!("/handles/{handle} = {}", params["path"].as_str().unwrap());
            files.add_tree(&link).unwrap();
            Ok(json!({"handleId": handle}))
        }
        "fs/readBlock" => {
            let handle = format!("file:///handles/{}", params["handleId"].as_str().unwrap());
            let target = files.read_file_text(&path(&handle), None).await.unwrap();
            let content = files.read_file(&path(&target), None).await.unwrap();
            let offset = params["offset"].as_u64().unwrap() as usize;
            let len = params["len"].as_u64().unwrap() as usize;
            let rest = content.get(offset..).unwrap_or_default();
            let chunk = rest.get(..len).unwrap_or(rest);
            Ok(json!({"chunk": BASE64_STANDARD.encode(chunk), "eof": chunk.len() < len}))
        }
        "fs/close" => Ok(json!({})),
        other => panic!("unexpected {other}"),
    };
    result.map_err(|error| {
        let data = json!({"kind": codex_file_system::error::kind_name(error.kind())});
        json!({"code": -32603, "message": error.to_string(), "data": data})
    })
}
