//! The client: whatever a server answers, every call ends, and what it brings is sound.

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_path_uri::PathUri;
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, duplex, split,
};

use crate::any_file_system::ask;
use crate::runtime::{answered, run};

/// Most bytes on the way: more than all the questions and answers of one run.
const PIPE_BYTES: usize = 1024 * 1024;

/// The bytes are the answers of a server, a line for each request, the handshake's the first. A
/// line is a result; behind `!` it is an error, behind `#` it is sent as it is. After the last one
/// the server hangs up. The first byte, which is part of no answer, is `w` for a Windows machine.
pub fn exec_client(data: &[u8]) {
    let (root, data) = match data.split_first() {
        Some((b'w', rest)) => ("file:///C:/srv", rest),
        Some((_, rest)) => ("file:///srv", rest),
        None => return,
    };
    let root = PathUri::parse(root).expect("the root is a path");
    run(async {
        let (near, far) = duplex(PIPE_BYTES);
        let (reader, writer) = split(near);
        let options = ClientOptions {
            block_read_threshold: 4,
            ..ClientOptions::new("fuzz")
        };
        let fs = RemoteFileSystem::from_streams(reader, writer, options);
        answered(serve(far, data), ask(&fs, &root)).await;
    });
}

async fn serve(pipe: impl AsyncRead + AsyncWrite, script: &[u8]) {
    let (reader, mut writer) = split(pipe);
    let mut requests = BufReader::new(reader).split(b'\n');
    for answer in script.split(|byte| *byte == b'\n') {
        let id = loop {
            let Ok(Some(line)) = requests.next_segment().await else {
                return;
            };
            let request: Value = serde_json::from_slice(&line).expect("a client sends JSON");
            if !request["id"].is_null() {
                break request["id"].clone();
            }
        };
        let line = spelled(&id, answer);
        if writer.write_all(&line).await.is_err() {
            return;
        }
    }
}

fn spelled(id: &Value, answer: &[u8]) -> Vec<u8> {
    let id = id.to_string().into_bytes();
    match answer.split_first() {
        Some((b'#', raw)) => [raw, b"\n"].concat(),
        Some((b'!', error)) => [b"{\"id\":", &*id, b",\"error\":", error, b"}\n"].concat(),
        _ => [b"{\"id\":", &*id, b",\"result\":", answer, b"}\n"].concat(),
    }
}
