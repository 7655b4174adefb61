//! One case of each kind: what a host does, and what it gets.

use std::sync::Arc;

use codex_config::{Config, ConfigLayerStack, ConfigSources, find_project_root, load_base_layers};
use codex_file_system::wrap::Counting;
use codex_file_system::{Environment, EnvironmentId, EnvironmentSet, FindUpErrorPolicy, Window};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::{PathConvention, PathUri};
use codex_plugin::SelectedCapabilityRoot;
use codex_skills::{
    CatalogBudget, HostSkillRoots, ManifestLocations, Product, ProjectSkillRoots, SkillCatalog,
    SkillHandle, SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillRootsInput, SkillScope,
    bundled_skills_enabled, load_skills, render_skills, resolve_mentions, skill_config_rules,
    skill_mentions, skill_roots,
};
use futures::executor::block_on;
use serde_json::{Map, Value, json};

use super::build::Built;
use super::{Case, view};
use crate::support::layouts::{ROOT, layout};
use crate::support::without_listing_flags::without_listing_flags;
use crate::support::{load_counted, local, uri};

/// What a host has after loading.
struct Host {
    stack: ConfigLayerStack,
    outcome: SkillLoadOutcome,
}

fn host(case: &Case, built: &Built) -> Host {
    block_on(async {
        let cwd = built.path(case.cwd.as_deref().unwrap_or("repo"));
        let config_home = built.path("ch");
        let sources = ConfigSources::new(built.fs.as_ref(), config_home.clone());
        let stack = load_base_layers(&sources).await.unwrap().stack;
        Config::from_stack(stack.clone()).unwrap();
        let markers = stack.usable_project_root_markers(PathConvention::Posix);
        let search = find_project_root(
            built.fs.as_ref(),
            &cwd,
            markers,
            FindUpErrorPolicy::Propagate,
        );
        let directories = search.await.unwrap().directories(&cwd);
        let folders = directories
            .iter()
            .map(|directory| directory.join(".codex").unwrap());
        let extra = case.extra_roots.iter().map(|path| {
            let path = PathUri::from_native(&built.expand(path), PathConvention::Posix).unwrap();
            SkillRoot::new(local(), path, SkillScope::User)
        });
        let selected = case.env_roots.iter().enumerate().map(|(number, path)| {
            SelectedCapabilityRoot::new(format!("cap{number}"), local(), built.path(path))
        });
        let roots = skill_roots(&SkillRootsInput {
            project: Some(ProjectSkillRoots {
                environment_id: local(),
                config_folders: folders.collect(),
                directories,
            }),
            host: Some(HostSkillRoots {
                environment_id: local(),
                config_home,
                home: built.path("home"),
                admin_folder: None,
                bundled: bundled_skills_enabled(&stack),
            }),
            plugins: Vec::new(),
            extra: extra.collect(),
            selected: selected.collect(),
        });
        let options = SkillLoadOptions {
            product: Some(Product::Codex),
            manifest_locations: locations(case),
            ..SkillLoadOptions::default()
        };
        let environment = Environment::new(local(), cwd, Arc::clone(&built.fs));
        let environments = EnvironmentSet::new(vec![environment]).unwrap();
        let mut outcome = load_skills(&environments, &roots, &options).await;
        outcome.apply_config(&skill_config_rules(&stack).0);
        Host { stack, outcome }
    })
}

fn locations(case: &Case) -> ManifestLocations {
    match case.manifest_locations.as_deref() {
        Some("two") => ManifestLocations::FIRST_TWO,
        Some("three") | None => ManifestLocations::ALL,
        Some(other) => panic!("{other} manifest locations"),
    }
}

/// What is expected, with the base directory in every text.
fn expected(case: &Case, built: &Built) -> Value {
    let base = serde_json::to_string(&built.base).unwrap();
    let text = case
        .expected
        .to_string()
        .replace("$BASE", base.trim_matches('"'));
    serde_json::from_str(&text).unwrap()
}

pub(super) fn list(case: &Case, built: &Built) -> (Value, Value) {
    let outcome = host(case, built).outcome;
    let mut actual = Map::new();
    if outcome.skills.len() > 40 {
        let summary = view::many_skills(&outcome.skills);
        actual.extend(
            summary
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value)),
        );
    } else {
        let skills: Vec<Value> = outcome.skills.iter().map(view::skill).collect();
        actual.insert("skills".to_owned(), json!(skills));
    }
    let diagnostics: Vec<Value> = outcome.diagnostics.iter().map(view::diagnostic).collect();
    actual.insert("diagnostics".to_owned(), json!(diagnostics));
    (Value::Object(actual), expected(case, built))
}

pub(super) fn catalog(case: &Case, built: &Built) -> (Value, Value) {
    let host = host(case, built);
    let config = host.stack.effective_config();
    let window = config
        .get("model_context_window")
        .and_then(|window| window.as_integer());
    let budget = CatalogBudget::for_context_window(window.map(|window| window.try_into().unwrap()));
    let rendered = render_skills(&host.outcome, budget, None);
    let mut diagnostics: Vec<Value> = host
        .outcome
        .diagnostics
        .iter()
        .map(view::diagnostic)
        .collect();
    let (mut roots, mut lines) = (Vec::new(), json!([]));
    if let Some(rendered) = &rendered {
        diagnostics.extend(rendered.diagnostics.iter().map(view::diagnostic));
        roots.extend(
            rendered
                .roots
                .iter()
                .map(|root| json!([root.alias, root.text])),
        );
        lines = view::lines(&rendered.lines);
    }
    let mut actual = json!({ "roots": roots, "lines": lines, "diagnostics": diagnostics });
    if let Some(text) = &case.text {
        let mentions = skill_mentions(&built.expand(text));
        let (handles, _) = resolve_mentions(&mentions, &host.outcome);
        actual["injected"] = injected(&host.outcome, &handles);
    }
    (actual, expected(case, built))
}

pub(super) fn mention(case: &Case, built: &Built) -> (Value, Value) {
    let outcome = host(case, built).outcome;
    let mentions = skill_mentions(&built.expand(case.text.as_deref().unwrap()));
    let (handles, problems) = resolve_mentions(&mentions, &outcome);
    let diagnostics: Vec<Value> = problems.iter().map(view::diagnostic).collect();
    let injected = injected(&outcome, &handles);
    (
        json!({ "injected": injected, "diagnostics": diagnostics }),
        expected(case, built),
    )
}

fn injected(outcome: &SkillLoadOutcome, handles: &[SkillHandle]) -> Value {
    let skills = handles.iter().map(|handle| {
        let skill = outcome
            .skills
            .iter()
            .find(|skill| skill.handle == *handle)
            .unwrap();
        json!([skill.name, view::native(&skill.identity)])
    });
    skills.collect()
}

pub(super) fn read(case: &Case, built: &Built) -> (Value, Value) {
    let outcome = host(case, built).outcome;
    let counting = Arc::new(Counting::new(Arc::clone(&built.fs)));
    let environment = Environment::new(local(), built.path("repo"), Arc::clone(&counting) as _);
    let environments = Arc::new(EnvironmentSet::new(vec![environment]).unwrap());
    let handle = match &case.skill {
        Some(name) => {
            let named = outcome.skills.iter().find(|skill| skill.name == *name);
            named.unwrap().handle.clone()
        }
        None => {
            let path = built.expand(case.entrypoint.as_deref().unwrap());
            let id = case.environment.as_deref().unwrap_or("local");
            SkillHandle::new(
                EnvironmentId::new(id).unwrap(),
                PathUri::from_native(&path, PathConvention::Posix).unwrap(),
            )
        }
    };
    let catalog = SkillCatalog::new(environments, outcome);
    let read = block_on(async {
        match &case.resource {
            Some(resource) => catalog.read_resource(&handle, resource).await,
            None => catalog.read(&handle).await,
        }
    });
    let mut actual = match read {
        Ok(contents) => json!({ "text": contents.text }),
        Err(error) => view::read_error(&error),
    };
    let wanted = expected(case, built);
    if wanted.get("calls").is_some() {
        actual["calls"] = json!(counting.calls().total());
    }
    (actual, wanted)
}

pub(super) fn validate(case: &Case) -> (Value, Value) {
    let text = case.text.as_deref().unwrap();
    let found = codex_skills::validate(text.as_bytes(), case.directory.as_deref().unwrap());
    let codes: Vec<&str> = found.iter().map(|found| found.code.as_str()).collect();
    (json!({ "codes": codes }), case.expected.clone())
}

/// Without a bound means: at the largest window, which is wider than any wave of these layouts.
pub(super) fn calls(case: &Case) -> (Value, Value) {
    let trips = case.expected["round_trips"].as_object().unwrap();
    let mut round_trips = Map::new();
    let mut actual = Value::Null;
    for name in trips.keys() {
        let window = match name.as_str() {
            "unbounded" => 256,
            number => number.parse().unwrap(),
        };
        let cost = cost(case, Window::new(window).unwrap());
        assert!(cost.peak <= window);
        round_trips.insert(name.clone(), json!(cost.round_trips));
        actual = json!({
            "read_directory": cost.calls.read_directory,
            "get_metadata": cost.calls.get_metadata,
            "read_file": cost.calls.read_file,
            "canonicalize": cost.calls.canonicalize,
            "total": cost.calls.total(),
        });
    }
    actual["round_trips"] = Value::Object(round_trips);
    (actual, case.expected.clone())
}

fn cost(case: &Case, window: Window) -> crate::support::Cost {
    let tree = layout(case.layout.as_deref().unwrap(), ROOT);
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let path = uri(&format!("file://{ROOT}"));
    let is_canonical = case.root_canonical_given.unwrap();
    let root = SkillRoot {
        canonical: is_canonical.then(|| path.clone()),
        ..SkillRoot::new(local(), path, SkillScope::Environment)
    };
    let options = SkillLoadOptions {
        window,
        manifest_locations: locations(case),
        ..SkillLoadOptions::default()
    };
    match case.is_symlink {
        Some(Value::Null) => load_counted(without_listing_flags(fs), &[root], &options).1,
        _ => load_counted(fs, &[root], &options).1,
    }
}
