//! The HTTP before a WebSocket: every case of the table, and what stands between its rows.

use std::net::SocketAddr;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use codex_exec_server::server::{Auth, CapabilityToken, ServerOptions, SignedBearer};
use hmac::{Hmac, KeyInit as _, Mac as _};
use pretty_assertions::assert_eq;
use serde_json::{Map, Value, json};
use sha2::Sha256;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::fixture::Fixture;
use super::wire::listen;

const SECRET: &str = "a secret that has more than 32 bytes";
const UPGRADE: &str = "Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
     Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// Status and body of an answer.
type Answer = (u16, String);

async fn ask(address: SocketAddr, request: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    while !bytes.windows(4).any(|window| window == b"\r\n\r\n") {
        let read = stream.read_buf(&mut bytes).await.unwrap();
        assert_ne!(read, 0, "a whole answer to {request:?}");
    }
    let head = String::from_utf8_lossy(&bytes).into_owned();
    let status = head[9..12].parse().unwrap();
    if status != 101 {
        stream.read_to_end(&mut bytes).await.unwrap();
    }
    let text = String::from_utf8(bytes).unwrap();
    (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
}

async fn server(auth: Auth) -> (Fixture, SocketAddr) {
    let fixture = Fixture::build("/srv/fx/a = a");
    let server = fixture.server(
        &[],
        ServerOptions {
            auth,
            ..fixture.options()
        },
    );
    let address = listen(&server).await;
    (fixture, address)
}

fn auth(name: &str) -> Auth {
    let signed = || SignedBearer::new(SECRET.as_bytes()).unwrap();
    match name {
        "none" => Auth::None,
        "capability" => {
            Auth::CapabilityToken(CapabilityToken::from_token("right-token\n").unwrap())
        }
        "jwt" => Auth::SignedBearer(
            signed()
                .with_issuer("expected-iss")
                .with_audience("expected-aud"),
        ),
        other => panic!("{other} is no way to let clients in"),
    }
}

/// A token with the claims of a case, spoiled as it says.
fn token(claims: &Map<String, Value>) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let mut all = json!({"iss": "expected-iss", "aud": "expected-aud"});
    let mut header = json!({"alg": "HS256", "typ": "JWT"});
    let mut key = SECRET.to_owned();
    for (name, value) in claims {
        match (name.as_str(), value) {
            ("_alg", value) => header["alg"] = value.clone(),
            ("_crit", value) => header["crit"] = value.clone(),
            ("_key", value) => key = format!("{} {SECRET}", value.as_str().unwrap()),
            (_, Value::String(text)) if text.starts_with("now") => {
                let offset: i64 = text["now".len()..].parse().unwrap();
                all[name] = json!(now.checked_add_signed(offset).unwrap());
            }
            _ => all[name] = value.clone(),
        }
    }
    let encoded = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", encoded(&header), encoded(&all));
    let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    let signature = match header["alg"].as_str() {
        Some("none") => String::new(),
        _ => BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()),
    };
    format!("{signed}.{signature}")
}

fn upgrade_with(authorization: &str) -> String {
    format!("GET / HTTP/1.1\r\nHost: h\r\n{UPGRADE}Authorization: {authorization}\r\n\r\n")
}

async fn ask_with_claims(address: SocketAddr, claims: Value) -> Answer {
    let token = token(claims.as_object().unwrap());
    ask(address, &upgrade_with(&format!("Bearer {token}"))).await
}

#[tokio::test]
async fn every_http_case_is_answered_as_the_table_says() {
    let files = [
        codex_file_system_testkit::cases::EXEC_SERVER.text,
        include_str!("../../data/exec-server-more.json"),
    ]
    .map(|file| serde_json::from_str::<Value>(file).unwrap());
    let mut count = 0;
    for case in files
        .iter()
        .flat_map(|file| file["cases"].as_array().unwrap())
    {
        if case["group"] != "http" {
            continue;
        }
        count += 1;
        let (_fixture, address) = server(auth(case["auth"].as_str().unwrap())).await;
        let request = &case["request"];
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut head = format!(
            "{} {} HTTP/1.1\r\n",
            text(&request["method"]),
            text(&request["path"])
        );
        let headers = request["headers"].as_object().unwrap();
        if !headers.contains_key("Host") {
            head += "Host: 127.0.0.1\r\n";
        }
        for (name, value) in headers {
            match name.as_str() {
                "upgrade" => head += UPGRADE,
                _ => head += &format!("{name}: {}\r\n", text(value)),
            }
        }
        if let Some(claims) = request["jwt"].as_object() {
            head += &format!("Authorization: Bearer {}\r\n", token(claims));
        }
        let (status, body) = ask(address, &format!("{head}\r\n")).await;
        let name = &case["name"];
        assert_eq!(case["expect"]["status"], status, "{name}");
        if let Some(expected) = case["expect"]["body"].as_str() {
            assert_eq!(body, expected, "{name}");
        }
    }
    assert!(count > 20);
}

#[tokio::test]
async fn a_browser_is_told_nothing_on_any_path() {
    let (_fixture, address) = server(Auth::None).await;
    for path in ["/", "/readyz", "/nowhere"] {
        let request = format!("POST {path} HTTP/1.1\r\norigin: null\r\n\r\n");
        assert_eq!(ask(address, &request).await, (403, String::new()), "{path}");
    }
}

#[tokio::test]
async fn an_incomplete_upgrade_is_a_bad_request() {
    let (_fixture, address) = server(Auth::None).await;
    for missing in [
        "Connection",
        "Upgrade:",
        "Sec-WebSocket-Key",
        "Sec-WebSocket-Version",
    ] {
        let headers: String = UPGRADE
            .split_inclusive("\r\n")
            .filter(|line| !line.starts_with(missing))
            .collect();
        let request = format!("GET / HTTP/1.1\r\n{headers}\r\n");
        assert_eq!(ask(address, &request).await.0, 400, "{missing}");
    }
    let old = format!("GET / HTTP/1.0\r\n{UPGRADE}\r\n");
    assert_eq!(ask(address, &old).await.0, 400);
}

#[tokio::test]
async fn what_is_no_http_is_a_bad_request() {
    let (_fixture, address) = server(Auth::None).await;
    for request in [
        "nonsense\r\n\r\n",
        "\0\0\0\0\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
    ] {
        assert_eq!(ask(address, request).await.0, 400, "{request:?}");
    }
    let endless = format!("GET / HTTP/1.1\r\nx: {}", "y".repeat(16 * 1024));
    assert_eq!(ask(address, &endless).await.0, 400);
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(100));
    assert_eq!(ask(address, &many).await.0, 400);
}

#[tokio::test]
async fn a_token_in_the_query_opens_nothing() {
    let (_fixture, address) = server(auth("capability")).await;
    let request = format!("GET /?token=right-token HTTP/1.1\r\n{UPGRADE}\r\n");
    let missing = (401, "missing websocket bearer token".to_owned());
    assert_eq!(ask(address, &request).await, missing);
}

#[tokio::test]
async fn a_token_stands_once_and_behind_its_scheme() {
    let (_fixture, address) = server(auth("capability")).await;
    let answer = async |authorization: &str| ask(address, &upgrade_with(authorization)).await;
    let missing = (401, "missing websocket bearer token".to_owned());
    let invalid = (401, "invalid websocket bearer token".to_owned());
    assert_eq!(answer("Basic right-token").await, missing);
    assert_eq!(answer("right-token").await, missing);
    assert_eq!(answer("Bearer  right-token ").await.0, 101);
    assert_eq!(answer("Bearer right-token x").await, invalid);
    let twice = "Bearer right-token\r\nAuthorization: Bearer right-token";
    assert_eq!(answer(twice).await, invalid);
}

#[tokio::test]
async fn a_digest_stands_for_its_token() {
    let digest = "2B1FFEACE15FF0A8BBC5B9AC4CB8B96B8A3BDFD2B40FA8A9DA97E3BAE8C5FE4E";
    assert!(CapabilityToken::from_sha256_hex(digest).is_ok());
    for malformed in [
        "",
        "00",
        &digest[1..],
        &digest.replace('2', "g"),
        &digest.replace("2B", "é"),
    ] {
        assert!(
            CapabilityToken::from_sha256_hex(malformed).is_err(),
            "{malformed}"
        );
    }
    // SHA-256 of `abc`, from the standard.
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let token = CapabilityToken::from_sha256_hex(abc).unwrap();
    let (_fixture, address) = server(Auth::CapabilityToken(token)).await;
    assert_eq!(ask(address, &upgrade_with("Bearer abc")).await.0, 101);
    assert_eq!(ask(address, &upgrade_with("Bearer abd")).await.0, 401);
}

#[tokio::test]
async fn a_list_of_audiences_names_ours_or_not() {
    let (_fixture, address) = server(auth("jwt")).await;
    let exp = "now+60";
    let ours = json!({"exp": exp, "aud": ["other", "expected-aud"]});
    assert_eq!(ask_with_claims(address, ours).await.0, 101);
    let mismatch = (401, "websocket jwt audience mismatch".to_owned());
    for aud in [json!(["other"]), json!([])] {
        assert_eq!(
            ask_with_claims(address, json!({"exp": exp, "aud": aud})).await,
            mismatch
        );
    }
}

#[tokio::test]
async fn the_clock_skew_holds_at_both_ends_of_a_token() {
    let (_fixture, address) = server(auth("jwt")).await;
    for claims in [
        json!({"exp": "now-20"}),
        json!({"exp": "now+60", "nbf": "now+20"}),
    ] {
        let (status, _) = ask_with_claims(address, claims.clone()).await;
        assert_eq!(status, 101, "{claims}");
    }
    for claims in [
        json!({"exp": "now-60"}),
        json!({"exp": "now+60", "nbf": "now+50"}),
    ] {
        let (status, _) = ask_with_claims(address, claims.clone()).await;
        assert_eq!(status, 401, "{claims}");
    }
}

#[tokio::test]
async fn claims_of_another_type_make_a_token_invalid() {
    let (_fixture, address) = server(auth("jwt")).await;
    let invalid = (401, "invalid websocket jwt".to_owned());
    for claims in [
        json!({"exp": "soon"}),
        json!({"exp": null}),
        json!({"exp": "now+60", "iss": 1}),
        json!({"exp": "now+60", "nbf": "yesterday"}),
        json!({"exp": 1e308}),
        json!({"exp": 4_000_000_000.5}),
        json!({"exp": -1}),
        json!({"exp": 999_999_999_999_999_u64}),
        json!({"exp": "now+60", "nbf": 1.5}),
    ] {
        assert_eq!(
            ask_with_claims(address, claims.clone()).await,
            invalid,
            "{claims}"
        );
    }
}

#[tokio::test]
async fn a_token_that_needs_an_extension_is_invalid() {
    let (_fixture, address) = server(auth("jwt")).await;
    let invalid = (401, "invalid websocket jwt".to_owned());
    for crit in [json!(["exp"]), json!(["b64"]), json!([])] {
        let claims = json!({"exp": "now+60", "_crit": crit});
        assert_eq!(
            ask_with_claims(address, claims.clone()).await,
            invalid,
            "{claims}"
        );
    }
}

#[tokio::test]
async fn parts_of_a_token_are_objects_and_never_arrays_of_their_fields() {
    let (_fixture, address) = server(auth("jwt")).await;
    let encoded = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
    let claims = r#"{"exp":4000000000,"iss":"expected-iss","aud":"expected-aud"}"#;
    let listed = r#"[4000000000,null,"expected-iss","expected-aud"]"#;
    for (header, claims, status) in [
        (r#"{"alg":"HS256"}"#, claims, 101),
        (r#"["HS256"]"#, claims, 401),
        (r#"{"alg":"HS256"}"#, listed, 401),
    ] {
        let signed = format!("{}.{}", encoded(header), encoded(claims));
        let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
        mac.update(signed.as_bytes());
        let signature = BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
        let request = upgrade_with(&format!("Bearer {signed}.{signature}"));
        assert_eq!(ask(address, &request).await.0, status, "{header} {claims}");
    }
}

#[tokio::test]
async fn what_is_no_token_is_invalid() {
    let (_fixture, address) = server(auth("jwt")).await;
    let invalid = (401, "invalid websocket jwt".to_owned());
    for token in ["a", "a.b", "a.b.c", "..", "a.b.c.d", "!.!.!"] {
        let request = upgrade_with(&format!("Bearer {token}"));
        assert_eq!(ask(address, &request).await, invalid, "{token}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let shown = format!("{:?} {:?}", auth("capability"), auth("jwt"));
    assert!(
        !shown.contains("right-token") && !shown.contains(SECRET),
        "{shown}"
    );
}
