//! The peer's own protocol, as far as it is needed: JSON-RPC, one message a line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// Starts the peer in `cwd` and asks it for the skills of a session there.
///
/// Gives the one entry of its answer: `skills`, and `errors` for those that are lost.
pub(crate) fn skills(peer: &Path, cwd: &Path, home: &Path, config_home: &Path) -> Value {
    let mut child = Command::new(peer)
        .arg("app-server")
        .current_dir(cwd)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("CODEX_HOME", config_home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the peer starts");
    let mut requests = child.stdin.take().expect("standard input");
    let mut answers = BufReader::new(child.stdout.take().expect("standard output"));

    let client = json!({ "name": "codex-context", "version": "0" });
    send(
        &mut requests,
        &request(1, "initialize", &json!({ "clientInfo": client })),
    );
    receive(&mut answers, 1);
    send(&mut requests, &json!({ "method": "initialized" }));
    send(
        &mut requests,
        &request(2, "skills/list", &json!({ "cwds": [cwd] })),
    );
    let mut answer = receive(&mut answers, 2);

    // Without requests to come the peer ends by itself.
    drop(requests);
    child.wait().expect("the peer ends");
    answer["result"]["data"][0].take()
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "id": id, "method": method, "params": params })
}

fn send(requests: &mut impl Write, message: &Value) {
    writeln!(requests, "{message}").expect("the peer listens");
}

/// The answer to a request; what the peer says on its own is passed over.
fn receive(answers: &mut impl BufRead, id: u64) -> Value {
    let messages = answers.lines().map(|line| {
        let line = line.expect("the peer speaks text");
        serde_json::from_str::<Value>(&line).expect("the peer speaks JSON")
    });
    let mut messages = messages.skip_while(|message| message["id"] != id);
    messages.next().expect("the peer answers")
}
