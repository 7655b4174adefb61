//! One load, over one machine and over several.

use codex_context::file_system::ExecutorFileSystem;
use codex_context::{
    Context, ContextRequest, Environment, HostSources, SelectedCapabilityRoot, absolute_path,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::support::{HOME, here, memory, sources};

const HERE: &str = "
    /home/ada/.codex/config.toml = project_doc_max_bytes = 4096
    /home/ada/.codex/AGENTS.md = Answer in English.
    /home/ada/.codex/skills/review/SKILL.md = ---%0Adescription: Reviews a change.%0A---%0A
    /home/ada/shop/.git/
    /home/ada/shop/AGENTS.md = Run the tests.
    /home/ada/shop/web/AGENTS.md = Prices are in cents.
    /home/ada/shop/web/.agents/skills/price/SKILL.md = ---%0Adescription: Sets a price.%0A---%0A
";

const BUILD: &str = r#"
    D:/ci/.git/
    D:/ci/AGENTS.md = Never touch the signing key.
    D:/plugins/release/.codex-plugin/plugin.json = {"name": "release"}
    D:/plugins/release/.mcp.json = {"mcpServers": {"sign": {"command": "sign"}}}
    D:/plugins/release/skills/publish/SKILL.md = ---%0Adescription: Publishes.%0A---%0A
"#;

async fn both() -> Context {
    let host = memory(Flavor::Posix, HERE);
    let build = MemoryFileSystem::from_tree(Flavor::Windows, BUILD).unwrap();
    let request = ContextRequest {
        environments: vec![
            here("/home/ada/shop/web", host.clone()),
            Environment::new("build", r"D:\ci", build).unwrap(),
        ],
        sources: sources(host),
        plugins: vec![
            SelectedCapabilityRoot::parse("release", "build", r"D:\plugins\release").unwrap(),
        ],
        ..ContextRequest::default()
    };
    codex_context::load(&request).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn instructions_of_all_machines_are_shown_as_a_model_sees_them() {
    let context = both().await;
    assert_eq!(
        context.instructions().to_string(),
        "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nAnswer in English.\n\n\
         for `local` with root /home/ada/shop/web\n\nRun the tests.\n\nPrices are in cents.\n\n\
         for `build` with root D:\\ci\n\nNever touch the signing key.\n</INSTRUCTIONS>"
    );
    let found: Vec<_> = context
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn skills_of_all_machines_are_in_one_catalog_and_are_read_where_they_are() {
    let context = both().await;
    let skills = context.skills().get().unwrap();
    let names: Vec<_> = skills
        .outcome
        .skills
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["price", "release:publish", "review"]);
    let read = context.read_skill("release:publish", None).await.unwrap();
    assert_eq!(read.handle.environment_id().as_str(), "build");
    assert_eq!(read.text, "---\ndescription: Publishes.\n---\n");
    let refused = context.read_skill("publish", None).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "no skill is called `publish` or lies there; the nearest is `release:publish`"
    );
}

#[tokio::test(start_paused = true)]
async fn servers_of_plugins_are_registered_where_the_plugin_is() {
    let context = both().await;
    let servers: Vec<_> = context.mcp_servers().to_vec();
    assert_eq!(servers.len(), 1);
    assert_eq!(servers[0].environment_id().as_str(), "build");
}

#[tokio::test(start_paused = true)]
async fn a_refresh_where_nothing_changed_says_so() {
    let context = both().await;
    let (next, changes) = context.refresh().await.unwrap();
    assert!(changes.is_empty(), "{changes}");
    assert_eq!(
        next.instructions().to_string(),
        context.instructions().to_string()
    );
}

#[tokio::test(start_paused = true)]
async fn a_refresh_tells_what_changed_where() {
    let host = memory(Flavor::Posix, HERE);
    let request = ContextRequest {
        environments: vec![here("/home/ada/shop/web", host.clone())],
        sources: sources(host.clone()),
        ..ContextRequest::default()
    };
    let context = codex_context::load(&request).await.unwrap();
    let path = |text: &str| absolute_path(text).unwrap();
    let write = |at: &str, text: &str| {
        let (at, text) = (path(at), text.as_bytes().to_vec());
        let host = host.clone();
        async move { host.write_file(&at, text, None).await.unwrap() }
    };
    write("/home/ada/shop/AGENTS.override.md", "Only this.").await;
    write("/home/ada/.codex/config.toml", "project_doc_max_bytes = 9").await;
    let skill = path("/home/ada/.codex/skills/review/SKILL.md");
    host.write_file(&skill, b"no frontmatter".to_vec(), None)
        .await
        .unwrap();
    let (_, changes) = context.refresh().await.unwrap();
    assert_eq!(
        changes.to_string(),
        "changed: value `project_doc_max_bytes`\n\
         gone: document /home/ada/shop/AGENTS.md in `local`\n\
         added: document /home/ada/shop/AGENTS.override.md in `local`\n\
         gone: document /home/ada/shop/web/AGENTS.md in `local`\n\
         gone: skill `review`, /home/ada/.codex/skills/review/SKILL.md in `local`"
    );
}

#[tokio::test(start_paused = true)]
async fn a_host_without_files_of_its_own_gets_the_context_of_its_environments() {
    let host = memory(Flavor::Posix, HERE);
    let request = ContextRequest {
        environments: vec![here("/home/ada/shop/web", host)],
        overrides: vec!["project_doc_max_bytes=14".to_owned()],
        ..ContextRequest::default()
    };
    let context = codex_context::load(&request).await.unwrap();
    let sources: Vec<_> = context
        .sources()
        .iter()
        .map(|it| it.path.to_string())
        .collect();
    let document = format!("file://{HOME}/shop/AGENTS.md");
    let skill = format!("file://{HOME}/shop/web/.agents/skills/price/SKILL.md");
    assert_eq!(sources, [document, skill]);
}

#[tokio::test(start_paused = true)]
async fn this_process_is_a_host() {
    let request = ContextRequest {
        environments: vec![Environment::local("local", ".").unwrap()],
        sources: HostSources::from_process().unwrap(),
        ..ContextRequest::default()
    };
    let context = codex_context::load(&request).await.unwrap();
    assert_eq!(context.environments().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn documents_of_a_file_below_the_start_directory_are_asked_for_when_they_matter() {
    let host = crate::support::metered(&format!(
        "{HERE}\n/home/ada/shop/web/cart/AGENTS.md = Round up.\n"
    ));
    let request = crate::support::at_home("/home/ada/shop/web", host.clone(), 64);
    let context = codex_context::load(&request).await.unwrap();
    host.reset();
    let file = absolute_path("/home/ada/shop/web/cart/total.rs").unwrap();
    let found = context.instructions_for(&file).await.unwrap().documents;
    let documents = found
        .directories
        .iter()
        .filter_map(|row| row.document.as_ref());
    let documents: Vec<_> = documents.map(|path| path.as_str()).collect();
    assert_eq!(
        documents,
        [
            "file:///home/ada/shop/AGENTS.md",
            "file:///home/ada/shop/web/AGENTS.md",
            "file:///home/ada/shop/web/cart/AGENTS.md"
        ]
    );
    assert_eq!((host.cost().round_trips(), host.cost().total()), (1, 2));
    let elsewhere = absolute_path("/etc/passwd").unwrap();
    let refused = context.instructions_for(&elsewhere).await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        "/etc/passwd lies in no project of the session"
    );
}
