//! Agent Plugins 1.0: off unless asked for, and behind the other locations.

use codex_plugin::mcp::load_mcp_servers;
use codex_plugin::{
    ComponentSource, ManifestFormat, PluginOptions, PluginProvider, PluginProviderError,
    ResolvedPlugin, SymlinkPolicy,
};
use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::{Scene, block_on, codes, selected, uri};

const ROOT: &str = "file:///plugins/p";
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";

fn resolve_text(text: &str) -> Result<Option<ResolvedPlugin>, PluginProviderError> {
    let scene = Scene::in_memory(&uri(ROOT), &[("plugin.json", text)]);
    let provider = scene.provider(PluginOptions::default().with_agent_plugins_root(true));
    block_on(async { provider.resolve(&selected(&uri(ROOT))).await })
}

fn resolve(mut manifest: Value) -> Result<Option<ResolvedPlugin>, PluginProviderError> {
    manifest["$schema"] = json!(SCHEMA);
    resolve_text(&manifest.to_string())
}

/// Problem and field of the refusal.
fn refusal(manifest: Value) -> (&'static str, String) {
    match resolve(manifest.clone()).unwrap_err() {
        PluginProviderError::ParseManifest { source, .. } => {
            (source.problem().code(), source.field().to_owned())
        }
        other => panic!("{manifest}: {other}"),
    }
}

#[test]
fn the_file_counts_only_with_its_exact_schema() {
    let texts = [
        String::new(),
        "nope".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        json!({"name": "p"}).to_string(),
        json!({"name": "p", "$schema": 7}).to_string(),
        json!({"name": "p", "$schema": SCHEMA.to_uppercase()}).to_string(),
        json!({"name": "p", "$schema": format!("{SCHEMA}#")}).to_string(),
        format!("\u{FEFF}{}", json!({"name": "p", "$schema": SCHEMA})),
        format!("{} //", json!({"name": "p", "$schema": SCHEMA})),
    ];
    for text in texts {
        assert_eq!(resolve_text(&text).unwrap(), None, "{text}");
    }
    let scene = Scene::in_memory(&uri(ROOT), &[]);
    scene.resolve(&uri(ROOT)).unwrap();
}

#[test]
fn bytes_that_are_no_text_are_somebody_elses() {
    let memory = crate::support::memory_with(&uri(ROOT), &[]);
    memory.add_tree("/plugins/p/plugin.json = %FF").unwrap();
    let scene = Scene::new(memory);
    let provider = scene.provider(PluginOptions::default().with_agent_plugins_root(true));
    let resolution = block_on(async { provider.resolve(&selected(&uri(ROOT))).await });
    assert_eq!(resolution.unwrap(), None);
}

#[test]
fn components_are_in_fixed_places_and_missing_ones_are_normal() {
    let plugin = resolve(json!({"name": "p.q-1", "keywords": ["k"]}))
        .unwrap()
        .unwrap();
    assert_eq!(plugin.manifest().format(), ManifestFormat::AgentPlugins);
    assert_eq!(plugin.manifest().keywords(), ["k"]);
    let ComponentSource::Default(skills) = plugin.skill_sources() else {
        panic!("{plugin:?}")
    };
    assert_eq!(skills[0].path(), &uri("file:///plugins/p/skills"));
    assert!(!plugin.mcp_sources().unwrap().is_declared());
    assert_eq!(plugin.apps_source(), None);
    assert_eq!(plugin.hook_sources(), None);
    let scene = Scene::in_memory(&uri(ROOT), &[]);
    let options = PluginOptions::default();
    let loaded = block_on(load_mcp_servers(&scene.environments, &[&plugin], &options));
    assert_eq!(loaded[0].as_ref().unwrap(), &Default::default());
}

#[test]
fn a_name_follows_the_rule_of_the_standard() {
    let longest = "a".repeat(64);
    for name in ["a", "1", "a.b-c", "0-9", &longest] {
        assert_eq!(
            resolve(json!({"name": name}))
                .unwrap()
                .unwrap()
                .manifest()
                .name(),
            name
        );
    }
    let too_long = "a".repeat(65);
    for name in [
        "", "P", "a_b", "-a", "a-", ".a", "a.", "a--b", "a..b", "ä", "a b", &too_long,
    ] {
        let refused = refusal(json!({"name": name}));
        assert_eq!(refused, ("agent_plugins_rule", "name".to_owned()), "{name}");
    }
    assert_eq!(
        refusal(json!({})),
        ("agent_plugins_rule", "name".to_owned())
    );
    assert_eq!(
        refusal(json!({"name": null})),
        ("wrong_type", "name".to_owned())
    );
}

#[test]
fn an_author_has_three_keys_of_text() {
    let author = json!({"name": "n", "email": "e", "url": "u"});
    assert!(
        resolve(json!({"name": "p", "author": author}))
            .unwrap()
            .is_some()
    );
    let refused = |author: Value| refusal(json!({"name": "p", "author": author}));
    assert_eq!(refused(json!("me")), ("wrong_type", "author".to_owned()));
    assert_eq!(
        refused(json!({"email": 7})),
        ("wrong_type", "author.email".to_owned())
    );
    assert_eq!(
        refused(json!({"x": 1})),
        ("agent_plugins_rule", "author.x".to_owned())
    );
}

#[test]
fn wrong_types_and_repeated_keys_are_refused() {
    let rows = [
        ("name", json!(null)),
        ("version", json!(1)),
        ("description", json!([])),
        ("author", json!("me <a@b>")),
        ("author", json!(null)),
        ("homepage", json!(5)),
        ("repository", json!([])),
        ("license", json!(true)),
        ("keywords", json!("k")),
        ("keywords", json!(null)),
    ];
    for (key, value) in rows {
        let mut manifest = json!({"name": "p"});
        manifest[key] = value;
        assert_eq!(refusal(manifest), ("wrong_type", key.to_owned()), "{key}");
    }
    let twice = format!("{{\"$schema\":\"{SCHEMA}\",\"name\":\"q\",\"name\":\"p\"}}");
    let PluginProviderError::ParseManifest { source, .. } = resolve_text(&twice).unwrap_err()
    else {
        panic!("not refused")
    };
    assert_eq!(
        (source.problem().code(), source.field()),
        ("duplicate_key", "name")
    );
}

#[test]
fn every_unknown_key_is_reported_and_names_no_resource() {
    let manifest =
        json!({"name": "p", "skills": "./x", "zzz": [[1]], "homepage": "h", "license": "l"});
    let plugin = resolve(manifest).unwrap().unwrap();
    let mut found = codes(plugin.diagnostics());
    found.sort_unstable();
    assert_eq!(found, [("unknown_key", "skills"), ("unknown_key", "zzz")]);
    assert_eq!(
        plugin.manifest().skills()[0].path(),
        &uri("file:///plugins/p/skills")
    );
}

#[test]
fn asking_for_the_location_keeps_links_inside() {
    let options = PluginOptions::default()
        .with_agent_plugins_root(true)
        .with_symlinks(SymlinkPolicy::Follow);
    assert_eq!(options.symlinks(), SymlinkPolicy::RefuseEscape);
    assert!(options.agent_plugins_root());
    let memory = crate::support::memory_with(
        &uri(ROOT),
        &[(
            "../out.json",
            &json!({"$schema": SCHEMA, "name": "p"}).to_string(),
        )],
    );
    memory
        .add_tree("/plugins/p/plugin.json -> ../out.json")
        .unwrap();
    let provider = Scene::new(memory).provider(options);
    let error = block_on(async { provider.resolve(&selected(&uri(ROOT))).await }).unwrap_err();
    assert_eq!(error.code(), "construct_descriptor");
}
