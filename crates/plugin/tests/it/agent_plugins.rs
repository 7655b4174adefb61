//! Agent Plugins 1.0: a `plugin.json` in the root itself, before all other locations.

use codex_plugin::mcp::{McpTransport, load_mcp_servers};
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
    let provider = scene.provider(PluginOptions::default());
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
    let provider = scene.provider(PluginOptions::default());
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
fn its_files_never_leave_the_root() {
    let options = PluginOptions {
        symlinks: SymlinkPolicy::Follow,
        ..PluginOptions::default()
    };
    let text = json!({"$schema": SCHEMA, "name": "p"}).to_string();
    let memory = crate::support::memory_with(&uri(ROOT), &[("../out.json", &text)]);
    memory
        .add_tree("/plugins/p/plugin.json -> ../out.json")
        .unwrap();
    let provider = Scene::new(memory).provider(options);
    let error = block_on(async { provider.resolve(&selected(&uri(ROOT))).await }).unwrap_err();
    assert_eq!(error.code(), "construct_descriptor");
}

#[test]
fn another_schema_of_the_standard_is_refused() {
    for schema in [format!("{SCHEMA}#"), SCHEMA.replace("1.0.0", "1.1.0")] {
        let manifest = json!({"name": "p", "$schema": schema}).to_string();
        let error = resolve_text(&manifest).unwrap_err();
        let PluginProviderError::ParseManifest { source, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(
            (source.problem().code(), source.field()),
            ("agent_plugins_rule", "$schema")
        );
    }
}

fn resolve_files(files: &[(&str, &str)]) -> Result<Option<ResolvedPlugin>, PluginProviderError> {
    Scene::in_memory(&uri(ROOT), files).resolve(&uri(ROOT))
}

#[test]
fn it_outranks_other_manifests_and_takes_only_the_presentation_of_one() {
    let own = json!({"$schema": SCHEMA, "name": "own", "description": "d"}).to_string();
    let other = r#"{"name":"other","skills":"./alt","hooks":{"Stop":[]},"apps":"./a","interface":{"displayName":"D"}}"#;
    let plugin = resolve_files(&[("plugin.json", &own), (".codex-plugin/plugin.json", other)]);
    let plugin = plugin.unwrap().unwrap();
    let manifest = plugin.manifest();
    assert_eq!((manifest.name(), manifest.display_name()), ("own", "D"));
    assert_eq!(manifest.description(), Some("d"));
    assert_eq!(
        manifest.skills()[0].path(),
        &uri("file:///plugins/p/skills")
    );
    assert_eq!((plugin.hook_sources(), plugin.apps_source()), (None, None));
    // Those of other vendors are not looked at, but a broken overlay refuses the plugin.
    let broken = [
        ("plugin.json", own.as_str()),
        (".claude-plugin/plugin.json", "{oops"),
    ];
    assert_eq!(
        resolve_files(&broken).unwrap().unwrap().manifest().name(),
        "own"
    );
    let broken = [
        ("plugin.json", own.as_str()),
        (".codex-plugin/plugin.json", "{oops"),
    ];
    assert_eq!(resolve_files(&broken).unwrap_err().code(), "parse_manifest");
    // A `plugin.json` of something else leaves the others alone.
    let foreign = [
        ("plugin.json", "{}"),
        (".claude-plugin/plugin.json", r#"{"name":"cl"}"#),
    ];
    assert_eq!(
        resolve_files(&foreign).unwrap().unwrap().manifest().name(),
        "cl"
    );
}

#[test]
fn its_servers_follow_the_schema_of_the_standard() {
    let own = json!({"$schema": SCHEMA, "name": "p"}).to_string();
    let load = |config: Value| {
        let config = config.to_string();
        let scene = Scene::in_memory(&uri(ROOT), &[("plugin.json", &own), ("mcp.json", &config)]);
        let plugin = scene.resolve(&uri(ROOT)).unwrap().unwrap();
        let options = PluginOptions::default();
        let loaded = block_on(load_mcp_servers(&scene.environments, &[&plugin], &options));
        loaded.into_iter().next().unwrap().unwrap()
    };
    let schema = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
    let servers = load(json!({"$schema": schema, "mcpServers": {
        "a": {"type": "stdio", "command": "./bin", "cwd": "./d"},
        "b": {"type": "streamable-http", "url": "https://u"},
        "c": {"command": "x"},
        "d": {"type": "sse", "url": "https://u"},
        "e": {"type": "stdio", "command": "/bin/x"},
        "f": {"type": "stdio", "command": "x", "zzz": 1},
        "g": {"type": "http", "url": "https://u"},
    }}));
    let names: Vec<_> = servers.servers().iter().map(|it| it.name()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!(
        codes(servers.diagnostics()),
        [
            ("mcp_server_invalid", "c.type"),
            ("mcp_transport_unsupported", "d"),
            ("mcp_server_invalid", "e.command"),
            ("mcp_server_invalid", "f.zzz"),
            ("mcp_transport_unsupported", "g"),
        ]
    );
    let McpTransport::Stdio(a) = servers.servers()[0].transport() else {
        panic!("a program")
    };
    assert_eq!(
        (a.command(), a.resolved().command.as_str()),
        ("./bin", "/plugins/p/bin")
    );
    for config in [
        json!({"mcpServers": {}}),
        json!({"$schema": "https://x", "mcpServers": {}}),
        json!({"$schema": schema, "a": {"type": "stdio", "command": "x"}}),
        json!({"$schema": schema, "mcpServers": []}),
    ] {
        let found = load(config.clone());
        assert_eq!(
            codes(found.diagnostics()),
            [("mcp_config_invalid", "mcp.json")],
            "{config}"
        );
    }
}
