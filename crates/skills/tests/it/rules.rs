//! Rules of the walk that need more than one root, a fault, or a limit of their own.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use codex_file_system::wrap::{CallKind, Calls, Latency};
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, Operation, TokioTimer, Window,
};
use codex_file_system_testkit::{Fault, Faulty, Flavor, MemoryFileSystem, Trace, TraceStep};
use codex_path_uri::{PathConvention, PathUri};
use codex_plugin::PluginNamespace;
use codex_skills::{
    Product, ScanLimit, SkillDiagnosticCode as Code, SkillLoadOptions, SkillLoadOutcome, SkillRoot,
    SkillScanLimits, SkillScope, load_skills,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{codes, load_counted, local, only, uri};

const SKILL: &str = "---%0Adescription: d%0A---%0A";

fn memory(tree: &str) -> MemoryFileSystem {
    MemoryFileSystem::from_tree(
        Flavor::Posix,
        &tree.replace("SKILL ", &format!("SKILL.md = {SKILL}")),
    )
    .unwrap()
}

fn root(path: &str, scope: SkillScope) -> SkillRoot {
    SkillRoot::new(local(), uri(&format!("file://{path}")), scope)
}

fn load(fs: MemoryFileSystem, roots: &[SkillRoot]) -> SkillLoadOutcome {
    block_on(load_skills(&only(fs), roots, &SkillLoadOptions::default()))
}

fn names(outcome: &SkillLoadOutcome) -> Vec<&str> {
    outcome
        .skills
        .iter()
        .map(|skill| skill.name.as_str())
        .collect()
}

fn with_limits(max_depth: usize, max_directories: usize, max_entries: usize) -> SkillLoadOptions {
    SkillLoadOptions {
        limits: SkillScanLimits {
            max_depth,
            max_directories,
            max_entries,
        },
        ..SkillLoadOptions::default()
    }
}

#[test]
fn the_first_root_in_load_order_keeps_a_skill_that_two_roots_reach() {
    let fs = memory("/real/a/SKILL \n/x -> /real\n/y/l -> /real/a");
    let roots = [
        root("/y", SkillScope::Repo),
        root("/x", SkillScope::User),
        root("/real", SkillScope::Admin),
    ];
    let outcome = load(fs, &roots);
    assert_eq!(outcome.skills.len(), 1);
    let skill = &outcome.skills[0];
    assert_eq!((skill.root, skill.scope), (0, SkillScope::Repo));
    assert_eq!(skill.identity, uri("file:///real/a/SKILL.md"));
    assert_eq!(*skill.handle.entrypoint(), uri("file:///y/l/SKILL.md"));
    let found: Vec<u64> = outcome.roots.iter().map(|root| root.skills).collect();
    assert_eq!(found, [1, 0, 0]);
}

#[test]
fn several_existing_roots_ask_their_canonical_locations() {
    let fs = memory("/a/.codex-plugin/plugin.json = {\"name\":\"p\"}\n/a/s/SKILL \n/b/");
    let (_, alone) = load_counted(
        fs.clone(),
        &[root("/a", SkillScope::User)],
        &SkillLoadOptions::default(),
    );
    assert_eq!(alone.calls.canonicalize, 0);
    let roots = [
        root("/a", SkillScope::User),
        root("/missing", SkillScope::User),
    ];
    let (_, one_exists) = load_counted(fs.clone(), &roots, &SkillLoadOptions::default());
    assert_eq!(one_exists.calls.canonicalize, 0);
    let roots = [root("/a", SkillScope::User), root("/b", SkillScope::User)];
    let (outcome, both_exist) = load_counted(fs, &roots, &SkillLoadOptions::default());
    assert_eq!(both_exist.calls.canonicalize, 2);
    assert_eq!(names(&outcome), ["p:s"]);
}

#[test]
fn shared_calls_count_for_the_root_that_needed_them_first() {
    let fs = memory(
        "/p/.codex-plugin/plugin.json = {\"name\":\"p\"}\n/p/deep/x/y/SKILL \n/p/flat/SKILL ",
    );
    let roots = [
        root("/p/deep", SkillScope::User),
        root("/p/flat", SkillScope::User),
    ];
    let (outcome, cost) = load_counted(fs, &roots, &SkillLoadOptions::default());
    assert_eq!(names(&outcome), ["p:flat", "p:y"]);
    let of = |index: usize| outcome.roots[index].calls;
    // The skill of the second root has its turn first, so the probes and the manifest are its own.
    assert_eq!(
        of(0),
        Calls {
            read_directory: 3,
            read_file: 1,
            canonicalize: 1,
            ..Calls::default()
        }
    );
    assert_eq!(
        of(1),
        Calls {
            read_directory: 1,
            read_file: 2,
            canonicalize: 1,
            get_metadata: 6,
            ..Calls::default()
        }
    );
    assert_eq!(cost.calls.total(), of(0).total() + of(1).total());
}

#[test]
fn a_given_namespace_beats_every_manifest_without_a_lookup() {
    let fs = memory("/p/.codex-plugin/plugin.json = {\"name\":\"other\"}\n/p/skills/a/SKILL ");
    let plugin = PluginNamespace::new(Some(" installed "), &uri("file:///p"));
    let root = SkillRoot {
        plugin: Some(plugin),
        ..root("/p", SkillScope::User)
    };
    let (outcome, cost) = load_counted(fs, &[root], &SkillLoadOptions::default());
    assert_eq!(names(&outcome), ["installed:a"]);
    assert_eq!(
        cost.calls,
        Calls {
            read_directory: 3,
            read_file: 1,
            ..Calls::default()
        }
    );
}

#[test]
fn links_under_the_system_root_are_not_followed() {
    let fs = memory(
        "/out/x/SKILL \n/out/openai.yaml = interface: {display_name: X}\n\
        /s/a/SKILL \n/s/a/agents -> /out\n/s/l -> /out/x\n/s/b/SKILL.md -> /out/x/SKILL.md",
    );
    let outcome = load(fs, &[root("/s", SkillScope::System)]);
    assert_eq!(names(&outcome), ["a"]);
    assert_eq!(codes(&outcome), ["skill_link_not_followed"]);
    assert_eq!(
        outcome.diagnostics[0].path,
        Some(uri("file:///s/b/SKILL.md"))
    );
    // The sidecar is one read, not a walk.
    let shown = outcome.skills[0]
        .interface
        .as_ref()
        .and_then(|it| it.display_name.as_deref());
    assert_eq!(shown, Some("X"));
}

#[test]
fn an_unreadable_directory_leaves_the_rest_alone() {
    let fs = memory("/s/a/SKILL \n/s/b/SKILL \n/s/b/ !000\n/s/c/SKILL ");
    let outcome = load(fs, &[root("/s", SkillScope::User)]);
    assert_eq!(names(&outcome), ["a", "c"]);
    assert_eq!(codes(&outcome), ["directory_unreadable"]);
    assert_eq!(outcome.diagnostics[0].path, Some(uri("file:///s/b")));
    assert_eq!(
        outcome.diagnostics[0].io_kind,
        Some(ErrorKind::PermissionDenied)
    );
}

#[test]
fn what_vanishes_is_nothing_and_other_failures_are_reported() {
    let tree = "/s/a/SKILL \n/s/b/SKILL \n/s/l -> /x\n/x/c/SKILL ";
    let fault = |kind, operation, path: &str| Fault::error(kind).of(operation).at(uri(path));
    for (operation, path, code) in [
        (
            Operation::ReadFile,
            "file:///s/a/SKILL.md",
            Code::SkillUnreadable,
        ),
        (
            Operation::ReadDirectory,
            "file:///s/a",
            Code::DirectoryUnreadable,
        ),
        (Operation::Canonicalize, "file:///s/l", Code::LinkUnreadable),
    ] {
        for (kind, expected) in [
            (ErrorKind::NotFound, None),
            (ErrorKind::TimedOut, Some(code)),
        ] {
            let fs = Faulty::new(memory(tree)).on(fault(kind, operation, path));
            let roots = [root("/s", SkillScope::User)];
            let outcome = block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()));
            assert_eq!(outcome.skills.len(), 2, "{path}");
            let found: Vec<_> = outcome
                .diagnostics
                .iter()
                .map(|it| (it.code, it.io_kind))
                .collect();
            assert_eq!(
                found,
                expected
                    .map(|code| (code, Some(kind)))
                    .into_iter()
                    .collect::<Vec<_>>()
            );
        }
    }
}

#[test]
fn manifests_are_refused_or_unreadable_and_say_which() {
    let tree = "/s/p/.codex-plugin/plugin.json = {\"name\":\"p\"}\n/s/p/skills/a/SKILL ";
    let manifest = uri("file:///s/p/.codex-plugin/plugin.json");
    let fault = Fault::error(ErrorKind::PermissionDenied)
        .of(Operation::ReadFile)
        .at(manifest.clone());
    let fs = Faulty::new(memory(tree)).on(fault);
    let roots = [root("/s", SkillScope::User)];
    let outcome = block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()));
    assert_eq!(names(&outcome), ["a"]);
    let found = &outcome.diagnostics[0];
    assert_eq!(
        (found.code, found.path.as_ref()),
        (Code::ManifestUnreadable, Some(&manifest))
    );
    assert_eq!(found.io_kind, Some(ErrorKind::PermissionDenied));
}

#[test]
fn a_manifest_that_is_no_text_is_invalid_like_one_that_is_no_json() {
    for text in ["%FF", "[]", "%EF%BB%BF{}", "{\"name\":5}"] {
        let tree = format!("/s/.codex-plugin/plugin.json = {text}\n/s/a/SKILL ");
        let outcome = load(memory(&tree), &[root("/s", SkillScope::User)]);
        assert_eq!(names(&outcome), ["a"], "{text}");
        assert_eq!(codes(&outcome), ["manifest_invalid"], "{text}");
    }
}

#[test]
fn only_a_regular_file_above_the_root_is_read() {
    let tree = "/.codex-plugin/plugin.json/\n/.claude-plugin/plugin.json = {\"name\":\"top\"}\n/s/a/SKILL ";
    let roots = [root("/s", SkillScope::User)];
    let (outcome, cost) = load_counted(memory(tree), &roots, &SkillLoadOptions::default());
    assert_eq!((names(&outcome), codes(&outcome)), (vec!["top:a"], vec![]));
    let expected = Calls {
        read_directory: 2,
        read_file: 2,
        get_metadata: 3,
        canonicalize: 1,
        ..Calls::default()
    };
    assert_eq!(cost.calls, expected);
}

#[test]
fn a_directory_in_the_place_of_a_sidecar_is_told_whether_it_is_seen_or_not() {
    for max_depth in [1, 6] {
        let fs = memory("/s/a/SKILL \n/s/a/agents/openai.yaml/");
        let options = with_limits(max_depth, 2_000, 20_000);
        let (outcome, _) = load_counted(fs, &[root("/s", SkillScope::User)], &options);
        assert_eq!(codes(&outcome), ["sidecar_not_a_file"], "{max_depth}");
        let path = uri("file:///s/a/agents/openai.yaml");
        assert_eq!(outcome.diagnostics[0].path, Some(path));
    }
}

#[test]
fn a_failed_probe_is_an_absent_manifest() {
    let tree = "/.codex-plugin/plugin.json = {\"name\":\"top\"}\n/x/.codex-plugin/plugin.json = {\"name\":\"x\"}\n/x/s/a/SKILL ";
    let fault = Fault::error(ErrorKind::TimedOut).of(Operation::GetMetadata);
    let fs = Faulty::new(memory(tree)).on(fault.at(uri("file:///x/.codex-plugin/plugin.json")));
    let roots = [root("/x/s", SkillScope::User)];
    let outcome = block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()));
    assert_eq!((names(&outcome), codes(&outcome)), (vec!["top:a"], vec![]));
}

#[test]
fn no_listing_is_made_that_could_lie_beyond_the_directory_limit() {
    let fs =
        memory("/s/a/SKILL \n/s/b/SKILL \n/s/l -> a\n/s/m -> /x\n/x/SKILL \n/s/n -> /y\n/y/SKILL ");
    for window in [1, 8, 64] {
        let options = SkillLoadOptions {
            window: Window::new(window).unwrap(),
            ..with_limits(6, 4, 100)
        };
        let (outcome, cost) = load_counted(fs.clone(), &[root("/s", SkillScope::User)], &options);
        // The root, both plain directories, and the first link that leads elsewhere.
        assert_eq!(names(&outcome), ["a", "b", "x"]);
        assert_eq!(cost.calls.read_directory, 4);
        assert_eq!(cost.calls.canonicalize, 4);
        let found = &outcome.diagnostics[0];
        assert_eq!(
            (found.code, found.limit),
            (Code::ScanLimitReached, Some(ScanLimit::Directories))
        );
        assert_eq!(found.not_listed, Some(1));
        assert!(outcome.roots[0].truncated);
    }
}

#[test]
fn each_limit_is_reported_once_in_the_order_of_limits() {
    let fs = memory("/s/a/b/c/\n/s/d/\n/s/e/\n/s/a/SKILL ");
    let (outcome, _) = load_counted(fs, &[root("/s", SkillScope::User)], &with_limits(1, 3, 5));
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|it| (it.limit, it.not_listed))
        .collect();
    assert_eq!(
        found,
        [
            (Some(ScanLimit::Depth), Some(1)),
            (Some(ScanLimit::Directories), Some(1)),
        ]
    );
    let fs = memory("/s/a/b/c/\n/s/d/\n/s/e/\n/s/a/SKILL ");
    let (outcome, _) = load_counted(fs, &[root("/s", SkillScope::User)], &with_limits(1, 3, 4));
    let found: Vec<_> = outcome
        .diagnostics
        .iter()
        .map(|it| (it.limit, it.not_listed))
        .collect();
    assert_eq!(
        found,
        [
            (Some(ScanLimit::Depth), Some(1)),
            (Some(ScanLimit::Entries), Some(2))
        ]
    );
    assert_eq!(
        names(&outcome),
        ["a"],
        "the listing that breaks the limit is still used"
    );
}

#[test]
fn the_entry_limit_gives_the_same_outcome_for_every_window() {
    let directories: String = (0..20)
        .map(|number| format!("/s/d{number:02}/SKILL \n/s/d{number:02}/x/\n"))
        .collect();
    let fs = memory(&directories);
    let outcomes: Vec<SkillLoadOutcome> = [1, 8, 64]
        .into_iter()
        .map(|window| {
            let window = Window::new(window).unwrap();
            let options = SkillLoadOptions {
                window,
                ..with_limits(6, 2_000, 30)
            };
            let mut outcome = load_counted(fs.clone(), &[root("/s", SkillScope::User)], &options).0;
            // How much was asked in vain depends on the window.
            outcome.roots[0].calls = Calls::default();
            outcome
        })
        .collect();
    assert_eq!(outcomes[0], outcomes[1]);
    assert_eq!(outcomes[0], outcomes[2]);
    assert_eq!(outcomes[0].skills.len(), 6);
}

#[test]
fn a_sidecar_that_is_not_listed_is_read_unseen() {
    let sidecar = "/agents/openai.yaml = policy: {allow_implicit_invocation: false}\n";
    let tree = format!("/s/a/SKILL \n/s/a{sidecar}/s/b/SKILL \n/s/b{sidecar}");
    for (limits, listed) in [
        (with_limits(1, 2_000, 20_000), 3),
        (with_limits(6, 3, 20_000), 3),
        (with_limits(6, 2_000, 3), 2),
    ] {
        let fs = memory(&tree);
        let serial = SkillLoadOptions {
            window: Window::SERIAL,
            ..limits
        };
        let (outcome, cost) = load_counted(fs, &[root("/s", SkillScope::User)], &serial);
        assert!(
            outcome
                .skills
                .iter()
                .all(|skill| !skill.policy.allow_implicit_invocation)
        );
        assert_eq!(cost.calls.read_directory, listed);
    }
}

#[test]
fn a_shared_sidecar_directory_is_read_once() {
    let fs = memory(
        "/shared/openai.yaml = interface: {display_name: X}\n\
        /s/a/SKILL \n/s/a/agents -> /shared\n/s/b/SKILL \n/s/b/agents -> /shared",
    );
    let (outcome, cost) = load_counted(
        fs,
        &[root("/s", SkillScope::User)],
        &SkillLoadOptions::default(),
    );
    assert_eq!(cost.calls.read_file, 3);
    assert!(outcome.skills.iter().all(|skill| skill.interface.is_some()));
}

#[test]
fn skills_for_other_products_are_not_loaded() {
    let fs = memory("/s/a/SKILL \n/s/a/agents/openai.yaml = policy: {products: [atlas, CHATGPT]}");
    for (product, is_loaded) in [
        (None, false),
        (Some(Product::Codex), false),
        (Some(Product::Atlas), true),
    ] {
        let options = SkillLoadOptions {
            product,
            ..SkillLoadOptions::default()
        };
        let roots = [root("/s", SkillScope::User)];
        let outcome = block_on(load_skills(&only(fs.clone()), &roots, &options));
        assert_eq!(outcome.skills.len(), usize::from(is_loaded));
        assert_eq!(codes(&outcome).is_empty(), is_loaded);
    }
}

#[test]
fn diagnostics_beyond_the_limit_are_counted() {
    let tree: String = (0..1_500)
        .map(|number| format!("/s/d{number:04}/SKILL.md = x\n"))
        .collect();
    let outcome = load(memory(&tree), &[root("/s", SkillScope::User)]);
    assert_eq!(outcome.diagnostics.len(), 1_025);
    let last = outcome.diagnostics.last().unwrap();
    assert_eq!(
        (last.code, last.count),
        (Code::DiagnosticsTruncated, Some(476))
    );
}

#[test]
fn windows_and_posix_roots_give_the_same_skills_on_any_host() {
    let tree = |base: &str| {
        format!("{base}/p/.codex-plugin/plugin.json = {{\"name\":\"p\"}}\n\
            {base}/p/skills/A b/SKILL \n{base}/p/skills/A b/agents/openai.yaml = interface: {{icon_small: assets/x.png}}\n\
            {base}/é/SKILL \n{base}/l -> {base}/p/skills\n{base}/.hidden/x/SKILL ")
            .replace("SKILL ", &format!("SKILL.md = {SKILL}"))
    };
    let posix = MemoryFileSystem::from_tree(Flavor::Posix, &tree("/s")).unwrap();
    let windows = MemoryFileSystem::from_tree(Flavor::Windows, &tree("C:/s")).unwrap();
    let view = |fs: MemoryFileSystem, path: PathUri| {
        let root = SkillRoot::new(local(), path.clone(), SkillScope::Repo);
        let outcome = load(fs, &[root]);
        assert_eq!(codes(&outcome), [""; 0]);
        let skills = outcome.skills.into_iter().map(|skill| {
            let icon = skill.interface.and_then(|it| it.icon_small);
            let below = |path: &PathUri, base: &PathUri| {
                path.relative_path_from(base).unwrap().replace('\\', "/")
            };
            (
                skill.name,
                below(&skill.identity, &path),
                icon.map(|icon| below(&icon, &path)),
            )
        });
        skills.collect::<Vec<_>>()
    };
    let on_posix = view(posix, uri("file:///s"));
    let on_windows = view(
        windows,
        PathUri::from_native("C:\\s", PathConvention::Windows).unwrap(),
    );
    assert_eq!(on_posix, on_windows);
    assert_eq!(on_posix.len(), 2);
}

#[test]
fn names_of_any_bytes_are_walked() {
    let fs =
        memory("/s/a%0Ab/SKILL \n/s/%FF%FE/SKILL \n/s/50%25/SKILL \n/s/q?#/SKILL \n/s/b\\c/SKILL ");
    let outcome = load(fs, &[root("/s", SkillScope::User)]);
    assert_eq!(
        names(&outcome),
        ["50%", "a b", "b\\c", "q?#", "\u{fffd}\u{fffd}"]
    );
    assert_eq!(codes(&outcome), [""; 0]);
}

#[test]
fn calls_at_window_one_go_in_the_stated_order() {
    let fs = memory(
        "/s/p/.codex-plugin/plugin.json = {\"name\":\"p\"}\n/s/p/a/SKILL \n\
        /s/p/a/agents/openai.yaml = {}\n/s/b/SKILL ",
    );
    let trace = Arc::new(Trace::new(fs));
    let options = SkillLoadOptions {
        window: Window::SERIAL,
        ..SkillLoadOptions::default()
    };
    let root = SkillRoot {
        canonical: Some(uri("file:///s")),
        ..root("/s", SkillScope::User)
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(load_skills(&only(Arc::clone(&trace)), &[root], &options));
    let calls: Vec<(CallKind, String)> = trace
        .events()
        .into_iter()
        .filter_map(|event| match event.what {
            TraceStep::Started { kind, path, .. } => Some((kind, path.encoded_path().to_owned())),
            _ => None,
        })
        .collect();
    let call = |kind, path: &str| (kind, path.to_owned());
    assert_eq!(
        calls,
        [
            call(CallKind::ReadDirectory, "/s"),
            call(CallKind::ReadDirectory, "/s/b"),
            call(CallKind::ReadDirectory, "/s/p"),
            call(CallKind::ReadDirectory, "/s/p/a"),
            call(CallKind::ReadDirectory, "/s/p/a/agents"),
            call(CallKind::ReadFilePrefix, "/s/b/SKILL.md"),
            call(CallKind::GetMetadata, "/.codex-plugin/plugin.json"),
            call(CallKind::GetMetadata, "/.claude-plugin/plugin.json"),
            call(CallKind::GetMetadata, "/.cursor-plugin/plugin.json"),
            call(CallKind::ReadFilePrefix, "/s/p/a/SKILL.md"),
            call(CallKind::ReadFilePrefix, "/s/p/.codex-plugin/plugin.json"),
            call(CallKind::ReadFilePrefix, "/s/p/a/agents/openai.yaml"),
        ]
    );
}

#[test]
fn each_level_of_links_adds_one_round_trip() {
    let plain = "/s/a/b/SKILL ";
    let one = "/s/a -> /x\n/x/b/SKILL ";
    let two = "/s/a -> /x\n/x/b -> /y\n/y/SKILL ";
    for (tree, round_trips) in [(plain, 4), (one, 5), (two, 6)] {
        let plugin = Some(PluginNamespace::new(Some("p"), &uri("file:///s")));
        let root = SkillRoot {
            plugin,
            ..root("/s", SkillScope::User)
        };
        let (outcome, cost) = load_counted(memory(tree), &[root], &SkillLoadOptions::default());
        assert_eq!(outcome.skills.len(), 1);
        assert_eq!(cost.round_trips, round_trips, "{tree}");
    }
}

#[test]
fn environments_are_walked_beside_each_other() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let latency = Duration::from_millis(50);
        let environment = |name: &str| {
            let fs = Latency::new(memory("/s/a/SKILL "), TokioTimer, latency, Duration::ZERO);
            Environment::new(
                EnvironmentId::new(name).unwrap(),
                uri("file:///"),
                Arc::new(fs),
            )
        };
        let names = ["one", "two", "three"];
        let environments = EnvironmentSet::new(names.map(environment).into()).unwrap();
        let roots = names.map(|name| {
            SkillRoot::new(
                EnvironmentId::new(name).unwrap(),
                uri("file:///s"),
                SkillScope::User,
            )
        });
        let start = tokio::time::Instant::now();
        let outcome = load_skills(&environments, &roots, &SkillLoadOptions::default()).await;
        assert_eq!(outcome.skills.len(), 3);
        // Listings, then the file beside the canonical root, then the probes above it.
        assert_eq!(start.elapsed(), 4 * latency);
    });
}

#[test]
fn every_limit_and_name_is_the_documented_one() {
    use codex_skills::*;
    assert_eq!(
        [SKILL_FILE_NAME, SIDECAR_DIRECTORY, SIDECAR_FILE_NAME],
        ["SKILL.md", "agents", "openai.yaml"]
    );
    assert_eq!(
        (MAX_SCAN_DEPTH, MAX_SCAN_DIRECTORIES, MAX_SCAN_ENTRIES),
        (6, 2_000, 20_000)
    );
    assert_eq!(DEFAULT_SKILL_WINDOW.get(), 32);
    assert_eq!((MAX_FRONTMATTER_BYTES, MAX_SIDECAR_BYTES), (65_536, 65_536));
    assert_eq!((MAX_YAML_NODES, MAX_YAML_DEPTH), (20_000, 64));
    assert_eq!((MAX_NAME_CHARS, MAX_QUALIFIED_NAME_CHARS), (64, 129));
    assert_eq!(MAX_SHOWN_DESCRIPTION_CHARS, 1_024);
    assert_eq!((DEFAULT_CATALOG_CHARS, CATALOG_WINDOW_PERCENT), (8_000, 2));
    assert_eq!(MAX_SKILL_DIAGNOSTICS, 1_024);
}

#[test]
fn every_code_has_the_severity_of_the_list() {
    use codex_file_system::Severity::{Error, Info, Warning};
    let of = |severity| {
        let codes = Code::ALL.iter().filter(|code| code.severity() == severity);
        codes.map(|code| code.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(
        of(Error),
        [
            "unknown_environment",
            "skill_unreadable",
            "skill_not_utf8",
            "skill_link_not_followed",
            "frontmatter_missing",
            "frontmatter_too_large",
            "frontmatter_invalid",
            "frontmatter_budget_exceeded",
            "frontmatter_wrong_type",
            "frontmatter_duplicate_key",
            "description_missing",
            "name_too_long",
            "qualified_name_too_long",
        ]
    );
    assert_eq!(
        of(Warning),
        [
            "scan_limit_reached",
            "directory_unreadable",
            "link_unreadable",
            "root_not_directory",
            "manifest_invalid",
            "manifest_unreadable",
            "sidecar_unreadable",
            "sidecar_not_a_file",
            "sidecar_not_utf8",
            "sidecar_too_large",
            "sidecar_invalid",
            "sidecar_field_dropped",
            "comment_dropped",
            "name_ambiguous",
            "mention_ambiguous",
            "config_rule_invalid",
            "descriptions_shortened",
            "skills_omitted",
            "diagnostics_truncated",
        ]
    );
    assert_eq!(
        of(Info),
        [
            "root_missing",
            "frontmatter_repaired",
            "product_restricted",
            "skill_file_misnamed",
            "spec_yaml_repaired",
            "spec_unknown_key",
            "spec_name_missing",
            "spec_name_length",
            "spec_name_characters",
            "spec_name_directory_mismatch",
            "spec_description_missing",
            "spec_description_length",
            "spec_compatibility_length",
            "spec_metadata_shape",
            "spec_second_block",
        ]
    );
}

#[test]
fn a_misnamed_skill_file_is_reported_where_there_is_no_skill() {
    let tree = "/s/a/skill.md = x\n/s/b/SKILL \n/s/b/Skill.md = x\n/s/c/SKILL.MD = x\n\
        /s/d/skill.md/\n/s/e/SKILL.md.bak = x\n/s/f/SKILL.md/SKILL \n/s/g/\u{17f}KILL.md = x";
    let outcome = load(memory(tree), &[root("/s", SkillScope::User)]);
    assert_eq!(names(&outcome), ["SKILL.md", "b"]);
    assert_eq!(codes(&outcome), ["skill_file_misnamed"; 2]);
    let paths: Vec<&str> = outcome
        .diagnostics
        .iter()
        .map(|it| it.path.as_ref().unwrap().as_str())
        .collect();
    assert_eq!(paths, ["file:///s/a/skill.md", "file:///s/c/SKILL.MD"]);
}

#[test]
fn a_root_that_is_missing_or_no_directory_is_one_call() {
    for (path, required, code) in [
        ("/none", false, None),
        ("/none", true, Some(Code::RootMissing)),
        ("/dangling", true, Some(Code::RootMissing)),
        ("/file", false, Some(Code::RootNotDirectory)),
        ("/file/below", false, Some(Code::RootNotDirectory)),
        ("/closed", false, Some(Code::DirectoryUnreadable)),
        ("/empty", true, None),
    ] {
        let fs = memory("/file = x\n/dangling -> /none\n/closed/SKILL \n/closed/ !000\n/empty/");
        let root = SkillRoot {
            required,
            ..root(path, SkillScope::User)
        };
        let (outcome, cost) = load_counted(fs, &[root], &SkillLoadOptions::default());
        let found: Vec<_> = outcome.diagnostics.iter().map(|it| it.code).collect();
        assert_eq!(found, Vec::from_iter(code), "{path}");
        let at: Vec<_> = outcome
            .diagnostics
            .iter()
            .map(|it| it.path.clone())
            .collect();
        let expected = code.map(|_| Some(uri(&format!("file://{path}"))));
        assert_eq!(at, Vec::from_iter(expected), "{path}");
        assert_eq!((cost.calls.total(), cost.round_trips), (1, 1), "{path}");
    }
}
