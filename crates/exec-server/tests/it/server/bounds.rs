//! How large what the server says can become, whatever it is sent.

use std::sync::Arc;

use codex_exec_server::server::EnvironmentInfo;
use codex_exec_server::{Server, ServerOptions};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use super::wire::{Transport, Wire};

const MAX_PATH_BYTES: usize = 64 * 1024;
const MAX_LISTED_PATHS: usize = 4096;
const MAX_KEY_NAMES: usize = 128;
const MAX_REQUEST_ID_BYTES: usize = 64 * 1024;

fn options() -> ServerOptions {
    let srv = PathUri::parse("file:///srv").unwrap();
    ServerOptions::new(EnvironmentInfo {
        user_home: Some(srv.clone()),
        codex_home: Some(srv.clone()),
        hostname: Some("h".to_owned()),
        ..EnvironmentInfo::new(srv)
    })
}

async fn wire() -> Wire {
    wire_to("/srv/a = a", options()).await
}

async fn wire_to(tree: &str, options: ServerOptions) -> Wire {
    let files = MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap();
    let server = Server::new(Arc::new(files), options);
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    wire
}

/// The code and the kind of an error, if it is one.
fn fault(reply: &Value) -> (&Value, &Value) {
    (&reply["error"]["code"], &reply["error"]["data"]["kind"])
}

#[tokio::test]
async fn an_error_does_not_repeat_all_it_was_sent() {
    let mut wire = wire().await;
    let long = "\u{1}é".repeat(200_000);
    let uri = format!("https://{}", "é".repeat(30_000));
    for (method, params) in [
        (
            "fs/open",
            json!({"handleId": "h", "path": "file:///srv/a", "mode": long}),
        ),
        ("fs/walk", json!({"path": "file:///srv", "options": long})),
        ("fs/readFile", json!({"path": uri})),
        (
            "fs/readBlock",
            json!({"handleId": long, "offset": 0, "len": 1}),
        ),
        (
            "fs/writeFile",
            json!({"path": "file:///srv/b", "dataBase64": long}),
        ),
        (long.as_str(), json!({})),
    ] {
        let reply = wire
            .request(&json!({"id": 1, "method": method, "params": params}))
            .await;
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.len() <= 1024, "{} bytes", message.len());
    }
}

#[tokio::test]
async fn a_path_longer_than_any_system_has_is_not_read() {
    let mut wire = wire().await;
    let mut metadata = async |bytes: usize| {
        let path = format!("file:///{}", "a/".repeat(bytes / 2 - 4));
        let params = json!({"path": path});
        wire.request(&json!({"id": 1, "method": "fs/getMetadata", "params": params}))
            .await
    };
    let too_long = (&json!(-32603), &json!("InvalidFilename"));
    assert_eq!(fault(&metadata(MAX_PATH_BYTES + 2).await), too_long);
    assert_eq!(fault(&metadata(20 * 1024 * 1024).await), too_long);
    let missing = (&json!(-32004), &json!("NotFound"));
    assert_eq!(fault(&metadata(MAX_PATH_BYTES).await), missing);
}

#[tokio::test]
async fn a_list_longer_than_anybody_needs_is_refused() {
    let mut wire = wire().await;
    let mut watch = async |length: usize| {
        let missing = vec!["file:///a"; length];
        let params = json!({"watchId": 1, "missing": missing, "present": "file:///srv"});
        wire.request(&json!({"id": 1, "method": "fs/watchMissing", "params": params}))
            .await
    };
    let wrong = (&json!(-32602), &json!("InvalidInput"));
    assert!(watch(MAX_LISTED_PATHS).await["result"].is_object());
    assert_eq!(fault(&watch(MAX_LISTED_PATHS + 1).await), wrong);
    let mut config = async |keys: usize, names: usize| {
        let keys = vec![vec!["name"; names]; keys];
        let params = json!({"cwd": "file:///srv", "configPaths": keys, "requirementsPaths": []});
        wire.request(&json!({"id": 1, "method": "environmentConfig/read", "params": params}))
            .await
    };
    assert!(config(MAX_LISTED_PATHS, 1).await["result"].is_object());
    assert!(config(1, MAX_KEY_NAMES).await["result"].is_object());
    assert_eq!(fault(&config(MAX_LISTED_PATHS + 1, 1).await), wrong);
    assert_eq!(fault(&config(1, MAX_KEY_NAMES + 1).await), wrong);
}

#[tokio::test]
async fn an_id_is_repeated_unless_it_is_longer_than_its_limit() {
    let mut wire = wire().await;
    let mut status = async |length: usize| {
        let id = "\u{1}".repeat(length);
        let reply = wire
            .request(&json!({"id": id, "method": "environment/status"}))
            .await;
        (reply["id"] == id.as_str(), reply)
    };
    assert!(status(MAX_REQUEST_ID_BYTES).await.0);
    let (_, refused) = status(MAX_REQUEST_ID_BYTES + 1).await;
    assert_eq!(refused["id"], -1);
    assert_eq!(fault(&refused), (&json!(-32600), &json!("InvalidInput")));
}

#[tokio::test]
async fn a_listing_longer_than_one_answer_is_refused() {
    let tree: String = (0..10)
        .map(|n| format!("/srv/few/{n} =\n/srv/many/{n} =\n/srv/many/x{n} =\n"))
        .collect();
    let mut options = options();
    options.limits.reply = 1000;
    let mut wire = wire_to(&tree, options).await;
    let mut list = async |path: &str| {
        let params = json!({"path": path});
        wire.request(&json!({"id": 1, "method": "fs/readDirectory", "params": params}))
            .await
    };
    let few = list("file:///srv/few").await;
    assert_eq!(few["result"]["entries"].as_array().unwrap().len(), 10);
    let too_large = (&json!(-32600), &json!("FileTooLarge"));
    assert_eq!(fault(&list("file:///srv/many").await), too_large);
}

#[tokio::test]
async fn a_walk_longer_than_one_answer_ends_early_and_says_so() {
    let tree: String = (10..99).map(|n| format!("/srv/d/{n} =\n")).collect();
    let walk = async |most: usize| {
        let mut options = options();
        options.limits.reply = 4 * most;
        let mut wire = wire_to(&tree, options).await;
        let walk = json!({"maxDepth": 1, "maxDirectories": 9, "maxEntries": 99,
            "followDirectorySymlinks": true});
        let params = json!({"path": "file:///srv/d", "options": walk});
        let request = json!({"id": 1, "method": "fs/walk", "params": params});
        let reply = wire.request(&request).await;
        let entries = reply["result"]["entries"].as_array().unwrap().clone();
        (entries, reply["result"]["truncated"] == true)
    };
    let (all, is_truncated) = walk(100_000).await;
    assert_eq!((all.len(), is_truncated), (89, false));
    let (some, is_truncated) = walk(1000).await;
    let bytes: usize = some.iter().map(|entry| entry.to_string().len()).sum();
    assert!(is_truncated && (800..=1000).contains(&bytes), "{bytes}");
    assert_eq!(some, all[..some.len()]);
}
