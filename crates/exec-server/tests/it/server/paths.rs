//! What a path means to a server of Windows files, on whatever host it runs.

use std::sync::Arc;

use codex_exec_server::server::EnvironmentInfo;
use codex_exec_server::{Server, ServerOptions};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;
use serde_json::json;

use super::wire::{Transport, Wire};

#[tokio::test]
async fn a_path_of_a_windows_machine_is_repaired_or_refused_by_its_own_rules() {
    let tree = "C:/w/a.txt = a\n//server/share/b.txt = b";
    let files = MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap();
    let info = EnvironmentInfo::new(PathUri::parse("file:///C:/w").unwrap());
    let server = Server::new(Arc::new(files), ServerOptions::new(info));
    let mut wire = Wire::open(&server, Transport::Pipe).await;
    wire.greet().await;
    let (found, missing) = (None, Some(-32004));
    let (other_machine, no_path) = (Some(-32600), Some(-32602));
    for (path, code) in [
        ("file:///C:/w/a.txt", found),
        ("file:///c:/w/a.txt", found),
        ("file:///C%3A/w/a.txt", found),
        ("file:///C|/w/a.txt", found),
        ("file://C:/w/a.txt", found),
        ("file:///C:/w\\a.txt", found),
        ("file:///C:\\w\\a.txt", found),
        ("file:///C:/w/../w/./a.txt/", found),
        ("file:///C:", found),
        ("file://SERVER/share/b.txt", found),
        ("file:///D:/w/a.txt", missing),
        ("file://other/share/b.txt", missing),
        ("file:///w/a.txt", other_machine),
        ("file:///", other_machine),
        ("file:///%00/bad/path/L0M6L3cvZg", other_machine),
        ("file:///C:/w%5Ca.txt", no_path),
        ("file:///C:/w%2Fa.txt", no_path),
        ("file:///C:/bad%FF", no_path),
        ("file://server", no_path),
        ("file://server/C:/x", no_path),
        ("C:\\w\\a.txt", no_path),
        ("C:/w/a.txt", no_path),
        ("\\\\server\\share\\b.txt", no_path),
    ] {
        let request = json!({"id": 1, "method": "fs/getMetadata", "params": {"path": path}});
        let reply = wire.request(&request).await;
        assert_eq!(reply["error"]["code"].as_i64(), code, "{path}: {reply}");
    }
}
