//! The environment is not trusted, and the host is never asked.

use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use codex_file_system::wrap::{Counting, Latency};
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, FileSystemSandboxContext, SandboxAccess,
    SandboxEntry, SandboxPolicy, TokioTimer,
};
use codex_file_system_testkit::{
    Fault, Faulty, Flavor, Forbidden, MemoryFileSystem, Trace, TraceStep, escape,
};
use codex_skills::{
    CatalogBudget, Product, SkillCatalog, SkillDiagnosticCode as Code, SkillLoadOptions,
    SkillLoadOutcome, SkillRoot, SkillScope, load_environment_skills_from_root, load_skills,
    render_skills,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;
use proptest::prelude::*;

use crate::support::{codes, local, only, uri};

fn id(text: &str) -> EnvironmentId {
    EnvironmentId::new(text).unwrap()
}

fn demo() -> MemoryFileSystem {
    let tree = "/s/p/.codex-plugin/plugin.json = {\"name\":\"p\"}\n\
                /s/p/skills/a/SKILL.md = ---%0Adescription: A%0A---%0A\n\
                /s/p/skills/a/notes.md = N\n\
                /s/b/SKILL.md = ---%0Adescription: B%0A---%0A\n\
                /s/l -> /elsewhere\n\
                /elsewhere/c/SKILL.md = ---%0Adescription: C%0A---%0A";
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

#[test]
fn a_forbidden_host_is_never_called() {
    let host = Environment::new(id("host"), uri("file:///"), Arc::new(Forbidden));
    let remote = Environment::new(id("remote"), uri("file:///"), Arc::new(demo()));
    let environments = Arc::new(EnvironmentSet::new(vec![host, remote]).unwrap());
    let root = SkillRoot::new(id("remote"), uri("file:///s"), SkillScope::Environment);
    let options = SkillLoadOptions::default();
    let outcome = block_on(load_skills(&environments, &[root], &options));
    let names: Vec<&str> = outcome
        .skills
        .iter()
        .map(|skill| skill.name.as_str())
        .collect();
    assert_eq!(names, ["b", "c", "p:a"]);
    let handle = outcome.skills[2].handle.clone();
    let catalog = SkillCatalog::new(environments, outcome);
    assert_eq!(
        block_on(catalog.read_resource(&handle, "notes.md"))
            .unwrap()
            .text,
        "N"
    );
}

#[test]
fn an_unknown_environment_is_reported_without_a_call() {
    let environments = only(Forbidden);
    let root = SkillRoot::new(id("gone"), uri("file:///s"), SkillScope::User);
    let outcome = block_on(load_skills(
        &environments,
        &[root],
        &SkillLoadOptions::default(),
    ));
    assert_eq!(codes(&outcome), ["unknown_environment"]);
    assert_eq!(outcome.diagnostics[0].environment_id, Some(id("gone")));
    assert_eq!(outcome.diagnostics[0].path, Some(uri("file:///s")));
    assert_eq!(outcome.roots[0].calls.total(), 0);
}

#[test]
fn one_environment_that_fails_leaves_the_others_alone() {
    let broken = Faulty::new(demo()).on(Fault::error(std::io::ErrorKind::BrokenPipe));
    let broken = Environment::new(id("broken"), uri("file:///"), Arc::new(broken));
    let fine = Environment::new(id("fine"), uri("file:///"), Arc::new(demo()));
    let environments = EnvironmentSet::new(vec![broken, fine]).unwrap();
    let root = |name| SkillRoot::new(id(name), uri("file:///s"), SkillScope::Environment);
    let roots = [root("broken"), root("fine")];
    let outcome = block_on(load_skills(
        &environments,
        &roots,
        &SkillLoadOptions::default(),
    ));
    assert_eq!(outcome.skills.len(), 3);
    assert!(outcome.skills.iter().all(|skill| skill.root == 1));
    assert_eq!(codes(&outcome), ["directory_unreadable"]);
    assert_eq!(
        outcome.diagnostics[0].io_kind,
        Some(std::io::ErrorKind::BrokenPipe)
    );
}

#[test]
fn the_same_path_in_two_environments_is_two_skills() {
    let environment = |name: &str| Environment::new(id(name), uri("file:///"), Arc::new(demo()));
    let environments = EnvironmentSet::new(vec![environment("x"), environment("y")]).unwrap();
    let root = |name| SkillRoot::new(id(name), uri("file:///s"), SkillScope::Environment);
    let roots = [root("y"), root("x")];
    let outcome = block_on(load_skills(
        &environments,
        &roots,
        &SkillLoadOptions::default(),
    ));
    let order: Vec<(&str, &str)> = outcome
        .skills
        .iter()
        .map(|skill| (skill.name.as_str(), skill.handle.environment_id().as_str()))
        .collect();
    let names = ["b", "c", "p:a"];
    assert_eq!(
        order,
        names
            .iter()
            .flat_map(|name| [(*name, "x"), (*name, "y")])
            .collect::<Vec<_>>()
    );
}

#[test]
fn a_dropped_load_makes_no_more_calls() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let latency = Latency::new(demo(), TokioTimer, Duration::from_secs(1), Duration::ZERO);
        let counting = Arc::new(Counting::new(latency));
        let environments = only(Arc::clone(&counting));
        let roots = [SkillRoot::new(local(), uri("file:///s"), SkillScope::User)];
        let options = SkillLoadOptions::default();
        let mut load = Box::pin(load_skills(&environments, &roots, &options));
        let mut cx = Context::from_waker(Waker::noop());
        assert!(load.as_mut().poll(&mut cx).is_pending());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(load.as_mut().poll(&mut cx).is_pending());
        let made = counting.calls();
        assert!(made.total() > 1 && counting.in_flight() > 0);
        drop(load);
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!((counting.calls(), counting.in_flight()), (made, 0));
    });
}

#[test]
fn loading_futures_can_move_between_threads() {
    fn is_send<T: Send>(_: &T) {}
    let environments = only(demo());
    let options = SkillLoadOptions::default();
    is_send(&load_skills(&environments, &[], &options));
    let (fs, root) = (demo(), uri("file:///s"));
    is_send(&load_environment_skills_from_root(&fs, &root, None));
}

#[test]
fn the_sandbox_reaches_every_call() {
    let skill = "SKILL.md = ---%0Adescription: d%0A---";
    let tree = format!(
        "/.codex-plugin/plugin.json = {{\"name\":\"top\"}}\n/s/a/{skill}\n/s/b/{skill}\n\
        /s/b/agents/openai.yaml = {{}}\n/s/c/d/\n/s/l -> /out\n/out/{skill}\n\
        /s/p/.codex-plugin/plugin.json = {{\"name\":\"p\"}}\n/s/p/x/{skill}"
    );
    let entry = |path: &str, access| SandboxEntry {
        path: uri(&format!("file://{path}")),
        access,
    };
    // One call of each kind is denied; a call without the sandbox would be answered.
    let policy = SandboxPolicy::Restricted(vec![
        entry("/s", SandboxAccess::Read),
        entry("/s/a/SKILL.md", SandboxAccess::None),
        entry("/s/b/agents/openai.yaml", SandboxAccess::None),
        entry("/s/c", SandboxAccess::None),
        entry("/s/p/.codex-plugin/plugin.json", SandboxAccess::None),
    ]);
    let options = SkillLoadOptions {
        sandbox: Some(FileSystemSandboxContext::new(policy)),
        ..SkillLoadOptions::default()
    };
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let root = SkillRoot::new(local(), uri("file:///s"), SkillScope::User);
    let outcome = block_on(load_skills(&only(fs), &[root], &options));
    let denied = Some(std::io::ErrorKind::PermissionDenied);
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|it| {
            (
                it.code.as_str(),
                it.path.as_ref().unwrap().as_str(),
                it.io_kind,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("skill_unreadable", "file:///s/a/SKILL.md", denied),
            (
                "sidecar_unreadable",
                "file:///s/b/agents/openai.yaml",
                denied
            ),
            ("directory_unreadable", "file:///s/c", denied),
            ("link_unreadable", "file:///s/l", denied),
            (
                "manifest_unreadable",
                "file:///s/p/.codex-plugin/plugin.json",
                denied
            ),
        ]
    );
    // The manifest above the root is out of reach too.
    let names: Vec<&str> = outcome.skills.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["b", "x"]);
}

#[test]
fn skills_without_an_environment_become_usable_by_binding() {
    let only_codex = "/s/p/skills/a/agents/openai.yaml = policy: {products: [codex]}";
    for path in ["file:///s", "file:///missing", "file:///s/b/SKILL.md"] {
        for product in [None, Some(Product::Codex), Some(Product::Atlas)] {
            let fs = demo();
            fs.add_tree(only_codex).unwrap();
            let (asked, root) = (Counting::new(fs.clone()), uri(path));
            let bound = block_on(load_environment_skills_from_root(&asked, &root, product))
                .bind(id("local"), "cap".to_owned());
            let loaded = SkillRoot {
                required: true,
                root_id: Some("cap".to_owned()),
                ..SkillRoot::new(local(), root, SkillScope::Environment)
            };
            let options = SkillLoadOptions {
                product,
                ..SkillLoadOptions::default()
            };
            let asked_bound = Arc::new(Counting::new(fs));
            let environments = only(Arc::clone(&asked_bound));
            assert_eq!(
                bound,
                block_on(load_skills(&environments, &[loaded], &options))
            );
            // It asks no more and no less than loading does.
            assert_eq!(asked.calls(), asked_bound.calls());
            assert_eq!(bound.roots[0].calls, asked.calls());
        }
    }
}

/// Loads one skill file, sidecar and manifest of arbitrary content.
fn load_bytes(skill: &[u8], sidecar: &[u8], manifest: &[u8]) -> SkillLoadOutcome {
    let tree = format!(
        "/s/d/SKILL.md = {}\n/s/d/agents/openai.yaml = {}\n/s/.codex-plugin/plugin.json = {}",
        escape(skill),
        escape(sidecar),
        escape(manifest),
    );
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let root = SkillRoot::new(local(), uri("file:///s"), SkillScope::User);
    block_on(load_skills(
        &only(fs),
        &[root],
        &SkillLoadOptions::default(),
    ))
}

fn yaml_like() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "name: ",
        "description: ",
        "metadata:",
        "short-description: ",
        "interface:",
        "policy:",
        "\n",
        "\n  ",
        "\n    ",
        "- ",
        "? ",
        ": ",
        "&a ",
        "*a",
        "<<: ",
        "!t ",
        "!!str ",
        "|\n",
        ">-\n",
        "'",
        "\"",
        "[",
        "]",
        "{",
        "}",
        ",",
        "#",
        " # c",
        "%",
        "@",
        "---\n",
        "...\n",
        "x",
        "é",
        "\t",
        "\r",
        "\u{feff}",
        "\u{0}",
        "\u{2028}",
        "~",
        "null",
        "1.0",
        "true",
    ]);
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_panic_and_every_lost_skill_has_one_error(
        skill in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..200),
            yaml_like().prop_map(|yaml| format!("---\n{yaml}\n---\n").into_bytes()),
        ],
        sidecar in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..100),
            yaml_like().prop_map(String::into_bytes),
        ],
        manifest in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let outcome = load_bytes(&skill, &sidecar, &manifest);
        let errors = outcome.diagnostics.iter().filter(|it| it.severity == codex_file_system::Severity::Error);
        assert_eq!(outcome.skills.len() + errors.count(), 1);
        for found in &outcome.diagnostics {
            assert!(found.message.chars().count() < 2_000);
            assert!(!found.message.chars().any(char::is_control), "{:?}", found.message);
        }
        codex_skills::validate(&skill, "d");
    }

    #[test]
    fn no_text_leaves_its_line_or_its_section(
        name in hostile(), description in hostile(), directory in hostile_name(), id in hostile(),
        limit in 0..600u64,
    ) {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let text = format!("---\nname: {}\ndescription: {}\n---\n", quoted(&name), quoted(&description));
        let tree = format!("/s/{}/SKILL.md = {}", escape(directory.as_bytes()), escape(text.as_bytes()));
        let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
        let root = SkillRoot {
            root_id: Some(id),
            ..SkillRoot::new(local(), uri("file:///s"), SkillScope::Environment)
        };
        let outcome = block_on(load_skills(&only(fs), &[root], &SkillLoadOptions::default()));
        let Some(rendered) = render_skills(&outcome, CatalogBudget::Characters(limit), None) else {
            return Ok(());
        };
        let lines: Vec<&str> = rendered.text.split('\n').collect();
        let headings = if rendered.roots.is_empty() { 3 } else { 4 };
        assert_eq!(lines.len(), headings + rendered.roots.len() + rendered.lines.len() + 1);
        assert_eq!(lines[0], "<skills_instructions>");
        assert_eq!(lines[lines.len() - 1], "</skills_instructions>");
        for line in &lines[1..lines.len() - 1] {
            assert!(!line.chars().any(|it| it.is_control() || "\u{2028}\u{2029}".contains(it)));
            let markup = line.match_indices('<').filter_map(|(at, _)| line[at + 1..].chars().next());
            assert!(!markup.into_iter().any(|it| it.is_ascii_alphabetic() || "/!?".contains(it)), "{line}");
        }
        for root in &rendered.roots {
            assert!(!root.text.contains('`'));
        }
    }
}

fn hostile() -> impl Strategy<Value = String> {
    let piece = proptest::sample::select(vec![
        "</skills_instructions>",
        "<b>",
        "<",
        "!",
        "?",
        "/",
        "`",
        "\u{2028}",
        "\u{85}",
        "\n- x: y",
        "## Skills",
        "a",
        "&lt;",
        "é",
        ")",
        "r0",
        " ",
    ]);
    proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

fn hostile_name() -> impl Strategy<Value = String> {
    hostile().prop_map(|name| name.replace('/', "_") + "x")
}

#[test]
fn messages_hold_no_more_than_120_foreign_characters() {
    let outcome = load_bytes(
        format!("---\n{}: [\n---\n", "k".repeat(4_000)).as_bytes(),
        b"",
        b"{}",
    );
    assert_eq!(outcome.diagnostics[0].code, Code::FrontmatterInvalid);
    assert!(outcome.diagnostics[0].message.chars().count() < 200);
}

#[test]
fn paths_are_asked_only_below_the_roots_and_at_manifest_locations_above() {
    let trace = Arc::new(Trace::new(demo()));
    let root = SkillRoot::new(local(), uri("file:///s"), SkillScope::User);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let options = SkillLoadOptions::default();
    runtime.block_on(load_skills(&only(Arc::clone(&trace)), &[root], &options));
    for event in trace.events() {
        let TraceStep::Started { path, .. } = event.what else {
            continue;
        };
        let is_below = ["file:///s", "file:///elsewhere"]
            .iter()
            .any(|base| path.starts_with(&uri(base)));
        let is_manifest = path
            .file_name()
            .is_some_and(|name| name.as_str() == Some("plugin.json"));
        assert!(is_below || is_manifest, "{path}");
    }
}
