//! The peer's own protocol, as far as it is needed: JSON-RPC, one message a line.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// The peer, running and ready to be asked.
pub(crate) struct AppServer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    last_id: u64,
}

impl AppServer {
    /// Starts the peer in `cwd` and shakes hands.
    pub(crate) fn start(peer: &Path, cwd: &Path, home: &Path, config_home: &Path) -> Self {
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
        let requests = child.stdin.take().expect("standard input");
        let answers = BufReader::new(child.stdout.take().expect("standard output"));
        let mut server = Self {
            child,
            requests,
            answers,
            last_id: 0,
        };
        let client = json!({ "name": "codex-context", "version": "0" });
        server.ask("initialize", &json!({ "clientInfo": client }));
        server.send(&json!({ "method": "initialized" }));
        server
    }

    /// The skills of a session in `cwd`, read anew.
    ///
    /// Gives the one entry of the answer: `skills`, and `errors` for those that are lost.
    pub(crate) fn skills(&mut self, cwd: &Path) -> Value {
        let params = json!({ "cwds": [cwd], "forceReload": true });
        self.ask("skills/list", &params)["result"]["data"][0].take()
    }

    /// Without requests to come the peer ends by itself.
    pub(crate) fn end(self) {
        let Self {
            mut child,
            requests,
            ..
        } = self;
        drop(requests);
        child.wait().expect("the peer ends");
    }

    /// Sends a request and waits for its answer; what the peer says on its own is passed over.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "id": id, "method": method, "params": params }));
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.answers.read_line(&mut line);
            assert!(read.expect("the peer speaks text") > 0, "the peer answers");
            let message: Value = serde_json::from_str(&line).expect("the peer speaks JSON");
            if message["id"] == id {
                return message;
            }
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.requests, "{message}").expect("the peer listens");
    }
}
