//! Reading through handles: which requests, how many at once, and what comes of wrong hints.

use std::io::ErrorKind;
use std::time::Duration;

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::{ExecutorFileSystem, FilePrefix, MAX_READ_FILE_BYTES};
use futures::future::{join_all, poll_immediate};
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::support::{Peer, encode_base64, greeted_client, path};

const MIB: u64 = 1024 * 1024;
/// On the paused clock: until everybody has run who can.
const MOMENT: Duration = Duration::from_millis(10);

/// What was asked, wave by wave: all that came before anything was answered.
type Waves = Vec<Vec<Value>>;

/// Serves one file, a wave at a time, until the client has closed its handle or read it in one
/// reply, and asks for nothing more.
async fn serve(peer: &mut Peer, content: &[u8], reply_limit: u64) -> Waves {
    let mut waves = Vec::new();
    let mut is_done = false;
    loop {
        let wave = match timeout(MOMENT, peer.burst()).await {
            Ok(wave) => wave,
            Err(_) if is_done => return waves,
            Err(_) => continue,
        };
        for request in &wave {
            is_done |= answer(peer, request, content, reply_limit).await;
        }
        waves.push(wave);
    }
}

async fn answer(peer: &mut Peer, request: &Value, content: &[u8], reply_limit: u64) -> bool {
    let params = &request["params"];
    match request["method"].as_str().unwrap() {
        "fs/readFile" if content.len() as u64 > reply_limit => {
            let data = json!({"kind": "FileTooLarge"});
            let error = json!({"code": -32600, "message": "too large", "data": data});
            peer.fail(request, error).await;
            false
        }
        "fs/readFile" => {
            let result = json!({"dataBase64": encode_base64(content)});
            peer.succeed(request, result).await;
            true
        }
        "fs/getMetadata" => {
            let result = json!({"isFile": true, "isDirectory": false, "size": content.len()});
            peer.succeed(request, result).await;
            false
        }
        "fs/open" => {
            peer.succeed(request, json!({"handleId": params["handleId"]}))
                .await;
            false
        }
        "fs/readBlock" => {
            let offset = params["offset"].as_u64().unwrap() as usize;
            let len = params["len"].as_u64().unwrap() as usize;
            assert!((1..=MIB as usize).contains(&len));
            let rest = content.get(offset..).unwrap_or_default();
            let chunk = rest.get(..len).unwrap_or(rest);
            let result = json!({"chunk": encode_base64(chunk), "eof": chunk.len() < len});
            peer.succeed(request, result).await;
            false
        }
        "fs/close" => true,
        other => panic!("unexpected {other}"),
    }
}

/// The methods of a wave, each with how often it stands there.
fn summary(waves: &Waves) -> Vec<String> {
    let summary = |wave: &Vec<Value>| {
        let mut counts: Vec<(String, usize)> = Vec::new();
        for request in wave {
            let method = request["method"].as_str().unwrap().to_owned();
            match counts.iter_mut().find(|(known, _)| *known == method) {
                Some((_, count)) => *count += 1,
                None => counts.push((method, 1)),
            }
        }
        let counts = counts
            .iter()
            .map(|(method, count)| format!("{count} {method}"));
        counts.collect::<Vec<_>>().join(", ")
    };
    waves.iter().map(summary).collect()
}

fn bytes(length: u64) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

async fn prefix(
    remote: &RemoteFileSystem,
    peer: &mut Peer,
    content: &[u8],
    max: u64,
    hint: Option<u64>,
) -> (FilePrefix, Vec<String>) {
    let a = path("file:///a");
    let (prefix, waves) = tokio::join!(
        remote.read_file_prefix(&a, max, hint, None),
        serve(peer, content, 11 * MIB)
    );
    (prefix.unwrap(), summary(&waves))
}

fn expected(content: &[u8], max: u64) -> (Vec<u8>, bool) {
    let max = usize::try_from(max).unwrap();
    let bytes = content.get(..max).unwrap_or(content).to_vec();
    (bytes, content.len() <= max)
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_known_to_be_small_is_one_request() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    for hint in [Some(10), Some(MIB)] {
        let (read, waves) = prefix(&remote, &mut peer, b"0123456789", 4, hint).await;
        assert_eq!(waves, ["1 fs/readFile"]);
        assert_eq!(
            read,
            FilePrefix::new(b"0123".to_vec(), false).with_size(Some(10))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_beginning_of_a_file_is_opened_read_and_closed_in_one_round_trip() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let content = bytes(3 * MIB);
    let (read, waves) = prefix(&remote, &mut peer, b"short", 1000, None).await;
    assert_eq!(waves, ["1 fs/open, 1 fs/readBlock, 1 fs/close"]);
    let short = FilePrefix::new(b"short".to_vec(), true);
    assert_eq!(read, short.with_size(Some(5)));
    let (read, waves) = prefix(&remote, &mut peer, &content, 1000, Some(3 * MIB)).await;
    assert_eq!(waves, ["1 fs/open, 1 fs/readBlock, 1 fs/close"]);
    assert_eq!(read, FilePrefix::new(content[..1000].to_vec(), false));
}

#[tokio::test(start_paused = true)]
async fn a_file_that_ends_where_the_prefix_does_is_complete_also_with_a_hint_one_too_low() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    for (length, is_complete) in [(2 * MIB, true), (2 * MIB + 1, false)] {
        let content = bytes(length);
        let (read, _) = prefix(&remote, &mut peer, &content, 2 * MIB, Some(2 * MIB - 1)).await;
        assert_eq!(
            (read.bytes.len() as u64, read.is_complete),
            (2 * MIB, is_complete)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn at_most_eight_blocks_are_on_the_way() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let content = bytes(11 * MIB);
    let (read, waves) = prefix(&remote, &mut peer, &content, 10 * MIB, Some(11 * MIB)).await;
    assert_eq!(
        waves,
        ["1 fs/open, 8 fs/readBlock", "2 fs/readBlock", "1 fs/close"]
    );
    assert_eq!((read.bytes, read.is_complete), expected(&content, 10 * MIB));
}

#[tokio::test(start_paused = true)]
async fn a_file_past_the_reply_limit_is_read_through_a_handle() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let content = bytes(11 * MIB + 1);
    let a = path("file:///a");
    let (read, waves) = tokio::join!(
        remote.read_file(&a, None),
        serve(&mut peer, &content, 11 * MIB)
    );
    assert_eq!(
        summary(&waves),
        [
            "1 fs/readFile",
            "1 fs/open, 1 fs/getMetadata",
            "8 fs/readBlock",
            "4 fs/readBlock",
            "1 fs/close"
        ]
    );
    assert!(read.unwrap() == content);
    // 4 + the blocks.
    assert_eq!(remote.statistics().requests, 16);
}

#[tokio::test(start_paused = true)]
async fn a_file_past_the_limit_of_the_contract_is_too_large() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let read = peer.expect("fs/readFile").await;
        let data = json!({"kind": "FileTooLarge"});
        peer.fail(&read, json!({"code": -32600, "message": "x", "data": data}))
            .await;
        let open = peer.expect("fs/open").await;
        let stat = peer.expect("fs/getMetadata").await;
        let size = MAX_READ_FILE_BYTES + 1;
        let metadata = json!({"isFile": true, "isDirectory": false, "size": size});
        peer.succeed(&stat, metadata).await;
        peer.succeed(&open, json!({"handleId": "h0"})).await;
        peer.expect("fs/close").await;
    };
    let (read, ()) = tokio::join!(remote.read_file(&a, None), serving);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::FileTooLarge);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_handles_reads_in_one_reply_and_is_not_asked_again() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    for asks_for_handles in [true, false] {
        let serving = async {
            if asks_for_handles {
                for request in peer.burst().await {
                    peer.fail(&request, json!({"code": -32601, "message": "no"}))
                        .await;
                }
            }
            serve(&mut peer, b"0123456789", MIB).await
        };
        let (read, waves) =
            tokio::join!(remote.read_file_prefix(&a, 4, Some(2 * MIB), None), serving);
        assert_eq!(summary(&waves), ["1 fs/readFile"]);
        assert_eq!(read.unwrap().bytes, b"0123");
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_of_opening_is_the_error_of_reading() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let open = peer.expect("fs/open").await;
        peer.fail(
            &open,
            json!({"code": -32004, "message": "gone (os error 2)"}),
        )
        .await;
        peer.expect("fs/readBlock").await;
        peer.expect("fs/close").await;
    };
    let (read, ()) = tokio::join!(remote.read_file_prefix(&a, 4, Some(2 * MIB), None), serving);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::NotFound);
    assert!(peer.is_silent().await);
}

#[tokio::test(start_paused = true)]
async fn a_block_longer_than_asked_is_invalid_data() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let open = peer.expect("fs/open").await;
        peer.succeed(&open, json!({"handleId": "h0"})).await;
        let block = peer.expect("fs/readBlock").await;
        let chunk = encode_base64(&bytes(100));
        peer.succeed(&block, json!({"chunk": chunk, "eof": false}))
            .await;
        peer.expect("fs/close").await;
    };
    let (read, ()) = tokio::join!(remote.read_file_prefix(&a, 4, Some(2 * MIB), None), serving);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::InvalidData);
}

/// A read that needs more blocks than leave with the opening of its file.
const LONG: u64 = 9 * MIB;

#[tokio::test(start_paused = true)]
async fn dropping_a_long_read_closes_its_file_even_if_it_is_still_being_opened() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    for is_open in [false, true] {
        let mut read = remote.read_file_prefix(&a, LONG, Some(LONG), None);
        assert!(poll_immediate(&mut read).await.is_none());
        let burst = peer.burst().await;
        assert_eq!(burst.len(), 9);
        let handle = burst[0]["params"]["handleId"].clone();
        if is_open {
            peer.succeed(&burst[0], json!({"handleId": handle})).await;
            assert!(timeout(MOMENT, &mut read).await.is_err());
            drop(read);
        } else {
            drop(read);
            assert!(peer.is_silent().await);
            peer.succeed(&burst[0], json!({"handleId": handle})).await;
        }
        let close = peer.expect("fs/close").await;
        assert_eq!(close["params"]["handleId"], handle);
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_read_dropped_when_its_file_is_open_but_before_it_knows_closes_it() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let mut read = remote.read_file_prefix(&a, LONG, Some(LONG), None);
    assert!(poll_immediate(&mut read).await.is_none());
    let burst = peer.burst().await;
    let handle = burst[0]["params"]["handleId"].clone();
    peer.succeed(&burst[0], json!({"handleId": handle})).await;
    // The answer arrives while the read is not polled.
    assert!(peer.is_silent().await);
    drop(read);
    let close = peer.expect("fs/close").await;
    assert_eq!(close["params"]["handleId"], handle);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_answers_the_block_before_the_opening_is_asked_again_and_remembered() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    for is_remembered in [false, true] {
        let serving = async {
            if !is_remembered {
                let burst = peer.burst().await;
                let unknown = json!({"code": -32004, "message": "unknown file handle"});
                peer.fail(&burst[1], unknown).await;
                peer.succeed(&burst[2], json!({})).await;
                peer.succeed(&burst[0], json!({"handleId": "h"})).await;
                // That file may still be open.
                peer.expect("fs/close").await;
            }
            serve(&mut peer, b"0123456789", MIB).await
        };
        let (read, waves) = tokio::join!(remote.read_file_prefix(&a, 4, None, None), serving);
        assert_eq!(
            summary(&waves),
            ["1 fs/open", "1 fs/readBlock", "1 fs/close"]
        );
        assert_eq!(read.unwrap(), FilePrefix::new(b"0123".to_vec(), false));
    }
}

#[tokio::test(start_paused = true)]
async fn a_block_that_comes_back_short_without_the_end_is_read_on() {
    let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
    let a = path("file:///a");
    let serving = async {
        let burst = peer.burst().await;
        peer.succeed(&burst[0], json!({"handleId": "h"})).await;
        let short = json!({"chunk": encode_base64(b"012"), "eof": false});
        peer.succeed(&burst[1], short).await;
        serve(&mut peer, b"0123456789", MIB).await
    };
    let (read, _) = tokio::join!(remote.read_file_prefix(&a, 20, None, None), serving);
    let whole = FilePrefix::new(b"0123456789".to_vec(), true);
    assert_eq!(read.unwrap(), whole.with_size(Some(10)));

    let serving = async {
        let burst = peer.burst().await;
        peer.succeed(&burst[0], json!({"handleId": "h"})).await;
        peer.succeed(&burst[1], json!({"chunk": "", "eof": false}))
            .await;
    };
    let (read, ()) = tokio::join!(remote.read_file_prefix(&a, 20, None, None), serving);
    assert_eq!(read.unwrap_err().kind(), ErrorKind::InvalidData);
}

#[tokio::test(start_paused = true)]
async fn no_more_files_are_open_at_once_than_a_connection_may_have() {
    let options = ClientOptions {
        max_in_flight: 1000,
        ..ClientOptions::default()
    };
    let (remote, mut peer) = greeted_client(options).await;
    let path = path("file:///a");
    let reads = 300;
    let serving = async {
        let (mut left, mut most) = (3 * reads, 0);
        while left > 0 {
            // All that may leave before anything is answered.
            let burst = peer.burst().await;
            let is_opening = |request: &&Value| request["method"] == "fs/open";
            most = most.max(burst.iter().filter(is_opening).count());
            left -= burst.len();
            for request in &burst {
                let result = match request["method"].as_str().unwrap() {
                    "fs/open" => json!({"handleId": request["params"]["handleId"]}),
                    "fs/readBlock" => json!({"chunk": "YQ==", "eof": true}),
                    _ => json!({}),
                };
                peer.succeed(request, result).await;
            }
        }
        most
    };
    let calls = (0..reads).map(|_| remote.read_file_prefix(&path, 4, Some(2 * MIB), None));
    let (read, most) = tokio::join!(join_all(calls), serving);
    for prefix in read {
        assert_eq!(prefix.unwrap().bytes, b"a");
    }
    assert_eq!(most, 96);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the hint, the bytes and what is said of them are those of the file.
    #[test]
    fn a_wrong_hint_never_changes_the_bytes(
        length in lengths(),
        max in lengths(),
        hint in proptest::option::of(lengths()),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let content = bytes(length);
        runtime.block_on(async {
            let options = ClientOptions { block_read_threshold: 1000, ..ClientOptions::default() };
            let (remote, mut peer) = greeted_client(options).await;
            let (read, waves) = prefix(&remote, &mut peer, &content, max, hint).await;
            let (bytes, is_complete) = expected(&content, max);
            assert!(read.bytes == bytes);
            // A length that the hint places past `max`, on the edge of a block, is believed.
            let is_believed = hint.is_some_and(|hint| hint > max) && max % MIB == 0;
            if !is_believed {
                assert_eq!(read.is_complete, is_complete, "{waves:?}");
            }
            assert!(read.size.is_none_or(|size| size == length));
        });
    }
}

/// Lengths around the edges of blocks.
fn lengths() -> impl Strategy<Value = u64> {
    (0u64..3, 0u64..4).prop_map(|(blocks, more)| match more {
        0 => blocks * MIB,
        1 => blocks * MIB + 1,
        2 => (blocks * MIB).saturating_sub(1),
        _ => blocks * MIB + 500,
    })
}
