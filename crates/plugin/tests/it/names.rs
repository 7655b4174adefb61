//! Names a plugin can be installed under, and the numbers and names of the contract.

use codex_path_uri::PathUri;
use codex_plugin::{
    DEFAULT_APPS_CONFIG, DEFAULT_HOOKS_CONFIG, DEFAULT_MCP_CONFIG, DEFAULT_SKILLS_DIR,
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, FALLBACK_PLUGIN_NAME, InvalidPluginName,
    MAX_DEFAULT_PROMPT_CHARS, MAX_DEFAULT_PROMPTS, MAX_DIAGNOSTICS, MAX_LIST_ITEMS,
    MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH, MAX_MCP_CONFIG_BYTES, MAX_MCP_SERVERS, MarketplaceName,
    PluginId, PluginIdError, PluginName, PluginNamespace, parse_plugin_manifest,
};
use pretty_assertions::assert_eq;

#[test]
fn every_limit_and_default_is_the_documented_one() {
    assert_eq!(
        DISCOVERABLE_PLUGIN_MANIFEST_PATHS,
        [
            ".codex-plugin/plugin.json",
            ".claude-plugin/plugin.json",
            ".cursor-plugin/plugin.json",
        ]
    );
    assert_eq!(
        (MAX_MANIFEST_BYTES, MAX_MCP_CONFIG_BYTES),
        (1_048_576, 1_048_576)
    );
    assert_eq!((MAX_MANIFEST_DEPTH, MAX_LIST_ITEMS), (127, 256));
    assert_eq!((MAX_DEFAULT_PROMPTS, MAX_DEFAULT_PROMPT_CHARS), (3, 512));
    assert_eq!((MAX_DIAGNOSTICS, MAX_MCP_SERVERS), (64, 256));
    assert_eq!(
        [
            DEFAULT_SKILLS_DIR,
            DEFAULT_MCP_CONFIG,
            DEFAULT_APPS_CONFIG,
            DEFAULT_HOOKS_CONFIG
        ],
        ["skills", ".mcp.json", ".app.json", "hooks/hooks.json"]
    );
    assert_eq!(FALLBACK_PLUGIN_NAME, "plugin");
}

#[test]
fn a_plugin_name_has_ascii_letters_digits_signs_and_single_inner_dots() {
    for name in [
        "p",
        "P",
        "0",
        "_",
        "-",
        "A_z-0.9",
        "a.b.c",
        "a.-b",
        &"a".repeat(300),
    ] {
        assert_eq!(PluginName::new(name).unwrap().as_str(), name);
    }
    let dots = [".", "..", ".a", "a.", "a..b", "a...b", "..a"];
    let rows = dots.map(|name| (name, InvalidPluginName::Dot)).into_iter();
    let others = [
        ("", InvalidPluginName::Empty),
        ("my dir", InvalidPluginName::Character(' ')),
        ("a/b", InvalidPluginName::Character('/')),
        ("a\\b", InvalidPluginName::Character('\\')),
        ("a@b", InvalidPluginName::Character('@')),
        ("a:b", InvalidPluginName::Character(':')),
        ("é", InvalidPluginName::Character('é')),
        ("e\u{301}", InvalidPluginName::Character('\u{301}')),
        ("a\n", InvalidPluginName::Character('\n')),
        ("a\0", InvalidPluginName::Character('\0')),
        (" a", InvalidPluginName::Character(' ')),
        ("\u{202e}a", InvalidPluginName::Character('\u{202e}')),
    ];
    for (name, reason) in rows.chain(others) {
        assert_eq!(PluginName::new(name), Err(reason), "{name:?}");
    }
}

#[test]
fn a_marketplace_name_has_no_dot() {
    for name in ["m", "M_k-1", "-", &"m".repeat(300)] {
        assert_eq!(MarketplaceName::new(name).unwrap().as_str(), name);
    }
    for name in ["m.k", ".", ".m", "m."] {
        let reason = InvalidPluginName::Character('.');
        assert_eq!(MarketplaceName::new(name), Err(reason), "{name:?}");
    }
    assert_eq!(MarketplaceName::new(""), Err(InvalidPluginName::Empty));
}

#[test]
fn a_plugin_id_is_two_valid_names_around_one_at() {
    let id = PluginId::parse("a.b@mk_1").unwrap();
    assert_eq!(
        (id.as_key(), id.to_string().as_str()),
        ("a.b@mk_1", "a.b@mk_1")
    );
    assert_eq!(
        (id.plugin().as_str(), id.marketplace().as_str()),
        ("a.b", "mk_1")
    );
    let plugin = PluginIdError::Plugin;
    let marketplace = PluginIdError::Marketplace;
    let rows = [
        ("", PluginIdError::Separator),
        ("ab", PluginIdError::Separator),
        ("a@b@c", PluginIdError::Separator),
        ("a@@b", PluginIdError::Separator),
        ("@@", PluginIdError::Separator),
        ("@", plugin(InvalidPluginName::Empty)),
        ("@mk", plugin(InvalidPluginName::Empty)),
        ("a..b@mk", plugin(InvalidPluginName::Dot)),
        (" a@mk", plugin(InvalidPluginName::Character(' '))),
        ("a@", marketplace(InvalidPluginName::Empty)),
        ("a@m.k", marketplace(InvalidPluginName::Character('.'))),
        ("a@mk\n", marketplace(InvalidPluginName::Character('\n'))),
    ];
    for (text, error) in rows {
        assert_eq!(PluginId::parse(text), Err(error), "{text:?}");
    }
}

#[test]
fn what_stands_in_for_a_name_follows_the_spelling_of_the_root() {
    let uri = |text| PathUri::parse(text).unwrap();
    let (link, target) = (uri("file:///link"), uri("file:///target"));
    for (text, declared, at_target) in [
        ("{}", None, "target"),
        (r#"{"name":" "}"#, None, "target"),
        (r#"{"name":"link"}"#, Some("link"), "link"),
        (r#"{"name":"a/b"}"#, Some("a/b"), "target"),
    ] {
        let (manifest, _) = parse_plugin_manifest(&link, text).unwrap();
        assert_eq!(manifest.declared_name(), declared, "{text}");
        let namespace = PluginNamespace::new(manifest.declared_name(), &link);
        assert_eq!(namespace.at(&target).namespace(), at_target, "{text}");
        assert_eq!(namespace.at(&target).at(&link), namespace, "{text}");
    }
}
