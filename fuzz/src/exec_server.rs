//! The server: each request is answered exactly once, whatever else was sent.

use std::collections::HashMap;
use std::sync::Arc;

use codex_exec_server::envelope::{Message, RequestId};
use codex_exec_server::server::{Access, EnvironmentInfo, Server, ServerOptions};
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;

use crate::runtime::run;

const TREE: &str = "
    /srv/AGENTS.md = Be brief.
    /srv/d/large =*100000
    /srv/d/link -> ../AGENTS.md
    /srv/d/loop -> loop
    /srv/closed/ !000
";

const HANDSHAKE: &[u8] =
    b"{\"id\":-7,\"method\":\"initialize\",\"params\":{\"clientName\":\"f\"}}\n\
    {\"method\":\"initialized\"}\n";

/// The bytes are lines that a client sends after the handshake. If the first byte is `r`, which is
/// not sent, the server serves for reading only.
pub fn exec_server(data: &[u8]) {
    let (access, data) = match data.split_first() {
        Some((b'r', rest)) => (Access::ReadOnly, rest),
        _ => (Access::ReadWrite, data),
    };
    let memory = MemoryFileSystem::from_tree(Flavor::Posix, TREE).expect("the tree is one");
    let files = Arc::new(Counting::new(memory));
    let cwd = PathUri::parse("file:///srv").expect("the directory is a path");
    let options = ServerOptions::new(EnvironmentInfo::new(cwd)).with_access(access);
    let server = Server::new(files.clone(), options);

    let input = [HANDSHAKE, data].concat();
    let mut output = Vec::new();
    let served = run(server.serve_stdio(&*input, &mut output));
    assert!(served.is_ok(), "{served:?}");
    assert_eq!(answers(&output), questions(&input));
    if access == Access::ReadOnly {
        nothing_was_written(files.calls());
    }
}

type Tally = HashMap<RequestId, usize>;

/// How many answers each id must have; what is no message is answered as well.
fn questions(input: &[u8]) -> Tally {
    let mut tally = Tally::new();
    for line in lines(input) {
        let id = match Message::parse(line) {
            Ok(Message::Request { id, .. }) => id,
            Ok(_) => continue,
            Err(_) => RequestId::UNKNOWN,
        };
        *tally.entry(id).or_default() += 1;
    }
    tally
}

fn answers(output: &[u8]) -> Tally {
    let mut tally = Tally::new();
    for line in lines(output) {
        match Message::parse(line) {
            Ok(Message::Success { id, .. }) => *tally.entry(id).or_default() += 1,
            Ok(Message::Failure { id, error }) => {
                assert_ne!(error.message, "internal error");
                *tally.entry(id).or_default() += 1;
            }
            other => assert!(other.is_err(), "a server asks nothing: {other:?}"),
        }
    }
    tally
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    lines.filter(|line| !line.trim_ascii().is_empty())
}

fn nothing_was_written(calls: Calls) {
    let written = (
        calls.write_file,
        calls.create_directory,
        calls.remove,
        calls.copy,
    );
    assert_eq!(written, (0, 0, 0, 0));
}
