//! Who may open a socket of `serve`, and flags that do not say it well.

use std::fmt::Write as _;
use std::process::Stdio;

use insta::assert_snapshot;
use pretty_assertions::assert_eq;
use rustix::process::Signal;

use crate::sandbox::Sandbox;
use crate::server::Server;

const UPGRADE: &str = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                       Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
/// The SHA-256 digest of `open sesame`.
const DIGEST: &str = "41ef4bb0b23661e66301aac36066912dac037827b4ae63a7b1165a5aa93ed4eb";

#[test]
fn a_token_is_asked_for_in_either_spelling() {
    let sandbox = Sandbox::new("/w/token = open sesame%0A");
    for arguments in [
        &["--auth-token-file", "token"][..],
        &["--auth-token-sha256", DIGEST],
        &["--ws-auth", "capability-token", "--ws-token-file", "token"],
        &["--ws-auth", "capability-token", "--ws-token-sha256", DIGEST],
    ] {
        let server = Server::start(&sandbox, arguments);
        let status = |header: &str| {
            server.http(&format!(
                "GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}{header}\r\n"
            ))
        };
        let right = status("Authorization: Bearer open sesame\r\n");
        assert!(right.starts_with("HTTP/1.1 101 "), "{arguments:?}: {right}");
        for header in ["", "Authorization: Bearer guess\r\n"] {
            let refused = status(header);
            assert!(
                refused.starts_with("HTTP/1.1 401 "),
                "{arguments:?}: {refused}"
            );
        }
        let (_, said) = server.end(Signal::TERM);
        assert!(
            said.contains("peer_rejected") && !said.contains("sesame"),
            "{said}"
        );
    }
}

#[test]
fn a_token_that_no_header_can_carry_is_refused() {
    for token in ["two%0Alines", " space", "space %0A", "tab%09", "esc%1B"] {
        let sandbox = Sandbox::new(&format!("/w/token = {token}"));
        let mut command = sandbox.bare_command();
        let run = sandbox.finish(command.args(["serve", "--auth-token-file", "token"]));
        assert_eq!(run.code, Some(2), "{token}");
        assert!(
            run.stderr.contains("no header can carry the token"),
            "{token}: {}",
            run.stderr
        );
    }
}

#[test]
fn a_signed_token_is_asked_for_in_either_spelling() {
    let sandbox = Sandbox::new("/w/secret = 0123456789abcdef0123456789abcdef%0A");
    for arguments in [
        &[
            "--auth-jwt-secret-file",
            "secret",
            "--auth-jwt-issuer",
            "i",
            "--auth-jwt-audience",
            "a",
            "--auth-jwt-clock-skew-seconds",
            "5",
        ][..],
        &[
            "--ws-auth",
            "signed-bearer-token",
            "--ws-shared-secret-file",
            "secret",
            "--ws-issuer",
            "i",
            "--ws-audience",
            "a",
            "--ws-max-clock-skew-seconds",
            "5",
        ],
    ] {
        let server = Server::start(&sandbox, arguments);
        let header = "Authorization: Bearer x.y.z\r\n";
        let refused = server.http(&format!(
            "GET / HTTP/1.1\r\nHost: x\r\n{UPGRADE}{header}\r\n"
        ));
        assert!(
            refused.starts_with("HTTP/1.1 401 "),
            "{arguments:?}: {refused}"
        );
    }
}

#[test]
fn an_open_address_without_a_token_has_to_be_allowed() {
    let sandbox = Sandbox::new("");
    let listen = ["--listen", "ws://0.0.0.0:0", "--allow-unauthenticated"];
    let server = Server::start(&sandbox, &listen);
    assert!(server.url.starts_with("ws://0.0.0.0:"));
    let (_, said) = server.end(Signal::TERM);
    assert!(said.contains("bind_unauthenticated"), "{said}");
}

#[test]
fn the_loopback_is_open_to_its_machine_however_it_is_spelled() {
    let sandbox = Sandbox::new("");
    // Somebody listens there, so the server gets as far as to find that out, and ends.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    for host in ["127.0.0.1", "[::ffff:127.0.0.1]"] {
        let mut command = sandbox.bare_command();
        let command = command.args(["serve", "--listen", &format!("ws://{host}:{port}")]);
        let ran = sandbox.finish(command.stdin(Stdio::null()));
        assert_eq!(ran.code, Some(2), "{host}");
        let expected = format!("error: cannot listen on ws://{host}:{port}; ");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    }
}

#[test]
fn a_secret_is_read_no_further_than_a_secret_goes() {
    let sandbox = Sandbox::new("/w/");
    let arguments = ["serve", "--auth-token-file", "/dev/zero"];
    let mut command = sandbox.bare_command();
    let ran = sandbox.finish(command.args(arguments).stdin(Stdio::null()));
    assert_eq!(ran.code, Some(2));
    let expected = "error: the secret in /dev/zero has more than 65536 bytes; name the file of the secret alone\n";
    assert_eq!(ran.stderr, expected);
}

#[test]
fn no_flag_of_authentication_is_accepted_without_effect() {
    let sandbox = Sandbox::new("/w/token = t\n/w/secret = 0123456789abcdef0123456789abcdef");
    let own = [
        &["--auth-token-file", "token"][..],
        &["--auth-token-sha256", DIGEST],
        &["--auth-jwt-secret-file", "secret"],
    ];
    let reference = [
        &["--ws-auth", "capability-token", "--ws-token-file", "token"][..],
        &[
            "--ws-auth",
            "signed-bearer-token",
            "--ws-shared-secret-file",
            "secret",
        ],
    ];
    let of_jwt = [
        ["--auth-jwt-issuer", "i"],
        ["--auth-jwt-audience", "a"],
        ["--auth-jwt-clock-skew-seconds", "5"],
    ];
    let of_reference = [
        ["--ws-token-file", "token"],
        ["--ws-token-sha256", DIGEST],
        ["--ws-shared-secret-file", "secret"],
        ["--ws-issuer", "i"],
        ["--ws-audience", "a"],
        ["--ws-max-clock-skew-seconds", "5"],
    ];
    let tokens = own[..2].iter().chain(&reference);
    let first = tokens.flat_map(|asked| of_jwt.iter().map(|flag| [*asked, flag].concat()));
    let second = own
        .iter()
        .flat_map(|asked| of_reference.iter().map(|flag| [*asked, flag].concat()));
    for arguments in first.chain(second) {
        let mut command = sandbox.bare_command();
        let command = command.args(["serve", "--listen", "ws://192.0.2.1:0"]);
        let ran = sandbox.finish(command.args(&arguments).stdin(Stdio::null()));
        assert_eq!(ran.code, Some(2), "{arguments:?}");
        let is_told = ran.stderr.contains(" cannot be used with ");
        assert!(is_told, "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn flags_that_cannot_be_used_are_refused() {
    let sandbox = Sandbox::new("/w/empty = %0A\n/w/short = short\n/w/token = t\n/w/file = x");
    let mut said = String::new();
    let jwt = "signed-bearer-token";
    for arguments in [
        &["--listen", "ws://localhost:0"][..],
        &["--listen", "wss://127.0.0.1:0"],
        &["--listen", "ws://192.0.2.1:0", "--auth-token-file", "token"],
        &["--listen", "ws://0.0.0.0:0"],
        &["--listen", "ws://[::]:0"],
        &["--listen", "stdio", "--auth-token-file", "token"],
        &["--concurrent-requests", "0"],
        &["--root", "missing"],
        &["--root", "file"],
        &["--auth-token-file", "missing"],
        &["--auth-token-file", "empty"],
        &["--auth-token-sha256", "abc"],
        &["--auth-token-file", "token", "--auth-token-sha256", DIGEST],
        &[
            "--auth-token-file",
            "token",
            "--auth-jwt-secret-file",
            "token",
        ],
        &["--auth-jwt-secret-file", "short"],
        &["--auth-jwt-issuer", "i"],
        &["--ws-token-file", "token"],
        &["--ws-auth", "capability-token"],
        &[
            "--ws-auth",
            "capability-token",
            "--ws-token-file",
            "token",
            "--ws-issuer",
            "i",
        ],
        &["--ws-auth", jwt],
        &[
            "--ws-auth",
            jwt,
            "--ws-shared-secret-file",
            "token",
            "--ws-token-file",
            "token",
        ],
        &[
            "--ws-auth",
            jwt,
            "--ws-shared-secret-file",
            "token",
            "--auth-token-file",
            "token",
        ],
    ] {
        let mut command = sandbox.bare_command();
        let ran = sandbox.finish(command.arg("serve").args(arguments).stdin(Stdio::null()));
        assert_eq!(
            (ran.code, ran.stdout.as_str()),
            (Some(2), ""),
            "{arguments:?}"
        );
        let complaint: Vec<_> = ran
            .stderr
            .lines()
            .take_while(|line| !line.is_empty())
            .collect();
        writeln!(
            said,
            "{}\n  {}",
            arguments.join(" "),
            complaint.join("\n  ")
        )
        .unwrap();
    }
    assert_snapshot!("serve_flags", said);
}
