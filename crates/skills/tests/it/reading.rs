//! Looking up and reading back: what is found, what is asked, what is refused.

use std::sync::Arc;
use std::time::Duration;

use codex_file_system::wrap::{Calls, Counting, Latency};
use codex_file_system::{Environment, EnvironmentSet, TokioTimer};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{PathConvention, PathUri};
use codex_skills::{
    CatalogBudget, SkillCatalog, SkillLoadOptions, SkillMetadata, SkillReadError, SkillRoot,
    SkillScope, load_skills, render_skills,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{local, uri};

const TREE: &str = "/s/a/SKILL.md = %EF%BB%BF---%0Adescription: A%0A---%0ABody%0A\n\
    /s/a/x.md = X\n/s/a/50%25.md = P\n/s/a/d/y.md = Y\n/s/a/out -> /secret\n/secret = S\n\
    /s/b/SKILL.md = ---%0Adescription: B%0A---%0A\n\
    /e/SKILL.md = ---%0Aname: whole%0Adescription: E%0A---%0A\n\
    /e/c/SKILL.md = ---%0Adescription: C%0A---%0A";

struct Setup {
    counting: Arc<Counting<Latency<MemoryFileSystem>>>,
    catalog: SkillCatalog,
}

const LATENCY: Duration = Duration::from_millis(20);

async fn setup() -> Setup {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, TREE).unwrap();
    let latency = Latency::new(fs, TokioTimer, LATENCY, Duration::ZERO);
    let counting = Arc::new(Counting::new(latency));
    let environment = Environment::new(local(), uri("file:///"), Arc::clone(&counting) as _);
    let environments = Arc::new(EnvironmentSet::new(vec![environment]).unwrap());
    let roots = [
        SkillRoot::new(local(), uri("file:///s"), SkillScope::Repo),
        SkillRoot {
            root_id: Some("cap".to_owned()),
            ..SkillRoot::new(local(), uri("file:///e"), SkillScope::Environment)
        },
    ];
    let outcome = load_skills(&environments, &roots, &SkillLoadOptions::default()).await;
    counting.reset();
    Setup {
        counting,
        catalog: SkillCatalog::new(environments, outcome),
    }
}

fn skill<'c>(catalog: &'c SkillCatalog, name: &str) -> &'c SkillMetadata {
    catalog
        .skills()
        .iter()
        .find(|skill| skill.name == name)
        .unwrap()
}

fn on_paused_clock(test: impl Future<Output = ()>) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap()
        .block_on(test);
}

#[test]
fn reading_a_skill_is_one_call_and_verbatim() {
    on_paused_clock(async {
        let Setup { counting, catalog } = setup().await;
        let handle = skill(&catalog, "a").handle.clone();
        let start = tokio::time::Instant::now();
        let contents = catalog.read(&handle).await.unwrap();
        assert_eq!(contents.text, "\u{feff}---\ndescription: A\n---\nBody\n");
        assert_eq!(contents.path, uri("file:///s/a/SKILL.md"));
        assert_eq!(
            counting.calls(),
            Calls {
                read_file: 1,
                ..Calls::default()
            }
        );
        assert_eq!(start.elapsed(), LATENCY);
    });
}

#[test]
fn reading_a_resource_is_three_calls_in_two_round_trips() {
    on_paused_clock(async {
        let Setup { counting, catalog } = setup().await;
        let handle = skill(&catalog, "a").handle.clone();
        let start = tokio::time::Instant::now();
        let contents = catalog.read_resource(&handle, "d/y.md").await.unwrap();
        assert_eq!(
            (contents.text.as_str(), contents.path),
            ("Y", uri("file:///s/a/d/y.md"))
        );
        assert_eq!(
            counting.calls(),
            Calls {
                canonicalize: 2,
                read_file: 1,
                ..Calls::default()
            }
        );
        assert_eq!(start.elapsed(), 2 * LATENCY);
    });
}

#[test]
fn paths_that_leave_the_directory_as_written_cost_no_call() {
    on_paused_clock(async {
        let Setup { counting, catalog } = setup().await;
        let handle = skill(&catalog, "a").handle.clone();
        for path in [
            "",
            ".",
            "./",
            "..",
            "../b/SKILL.md",
            "d/../x.md",
            "/s/a/x.md",
            "x\0",
            "d/..",
        ] {
            let refused = catalog.read_resource(&handle, path).await.unwrap_err();
            assert_eq!(refused.code(), "resource_outside_skill", "{path:?}");
        }
        assert_eq!(counting.calls().total(), 0);
        let refused = catalog.read_resource(&handle, "out").await.unwrap_err();
        let SkillReadError::ResourceOutsideSkill { resolved, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!(resolved, Some(uri("file:///secret")));
    });
}

#[test]
fn percent_signs_and_backslashes_are_literal_on_posix() {
    on_paused_clock(async {
        let Setup { catalog, .. } = setup().await;
        let handle = skill(&catalog, "a").handle.clone();
        assert_eq!(
            catalog.read_resource(&handle, "50%.md").await.unwrap().text,
            "P"
        );
        for path in ["%2e%2e/b/SKILL.md", "d\\y.md", "C:x.md"] {
            let error = catalog.read_resource(&handle, path).await.unwrap_err();
            assert_eq!(error.code(), "io", "{path}");
        }
    });
}

#[test]
fn windows_roots_split_at_backslashes_and_refuse_drives() {
    let tree = "C:/s/a/SKILL.md = ---%0Adescription: A%0A---%0A\nC:/s/a/d/y.md = Y";
    let fs = MemoryFileSystem::from_tree(Flavor::Windows, tree).unwrap();
    let path = PathUri::from_native("C:\\s", PathConvention::Windows).unwrap();
    let environment = Environment::new(local(), path.clone(), Arc::new(fs));
    let environments = Arc::new(EnvironmentSet::new(vec![environment]).unwrap());
    let roots = [SkillRoot::new(local(), path, SkillScope::User)];
    let outcome = block_on(load_skills(
        &environments,
        &roots,
        &SkillLoadOptions::default(),
    ));
    let catalog = SkillCatalog::new(environments, outcome);
    let handle = catalog.skills()[0].handle.clone();
    assert_eq!(
        block_on(catalog.read_resource(&handle, "d\\y.md"))
            .unwrap()
            .text,
        "Y"
    );
    for path in [
        "C:x",
        "c:\\s\\a\\d\\y.md",
        "\\s\\a\\d\\y.md",
        "d\\..\\d\\y.md",
    ] {
        let refused = block_on(catalog.read_resource(&handle, path)).unwrap_err();
        assert_eq!(refused.code(), "resource_outside_skill", "{path}");
    }
    assert_eq!(catalog.find("C:\\s\\a\\SKILL.md"), Some(&handle));
}

#[test]
fn skills_are_found_by_rendered_locator_native_path_and_uri() {
    on_paused_clock(async {
        let Setup { catalog, .. } = setup().await;
        let name = |text: &str| {
            let handle = catalog.find(text)?;
            Some(catalog.get(handle).unwrap().name.clone())
        };
        for (text, found) in [
            ("r0/a/SKILL.md", Some("a")),
            ("e0/c", Some("c")),
            ("skill://cap/e", Some("whole")),
            ("/s/b/SKILL.md", Some("b")),
            ("file:///s/b/SKILL.md", Some("b")),
            ("r0/a", None),
            ("e0", None),
            ("/secret", None),
            ("", None),
        ] {
            assert_eq!(name(text).as_deref(), found, "{text}");
        }
    });
}

#[test]
fn a_capability_root_that_is_a_skill_shows_its_whole_locator() {
    on_paused_clock(async {
        let Setup { catalog, .. } = setup().await;
        let outcome = codex_skills::SkillLoadOutcome {
            skills: vec![skill(&catalog, "whole").clone()],
            roots: Vec::new(),
            diagnostics: Vec::new(),
        };
        // Without its root, a skill is shown by its native path.
        let budget = CatalogBudget::for_context_window(None);
        let rendered = render_skills(&outcome, budget, None).unwrap();
        assert_eq!(
            rendered.lines,
            ["- whole: E (executor package: /e/SKILL.md)"]
        );
        assert_eq!(rendered.roots, []);
    });
}

#[test]
fn errors_name_the_step_once_and_keep_their_cause() {
    on_paused_clock(async {
        let Setup { catalog, .. } = setup().await;
        let handle = skill(&catalog, "a").handle.clone();
        let error = catalog.read_resource(&handle, "nope").await.unwrap_err();
        let mut chain = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            chain = format!("{chain}: {cause}");
            source = cause.source();
        }
        assert!(
            chain.starts_with("cannot read a file of the skill: cannot resolve"),
            "{chain}"
        );
        assert_eq!(chain.matches("file:///s/a/nope").count(), 1, "{chain}");
    });
}
