//! Files of any filesystem, read in blocks.

use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use codex_exec_server::server::EnvironmentInfo;
use codex_exec_server::{Server, ServerOptions};
use codex_file_system::ExecutorFileSystem as _;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::test_runner::Config;
use proptest::{prop_assert_eq, proptest};
use serde_json::json;

use super::stub::Stub;
use super::wire::{Transport, Wire};

const BLOCK: usize = 64 * 1024;

/// A client with an open handle `h` on a file with this content.
async fn opened(content: &[u8]) -> (Stub, Wire) {
    let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/f = x").unwrap();
    let path = PathUri::parse("file:///srv/f").unwrap();
    memory
        .write_file(&path, content.to_vec(), None)
        .await
        .unwrap();
    let stub = Stub::counting();
    let options = ServerOptions::new(EnvironmentInfo::new(PathUri::parse("file:///srv").unwrap()));
    let server = Server::new(Arc::new(stub.over(memory)), options);
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    let params = json!({"handleId": "h", "path": path.as_str()});
    let reply = wire
        .request(&json!({"id": 1, "method": "fs/open", "params": params}))
        .await;
    assert_eq!(reply["result"]["handleId"], "h");
    (stub, wire)
}

async fn block(wire: &mut Wire, offset: usize, len: usize) -> (Vec<u8>, bool) {
    let params = json!({"handleId": "h", "offset": offset, "len": len});
    let request = json!({"id": 1, "method": "fs/readBlock", "params": params});
    let reply = wire.request(&request).await;
    let chunk = BASE64_STANDARD
        .decode(reply["result"]["chunk"].as_str().unwrap())
        .unwrap();
    (chunk, reply["result"]["eof"].as_bool().unwrap())
}

fn content(len: usize) -> Vec<u8> {
    (0..len).map(|index| (index * 31 / 7) as u8).collect()
}

#[tokio::test]
async fn blocks_in_order_cost_a_read_for_each_doubling_of_what_was_read() {
    let content = content(96 * BLOCK);
    let (stub, mut wire) = opened(&content).await;
    let mut read = Vec::new();
    loop {
        let (chunk, eof) = block(&mut wire, read.len(), BLOCK).await;
        read.extend(chunk);
        if eof {
            break;
        }
    }
    assert!(read == content);
    // Those of 31, 63 and 127 blocks; the shorter ones are not counted as large.
    assert_eq!(stub.large_reads(), 3);
}

proptest! {
    #![proptest_config(Config::with_cases(64))]

    #[test]
    fn a_block_is_what_stands_there_whatever_was_asked_before(
        asked in vec((0_usize..6000, 1_usize..3000), 1..12),
    ) {
        let content = content(5000);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let answers = runtime.block_on(async {
            let (_, mut wire) = opened(&content).await;
            let mut answers = Vec::new();
            for (offset, len) in &asked {
                answers.push(block(&mut wire, *offset, *len).await);
            }
            answers
        });
        let expected: Vec<_> = asked
            .iter()
            .map(|(offset, len)| {
                let rest = content.get(*offset..).unwrap_or_default();
                let chunk = rest.get(..*len).unwrap_or(rest).to_vec();
                let eof = chunk.len() < *len;
                (chunk, eof)
            })
            .collect();
        prop_assert_eq!(answers, expected);
    }
}
