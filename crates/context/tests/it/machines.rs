//! Several machines at once: those that answer are complete, whatever the others do.

use std::sync::Arc;
use std::time::Duration;

use codex_context::file_system::call::{Call, Uniform};
use codex_context::file_system::{FileSystemFuture, uniform_file_system};
use codex_context::{Context, ContextError, ContextRequest, Environment, SelectedCapabilityRoot};
use codex_file_system_testkit::meter::Metered;
use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;

use crate::support::{here, memory, metered, sources};

const HOST: &str = "
    /home/ada/.codex/AGENTS.md = Mine.
    /home/ada/shop/.git/
    /home/ada/shop/AGENTS.md = Here.
";
const BUILD: &str = r"
    D:/ci/.git/
    D:/ci/AGENTS.md = There.
    D:/ci/.agents/skills/sign/SKILL.md = ---%0Adescription: Signs.%0A---%0A
";

/// A machine that is not there.
pub(crate) struct Dead;

impl Uniform for Dead {
    fn call<'a, C: Call<'a>>(&'a self, _: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async { Err(std::io::ErrorKind::ConnectionRefused.into()) })
    }
}

uniform_file_system! { impl for Dead }

/// A machine that accepts every call and answers none.
fn silent() -> Faulty<MemoryFileSystem> {
    let empty = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/").unwrap();
    Faulty::new(empty).on(Fault::silence())
}

fn environment(
    id: &str,
    cwd: &str,
    files: impl codex_context::file_system::ExecutorFileSystem + 'static,
) -> Environment {
    Environment::new(id, cwd, files).unwrap()
}

fn found(context: &Context) -> Vec<String> {
    context
        .diagnostics()
        .iter()
        .map(ToString::to_string)
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_dead_environment_is_named_and_the_others_are_complete() {
    let host = memory(Flavor::Posix, HOST);
    let build = MemoryFileSystem::from_tree(Flavor::Windows, BUILD).unwrap();
    let request = ContextRequest {
        environments: vec![
            environment("dead", "/srv", Dead),
            here("/home/ada/shop", host.clone()),
            environment("build", r"D:\ci", build),
        ],
        sources: sources(host),
        ..ContextRequest::default()
    };
    let context = codex_context::load(&request).await.unwrap();
    assert_eq!(
        found(&context),
        [
            "cannot reach the environment `dead`: cannot read metadata of `file:///srv` in environment `dead`: connection refused"
        ]
    );
    assert_eq!(context.first().unwrap().0.id.as_str(), "local");
    assert_eq!(
        context
            .instructions()
            .get()
            .unwrap()
            .loaded()
            .unwrap()
            .text(),
        "Mine.\n\nfor `local` with root /home/ada/shop\n\nHere.\n\nfor `build` with root D:\\ci\n\nThere."
    );
    assert_eq!(
        context
            .find_skill("sign")
            .unwrap()
            .environment_id()
            .as_str(),
        "build"
    );
}

#[tokio::test(start_paused = true)]
async fn an_environment_that_never_answers_keeps_nobody_from_being_asked() {
    let host = metered(HOST);
    let build = MemoryFileSystem::from_tree(Flavor::Windows, BUILD).unwrap();
    let build = Arc::new(Metered::new(build));
    let request = ContextRequest {
        environments: vec![
            here("/home/ada/shop", Arc::clone(&host) as _),
            environment("silent", "/srv", silent()),
            environment("build", r"D:\ci", Arc::clone(&build)),
        ],
        sources: sources(host),
        ..ContextRequest::default()
    };
    let begin = tokio::time::Instant::now();
    let context = codex_context::load(&request).await.unwrap();
    let waited = begin.elapsed() - codex_context::DEFAULT_CALL_TIMEOUT;
    assert!(waited < Duration::from_millis(10), "{waited:?}");
    assert_eq!(found(&context).len(), 1);
    let silent = &context.diagnostics()[0];
    assert_eq!(silent.code(), "environment_unreachable");
    assert_eq!(silent.environment_id().unwrap().as_str(), "silent");
    assert_eq!(context.sources().len(), 4);
    // All that the build machine has was asked for long before the silent one was given up.
    for call in build.cost().calls {
        let is_manifest = call.path.as_str().ends_with("/plugin.json");
        let is_early = call.started - begin < Duration::from_millis(20);
        assert!(is_manifest || is_early, "{call:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn no_environment_that_answers_is_an_error_that_names_all() {
    let request = ContextRequest {
        environments: vec![
            environment("one", "/srv", Dead),
            environment("two", "/srv", silent()),
        ],
        ..ContextRequest::default()
    };
    let refused = codex_context::load(&request).await.unwrap_err();
    let ContextError::Unreachable { environments } = &refused else {
        panic!("{refused}");
    };
    let ids: Vec<_> = environments.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["one", "two"]);
}

#[tokio::test(start_paused = true)]
async fn a_start_directory_that_is_not_there_is_an_error() {
    let host = memory(Flavor::Posix, HOST);
    let request = |cwd: &str| ContextRequest {
        environments: vec![environment("box", cwd, host.clone())],
        ..ContextRequest::default()
    };
    let refused = codex_context::load(&request("/home/bob"))
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "cannot start in /home/bob (environment `box`): it does not exist"
    );
    let refused = codex_context::load(&request("/home/ada/shop/AGENTS.md"))
        .await
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "cannot start in /home/ada/shop/AGENTS.md (environment `box`): it is no directory"
    );
}

#[tokio::test(start_paused = true)]
async fn a_plugin_of_an_environment_that_is_not_bound_is_a_diagnostic() {
    let host = memory(Flavor::Posix, HOST);
    let request = ContextRequest {
        environments: vec![here("/home/ada/shop", host)],
        plugins: vec![SelectedCapabilityRoot::parse("p", "elsewhere", "/p").unwrap()],
        ..ContextRequest::default()
    };
    let context = codex_context::load(&request).await.unwrap();
    let codes: Vec<_> = context.diagnostics().iter().map(|it| it.code()).collect();
    assert_eq!(codes, ["unavailable_environment"]);
}

#[test]
fn a_dropped_load_asks_nothing_more() {
    let host = metered(HOST);
    let request = ContextRequest {
        environments: vec![here("/home/ada/shop", Arc::clone(&host) as _)],
        sources: sources(Arc::clone(&host) as _),
        ..ContextRequest::default()
    };
    let (_, _) = codex_file_system_testkit::meter::on_paused_clock(async {
        let load = codex_context::load(&request);
        let ended = tokio::time::timeout(Duration::from_micros(500), load).await;
        assert!(ended.is_err());
        let asked = host.cost().total();
        tokio::time::sleep(Duration::from_secs(9)).await;
        assert_eq!(host.cost().total(), asked);
    });
}
