//! `host`: the service for hosts in other languages, and the clients that show how to speak to it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::sandbox::Sandbox;

const TREE: &str = "/w/r/.git/\n/w/r/AGENTS.md = Be brief.\n\
                    /w/r/.agents/skills/fix/SKILL.md = ---%0Adescription: Fixes it.%0A---%0ADo it.\n";

/// A service that was started, and what it was asked so far.
struct Service {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    last: u64,
}

impl Service {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command(&["host"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().unwrap();
        Self {
            input: process.stdin.take().unwrap(),
            output: BufReader::new(process.stdout.take().unwrap()),
            process,
            last: 0,
        }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// The next message that is no progress.
    fn hear(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the service ended"
            );
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] != "progress" {
                return message;
            }
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let request =
            json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.say(&request.to_string());
        let answer = self.hear();
        assert_eq!(answer["id"], self.last);
        answer
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn load(service: &mut Service, sandbox: &Sandbox) -> Value {
    let directory = sandbox.path("/w/r");
    let environments = json!([{"id": "local", "directory": directory.to_str().unwrap()}]);
    service.ask("context/load", json!({ "environments": environments }))
}

#[test]
fn a_host_is_given_what_the_command_shows() {
    let sandbox = Sandbox::new(TREE);
    let mut service = Service::start(&sandbox);
    let answer = load(&mut service, &sandbox);
    let context = &answer["result"];
    let text = sandbox.run_in("/w/r", &["instructions", "--text"]).clean();
    let instructions = context["instructions"].as_str().unwrap();
    assert_eq!(sandbox.shown(instructions), text.trim_end_matches('\n'));
    let catalog = context["skills"].as_str().unwrap();
    assert!(
        catalog.contains("- fix: Fixes it. (file: r0/fix/SKILL.md)"),
        "{catalog}"
    );
    assert_eq!(context["diagnostics"], json!([]));
    assert_eq!(context["documents"].as_array().unwrap().len(), 1);
    assert_eq!(context["environments"][0]["unreachable"], Value::Null);
}

#[test]
fn a_skill_is_read_by_its_name_and_by_its_locator() {
    let sandbox = Sandbox::new(TREE);
    let mut service = Service::start(&sandbox);
    load(&mut service, &sandbox);
    for skill in ["fix", "r0/fix/SKILL.md"] {
        let answer = service.ask("skill/read", json!({"context": 1, "skill": skill}));
        let text = answer["result"]["text"].as_str().unwrap();
        assert!(text.ends_with("Do it."), "{answer}");
    }
}

#[test]
fn a_refresh_says_what_changed_and_keeps_the_number() {
    let sandbox = Sandbox::new(TREE);
    let mut service = Service::start(&sandbox);
    load(&mut service, &sandbox);
    let same = service.ask("context/refresh", json!({"context": 1}));
    assert_eq!(same["result"]["changes"], json!([]));
    sandbox.write("/w/r/AGENTS.md", "Be verbose.");
    let changed = service.ask("context/refresh", json!({"context": 1}));
    let result = &changed["result"];
    assert_eq!(result["context"], 1);
    assert_eq!(result["changes"][0]["kind"], "changed");
    assert!(
        result["instructions"]
            .as_str()
            .unwrap()
            .contains("Be verbose.")
    );
    assert_eq!(
        service.ask("context/close", json!({"context": 1}))["result"],
        Value::Null
    );
    let closed = service.ask("context/refresh", json!({"context": 1}));
    assert_eq!(closed["error"]["code"], -32602);
}

#[test]
fn what_cannot_be_understood_is_refused_by_name() {
    let sandbox = Sandbox::new(TREE);
    let mut service = Service::start(&sandbox);
    service.say("nonsense");
    assert_eq!(service.hear()["error"]["code"], -32700);
    let unknown = service.ask("context/lod", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let misspelt = service.ask("context/load", json!({"enviroments": []}));
    let message = misspelt["error"]["message"].as_str().unwrap();
    assert!(message.contains("enviroments"), "{message}");
    let environments = json!([{"id": "local", "directory": "relative"}]);
    let relative = service.ask("context/load", json!({ "environments": environments }));
    let message = relative["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("directory of environment `local`"),
        "{message}"
    );
}

#[test]
fn the_service_ends_when_its_input_ends() {
    let sandbox = Sandbox::new(TREE);
    let mut command = sandbox.command(&["host"]);
    assert_eq!(sandbox.finish(&mut command).clean(), "");
}

#[test]
fn the_committed_schema_is_that_of_the_messages() {
    let sandbox = Sandbox::new(TREE);
    let committed = include_str!("../../../../docs/host.schema.json");
    let schema = sandbox.run(&["host", "--schema"]).clean();
    assert_eq!(schema, committed);
    let schema: Value = serde_json::from_str(committed).unwrap();
    let mut service = Service::start(&sandbox);
    let loaded = load(&mut service, &sandbox);
    holds(&schema["context/load"]["result"], &loaded["result"]);
    let refreshed = service.ask("context/refresh", json!({"context": 1}));
    holds(&schema["context/refresh"]["result"], &refreshed["result"]);
    let read = service.ask("skill/read", json!({"context": 1, "skill": "fix"}));
    holds(&schema["skill/read"]["result"], &read["result"]);
}

/// Every property of an object is in its schema, and every required one in the object.
fn holds(schema: &Value, sent: &Value) {
    let properties = schema["properties"].as_object().unwrap();
    let sent = sent.as_object().unwrap();
    let unknown: Vec<_> = sent
        .keys()
        .filter(|key| !properties.contains_key(*key))
        .collect();
    assert!(unknown.is_empty(), "not in the schema: {unknown:?}");
    let required = schema["required"].as_array().unwrap();
    let missing: Vec<_> = required
        .iter()
        .filter(|key| !sent.contains_key(key.as_str().unwrap()))
        .collect();
    assert!(missing.is_empty(), "not sent: {missing:?}");
}

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("examples")
        .join(name)
}

/// Runs a client over the tree; nothing where its interpreter is missing, which is said.
fn run_client(mut command: Command, interpreter: &str) {
    let sandbox = Sandbox::new(TREE);
    if Command::new(interpreter).arg("--version").output().is_err() {
        let missing = format!("{interpreter} is not on this machine: its client is not run\n");
        std::io::stderr().write_all(missing.as_bytes()).unwrap();
        return;
    }
    command.arg(env!("CARGO_BIN_EXE_codex-context"));
    command.arg(sandbox.path("/w/r"));
    command.env("HOME", sandbox.path("/home"));
    command.env("CODEX_HOME", sandbox.path("/home"));
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let printed = String::from_utf8_lossy(&output.stdout);
    for part in ["Be brief.", "- fix: Fixes it.", "Do it.", "[]"] {
        assert!(printed.contains(part), "{printed}{errors}");
    }
}

#[test]
fn the_python_client_prints_what_a_model_sees() {
    let mut command = Command::new("python3");
    command.arg(example("host_client.py"));
    run_client(command, "python3");
}

#[test]
fn the_typescript_client_prints_what_a_model_sees() {
    let mut command = Command::new("node");
    let client = std::fs::File::open(example("host_client.ts")).unwrap();
    command.args(["--input-type=module", "-"]).stdin(client);
    run_client(command, "node");
}
