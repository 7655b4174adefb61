//! What a client cannot do to a server, whatever it sends and however it behaves.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use codex_exec_server::server::EnvironmentInfo;
use codex_exec_server::{Server, ServerOptions};
use codex_file_system::ExecutorFileSystem;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof};
use proptest::{prop_assert_eq, proptest};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;

use super::stub::Stub;
use super::wire::{Transport, Wire, connect, listen, try_connect};

fn options() -> ServerOptions {
    ServerOptions::new(EnvironmentInfo::new(PathUri::parse("file:///srv").unwrap()))
}

fn requests_at_once(concurrent_requests: NonZeroUsize) -> ServerOptions {
    ServerOptions {
        concurrent_requests,
        ..options()
    }
}

fn pinging(ping_interval: Duration) -> ServerOptions {
    ServerOptions {
        ping_interval,
        ..options()
    }
}

fn memory(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

fn serve(filesystem: impl ExecutorFileSystem + 'static, options: ServerOptions) -> Server {
    Server::new(Arc::new(filesystem), options)
}

fn read(id: impl Into<Value>, path: &str) -> Value {
    let id: Value = id.into();
    json!({"id": id, "method": "fs/readFile", "params": {"path": path}})
}

/// Serves one input to its end and gives back every answer.
async fn answers(server: &Server, input: &[u8]) -> io::Result<Vec<Value>> {
    let mut output = Vec::new();
    server.serve_stdio(input, &mut output).await?;
    let text = String::from_utf8(output).expect("answers are text");
    let parsed = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("an answer is JSON"));
    Ok(parsed.collect())
}

const HELLO: &str = "{\"id\":0,\"method\":\"initialize\",\"params\":{\"clientName\":\"t\"}}\n\
     {\"method\":\"initialized\"}\n";
const LAST: &str = "\n{\"id\":\"last\",\"method\":\"environment/status\"}";

/// Bytes that look more or less like a message.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\n",
        "\r\n",
        "\\u",
        "\\ud800",
        "1e999",
        "-1",
        "null",
        "\"id\":1",
        "\"id\":\"\"",
        "\"method\":\"fs/readFile\"",
        "\"method\":\"fs/walk\"",
        "\"method\":\"fs/open\"",
        "\"method\":\"initialize\"",
        "\"params\":{",
        "\"path\":",
        "\"file:///srv/a\"",
        "\"file:///%00/bad/path/YQ\"",
        "\"file:///srv/%2f\"",
        "\"handleId\":\"\"",
        "\"offset\":18446744073709551615",
        "\"len\":1",
        "\"options\":{",
        "\"maxDepth\":18446744073709551615",
        "\"sandbox\":{}",
        "\"result\":",
        "\"error\":",
        "\"jsonrpc\":\"2.0\"",
        "\u{feff}",
        "\u{0}",
    ];
    let word = proptest::sample::select(words.to_vec()).prop_map(|word| word.as_bytes().to_vec());
    let noise = vec(any::<u8>(), 0..8);
    vec(prop_oneof![4 => word, 1 => noise], 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn whatever_bytes_come_the_next_request_is_answered(bytes in input()) {
        let server = serve(memory("/srv/a = a"), options());
        let input = [HELLO.as_bytes(), &bytes, LAST.as_bytes()].concat();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let answers = runtime.block_on(answers(&server, &input)).unwrap();
        let last = answers.iter().find(|answer| answer["id"] == "last").unwrap();
        prop_assert_eq!(&last["result"]["status"], "ready");
    }
}

#[tokio::test]
async fn a_request_that_panics_is_answered_and_the_connection_lives() {
    let server = serve(Stub::panicking().filesystem(), options());
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    let reply = wire.request(&read(1, "file:///srv/a")).await;
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(1), &json!(-32603))
    );
    let status = json!({"id": 2, "method": "environment/status"});
    assert_eq!(wire.request(&status).await["result"]["status"], "ready");
}

#[tokio::test]
async fn no_more_requests_run_at_once_than_the_host_says() {
    let stub = Stub::waiting();
    let two = NonZeroUsize::new(2).unwrap();
    let server = serve(stub.filesystem(), requests_at_once(two));
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    for id in 0..10 {
        wire.send_text(&read(id, "file:///srv/a").to_string()).await;
    }
    for _ in 0..10 {
        stub.wait_for_running().await;
        tokio::task::yield_now().await;
        assert!(stub.running() <= 2);
        stub.release_one();
        wire.receive().await.unwrap();
    }
    assert_eq!(stub.peak(), 2);
}

#[tokio::test]
async fn two_requests_of_one_id_are_both_answered() {
    let server = serve(memory("/srv/a = a"), options());
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    wire.send_text(&read(7, "file:///srv/a").to_string()).await;
    wire.send_text(&read(7, "file:///srv/a").to_string()).await;
    for _ in 0..2 {
        assert_eq!(wire.receive().await.unwrap()["id"], 7);
    }
}

#[tokio::test]
async fn a_small_answer_does_not_wait_for_a_large_one() {
    let stub = Stub::waiting();
    let server = serve(stub.filesystem(), options());
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    wire.send_text(&read(1, "file:///srv/slow").to_string())
        .await;
    stub.wait_for_running().await;
    let status = json!({"id": 2, "method": "environment/status"});
    assert_eq!(wire.request(&status).await["id"], 2);
    stub.release_one();
    assert_eq!(wire.receive().await.unwrap()["id"], 1);
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_any_more() {
    let tree = format!("/srv/big =*{}", 1024 * 1024);
    let stub = Stub::counting();
    let server = serve(stub.over(memory(&tree)), options());
    let (here, there) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(there);
    let serving = tokio::spawn(async move { server.serve_stdio(reader, writer).await });
    let (reader, mut writer) = tokio::io::split(here);
    writer.write_all(HELLO.as_bytes()).await.unwrap();
    let request = format!("{}\n", read(1, "file:///srv/big"));
    let sending = async {
        for _ in 0..10_000 {
            writer.write_all(request.as_bytes()).await.unwrap();
        }
    };
    assert!(timeout(Duration::from_millis(500), sending).await.is_err());
    // 8 MiB of answers hold five of 1.4 MiB each; all requests of the window have begun.
    assert!(stub.large_reads() <= 6, "{}", stub.large_reads());
    drop((reader, writer));
    let _ = serving.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_stops_nobody_else() {
    let tree = format!("/srv/big =*{}\n/srv/small = s", 2 * 1024 * 1024);
    let server = serve(memory(&tree), options());
    let address = listen(&server).await;
    let mut slow = connect(address).await;
    slow.greet().await;
    for id in 0..40 {
        slow.send_text(&read(id, "file:///srv/big").to_string())
            .await;
    }
    let mut other = connect(address).await;
    other.greet().await;
    // Answered while 80 MB wait for a client that reads nothing until later.
    let reply = other.request(&read(1, "file:///srv/small")).await;
    assert_eq!(reply["result"]["dataBase64"], "cw==");
    for _ in 0..40 {
        assert!(slow.receive().await.unwrap()["result"].is_object());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_clients_those_past_the_limit_are_told_so() {
    let server = serve(memory("/srv/a = a"), options());
    let address = listen(&server).await;
    let attempts = (0..1000).map(|_| async move {
        let stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let upgrade = tokio_tungstenite::client_async(format!("ws://{address}/"), stream);
        match upgrade.await {
            Ok((socket, _)) => Ok(socket),
            Err(tokio_tungstenite::tungstenite::Error::Http(answer)) => {
                Err(answer.status().as_u16())
            }
            Err(other) => panic!("{other}"),
        }
    });
    let outcomes = futures::future::join_all(attempts).await;
    let refused: Vec<u16> = outcomes
        .iter()
        .filter_map(|one| one.as_ref().err().copied())
        .collect();
    assert_eq!(refused, vec![503; 1000 - 64]);
    drop(outcomes);
    // Those that left make place, as soon as the server has seen them leave.
    let mut wire = loop {
        match try_connect(address).await {
            Ok(wire) => break wire,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    assert!(wire.greet().await["result"].is_object());
}

#[tokio::test]
async fn a_message_past_the_limit_ends_a_socket_and_not_a_pipe() {
    let mut options = options();
    options.limits.inbound_message = 1000;
    let server = serve(memory("/srv/a = a"), options);
    let long = "x".repeat(2000);
    let mut pipe = Wire::open(&server, Transport::Pipe).await;
    pipe.greet().await;
    pipe.send_text(&long).await;
    assert_eq!(pipe.receive().await.unwrap()["id"], -1);
    assert_eq!(pipe.request(&read(1, "file:///srv/a")).await["id"], 1);
    let mut socket = Wire::open(&server, Transport::Socket).await;
    socket.greet().await;
    socket.send_text(&long).await;
    assert_eq!(socket.close_code().await, Some(1009));
}

#[tokio::test]
async fn a_broken_frame_ends_its_own_connection_with_a_code() {
    let server = serve(memory("/srv/a = a"), options());
    let address = listen(&server).await;
    let mut broken = connect(address).await;
    broken.greet().await;
    let Wire::Socket(socket) = &mut broken else {
        panic!("a socket");
    };
    // A reserved opcode, masked.
    let frame = [0x83, 0x80, 1, 2, 3, 4];
    socket.get_mut().write_all(&frame).await.unwrap();
    assert_eq!(broken.close_code().await, Some(1002));
    let mut other = connect(address).await;
    assert!(other.greet().await["result"].is_object());
}

#[tokio::test]
async fn a_silent_peer_is_pinged_and_then_dropped() {
    let interval = Duration::from_millis(50);
    let server = serve(memory("/srv/a = a"), pinging(interval));
    let mut wire = Wire::open(&server, Transport::Socket).await;
    wire.greet().await;
    let Wire::Socket(socket) = wire else {
        panic!("a socket");
    };
    // Reading by hand, so that nobody answers the pings.
    let mut stream = socket.into_inner();
    let mut bytes = Vec::new();
    let reading = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut bytes);
    timeout(Duration::from_secs(5), reading)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(bytes.get(..2), Some(&[0x89, 0x00][..]), "a ping first");
}

#[tokio::test]
async fn pings_as_rare_as_may_be_asked_for_let_a_peer_in() {
    let server = serve(memory("/srv/a = a"), pinging(Duration::MAX));
    let mut wire = Wire::open(&server, Transport::Socket).await;
    wire.greet().await;
    assert_eq!(wire.request(&read(1, "file:///srv/a")).await["id"], 1);
}

#[tokio::test]
async fn a_peer_that_vanished_while_it_was_answered_is_dropped() {
    let mut options = options();
    options.limits.connections = 1;
    options.ping_interval = Duration::from_millis(50);
    let server = serve(memory("/srv/a =*1000000"), options);
    let address = listen(&server).await;
    let mut wire = connect(address).await;
    wire.greet().await;
    // More than the server reads ahead, and more answers than the sockets hold.
    for id in 0..200 {
        wire.send_text(&read(id, "file:///srv/a").to_string()).await;
    }
    let has_room = async { while try_connect(address).await.is_err() {} };
    assert!(timeout(Duration::from_secs(20), has_room).await.is_ok());
}

#[tokio::test]
async fn a_peer_that_answers_pings_stays() {
    let interval = Duration::from_millis(50);
    let server = serve(memory("/srv/a = a"), pinging(interval));
    let mut wire = Wire::open(&server, Transport::Socket).await;
    wire.greet().await;
    let Wire::Socket(socket) = &mut wire else {
        panic!("a socket");
    };
    // Reading answers each ping. Unanswered, the third would be the last.
    for _ in 0..10 {
        let ping = futures::StreamExt::next(socket.as_mut()).await;
        assert!(matches!(ping, Some(Ok(Message::Ping(_)))), "{ping:?}");
    }
    assert_eq!(wire.request(&read(1, "file:///srv/a")).await["id"], 1);
}

#[tokio::test]
async fn a_ping_of_the_client_is_answered_while_all_slots_are_taken() {
    let server = serve(
        Stub::waiting().filesystem(),
        requests_at_once(NonZeroUsize::MIN),
    );
    let mut wire = Wire::open(&server, Transport::Socket).await;
    wire.greet().await;
    for id in 0..3 {
        wire.send_text(&read(id, "file:///srv/a").to_string()).await;
    }
    wire.send_frame(Message::Ping("p".into())).await;
    let Wire::Socket(socket) = &mut wire else {
        panic!("a socket");
    };
    let pong = futures::StreamExt::next(socket.as_mut());
    let pong = timeout(Duration::from_secs(5), pong)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(pong, Message::Pong("p".into()));
}

/// The code with which a session is refused to be resumed; `None` if it is not.
async fn resume(server: &Server, session: &Value) -> Option<i64> {
    let mut wire = Wire::open(server, Transport::Pipe).await;
    let params = json!({"clientName": "t", "resumeSessionId": session});
    let reply = wire
        .request(&json!({"id": 1, "method": "initialize", "params": params}))
        .await;
    wire.hang_up().await;
    reply["error"]["code"].as_i64()
}

#[tokio::test(start_paused = true)]
async fn a_detached_session_is_forgotten_in_time_and_the_oldest_where_there_are_too_many() {
    let server = serve(memory("/srv/a = a"), options());
    let mut sessions = Vec::new();
    for _ in 0..257 {
        let mut wire = Wire::open(&server, Transport::Pipe).await;
        sessions.push(wire.greet().await["result"]["sessionId"].clone());
        wire.hang_up().await;
    }
    let [first, second, third, ..] = sessions.as_slice() else {
        panic!("as many sessions");
    };
    assert_eq!(resume(&server, first).await, Some(-32600));
    assert_eq!(resume(&server, second).await, None);
    tokio::time::advance(Duration::from_millis(29_999)).await;
    assert_eq!(resume(&server, third).await, None);
    tokio::time::advance(Duration::from_millis(1)).await;
    assert_eq!(resume(&server, second).await, Some(-32600));
    assert_eq!(resume(&server, third).await, None);
}

#[tokio::test]
async fn shutdown_lets_running_requests_end_and_closes_with_1001() {
    let stub = Stub::waiting();
    let server = serve(stub.filesystem(), options());
    let address = listen(&server).await;
    let mut wire = connect(address).await;
    wire.greet().await;
    wire.send_text(&read(1, "file:///srv/a").to_string()).await;
    stub.wait_for_running().await;
    server.shutdown();
    // Nobody is let in any more: the server is ending, and the request still runs.
    while try_connect(address).await.is_ok() {}
    stub.release_one();
    assert_eq!(wire.receive().await.unwrap()["id"], 1);
    assert_eq!(wire.close_code().await, Some(1001));
}

#[tokio::test]
async fn shutdown_waits_for_a_stuck_request_no_longer_than_its_grace() {
    let stub = Stub::waiting();
    let server = serve(stub.filesystem(), options());
    let mut socket = Wire::open(&server, Transport::Socket).await;
    let mut pipe = Wire::open(&server, Transport::Pipe).await;
    for wire in [&mut socket, &mut pipe] {
        wire.greet().await;
        wire.send_text(&read(1, "file:///srv/a").to_string()).await;
        stub.wait_for_running().await;
    }
    server.shutdown();
    assert_eq!(socket.close_code().await, Some(1001));
    assert!(pipe.served().await.is_ok());
}

#[tokio::test]
async fn clients_that_say_nothing_keep_nobody_out_and_are_let_go_oldest_first() {
    let mut options = options();
    // Four on their way in at once, two of them from one address.
    options.limits.descriptors = 16;
    let server = serve(memory("/srv/a = a"), options);
    let address = listen(&server).await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        silent.push(tokio::net::TcpStream::connect(address).await.unwrap());
    }
    let mut wire = connect(address).await;
    assert!(wire.greet().await["result"].is_object());
    // The first of them was let go long ago.
    let mut rest = Vec::new();
    let oldest = tokio::io::AsyncReadExt::read_to_end(&mut silent[0], &mut rest);
    let ended = timeout(Duration::from_secs(5), oldest).await.unwrap();
    assert_eq!(ended.unwrap_or_default(), 0);
}

#[tokio::test]
async fn files_that_clients_hold_open_leave_descriptors_for_calls() {
    let mut options = options();
    options.limits.descriptors = 16;
    let server = serve(memory("/srv/a = a"), options);
    let mut first = Wire::open(&server, Transport::Pipe).await;
    let mut second = Wire::open(&server, Transport::Pipe).await;
    first.greet().await;
    second.greet().await;
    let open = |handle: usize| {
        let params = json!({"handleId": format!("h{handle}"), "path": "file:///srv/a"});
        json!({"id": 1, "method": "fs/open", "params": params})
    };
    for handle in 0..4 {
        assert!(first.request(&open(handle)).await["result"].is_object());
    }
    let refused = second.request(&open(0)).await;
    assert_eq!(refused["error"]["message"], "too many files are open");
    let close = json!({"id": 2, "method": "fs/close", "params": {"handleId": "h0"}});
    first.request(&close).await;
    assert!(second.request(&open(0)).await["result"].is_object());
}

#[tokio::test]
async fn the_opening_of_a_file_its_blocks_and_its_closing_are_answered_though_sent_together() {
    let server = serve(memory("/srv/a = abc"), options());
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    let mut expected = 0;
    for round in 0..20 {
        for file in 0..20 {
            let handle = format!("h{file}");
            let id = format!("{round}-{file}");
            let open = json!({"handleId": handle, "path": "file:///srv/a"});
            let block = json!({"handleId": handle, "offset": 0, "len": 9});
            let close = json!({"handleId": handle});
            for (method, params) in [("open", open), ("readBlock", block), ("close", close)] {
                let id = format!("{method} {id}");
                let method = format!("fs/{method}");
                let request = json!({"id": id, "method": method, "params": params});
                wire.send_text(&request.to_string()).await;
                expected += 1;
            }
        }
    }
    for _ in 0..expected {
        let answer = wire.receive().await.unwrap();
        assert!(answer["result"].is_object(), "{answer}");
        if answer["id"].as_str().unwrap().starts_with("readBlock") {
            assert_eq!(answer["result"], json!({"chunk": "YWJj", "eof": true}));
        }
    }
}

#[tokio::test]
async fn a_block_of_a_file_that_cannot_be_opened_is_refused_and_its_handle_is_free_again() {
    let server = serve(memory("/srv/a = abc"), options());
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    let open = |path: &str| {
        let params = json!({"handleId": "h", "path": path});
        json!({"id": "open", "method": "fs/open", "params": params}).to_string()
    };
    let block = json!({"id": "block", "method": "fs/readBlock",
        "params": {"handleId": "h", "offset": 0, "len": 9}});
    wire.send_text(&open("file:///srv/missing")).await;
    wire.send_text(&block.to_string()).await;
    for _ in 0..2 {
        assert_eq!(wire.receive().await.unwrap()["error"]["code"], -32004);
    }
    wire.send_text(&open("file:///srv/a")).await;
    assert!(wire.receive().await.unwrap()["result"].is_object());
}

#[tokio::test]
async fn a_server_that_ended_serves_nobody() {
    let server = serve(memory("/srv/a = a"), options());
    server.shutdown();
    let input = [HELLO.as_bytes(), LAST.as_bytes()].concat();
    assert_eq!(answers(&server, &input).await.unwrap(), Vec::<Value>::new());
}
