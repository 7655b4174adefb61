//! What holds for every tree, every window and every order of answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::wrap::{CallKind, Calls, Counting, Latency};
use codex_file_system::{ExecutorFileSystem, TokioTimer, Window};
use codex_file_system_testkit::{Flavor, MemoryFileSystem, Trace, TraceStep};
use codex_path_uri::PathUri;
use codex_skills::{SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScope, load_skills};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::model::{Question, expect};
use crate::support::without_listing_flags::without_listing_flags;
use crate::support::{local, only, uri};

/// A tree of skills, plugins, sidecars and links below `/t`, grown entry by entry.
fn trees() -> impl Strategy<Value = MemoryFileSystem> {
    vec(entry(), 1..40).prop_map(|entries| {
        let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/t/").unwrap();
        for entry in entries {
            // An entry that contradicts an earlier one is left out.
            let _ = fs.add_tree(&entry);
        }
        fs
    })
}

fn entry() -> impl Strategy<Value = String> {
    let item = prop_oneof![
        8 => select(vec![
            "/SKILL.md = ---%0Adescription: d%0A---%0A",
            "/SKILL.md = ---%0Adescription: d%0A---%0A",
            "/SKILL.md = no skill",
            "/skill.md = x",
            "/agents/openai.yaml = interface: {display_name: X}",
            "/agents/openai.yaml/",
            "/SKILL.md/",
            "/",
        ]).prop_map(str::to_owned),
        4 => (0..3usize, select(vec![
            "/plugin.json = {\"name\":\"n1\"}",
            "/plugin.json = {\"name\":\"n2\"}",
            "/plugin.json = nonsense",
            "/plugin.json/",
            "/plugin.json -> nowhere",
            "/",
        ])).prop_map(|(location, manifest)| {
            let directories = [".codex-plugin", ".claude-plugin", ".cursor-plugin"];
            format!("/{}{manifest}", directories[location])
        }),
        3 => (link_name(), directory()).prop_map(|(name, target)| format!("/{name} -> {target}")),
        1 => directory().prop_map(|target| format!("/SKILL.md -> {target}/SKILL.md")),
    ];
    (directory(), item).prop_map(|(directory, item)| format!("{directory}{item}"))
}

fn directory() -> impl Strategy<Value = String> {
    let name = select(vec!["a", "b", "c", "skills", ".h", "agents"]);
    vec(name, 0..4).prop_map(|names| {
        let mut path = "/t".to_owned();
        for name in names {
            path.push('/');
            path.push_str(name);
        }
        path
    })
}

fn link_name() -> impl Strategy<Value = &'static str> {
    select(vec!["l", "m", "agents", ".codex-plugin"])
}

/// Every path a load may ask about gets a delay of its own.
fn delayed(
    fs: MemoryFileSystem,
    delays: &[(Index, u16)],
    paths: &[PathUri],
) -> Latency<MemoryFileSystem> {
    let base = Duration::from_millis(7);
    let mut latency = Latency::new(fs, TokioTimer, base, Duration::ZERO);
    for (index, millis) in delays.iter().filter(|_| !paths.is_empty()) {
        let path = index.get(paths).clone();
        latency = latency.with_path(path, Duration::from_millis(u64::from(*millis)));
    }
    latency
}

fn load(
    fs: impl ExecutorFileSystem + 'static,
    roots: &[SkillRoot],
    window: usize,
) -> (SkillLoadOutcome, Calls, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let counting = Arc::new(Counting::new(fs));
        let options = SkillLoadOptions {
            window: Window::new(window).unwrap(),
            ..SkillLoadOptions::default()
        };
        let outcome = load_skills(&only(Arc::clone(&counting)), roots, &options).await;
        (outcome, counting.calls(), counting.peak_in_flight())
    })
}

fn root(path: &str, scope: SkillScope) -> SkillRoot {
    SkillRoot::new(local(), uri(&format!("file://{path}")), scope)
}

/// The paths that a serial load asks about.
fn asked(fs: &MemoryFileSystem, roots: &[SkillRoot]) -> Vec<(CallKind, PathUri)> {
    let trace = Arc::new(Trace::new(fs.clone()));
    load(Arc::clone(&trace), roots, 1);
    let started = trace
        .events()
        .into_iter()
        .filter_map(|event| match event.what {
            TraceStep::Started { kind, path, .. } => Some((kind, path)),
            _ => None,
        });
    started.collect()
}

fn sum(outcome: &SkillLoadOutcome) -> Calls {
    outcome
        .roots
        .iter()
        .fold(Calls::default(), |sum, root| Calls {
            get_metadata: sum.get_metadata + root.calls.get_metadata,
            read_file: sum.read_file + root.calls.read_file,
            read_directory: sum.read_directory + root.calls.read_directory,
            canonicalize: sum.canonicalize + root.calls.canonicalize,
            ..sum
        })
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        cases: 192,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn window_and_order_of_answers_change_nothing(
        fs in trees(),
        paths in vec((directory(), select(vec![
            SkillScope::System, SkillScope::Repo, SkillScope::User, SkillScope::Environment,
        ])), 1..4),
        delays in vec((any::<Index>(), 0..60u16), 0..30),
        has_flags in any::<bool>(),
    ) {
        let roots: Vec<SkillRoot> = paths.iter().map(|(path, scope)| root(path, *scope)).collect();
        let paths: Vec<PathUri> = asked(&fs, &roots).into_iter().map(|(_, path)| path).collect();
        let (serial, calls, _) = match has_flags {
            true => load(fs.clone(), &roots, 1),
            false => load(without_listing_flags(fs.clone()), &roots, 1),
        };
        assert_eq!(sum(&serial), calls);
        for window in [1, 2, 8, 32, 64] {
            let delayed = delayed(fs.clone(), &delays, &paths);
            let (outcome, made, peak) = match has_flags {
                true => load(delayed, &roots, window),
                false => load(without_listing_flags(delayed), &roots, window),
            };
            assert_eq!(outcome, serial, "window {window}");
            assert_eq!(made, calls, "window {window}");
            assert!(peak <= window, "{peak} in flight at window {window}");
        }
    }

    #[test]
    fn calls_skills_and_manifests_are_those_of_the_formula(
        fs in trees(),
        path in directory(),
        canonical_is_given in any::<bool>(),
        listings_have_flags in any::<bool>(),
    ) {
        let path = uri(&format!("file://{path}"));
        let question = Question { fs: &fs, root: path.clone(), canonical_is_given, listings_have_flags };
        let Some(expected) = expect(&question) else { return Ok(()) };
        let canonical = futures::executor::block_on(fs.canonicalize(&path, None)).unwrap();
        let root = SkillRoot {
            canonical: canonical_is_given.then_some(canonical),
            ..SkillRoot::new(local(), path, SkillScope::Repo)
        };
        let roots = [root];
        let (outcome, calls, _) = match listings_have_flags {
            true => load(fs.clone(), &roots, 8),
            false => load(without_listing_flags(fs.clone()), &roots, 8),
        };
        assert_eq!(calls, expected.calls);
        let refused = |code: &str| outcome.diagnostics.iter().any(|it| it.code.as_str() == code);
        let found: BTreeMap<&PathUri, &str> =
            outcome.skills.iter().map(|skill| (&skill.identity, skill.name.as_str())).collect();
        for (identity, name) in &expected.skills {
            match found.get(identity) {
                Some(found) => assert_eq!(found, name),
                None => assert!(refused("frontmatter_missing"), "{identity} is lost in silence"),
            }
        }
        assert!(outcome.skills.len() <= expected.skills.len());
        if listings_have_flags {
            let mut manifests: BTreeMap<PathUri, u64> = BTreeMap::new();
            for (kind, path) in asked(&fs, &roots) {
                let is_manifest = path.file_name().is_some_and(|it| it.as_str() == Some("plugin.json"));
                if kind == CallKind::ReadFile && is_manifest {
                    let directory = path.parent().unwrap().parent().unwrap();
                    manifests.insert(directory, 1);
                }
            }
            let spelled = |path: &PathUri| futures::executor::block_on(fs.canonicalize(path, None)).unwrap();
            let manifests: BTreeMap<PathUri, u64> =
                manifests.into_iter().map(|(path, count)| (spelled(&path), count)).collect();
            assert_eq!(manifests, expected.manifests);
        }
    }
}
