//! `serve`: announcement, confinement, what clients are told, and the end.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use pretty_assertions::assert_eq;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::sandbox::{BINARY, Ran, Sandbox};
use crate::server::Server;

/// Says these lines to a server on stdio and gives its answers.
fn on_stdio(sandbox: &Sandbox, arguments: &[&str], lines: &[Value]) -> (Vec<Value>, Ran) {
    let mut command = sandbox.bare_command();
    command.args(["serve", "--listen", "stdio"]).args(arguments);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        writeln!(stdin, "{line}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let ran = Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    let answers = ran
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    (answers.collect(), ran)
}

fn handshake(requests: &[Value]) -> Vec<Value> {
    let hello = [
        serde_json::json!({"id": 0, "method": "initialize", "params": {"clientName": "test"}}),
        serde_json::json!({"method": "initialized"}),
    ];
    hello.into_iter().chain(requests.iter().cloned()).collect()
}

/// Asks a server on stdio one thing.
fn ask(sandbox: &Sandbox, arguments: &[&str], method: &str, params: Value) -> Value {
    let request = serde_json::json!({"id": 1, "method": method, "params": params});
    let (answers, ran) = on_stdio(sandbox, arguments, &handshake(&[request]));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    answers
        .into_iter()
        .find(|answer| answer["id"] == 1)
        .unwrap()
}

#[test]
fn the_real_url_is_announced_in_one_line() {
    let sandbox = Sandbox::new("");
    let server = Server::start(&sandbox, &[]);
    let port = server.address().strip_prefix("127.0.0.1:").unwrap();
    assert_ne!(port.parse::<u16>().unwrap(), 0);
    assert_eq!(
        server.http("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n"),
        "HTTP/1.1 200 OK"
    );
}

#[test]
fn a_server_that_nobody_could_find_is_refused() {
    let sandbox = Sandbox::new("");
    for closed in [">&-", ">/dev/null"] {
        let script = format!("exec \"$0\" serve {closed}");
        let mut command = Command::new("sh");
        command.args(["-c", &script, BINARY]).env_clear();
        let ran = sandbox.finish(command.current_dir(sandbox.path("/w")));
        assert_eq!(ran.code, Some(2));
        assert_eq!(
            ran.stderr,
            "error: nobody could find the server: the system chooses the port of \
             ws://127.0.0.1:0, and standard output, which tells it, is closed or discarded; \
             leave it open or choose a port\n"
        );
    }
}

#[test]
fn a_signal_ends_it_with_success() {
    for signal in [Signal::INT, Signal::TERM] {
        let sandbox = Sandbox::new("");
        let (status, said) = Server::start(&sandbox, &[]).end(signal);
        assert_eq!((status.code(), said.as_str()), (Some(0), ""));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_hang_up_ends_it_as_a_termination_does_unless_it_is_ignored() {
    let sandbox = Sandbox::new("");
    let (status, _) = Server::start(&sandbox, &[]).end(Signal::HUP);
    assert_eq!(status.code(), Some(0));
    // As `nohup` does.
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" serve", BINARY]);
    let server = Server::spawn(command.env_clear().current_dir(sandbox.path("/w")));
    server.signal(Signal::HUP);
    let ready = server.http("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(ready, "HTTP/1.1 200 OK");
    let (status, _) = server.end(Signal::TERM);
    assert_eq!(status.code(), Some(0));
}

#[test]
fn a_log_that_nobody_reads_holds_up_no_answer_and_no_end() {
    let sandbox = Sandbox::new("/w/token = s3cret-token");
    let token = sandbox.path("/w/token").display().to_string();
    // Every client is told of; more than a pipe holds.
    let server = Server::start(&sandbox, &["-vv", "--auth-token-file", &token]);
    let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    for _ in 0..1500 {
        assert_eq!(server.http(request), "HTTP/1.1 401 Unauthorized");
    }
    assert_eq!(server.end_unheard(Signal::TERM).code(), Some(0));
}

#[test]
fn refusals_are_told_at_a_bounded_rate_with_a_count() {
    let sandbox = Sandbox::new("");
    let server = Server::start(&sandbox, &[]);
    for _ in 0..100 {
        let refused = server.http("GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!(refused, "HTTP/1.1 404 Not Found");
    }
    let (_, said) = server.end(Signal::TERM);
    let told = said.matches("client refused").count();
    assert!((1..50).contains(&told), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn the_limit_on_descriptors_is_raised_at_the_start() {
    let sandbox = Sandbox::new("");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 128; exec \"$0\" serve", BINARY]);
    let server = Server::spawn(command.env_clear().current_dir(sandbox.path("/w")));
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", server.id())).unwrap();
    let row = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let soft = row.unwrap().split_whitespace().nth(3).unwrap();
    assert!(soft.parse::<u64>().unwrap() > 128, "{limits}");
}

/// A server on stdio whose input stays open.
struct Open {
    child: Child,
    stdin: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Open {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut command = sandbox.bare_command();
        command.args(["serve", "--listen", "stdio"]).args(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn say(&mut self, lines: &[Value]) {
        for line in lines {
            writeln!(self.stdin, "{line}").unwrap();
        }
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

#[test]
fn a_signal_ends_it_on_stdio_though_input_is_open() {
    let sandbox = Sandbox::new("");
    let mut server = Open::start(&sandbox, &[]);
    server.say(&handshake(&[])[..1]);
    // Once it answers, it listens to signals.
    server.hear();
    server.signal(Signal::TERM);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_second_signal_ends_it_though_a_request_runs() {
    let sandbox = Sandbox::new("");
    let mut server = Open::start(&sandbox, &["--latency", "60000"]);
    let path = format!("file://{}", sandbox.path("/w").display());
    let requests = [
        serde_json::json!({"id": 1, "method": "fs/getMetadata", "params": {"path": path}}),
        serde_json::json!({"id": 2, "method": "environment/status"}),
    ];
    server.say(&handshake(&requests));
    server.hear();
    // Requests are begun in the order they come, so the one that takes long is under way.
    assert_eq!(server.hear()["id"], 2);
    // Two different ones, since the same signal may be delivered once for both.
    server.signal(Signal::INT);
    server.signal(Signal::TERM);
    assert_eq!(server.child.wait().unwrap().code(), Some(130));
}

#[test]
fn calls_of_clients_are_counted_and_drawn_at_the_end() {
    let sandbox = Sandbox::new("/w/in/a = hello");
    let path = format!("file://{}", sandbox.path("/w/in/a").display());
    let request = |id: u64, method: &str| serde_json::json!({"id": id, "method": method, "params": {"path": path}});
    let requests = handshake(&[request(1, "fs/getMetadata"), request(2, "fs/readFile")]);
    for arguments in [&[][..], &["--root", "in"]] {
        let cost = [
            "--stats",
            "--trace",
            "calls.json",
            "--concurrent-requests",
            "1",
        ];
        let (_, ran) = on_stdio(&sandbox, &[arguments, &cost].concat(), &requests);
        let stats = "stats: 2 calls (get_metadata 1, read_file_prefix 1), 1 in flight at most, \
                     2 round trips, 5 bytes read, ";
        assert!(ran.stderr.starts_with(stats), "{}", ran.stderr);
        let trace = std::fs::read_to_string(sandbox.path("/w/calls.json")).unwrap();
        let trace: Value = serde_json::from_str(&trace).unwrap();
        let events = trace["traceEvents"].as_array().unwrap().iter();
        let calls: Vec<&Value> = events.filter(|it| it["ph"] == "X").collect();
        let names: Vec<&str> = calls.iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, ["get_metadata a", "read_file_prefix a"]);
    }
}

#[test]
fn calls_that_write_are_counted_by_their_kinds() {
    let sandbox = Sandbox::new("/w/in/a = hello");
    let path = |name: &str| format!("file://{}", sandbox.path("/w/in").join(name).display());
    let requests = handshake(&[
        serde_json::json!({"id": 1, "method": "fs/writeFile",
            "params": {"path": path("b"), "dataBase64": "aGk="}}),
        serde_json::json!({"id": 2, "method": "fs/createDirectory",
            "params": {"path": path("d"), "recursive": true}}),
        serde_json::json!({"id": 3, "method": "fs/copy", "params":
            {"sourcePath": path("a"), "destinationPath": path("d/c"), "recursive": false}}),
        serde_json::json!({"id": 4, "method": "fs/remove",
            "params": {"path": path("b"), "recursive": false, "force": false}}),
    ]);
    let arguments = ["--stats", "--concurrent-requests", "1"];
    let (_, ran) = on_stdio(&sandbox, &arguments, &requests);
    let stats = "stats: 4 calls (write_file 1, create_directory 1, remove 1, copy 1), 1 in flight at most, ";
    assert!(
        ran.stderr.starts_with(stats),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
}

#[test]
fn a_trace_that_cannot_be_written_is_refused_before_anybody_is_served() {
    let sandbox = Sandbox::new("");
    let (answers, ran) = on_stdio(&sandbox, &["--trace", "missing/trace.svg"], &[]);
    assert_eq!((answers, ran.code), (Vec::new(), Some(2)));
    let expected = "error: cannot write the trace to missing/trace.svg; ";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn the_end_of_input_ends_it_after_its_answers() {
    let sandbox = Sandbox::new("/w/a = hello");
    let path = format!("file://{}", sandbox.path("/w/a").display());
    let answer = ask(
        &sandbox,
        &[],
        "fs/readFile",
        serde_json::json!({"path": path}),
    );
    assert_eq!(answer["result"]["dataBase64"], "aGVsbG8=");
}

#[test]
fn a_standard_stream_that_is_closed_is_one_that_nobody_writes_or_reads() {
    let sandbox = Sandbox::new("");
    let path = format!("file://{}", sandbox.path("/w/a").display());
    let params = serde_json::json!({"path": path, "dataBase64": ""});
    let write = serde_json::json!({"id": 1, "method": "fs/writeFile", "params": params});
    for (closed, is_read) in [("<&-", false), (">&- 2>&-", true)] {
        let script = format!("exec \"$0\" serve --listen stdio {closed}");
        let mut command = Command::new("/bin/sh");
        command.env_clear().args(["-c", &script, BINARY]);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        for line in handshake(std::slice::from_ref(&write)) {
            // Nobody listens where the input is closed.
            let _ = writeln!(stdin, "{line}");
        }
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        assert_eq!(
            (output.status.code(), said),
            (Some(0), Vec::new()),
            "{closed}"
        );
        assert_eq!(sandbox.path("/w/a").exists(), is_read, "{closed}");
    }
}

#[test]
fn clients_are_told_of_the_machine() {
    let sandbox = Sandbox::new("");
    let answer = ask(
        &sandbox,
        &["--config-home", "/c"],
        "environment/info",
        Value::Null,
    );
    let info = &answer["result"];
    let cwd = format!("file://{}", sandbox.path("/w").display());
    assert_eq!(info["cwd"], cwd.as_str());
    assert_eq!(info["platformOs"], std::env::consts::OS);
    assert_eq!(info["executorVersion"], env!("CARGO_PKG_VERSION"));
    assert_eq!(info["capabilities"]["environmentConfigRead"], true);
    let params = serde_json::json!({"cwd": cwd, "configPaths": [], "requirementsPaths": []});
    let answer = ask(
        &sandbox,
        &["--config-home", "/c"],
        "environmentConfig/read",
        params,
    );
    assert_eq!(answer["result"]["codexHomeDir"], "file:///c");
    assert!(answer["result"]["hostname"].is_string());
}

#[test]
fn a_root_hides_everything_else() {
    let sandbox = Sandbox::new("/w/in/a = a\n/w/out/b = b");
    let root = sandbox.path("/w/in");
    let arguments = ["--root", root.to_str().unwrap()];
    let read = |path: &str| {
        let path = format!("file://{}", sandbox.path(path).display());
        ask(
            &sandbox,
            &arguments,
            "fs/readFile",
            serde_json::json!({"path": path}),
        )
    };
    assert_eq!(read("/w/in/a")["result"]["dataBase64"], "YQ==");
    assert_eq!(read("/w/out/b")["error"]["data"]["kind"], "NotFound");
    // The current directory is outside, so the root stands for it.
    let info = ask(&sandbox, &arguments, "environment/info", Value::Null);
    assert_eq!(info["result"]["cwd"], format!("file://{}", root.display()));
}

#[test]
fn a_read_only_server_refuses_writes() {
    let sandbox = Sandbox::new("/w/a = a");
    let path = format!("file://{}", sandbox.path("/w/a").display());
    let params = serde_json::json!({"path": path});
    let answer = ask(&sandbox, &["--read-only"], "fs/remove", params);
    assert_eq!(answer["error"]["data"]["kind"], "ReadOnlyFilesystem");
    assert_eq!(std::fs::read(sandbox.path("/w/a")).unwrap(), b"a");
}
