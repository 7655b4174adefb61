//! Where components come from, declared or by default.

use codex_plugin::{
    ComponentDeclaration, ComponentSource, PluginResourceLocator, ResolvedPlugin,
    parse_plugin_manifest,
};
use pretty_assertions::assert_eq;

use crate::support::{env, uri};

fn plugin(root: &str, text: &str) -> ResolvedPlugin {
    let root = uri(root);
    let (manifest, diagnostics) = parse_plugin_manifest(&root, text).unwrap();
    let path = root.join(".codex-plugin/plugin.json").unwrap();
    ResolvedPlugin::from_environment("r", env("e"), root, path, manifest, diagnostics).unwrap()
}

fn locator(path: &str) -> PluginResourceLocator {
    PluginResourceLocator::new(env("e"), uri(path))
}

fn files(path: &str) -> ComponentDeclaration<PluginResourceLocator> {
    ComponentDeclaration::Files(vec![locator(path)])
}

#[test]
fn without_declarations_components_are_in_their_default_places() {
    for root in [
        "file:///p",
        "file:///",
        "file:///C:/p",
        "file://server/share/p",
    ] {
        let plugin = plugin(root, "{}");
        let at = |below: &str| uri(root).join(below).unwrap().to_string();
        let skills = ComponentSource::Default(vec![locator(&at("skills"))]);
        assert_eq!(plugin.skill_sources(), skills);
        assert_eq!(
            plugin.mcp_sources(),
            Some(ComponentSource::Default(files(&at(".mcp.json"))))
        );
        let apps = ComponentSource::Default(locator(&at(".app.json")));
        assert_eq!(plugin.apps_source(), Some(apps));
        let hooks = ComponentSource::Default(files(&at("hooks/hooks.json")));
        assert_eq!(plugin.hook_sources(), Some(hooks));
    }
}

#[test]
fn declarations_take_the_place_of_defaults() {
    let text =
        r#"{"skills":["./a","./b"],"mcpServers":"./m.json","apps":"./x.json","hooks":"./h.json"}"#;
    let plugin = plugin("file:///p", text);
    let skills = vec![locator("file:///p/a"), locator("file:///p/b")];
    assert_eq!(plugin.skill_sources(), ComponentSource::Declared(skills));
    let declared = |path| Some(ComponentSource::Declared(files(path)));
    assert_eq!(plugin.mcp_sources(), declared("file:///p/m.json"));
    assert_eq!(plugin.hook_sources(), declared("file:///p/h.json"));
    let apps = plugin.apps_source().unwrap();
    assert!(apps.is_declared());
    assert_eq!(apps.get(), &locator("file:///p/x.json"));
}

#[test]
fn an_empty_inline_object_is_a_declaration() {
    let plugin = plugin("file:///p", r#"{"mcpServers":{},"hooks":{}}"#);
    assert!(plugin.mcp_sources().unwrap().is_declared());
    assert!(plugin.hook_sources().unwrap().is_declared());
}

#[test]
fn a_declaration_whose_paths_are_all_dropped_is_none() {
    let text = r#"{"skills":["x"],"mcpServers":["../x"],"apps":"/x","hooks":"x"}"#;
    let dropped = plugin("file:///p", text);
    let default = plugin("file:///p", "{}");
    assert_eq!(dropped.skill_sources(), default.skill_sources());
    assert_eq!(dropped.mcp_sources(), default.mcp_sources());
    assert_eq!(dropped.apps_source(), default.apps_source());
    assert_eq!(dropped.hook_sources(), default.hook_sources());
    assert_eq!(dropped.diagnostics().len(), 4);
}

#[test]
fn every_resource_and_the_manifest_must_be_below_the_root() {
    let root = uri("file:///a/b");
    let bind = |resource: &str, manifest: &str, text: &str| {
        let (parsed, _) = parse_plugin_manifest(&root, text).unwrap();
        let moved = parsed
            .try_map_resources(|_, _| Ok::<_, ()>(uri(resource)))
            .unwrap();
        ResolvedPlugin::from_environment("", env("e"), root.clone(), uri(manifest), moved, vec![])
            .map(|_| ())
            .map_err(|outside| outside.field().to_owned())
    };
    let inside = "file:///a/b/x";
    let rows = [
        (r#"{"skills":["./x"]}"#, "skills[0]"),
        (r#"{"mcpServers":"./x"}"#, "mcpServers[0]"),
        (r#"{"hooks":"./x"}"#, "hooks[0]"),
        (r#"{"apps":"./x"}"#, "apps"),
        (
            r#"{"interface":{"composerIcon":"./x"}}"#,
            "interface.composerIcon",
        ),
        (r#"{"interface":{"logo":"./x"}}"#, "interface.logo"),
        (r#"{"interface":{"logoDark":"./x"}}"#, "interface.logoDark"),
        (
            r#"{"interface":{"screenshots":["./x"]}}"#,
            "interface.screenshots[0]",
        ),
    ];
    for (text, field) in rows {
        assert_eq!(bind(inside, inside, text), Ok(()));
        for outside in [
            "file:///a/bc",
            "file:///a",
            "file:///C:/a/b/x",
            "file://a/b/x",
        ] {
            assert_eq!(
                bind(outside, inside, text),
                Err(field.to_owned()),
                "{outside}"
            );
        }
    }
    assert_eq!(
        bind(inside, "file:///a/bc", "{}"),
        Err("manifest".to_owned())
    );
}
