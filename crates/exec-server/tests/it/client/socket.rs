//! Connecting to a WebSocket, and every way in which that fails.

use std::time::Duration;

use codex_exec_server::{
    ClientOptions, ConnectError, EnvironmentDefinition, RemoteFileSystem, SecretString, Target,
};
use codex_file_system::{EnvironmentId, ExecutorFileSystem};
use futures::{SinkExt, StreamExt};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};
use tokio_tungstenite::tungstenite::http::HeaderValue;

use crate::support::{Cut, FileServer, path};

/// More than any answer takes.
const PATIENCE: Duration = Duration::from_secs(20);

async fn listen() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    (listener, url)
}

/// Connects to a server that reads one HTTP request and answers with `response`; returns the
/// request too.
async fn connect_to(response: &str, options: ClientOptions) -> (ConnectError, String) {
    let (listener, url) = listen().await;
    let serving = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).await.unwrap();
        stream.write_all(response.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        String::from_utf8_lossy(&request[..length]).into_owned()
    };
    let connecting = RemoteFileSystem::connect_websocket(&url, options);
    let (connected, request) = tokio::join!(connecting, serving);
    (connected.unwrap_err(), request)
}

#[tokio::test]
async fn only_websocket_urls_are_urls_here() {
    for url in [
        "",
        "x",
        "http://127.0.0.1:1",
        "ws://",
        "ws://:80",
        "127.0.0.1:1",
        "ws://u:p@h/",
        "ws://127.0.0.1:65536",
        "ws://[::1]:99999/",
        "ws://127.0.0.1:x",
    ] {
        let connected = RemoteFileSystem::connect_websocket(url, ClientOptions::default()).await;
        let error = connected.unwrap_err();
        assert!(
            matches!(error, ConnectError::InvalidUrl { .. }),
            "{url}: {error}"
        );
    }
}

#[tokio::test]
async fn nobody_at_the_address_is_unreachable() {
    let (listener, url) = listen().await;
    drop(listener);
    let connected = RemoteFileSystem::connect_websocket(&url, ClientOptions::default()).await;
    let ConnectError::Unreachable { source, .. } = connected.unwrap_err() else {
        panic!("unreachable");
    };
    assert_eq!(source.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[tokio::test]
async fn a_refused_token_is_unauthorized_and_the_token_is_in_the_header_alone() {
    let response = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 4\r\n\r\nnope";
    let options = ClientOptions {
        bearer: Some(SecretString::new("the-token")),
        ..ClientOptions::default()
    };
    let (error, request) = connect_to(response, options.clone()).await;
    let ConnectError::Unauthorized { message } = &error else {
        panic!("unauthorized: {error}");
    };
    assert_eq!(message, "401 Unauthorized: nope");
    assert!(
        request
            .to_lowercase()
            .contains("authorization: bearer the-token\r\n")
    );
    assert!(!request.to_lowercase().contains("sec-websocket-extensions"));
    assert!(!format!("{error:?} {options:?}").contains("the-token"));
}

#[tokio::test]
async fn a_token_is_not_sent_in_clear_text_to_another_machine_unless_that_is_allowed() {
    let options = ClientOptions {
        bearer: Some(SecretString::new("the-token")),
        connect_timeout: Duration::from_millis(50),
        ..ClientOptions::default()
    };
    for url in [
        "ws://192.0.2.1:7070",
        "ws://build.invalid",
        "ws://[2001:db8::1]:7070",
    ] {
        let connected = RemoteFileSystem::connect_websocket(url, options.clone()).await;
        let error = connected.unwrap_err();
        assert!(
            matches!(error, ConnectError::ExposedToken { .. }),
            "{url}: {error}"
        );
        let allowed = ClientOptions {
            clear_text_bearer: true,
            ..options.clone()
        };
        let connected = RemoteFileSystem::connect_websocket(url, allowed).await;
        let error = connected.unwrap_err();
        assert!(
            !matches!(error, ConnectError::ExposedToken { .. }),
            "{url}: {error}"
        );
    }
    // This machine, and a connection that nobody can read.
    for url in [
        "ws://localhost:1",
        "ws://[::ffff:127.0.0.1]:1",
        "wss://192.0.2.1:7070",
    ] {
        let connected = RemoteFileSystem::connect_websocket(url, options.clone()).await;
        let error = connected.unwrap_err();
        assert!(
            !matches!(error, ConnectError::ExposedToken { .. }),
            "{url}: {error}"
        );
    }
}

#[tokio::test]
async fn credentials_in_a_url_are_refused_and_not_repeated() {
    let connected = RemoteFileSystem::websocket("ws://ada:secret@build:7070/x").await;
    let error = connected.unwrap_err();
    assert!(matches!(error, ConnectError::InvalidUrl { .. }), "{error}");
    let shown = format!("{error} {error:?}");
    assert!(
        !shown.contains("secret") && shown.contains("***@build:7070/x"),
        "{shown}"
    );
}

#[expect(clippy::result_large_err, reason = "the library asks for it")]
#[tokio::test]
async fn an_extension_that_nobody_offered_is_a_rejected_handshake() {
    let (listener, url) = listen().await;
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let callback = |_: &Request, mut response: Response| {
            let extension = HeaderValue::from_static("permessage-deflate");
            response
                .headers_mut()
                .insert("sec-websocket-extensions", extension);
            Ok(response)
        };
        tokio_tungstenite::accept_hdr_async(stream, callback).await
    };
    let connecting = RemoteFileSystem::connect_websocket(&url, ClientOptions::default());
    let (connected, _socket) = tokio::join!(connecting, serving);
    let error = connected.unwrap_err();
    assert!(
        matches!(error, ConnectError::HandshakeRejected { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn any_other_refusal_is_a_rejected_handshake() {
    let response = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n";
    let (error, _) = connect_to(response, ClientOptions::default()).await;
    assert!(
        matches!(error, ConnectError::HandshakeRejected { .. }),
        "{error}"
    );
    let (error, _) = connect_to("SSH-2.0-x\r\n\r\n", ClientOptions::default()).await;
    assert!(
        matches!(error, ConnectError::HandshakeRejected { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn an_upgrade_that_is_not_answered_times_out_as_the_definition_says() {
    let (_listener, url) = listen().await;
    let target = Target::Url {
        url,
        bearer_token_env: None,
    };
    let limit = Duration::from_millis(50);
    let definition = EnvironmentDefinition {
        connect_timeout: Some(limit),
        ..EnvironmentDefinition::new(EnvironmentId::new("x").unwrap(), target)
    };
    let connected = RemoteFileSystem::connect(&definition, ClientOptions::default()).await;
    let error = connected.unwrap_err();
    assert!(
        matches!(error, ConnectError::Timeout { after } if after == limit),
        "{error}"
    );
}

#[tokio::test]
async fn a_definition_leads_to_its_server() {
    let server = FileServer::start("/a.txt = a", Cut::Never).await;
    let target = Target::Url {
        url: server.url.clone(),
        bearer_token_env: None,
    };
    let definition = EnvironmentDefinition::new(EnvironmentId::new("x").unwrap(), target);
    let connected = RemoteFileSystem::connect(&definition, ClientOptions::default()).await;
    let read = connected
        .unwrap()
        .read_file(&path("file:///a.txt"), None)
        .await;
    assert_eq!(read.unwrap(), b"a");
}

/// A server whose answers the test writes itself.
async fn socket_pair() -> (RemoteFileSystem, WebSocketStream<TcpStream>, TcpListener) {
    let (listener, url) = listen().await;
    let accepting = async {
        let (stream, _) = listener.accept().await.unwrap();
        tokio_tungstenite::accept_async(stream).await.unwrap()
    };
    let connecting = RemoteFileSystem::connect_websocket(&url, ClientOptions::default());
    let (remote, socket) = tokio::join!(connecting, accepting);
    (remote.unwrap(), socket, listener)
}

async fn next(socket: &mut WebSocketStream<TcpStream>) -> Value {
    let message = socket.next().await.unwrap().unwrap();
    serde_json::from_str(message.to_text().unwrap()).unwrap()
}

async fn greet(socket: &mut WebSocketStream<TcpStream>) {
    let request = next(socket).await;
    let answer = json!({"id": request["id"], "result": {"sessionId": "s"}});
    socket
        .send(Message::text(answer.to_string()))
        .await
        .unwrap();
    assert_eq!(next(socket).await["method"], "initialized");
}

#[tokio::test]
async fn binary_messages_pings_and_a_goodbye_are_understood() {
    let (remote, mut socket, _listener) = socket_pair().await;
    let a = path("file:///a");
    let serving = async {
        greet(&mut socket).await;
        let request = next(&mut socket).await;
        socket
            .send(Message::Ping(b"?".as_slice().into()))
            .await
            .unwrap();
        let answer = json!({"id": request["id"], "result": {"dataBase64": "YQ=="}});
        let answer = Message::binary(answer.to_string().into_bytes());
        socket.send(answer).await.unwrap();
        assert_eq!(
            socket.next().await.unwrap().unwrap(),
            Message::Pong(b"?".as_slice().into())
        );
    };
    let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
    assert_eq!(read.unwrap(), b"a");
    let closing = async {
        let message = socket.next().await.unwrap().unwrap();
        assert!(message.is_close(), "{message:?}");
    };
    tokio::join!(remote.close(), closing);
}

#[tokio::test]
async fn a_file_too_large_for_a_message_takes_no_other_call_with_it() {
    let (remote, mut socket, listener) = socket_pair().await;
    let (big, small) = (path("file:///big"), path("file:///small"));
    let serving = async {
        greet(&mut socket).await;
        let first = next(&mut socket).await;
        assert_eq!(first["params"]["path"], "file:///big");
        next(&mut socket).await;
        // The length in the header of the frame is enough; the client does not wait for the rest.
        let mut header = vec![0x81, 127];
        header.extend((128_u64 * 1024 * 1024 + 1).to_be_bytes());
        socket.get_mut().write_all(&header).await.unwrap();

        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        greet(&mut socket).await;
        let mut methods = Vec::new();
        while methods.len() < 5 {
            let request = next(&mut socket).await;
            let method = request["method"].as_str().unwrap().to_owned();
            let result = match method.as_str() {
                "fs/getMetadata" => json!({"isFile": true, "isDirectory": false, "size": 1}),
                "fs/open" => json!({"handleId": request["params"]["handleId"]}),
                "fs/readBlock" => json!({"chunk": "Yg==", "eof": true}),
                _ => json!({}),
            };
            let answer = json!({"id": request["id"], "result": result});
            socket
                .send(Message::text(answer.to_string()))
                .await
                .unwrap();
            methods.push(method);
        }
        methods.sort();
        methods
    };
    let reading = async {
        tokio::join!(
            remote.read_file(&big, None),
            remote.get_metadata(&small, None)
        )
    };
    let all = tokio::time::timeout(PATIENCE, async { tokio::join!(reading, serving) });
    let ((read, metadata), methods) = all.await.unwrap();
    assert_eq!(
        methods,
        [
            "fs/close",
            "fs/getMetadata",
            "fs/getMetadata",
            "fs/open",
            "fs/readBlock"
        ]
    );
    assert_eq!(read.unwrap(), b"b");
    assert_eq!(metadata.unwrap().size, Some(1));
}
