//! A session over this machine's files, an exec-server behind WebSocket and a dead machine at once.

use std::sync::Arc;

use codex_context::exec_server::RemoteFileSystem;
use codex_context::exec_server::server::{EnvironmentInfo, Server, ServerOptions};
use codex_context::{ContextRequest, Environment, SelectedCapabilityRoot, absolute_path};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::machines::Dead;
use crate::support::{here, memory, sources};

const HERE: &str = "
    /home/ada/.codex/AGENTS.md = Mine.
    /home/ada/shop/.git/
    /home/ada/shop/AGENTS.md = Here.
    /home/ada/shop/.agents/skills/price/SKILL.md = ---%0Adescription: Sets a price.%0A---%0A
";
const THERE: &str = r#"
    D:/ci/.git/
    D:/ci/AGENTS.md = There.
    D:/release/.codex-plugin/plugin.json = {"name": "release"}
    D:/release/skills/publish/SKILL.md = ---%0Adescription: Publishes.%0A---%0A
"#;

#[tokio::test(flavor = "multi_thread")]
async fn every_machine_is_asked_for_its_own_and_a_dead_one_is_named() {
    let files = MemoryFileSystem::from_tree(Flavor::Windows, THERE).unwrap();
    let info = EnvironmentInfo::new(absolute_path(r"D:\ci").unwrap());
    let server = Server::new(Arc::new(files), ServerOptions::new(info));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("ws://{}", listener.local_addr().unwrap());
    let served = tokio::spawn(async move { server.serve_websocket(listener).await });

    let remote = RemoteFileSystem::websocket(&url).await.unwrap();
    let host = memory(Flavor::Posix, HERE);
    let request = ContextRequest {
        environments: vec![
            here("/home/ada/shop", host.clone()),
            Environment::new("build", r"D:\ci", remote).unwrap(),
            Environment::new("dead", "/srv", Dead).unwrap(),
        ],
        sources: sources(host),
        plugins: vec![SelectedCapabilityRoot::parse("release", "build", r"D:\release").unwrap()],
        ..ContextRequest::default()
    };
    let context = codex_context::load(&request).await.unwrap();
    let codes: Vec<_> = context.diagnostics().iter().map(|it| it.code()).collect();
    assert_eq!(codes, ["environment_unreachable"]);
    let loaded = context
        .instructions()
        .get()
        .unwrap()
        .loaded()
        .unwrap()
        .text();
    assert_eq!(
        loaded,
        "Mine.\n\nfor `local` with root /home/ada/shop\n\nHere.\n\nfor `build` with root D:\\ci\n\nThere."
    );
    let read = context.read_skill("release:publish", None).await.unwrap();
    assert_eq!(read.handle.environment_id().as_str(), "build");
    let (_, changes) = context.refresh().await.unwrap();
    assert!(changes.is_empty(), "{changes}");
    served.abort();
}
