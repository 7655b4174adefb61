//! What each kind of case does.

use codex_file_system::Window;
use codex_plugin::mcp::load_mcp_servers;
use codex_plugin::{
    ManifestDirectories, PluginId, PluginName, PluginOptions, PluginProvider, ResolvedPlugin,
    SelectedCapabilityRoot, SymlinkPolicy, parse_plugin_manifest, read_plugin_namespace,
};
use serde_json::{Value, json};

use super::build::Ground;
use super::view;
use crate::support::{Cost, Scene, block_on, env, memory_with, selected, uri};

pub(super) fn run(case: &Value, ground: &Ground) -> Value {
    match case["kind"].as_str().unwrap() {
        "resolve" => block_on(resolve(case, ground)),
        "resolve_all" => block_on(resolve_all(case)),
        "namespace" => block_on(namespace(case, ground)),
        "mcp" => block_on(mcp(case, ground)),
        "construct" => construct(case),
        "plugin_name" => json!({"valid": PluginName::new(case["text"].as_str().unwrap()).is_ok()}),
        "plugin_id" => plugin_id(case["text"].as_str().unwrap()),
        other => panic!("unknown kind {other}"),
    }
}

fn options(case: &Value) -> PluginOptions {
    let options = &case["options"];
    let window = options["window"]
        .as_u64()
        .map(|n| Window::new(usize::try_from(n).unwrap()));
    let default = PluginOptions::default();
    let window = window.map_or(default.window, Option::unwrap);
    let symlinks = match options["symlinks"].as_str() {
        Some("follow") => SymlinkPolicy::Follow,
        _ => SymlinkPolicy::RefuseEscape,
    };
    PluginOptions {
        window,
        symlinks,
        agent_plugins_root: options["agent_plugins_root"] == json!(true),
        ..default
    }
}

async fn resolve(case: &Value, ground: &Ground) -> Value {
    let scene = ground.scene(case, case.get("faults"));
    let environment_id = if case["environment"] == "missing" {
        "elsewhere"
    } else {
        "env-1"
    };
    let root = SelectedCapabilityRoot::new("root-1", env(environment_id), ground.root.clone());
    let provider = scene.provider(options(case));
    let (resolution, cost) = scene.measure(provider.resolve(&root)).await;
    let view = match resolution {
        Ok(Some(plugin)) => view::plugin(&plugin),
        Ok(None) => json!({"outcome": "none"}),
        Err(error) => view::error(&error),
    };
    with_cost(view, cost)
}

async fn resolve_all(case: &Value) -> Value {
    let count = |key: &str| case["layout"][key].as_u64().unwrap();
    let base = uri("file:///plugins");
    let fs = memory_with(&base, &[]);
    let mut roots = Vec::new();
    for index in 0..count("plugins") {
        let root = base.join(&format!("p{index}")).unwrap();
        fs.add_tree(&format!(
            "/plugins/p{index}/.codex-plugin/plugin.json = {{}}"
        ))
        .unwrap();
        roots.push(selected(&root));
    }
    for index in 0..count("none") {
        fs.add_tree(&format!("/plugins/n{index}/")).unwrap();
        roots.push(selected(&base.join(&format!("n{index}")).unwrap()));
    }
    for index in 0..count("unknown_environment") {
        let root = base.join(&format!("u{index}")).unwrap();
        roots.push(SelectedCapabilityRoot::new(
            "unknown",
            env("elsewhere"),
            root,
        ));
    }
    let scene = Scene::new(fs);
    let provider = scene.provider(options(case));
    let (resolutions, cost) = scene.measure(provider.resolve_all(&roots)).await;
    let outcomes: Vec<&str> = resolutions
        .iter()
        .map(|resolution| match resolution {
            Ok(Some(_)) => "some",
            Ok(None) => "none",
            Err(_) => "err",
        })
        .collect();
    with_cost(json!({"outcomes": outcomes}), cost)
}

async fn namespace(case: &Value, ground: &Ground) -> Value {
    let scene = ground.scene(case, case.get("faults"));
    let present = case["present"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap());
    let present = ManifestDirectories::from_names(present);
    let work = read_plugin_namespace(scene.fs.as_ref(), &ground.root, present, None);
    let (read, cost) = scene.measure(work).await;
    let view = match read {
        Ok(Some(namespace)) => json!({"outcome": "some", "namespace": namespace.namespace()}),
        Ok(None) => json!({"outcome": "none"}),
        Err(error) => view::error(&error),
    };
    with_cost(view, cost)
}

/// Faults and cost are those of the second step.
async fn mcp(case: &Value, ground: &Ground) -> Value {
    let options = options(case);
    let scene = ground.scene(case, None);
    let root = selected(&ground.root);
    let plugin = scene
        .provider(options.clone())
        .resolve(&root)
        .await
        .unwrap()
        .unwrap();
    let scene = ground.scene(case, case.get("faults"));
    let plugins = [&plugin];
    let work = load_mcp_servers(&scene.environments, &plugins, &options);
    let (loaded, cost) = scene.measure(work).await;
    with_cost(view::servers(loaded[0].as_ref().unwrap()), cost)
}

fn construct(case: &Value) -> Value {
    let root = uri(case["root"].as_str().unwrap());
    let field = case["resource"]["field"].as_str().unwrap();
    let path = uri(case["resource"]["path"].as_str().unwrap());
    let declared = match field.strip_prefix("interface.") {
        Some("screenshots") => json!({"interface": {"screenshots": ["./x"]}}),
        Some(key) => json!({"interface": {key: "./x"}}),
        None => json!({field: "./x"}),
    };
    let (manifest, _) = parse_plugin_manifest(&root, &declared.to_string()).unwrap();
    let manifest = manifest
        .try_map_resources(|_, _| Ok::<_, ()>(path.clone()))
        .unwrap();
    let manifest_path = root.join(".codex-plugin/plugin.json").unwrap();
    let plugin =
        ResolvedPlugin::from_environment("", env("env-1"), root, manifest_path, manifest, vec![]);
    match plugin {
        Ok(_) => json!({"outcome": "some"}),
        Err(error) => {
            let error = json!({"problem": error.code(), "field": error.field()});
            json!({"outcome": "err", "error": error})
        }
    }
}

fn plugin_id(text: &str) -> Value {
    match PluginId::parse(text) {
        Ok(id) => {
            assert_eq!(id.as_key(), text);
            let (plugin, marketplace) = (id.plugin().as_str(), id.marketplace().as_str());
            json!({"valid": true, "plugin": plugin, "marketplace": marketplace})
        }
        Err(_) => json!({"valid": false}),
    }
}

fn with_cost(mut view: Value, cost: Cost) -> Value {
    view["calls"] = json!(cost.calls);
    view["round_trips"] = json!(cost.round_trips);
    view["max_in_flight"] = json!(cost.peak);
    view
}
