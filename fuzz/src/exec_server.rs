//! The server: whatever is sent, what follows is answered.

use std::sync::Arc;

use codex_exec_server::server::{Access, EnvironmentInfo, Server, ServerOptions};
use codex_file_system::wrap::{Calls, Counting};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use serde_json::Value;

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

const LAST: &[u8] = b"\n{\"id\":\"the last\",\"method\":\"environment/status\"}";

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
    let options = ServerOptions {
        access,
        ..ServerOptions::new(EnvironmentInfo::new(cwd))
    };
    let server = Server::new(files.clone(), options);

    let input = [HANDSHAKE, data, LAST].concat();
    let mut output = Vec::new();
    let served = run(server.serve_stdio(&*input, &mut output));
    assert!(served.is_ok(), "{served:?}");
    check(&input, &output);
    if access == Access::ReadOnly {
        nothing_was_written(files.calls());
    }
}

/// Every answer is to something that was sent, none twice as often as there are lines for it, and
/// the last request is answered.
fn check(input: &[u8], output: &[u8]) {
    let answers = lines(output).map(serde_json::from_slice::<Value>);
    let answers: Vec<Value> = answers.collect::<Result<_, _>>().expect("answers are JSON");
    assert!(answers.len() <= lines(input).count());
    let last = answers.iter().filter(|answer| answer["id"] == "the last");
    assert!(last.count() >= 1, "{answers:?}");
    for answer in &answers {
        assert_ne!(answer["error"]["message"], "internal error");
    }
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
