//! Every case of the table that a server can answer, over pipes and sockets.
//!
//! Permission bits hold for nobody but an unprivileged caller. Run as root, the cases are run
//! again by this binary in the name of `nobody`.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::Command;

use serde::Deserialize;
use serde_json::{Value, json};

use super::expect::mismatch;
use super::fixture::Fixture;
use super::wire::{Transport, Wire};

#[derive(Deserialize)]
struct CaseFile {
    fixture: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    group: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    steps: Vec<Step>,
    transport: Option<String>,
    #[serde(default)]
    handshake: bool,
    #[serde(default)]
    send_raw: Vec<String>,
    #[serde(default)]
    receive: Vec<Value>,
    #[serde(default)]
    any_order: bool,
    connection: Option<String>,
    #[serde(default)]
    script: Vec<String>,
}

#[derive(Deserialize)]
struct Step {
    repeat: Option<usize>,
    send: Value,
    expect: Value,
}

fn case_files() -> [CaseFile; 2] {
    [
        codex_file_system_testkit::cases::EXEC_SERVER.text,
        include_str!("../../data/exec-server-more.json"),
    ]
    .map(|file| serde_json::from_str(file).unwrap())
}

/// Runs every case of some groups on every transport it is for, and tells all that fail.
async fn run(is_meant: impl Fn(&Case) -> bool) {
    let mut failures = Vec::new();
    for file in case_files() {
        failures.extend(failures_of(&file, &is_meant).await);
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

async fn failures_of(file: &CaseFile, is_meant: impl Fn(&Case) -> bool) -> Vec<String> {
    let tree = file.fixture.join("\n");
    let shared = Fixture::build(&tree);
    let (mut failures, mut count) = (Vec::new(), 0);
    for case in file.cases.iter().filter(|case| is_meant(case)) {
        for transport in transports(case) {
            count += 1;
            // Only sequences change the tree.
            let own = (case.group == "sequence").then(|| Fixture::build(&tree));
            let fixture = own.as_ref().unwrap_or(&shared);
            if let Err(failure) = run_case(case, fixture, transport).await {
                failures.push(format!("{} on {transport:?}: {failure}", case.name));
            }
        }
    }
    assert!(count > 0);
    failures
}

fn transports(case: &Case) -> Vec<Transport> {
    match case.transport.as_deref() {
        Some("ws") => vec![Transport::Socket],
        Some("stdio") => vec![Transport::Pipe],
        _ => vec![Transport::Pipe, Transport::Socket],
    }
}

async fn run_case(case: &Case, fixture: &Fixture, transport: Transport) -> Result<(), String> {
    let server = fixture.server(&case.args, fixture.options());
    let mut wire = Wire::open(&server, transport).await;
    if case.group == "resume" {
        return run_script(case, fixture, &server, transport).await;
    }
    if case.group == "session" {
        return run_session(case, fixture, wire).await;
    }
    wire.greet().await;
    let mut id = 0;
    for step in &case.steps {
        for n in 0..step.repeat.unwrap_or(1) {
            id += 1;
            let numbered = |value: &Value| {
                let text = fixture.respelled_value(value).to_string();
                serde_json::from_str::<Value>(&text.replace("{n}", &n.to_string())).unwrap()
            };
            let mut request = numbered(&step.send);
            request["id"] = json!(id);
            let reply = wire.request(&request).await;
            if let Some(failure) = mismatch(&numbered(&step.expect), &reply) {
                return Err(format!("{request}: {failure}"));
            }
        }
    }
    Ok(())
}

async fn run_session(case: &Case, fixture: &Fixture, mut wire: Wire) -> Result<(), String> {
    if case.handshake {
        wire.greet().await;
    }
    for text in &case.send_raw {
        wire.send(&fixture.respelled(text)).await;
    }
    let mut expected = case.receive.clone();
    while !expected.is_empty() {
        let reply = wire.receive().await.ok_or("the server ended too early")?;
        let position = match case.any_order {
            true => expected
                .iter()
                .position(|one| mismatch(one, &reply).is_none()),
            false => Some(0),
        };
        let next = expected.remove(position.unwrap_or_default());
        if let Some(failure) = mismatch(&next, &reply) {
            return Err(failure);
        }
    }
    match case.connection.as_deref() {
        Some("exit 0") => {
            assert_eq!(wire.receive().await, None);
            wire.served().await.map_err(|error| error.to_string())
        }
        Some(close) => {
            let code = close.strip_prefix("close ").unwrap().parse().ok();
            let actual = wire.close_code().await;
            (actual == code)
                .then_some(())
                .ok_or(format!("closed with {actual:?}"))
        }
        None => {
            // Exactly these: the next answer is that to the next request.
            let probe = json!({"id": "probe", "method": "nope"});
            let reply = wire.request(&probe).await;
            (reply["id"] == "probe")
                .then_some(())
                .ok_or(format!("unexpected {reply}"))
        }
    }
}

/// Runs a script of two connections, line by line.
async fn run_script(
    case: &Case,
    fixture: &Fixture,
    server: &codex_exec_server::Server,
    transport: Transport,
) -> Result<(), String> {
    let address = match transport {
        Transport::Socket => Some(super::wire::listen(server).await),
        Transport::Pipe => None,
    };
    let mut wires: [Option<Wire>; 2] = [None, None];
    let mut session = Value::Null;
    for line in &case.script {
        let (who, action) = line.split_once(": ").unwrap();
        let wire = &mut wires[usize::from(who == "B")];
        if action == "drop" {
            if let Some(wire) = wire.take() {
                wire.hang_up().await;
            }
            continue;
        }
        if wire.is_none() {
            *wire = Some(match address {
                Some(address) => super::wire::connect(address).await,
                None => Wire::open(server, transport).await,
            });
        }
        let wire = wire.as_mut().unwrap();
        let (send, expected) = action.split_once(" -> ").unwrap_or((action, ""));
        let mut words = send.split(' ');
        let method = words.next().unwrap();
        let params = match (method, words.next()) {
            ("initialize", None) => json!({"clientName": who}),
            ("initialize", Some("resumeSessionId=S")) => {
                json!({"clientName": who, "resumeSessionId": session})
            }
            ("fs/open", Some(handle)) => json!({
                "handleId": handle,
                "path": fixture.respelled("file:///srv/fx/hello.txt"),
            }),
            ("fs/readBlock", Some(handle)) => json!({"handleId": handle, "offset": 0, "len": 1}),
            _ => panic!("{line}"),
        };
        let reply = wire
            .request(&json!({"id": 1, "method": method, "params": params}))
            .await;
        if method == "initialize" {
            wire.send_text(r#"{"method": "initialized"}"#).await;
        }
        let mut expected_words = expected.split(' ');
        match expected_words.next() {
            Some("session") => {
                let id = &reply["result"]["sessionId"];
                if who == "A" {
                    session = id.clone();
                }
                assert!(id.is_string() && *id == session, "{line}: {reply}");
            }
            Some("error") => {
                let code: i64 = expected_words.next().unwrap().parse().unwrap();
                assert_eq!(reply["error"]["code"], code, "{line}: {reply}");
            }
            _ => assert!(reply["result"].is_object(), "{line}: {reply}"),
        }
    }
    Ok(())
}

/// Runs a test of this binary again without privileges, if it has some. True if it did.
fn ran_as_nobody(test: &str) -> bool {
    if tempfile::tempdir()
        .unwrap()
        .path()
        .metadata()
        .unwrap()
        .uid()
        != 0
    {
        return false;
    }
    let directory = tempfile::tempdir().unwrap();
    let open = || std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(directory.path(), open()).unwrap();
    let program = directory.path().join("it");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, open()).unwrap();
    let output = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
        .arg(&program)
        .args(["--exact", test, "--nocapture"])
        .current_dir("/")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert!(text.contains("1 passed"), "{text}");
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_request_is_answered_as_the_cases_say() {
    let name = "server::cases::every_request_is_answered_as_the_cases_say";
    if !ran_as_nobody(name) {
        run(|case| !case.steps.is_empty()).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_session_goes_as_the_cases_say() {
    run(|case| case.group == "session").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_resume_goes_as_the_cases_say() {
    run(|case| case.group == "resume").await;
}
