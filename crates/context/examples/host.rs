//! A host in one file: a session over a machine of its own and a build machine that runs Windows.
//!
//! The agent works in a project on the host, and the user selected a plugin on the build machine. One
//! call loads the configuration, instructions, plugins and skills of both. The example watches every
//! call, and fails if one is made twice.
//!
//! `cargo run --package codex-context --example host`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use codex_context::{
    ContextRequest, Environment, HostSources, SelectedCapabilityRoot, absolute_path,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem, Trace, TraceStep};

type Watched = Arc<Trace<MemoryFileSystem>>;

const HERE: &str = "
    /home/ada/.codex/config.toml = project_doc_max_bytes = 4096
    /home/ada/.codex/AGENTS.md = Answer in English.
    /home/ada/.codex/skills/review/SKILL.md = ---%0Adescription: Reviews a change.%0A---%0A
    /home/ada/shop/.git/
    /home/ada/shop/AGENTS.md = Run the tests before you answer.
    /home/ada/shop/web/AGENTS.md = Prices are in cents.
    /home/ada/shop/web/.agents/skills/price/SKILL.md = ---%0Adescription: Sets a price.%0A---%0A
";
const THERE: &str = r#"
    D:/ci/.git/
    D:/ci/AGENTS.md = Never touch the signing key.
    D:/plugins/release/.codex-plugin/plugin.json = {"name": "release"}
    D:/plugins/release/.mcp.json = {"mcpServers": {"sign": {"command": "${PLUGIN_ROOT}/sign.exe"}}}
    D:/plugins/release/skills/publish/SKILL.md = ---%0Adescription: Publishes.%0A---%0A
"#;

fn main() -> Result<(), Box<dyn Error>> {
    futures::executor::block_on(start_session())
}

async fn start_session() -> Result<(), Box<dyn Error>> {
    let files = watched(Flavor::Posix, HERE)?;
    let files_there = watched(Flavor::Windows, THERE)?;
    let here = Environment::new("local", "/home/ada/shop/web", Arc::clone(&files))?;
    let there = Environment::new("build", r"D:\ci", Arc::clone(&files_there))?;
    let release = SelectedCapabilityRoot::parse("release", "build", r"D:\plugins\release")?;
    let request = ContextRequest {
        // Where this host keeps the user's files. `HostSources::from_process` is the usual answer.
        sources: HostSources {
            environment: Some(here.clone()),
            config_home: Some(absolute_path("/home/ada/.codex")?),
            home: Some(absolute_path("/home/ada")?),
            ..HostSources::default()
        },
        environments: vec![here, there],
        plugins: vec![release],
        context_window: Some(272_000),
        ..ContextRequest::default()
    };

    let context = codex_context::load(&request).await?;
    for (id, files) in [("local", &files), ("build", &files_there)] {
        println!("{id}: {} calls, none made twice", distinct_calls(files)?);
    }
    println!("\n{}\n\n{}\n", context.instructions(), context.skills());
    for server in context.mcp_servers() {
        let (name, id) = (server.qualified_name(), server.environment_id());
        println!("server `{name}` in `{id}`");
    }
    for diagnostic in context.diagnostics() {
        println!("{}: {diagnostic}", diagnostic.code());
    }

    // A read goes to the machine that the skill is on.
    let skill = context.read_skill("release:publish", None).await?;
    println!("{} of `{}`", skill.path, skill.handle.environment_id());

    let (_, changes) = context.refresh().await?;
    println!("{} changes since then", changes.iter().count());
    Ok(())
}

fn watched(flavor: Flavor, tree: &str) -> Result<Watched, Box<dyn Error>> {
    let files = MemoryFileSystem::from_tree(flavor, tree)?;
    Ok(Arc::new(Trace::new(files)))
}

/// How many calls were made, provided that no two were the same.
fn distinct_calls(files: &Watched) -> Result<usize, Box<dyn Error>> {
    let mut seen = BTreeSet::new();
    for event in files.events() {
        if let TraceStep::Started { kind, path, .. } = event.what {
            let call = format!("{kind:?} {path}");
            if !seen.insert(call.clone()) {
                return Err(format!("made twice: {call}").into());
            }
        }
    }
    Ok(seen.len())
}

#[test]
fn one_session_start_makes_no_call_twice() -> Result<(), Box<dyn Error>> {
    main()
}
