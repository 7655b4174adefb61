//! Laws over generated texts, roots and trees.

use codex_file_system::Window;
use codex_path_uri::PathUri;
use codex_plugin::mcp::{McpTransport, parse_mcp_config};
use codex_plugin::{
    ExecutorPluginProvider, PluginOptions, PluginProvider, ResolvedPlugin, SymlinkPolicy,
    parse_plugin_manifest,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{block_on, env, environments, memory_with, selected, uri};

/// Roots of every kind, one that takes no names included.
fn roots() -> impl Strategy<Value = PathUri> {
    let device =
        PathUri::from_native(r"\\.\COM1", codex_path_uri::PathConvention::Windows).unwrap();
    let drive_like = uri("file:///").join("C:").unwrap();
    prop_oneof![
        Just(uri("file:///")),
        Just(uri("file:///plugins/p")),
        Just(uri("file:///a%5Cb/%FF")),
        Just(uri("file:///C:/")),
        Just(uri("file:///C:/plugins/p")),
        Just(uri("file://server/share")),
        Just(drive_like),
        Just(device),
    ]
}

/// Texts made of what means something in paths, and any others.
fn paths() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("./".to_owned()),
        Just("..".to_owned()),
        Just(".".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just("C:".to_owned()),
        Just(" ".to_owned()),
        Just("%2e".to_owned()),
        Just("%2F".to_owned()),
        Just("\u{0}".to_owned()),
        Just("\t".to_owned()),
        Just("file:///".to_owned()),
        Just("plugins/p".to_owned()),
        Just("nul".to_owned()),
        "[a-zA-Z]{1,3}",
        any::<String>(),
    ];
    let prefix = prop_oneof![Just("./"), Just("")];
    (prefix, prop::collection::vec(piece, 0..8))
        .prop_map(|(prefix, it)| prefix.to_owned() + &it.concat())
}

fn manifest_with(path: &str) -> Value {
    json!({
        "skills": [path, "./ok", path],
        "mcpServers": path,
        "hooks": [path],
        "apps": path,
        "interface": {"logo": path, "logoDark": path, "composerIcon": path, "screenshots": [path]},
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_locator_is_below_its_root(root in roots(), path in paths()) {
        let text = manifest_with(&path).to_string();
        let (manifest, diagnostics) = parse_plugin_manifest(&root, &text).unwrap();
        let mut resources = 0;
        let below = manifest.clone().try_map_resources(|_, resource| {
            resources += 1;
            let is_below = resource.starts_with(&root) && resource != root;
            if is_below { Ok(resource) } else { Err(resource) }
        });
        prop_assert!(below.is_ok(), "{below:?}");
        // Ten texts stand in the manifest: each is kept, or dropped with one finding.
        let dropped = diagnostics.iter().filter(|it| it.code().starts_with("path_"));
        let dropped = dropped.filter(|it| it.code() != "path_not_portable").count();
        prop_assert_eq!(resources + dropped, 10);
        let bound = ResolvedPlugin::from_environment("", env("e"), root.clone(), root, manifest, vec![]);
        prop_assert!(bound.is_ok());
    }

    #[test]
    fn every_working_directory_is_in_its_root(root in roots(), cwd in paths()) {
        let text = json!({"m": {"command": "x", "cwd": cwd}}).to_string();
        let (servers, diagnostics) = parse_mcp_config(&root, &text).unwrap();
        prop_assert_eq!(servers.len() + diagnostics.len(), 1);
        for (_, server, _) in servers {
            let McpTransport::Stdio(server) = server else { panic!("a program") };
            prop_assert!(server.cwd().starts_with(&root), "{}", server.cwd());
            let resolved = &server.resolved().cwd;
            prop_assert!(resolved.starts_with(&root), "{}", resolved);
        }
    }

    #[test]
    fn no_text_panics(root in roots(), text in any::<String>()) {
        let _ = parse_plugin_manifest(&root, &text);
        let _ = parse_mcp_config(&root, &text);
    }

    #[test]
    fn no_text_near_a_manifest_panics(root in roots(), cut in 0_usize..200, insert in ".{0,3}") {
        let mut text = manifest_with("./a\\u{e9}\u{1F600}").to_string();
        let at = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        text.insert_str(at, &insert);
        let _ = parse_plugin_manifest(&root, &text);
        let _ = parse_plugin_manifest(&root, &text[..at]);
        let _ = parse_mcp_config(&root, &text);
    }

    #[test]
    fn the_grammar_accepts_what_a_json_parser_accepts(text in json_like()) {
        // Where both see an object, they agree on whether the text is JSON.
        let is_object = serde_json::from_str::<Value>(&text).is_ok_and(|it| it.is_object());
        let ours = parse_plugin_manifest(&uri("file:///p"), &text);
        let syntax = ours.as_ref().err().is_none_or(|error| !error.field().is_empty());
        prop_assert_eq!(syntax, is_object, "{} {:?}", text, ours);
    }

    #[test]
    fn windows_change_the_cost_and_never_the_result(
        layout in prop::collection::vec(0_u8..7, 0..6),
        window in 1_usize..=64,
        follow in any::<bool>(),
    ) {
        let symlinks = if follow { SymlinkPolicy::Follow } else { SymlinkPolicy::RefuseEscape };
        let options = |window| PluginOptions { symlinks, window, ..PluginOptions::default() };
        let serial = outcomes(&layout, options(Window::SERIAL));
        let wide = outcomes(&layout, options(Window::new(window).unwrap()));
        prop_assert_eq!(serial, wide);
    }
}

/// Text of JSON tokens in an order that is often right.
fn json_like() -> impl Strategy<Value = String> {
    let token = prop_oneof![
        4 => Just("\"zzz\":1,"), 4 => Just("\"yyy\":[true,null],"), 2 => Just("\"x\":\"\\u00e9\\n\","),
        2 => Just("\"w\":-0.5e-3,"), 2 => Just("\"v\":{}"), 1 => Just(","), 1 => Just("{"), 1 => Just("}"),
        1 => Just("["), 1 => Just("]"), 1 => Just("01"), 1 => Just("tru"), 1 => Just("\"\\x\""),
        1 => Just("\"\\ud800\""), 1 => Just(" \n"), 1 => Just("\u{feff}"), 1 => Just("\"u\":{\"t\":[]}"),
    ];
    (prop::collection::vec(token, 0..6), any::<bool>()).prop_map(|(tokens, closed)| {
        format!("{{{}{}", tokens.concat(), if closed { "}" } else { "" })
    })
}

/// What resolving a layout of roots gives, each root of one of seven kinds.
fn outcomes(layout: &[u8], options: PluginOptions) -> Vec<String> {
    let base = uri("file:///r");
    let fs = memory_with(&base, &[]);
    let mut roots = Vec::new();
    for (index, kind) in layout.iter().enumerate() {
        let tree = match kind {
            0 => ".codex-plugin/plugin.json = {}",
            1 => ".cursor-plugin/plugin.json = {\"skills\":\"./s\"}",
            2 => "x/",
            3 => ".claude-plugin/plugin.json = {,",
            4 => ".codex-plugin/plugin.json -> /elsewhere",
            5 => ".codex-plugin/plugin.json -> .codex-plugin",
            _ => continue,
        };
        fs.add_tree(&format!("/r/{index}/{tree}\n/elsewhere = {{}}"))
            .unwrap();
        roots.push(selected(&base.join(&index.to_string()).unwrap()));
    }
    let provider =
        ExecutorPluginProvider::new(environments(vec![("env-1", std::sync::Arc::new(fs))]))
            .with_options(options);
    block_on(async {
        let mut one_by_one = Vec::new();
        for root in &roots {
            one_by_one.push(format!("{:?}", provider.resolve(root).await));
        }
        let together = provider.resolve_all(&roots).await;
        let together: Vec<String> = together.iter().map(|it| format!("{it:?}")).collect();
        assert_eq!(one_by_one, together);
        together
    })
}
