//! The table of what a server receives and answers, read backwards: every answer that has a place
//! in the filesystem's contract is given to a client, and every message in it is read.

use std::io::ErrorKind;

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::error::kind_from_name;
use codex_file_system::{
    CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions, WalkOptions,
};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{Peer, greeted_client, path};

const CASES: &str = codex_file_system_testkit::cases::EXEC_SERVER.text;

#[derive(Deserialize)]
struct Table {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    #[serde(default)]
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    send: Value,
    expect: Value,
}

fn cases() -> Vec<Case> {
    serde_json::from_str::<Table>(CASES).unwrap().cases
}

/// Makes the call of a method; `None` if the trait has none for it.
async fn call(remote: &RemoteFileSystem, sent: &Value) -> Option<Result<(), ErrorKind>> {
    let (a, b) = (path("file:///srv/fx/a"), path("file:///srv/fx/b"));
    // What a walk finds is below the directory it was asked for.
    let root = sent["params"]["path"].as_str().unwrap_or_default();
    let root = PathUri::parse(root).unwrap_or_else(|_| a.clone());
    let removal = RemoveOptions {
        recursive: true,
        force: true,
    };
    let copying = CopyOptions { recursive: true };
    let walking = WalkOptions::new(5, 1000, 1000);
    let creation = CreateDirectoryOptions::default();
    Some(
        match sent["method"].as_str().unwrap() {
            "fs/getMetadata" => remote.get_metadata(&a, None).await.map(drop),
            "fs/readFile" => remote.read_file(&a, None).await.map(drop),
            "fs/readDirectory" => remote.read_directory(&a, None).await.map(drop),
            "fs/canonicalize" => remote.canonicalize(&a, None).await.map(drop),
            "fs/walk" => remote.walk(&root, &walking, None).await.map(drop),
            "fs/writeFile" => remote.write_file(&a, Vec::new(), None).await,
            "fs/createDirectory" => remote.create_directory(&a, creation, None).await,
            "fs/remove" => remote.remove(&a, removal, None).await,
            "fs/copy" => remote.copy(&a, &b, copying, None).await,
            _ => return None,
        }
        .map_err(|error| error.kind()),
    )
}

/// The error of a case as a server sends it, with the kind or without.
fn wire_error(error: &Value, has_data: bool) -> Value {
    let message = match error["errno"].as_i64() {
        Some(number) => format!("some words (os error {number})"),
        None => "some words".to_owned(),
    };
    let mut sent = json!({"code": error["code"], "message": message});
    if has_data {
        sent["data"] = json!({"kind": error["kind"], "errno": error["errno"]});
    }
    sent
}

async fn answer(peer: &mut Peer, error: Value) {
    // A file too large for a reply is looked for through a handle, which is refused here.
    let mut request = peer.next().await;
    peer.fail(&request, error.clone()).await;
    if error["data"]["kind"] == "FileTooLarge" {
        for _ in 0..2 {
            request = peer.next().await;
            peer.fail(&request, json!({"code": -32601, "message": "no"}))
                .await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_error_of_the_table_keeps_its_kind() {
    let mut errors = 0;
    for case in cases() {
        for step in &case.steps {
            let error = &step.expect["error"];
            let Some(kind) = error["kind"].as_str() else {
                continue;
            };
            let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
            let serving = async {
                tokio::time::timeout(
                    std::time::Duration::from_secs(1),
                    answer(&mut peer, wire_error(error, true)),
                )
                .await
            };
            let (outcome, _) = tokio::join!(call(&remote, &step.send), serving);
            if let Some(outcome) = outcome
                && kind != "Unsupported"
            {
                assert_eq!(outcome, Err(kind_from_name(kind)), "{}", case.name);
                errors += 1;
            }
        }
    }
    assert!(errors > 80, "{errors}");
}

#[tokio::test(start_paused = true)]
async fn an_error_without_data_has_the_kind_of_its_number_else_of_its_code() {
    for case in cases() {
        for step in &case.steps {
            let error = &step.expect["error"];
            if !error.is_object() {
                continue;
            }
            let kind = match (error["errno"].as_i64(), error["code"].as_i64().unwrap()) {
                (Some(9), _) => ErrorKind::Other,
                (Some(_), _) => kind_from_name(error["kind"].as_str().unwrap()),
                (None, -32004) => ErrorKind::NotFound,
                (None, -32600 | -32602) => ErrorKind::InvalidInput,
                (None, -32601) => ErrorKind::Unsupported,
                (None, _) => ErrorKind::Other,
            };
            let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
            let serving = async {
                tokio::time::timeout(
                    std::time::Duration::from_secs(1),
                    answer(&mut peer, wire_error(error, false)),
                )
                .await
            };
            let (outcome, _) = tokio::join!(call(&remote, &step.send), serving);
            if let Some(outcome) = outcome {
                assert_eq!(outcome, Err(kind), "{}", case.name);
            }
        }
    }
}

/// A result of the table with its wildcards filled in.
fn filled(result: &Value) -> Value {
    let mut result = result.clone();
    if let Some(fields) = result.as_object_mut() {
        for (name, value) in fields {
            if value == "*" {
                *value = match name.as_str() {
                    "size" | "createdAtMs" | "modifiedAtMs" => json!(1),
                    _ => json!("text"),
                };
            }
        }
    }
    result
}

#[tokio::test(start_paused = true)]
async fn every_result_of_the_table_is_understood() {
    let mut results = 0;
    for case in cases() {
        for step in &case.steps {
            let result = &step.expect["result"];
            if !result.is_object() {
                continue;
            }
            let (remote, mut peer) = greeted_client(ClientOptions::default()).await;
            let serving = async {
                let request = peer.next().await;
                peer.succeed(&request, filled(result)).await;
            };
            let serving = tokio::time::timeout(std::time::Duration::from_secs(1), serving);
            let (outcome, _) = tokio::join!(call(&remote, &step.send), serving);
            if let Some(outcome) = outcome {
                assert_eq!(outcome, Ok(()), "{}", case.name);
                results += 1;
            }
        }
    }
    assert!(results > 50, "{results}");
}
