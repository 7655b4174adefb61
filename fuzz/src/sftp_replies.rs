//! SFTP: whatever a server answers, every call ends, and what it brings is sound.

use codex_path_uri::PathUri;
use codex_sftp::{SftpFileSystem, SftpOptions};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, duplex, split};

use crate::any_file_system::ask;
use crate::runtime::{answered, run};

const PIPE_BYTES: usize = 1024 * 1024;

/// The type of the first message of a server, which alone carries no id.
const VERSION: u8 = 2;

/// The bytes are the answers of a server, one for each request, the greeting's the first. Each is
/// a length, a type and as many bytes as the length says, which follow the id; one of type 0 is
/// sent as it is. After the last one the server hangs up. The first byte, which is part of no
/// answer, is `w` for a Windows machine.
pub fn sftp_replies(data: &[u8]) {
    let (root, data) = match data.split_first() {
        Some((b'w', rest)) => ("file:///C:/srv", rest),
        Some((_, rest)) => ("file:///srv", rest),
        None => return,
    };
    let root = PathUri::parse(root).expect("the root is a path");
    run(async {
        let (near, far) = duplex(PIPE_BYTES);
        let (reader, writer) = split(near);
        let fs = SftpFileSystem::from_streams(reader, writer, SftpOptions::default());
        answered(serve(far, data), ask(&fs, &root)).await;
    });
}

async fn serve(pipe: impl AsyncRead + AsyncWrite, mut script: &[u8]) {
    let (mut reader, mut writer) = split(pipe);
    while let [length, kind, rest @ ..] = script {
        let (body, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        script = rest;
        let Some(id) = next_request(&mut reader).await else {
            return;
        };
        let reply = spelled(*kind, id, body);
        if writer.write_all(&reply).await.is_err() {
            return;
        }
    }
}

/// The four bytes behind the type of the next request: its id.
async fn next_request(reader: &mut (impl AsyncRead + Unpin)) -> Option<[u8; 4]> {
    let length = usize::try_from(reader.read_u32().await.ok()?).ok()?;
    let mut request = vec![0; length];
    reader.read_exact(&mut request).await.ok()?;
    request.get(1..5)?.try_into().ok()
}

fn spelled(kind: u8, id: [u8; 4], body: &[u8]) -> Vec<u8> {
    if kind == 0 {
        return body.to_vec();
    }
    let id: &[u8] = if kind == VERSION { &[] } else { &id };
    let message = [&[kind], id, body].concat();
    let length = u32::try_from(message.len()).expect("a message is short");
    [&length.to_be_bytes(), &*message].concat()
}
