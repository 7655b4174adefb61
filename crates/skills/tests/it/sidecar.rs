//! `agents/openai.yaml`: what a bad value costs, field by field.

use codex_file_system_testkit::{Flavor, MemoryFileSystem, escape};
use codex_skills::{
    MAX_SIDECAR_BYTES, Product, SkillInterface, SkillLoadOptions, SkillLoadOutcome, SkillMetadata,
    SkillPolicy, SkillRoot, SkillScope, ToolDependency, load_skills,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{codes, local, only, uri};

/// Loads a skill in `/s/d` with a sidecar, while Codex runs.
fn load_below(flavor: Flavor, base: &str, sidecar: &[u8]) -> SkillLoadOutcome {
    let sidecar = escape(sidecar);
    let tree = format!(
        "{base}/d/SKILL.md = ---%0Adescription: d%0A---\n{base}/d/agents/openai.yaml = {sidecar}"
    );
    let fs = MemoryFileSystem::from_tree(flavor, &tree).unwrap();
    let path = uri(&format!("file:///{}", base.trim_start_matches('/')));
    let root = SkillRoot::new(local(), path, SkillScope::User);
    let options = SkillLoadOptions {
        product: Some(Product::Codex),
        ..SkillLoadOptions::default()
    };
    block_on(load_skills(&only(fs), &[root], &options))
}

fn load(sidecar: &str) -> SkillLoadOutcome {
    load_below(Flavor::Posix, "/s", sidecar.as_bytes())
}

/// The skill, and the fields that were dropped.
fn read(sidecar: &str) -> (SkillMetadata, Vec<String>) {
    read_from(load(sidecar), sidecar)
}

fn read_from(outcome: SkillLoadOutcome, shown: &str) -> (SkillMetadata, Vec<String>) {
    let dropped = outcome.diagnostics.iter().map(|found| {
        assert_eq!(found.code.as_str(), "sidecar_field_dropped", "{shown:?}");
        found.field.clone().unwrap()
    });
    let dropped = dropped.collect();
    (outcome.skills.into_iter().next().unwrap(), dropped)
}

fn interface(sidecar: &str) -> (Option<SkillInterface>, Vec<String>) {
    let (skill, dropped) = read(sidecar);
    (skill.interface, dropped)
}

fn tool(kind: &str, value: &str) -> ToolDependency {
    ToolDependency {
        kind: kind.to_owned(),
        value: value.to_owned(),
        description: None,
        transport: None,
        command: None,
        url: None,
    }
}

#[test]
fn a_document_without_a_value_is_no_sidecar() {
    for text in ["", "# c", "{}", "~", "---\n", "\u{feff}", "\u{feff}# c"] {
        let (skill, dropped) = read(text);
        assert_eq!((skill.interface, dropped), (None, vec![]), "{text:?}");
        assert_eq!(skill.policy, SkillPolicy::default(), "{text:?}");
    }
    let (skill, _) = read("\u{feff}interface: {display_name: X}");
    assert_eq!(skill.interface.unwrap().display_name.as_deref(), Some("X"));
}

#[test]
fn any_value_of_the_wrong_shape_drops_the_whole_sidecar() {
    let rows = [
        "x",
        "[]",
        "interface: x",
        "interface: []",
        "interface: {display_name: [a]}",
        "interface: {icon_small: {a: b}}",
        "dependencies: x",
        "dependencies: {tools: {}}",
        "dependencies: {tools: [x]}",
        "dependencies: {tools: [~]}",
        "dependencies: {tools: [{type: t, value: [v]}]}",
        "dependencies: {tools: [{type: t, value: v, url: {a: b}}]}",
        "policy: x",
        "policy: {allow_implicit_invocation: 'false'}",
        "policy: {allow_implicit_invocation: no}",
        "policy: {allow_implicit_invocation: 0}",
        "policy: {products: codex}",
        "policy: {products: [Codex]}",
        "policy: {products: [codex, other]}",
        "policy: {products: [codex, ~]}",
        "interface: {display_name: a}\ninterface: {}",
        "a: *b",
        "a: [",
        "a: 1\n---\nb: 2",
        "a: \u{7f}",
        "<<: 5",
    ];
    for text in rows {
        let good = match text.starts_with("interface") {
            true => "policy: {allow_implicit_invocation: false}",
            false => "interface: {display_name: X}",
        };
        let text = format!("{good}\n{text}");
        let outcome = load(&text);
        assert_eq!(codes(&outcome), ["sidecar_invalid"], "{text:?}");
        let skill = &outcome.skills[0];
        assert_eq!(skill.interface, None, "{text:?}");
        assert_eq!(skill.policy, SkillPolicy::default(), "{text:?}");
    }
    assert_eq!(codes(&load("{}\n# \u{1b}")), ["sidecar_invalid"]);
    let not_utf8 = load_below(Flavor::Posix, "/s", b"{} # \xff");
    assert_eq!(codes(&not_utf8), ["sidecar_not_utf8"]);
}

#[test]
fn a_sidecar_of_the_limit_is_read_and_one_byte_more_is_not() {
    let text = |bytes: usize| {
        format!(
            "interface: {{display_name: X}}\n#{}",
            "x".repeat(bytes - 30)
        )
    };
    assert_eq!(text(MAX_SIDECAR_BYTES).len(), MAX_SIDECAR_BYTES);
    assert_eq!(read(&text(MAX_SIDECAR_BYTES)).1, [""; 0]);
    let too_large = load(&text(MAX_SIDECAR_BYTES + 1));
    assert_eq!(codes(&too_large), ["sidecar_too_large"]);
    assert_eq!(too_large.skills[0].interface, None);
}

#[test]
fn texts_are_folded_and_dropped_beyond_their_length() {
    for (key, limit) in [
        ("display_name", 64),
        ("short_description", 1_024),
        ("default_prompt", 1_024),
    ] {
        let with = |value: &str| interface(&format!("interface: {{{key}: \"{value}\"}}"));
        let field = vec![format!("interface.{key}")];
        assert_eq!(with(" \\n\\u3000"), (None, field.clone()), "{key}");
        assert_eq!(with(&"é".repeat(limit + 1)), (None, field), "{key}");
        let (kept, dropped) = with(&format!(" a \\n {}  ", "é".repeat(limit - 2)));
        let kept = kept.unwrap();
        let text = [
            kept.display_name,
            kept.short_description,
            kept.default_prompt,
        ];
        let text = text.into_iter().flatten().collect::<String>();
        assert_eq!(text, format!("a {}", "é".repeat(limit - 2)), "{key}");
        assert_eq!(dropped, [""; 0], "{key}");
    }
    let null = "interface: {display_name: ~, short_description:, brand_color: ~, icon_small: ~}";
    assert_eq!(interface(null), (None, vec![]));
    // A number or boolean is its source text.
    let (kept, _) = interface("interface: {display_name: 1.10, short_description: true}");
    let kept = kept.unwrap();
    assert_eq!(kept.display_name.as_deref(), Some("1.10"));
    assert_eq!(kept.short_description.as_deref(), Some("true"));
}

#[test]
fn a_colour_is_a_hash_and_six_hex_digits() {
    let with = |value: &str| interface(&format!("interface: {{brand_color: \"{value}\"}}"));
    for (value, color) in [("#a1B2c3", "#a1B2c3"), (" #000000\\t", "#000000")] {
        let (kept, dropped) = with(value);
        assert_eq!(kept.unwrap().brand_color.as_deref(), Some(color));
        assert_eq!(dropped, [""; 0]);
    }
    for value in [
        "", "#12345", "#1234567", "112233", "#GGGGGG", "##12345", "#12345é",
    ] {
        let expected = (None, vec!["interface.brand_color".to_owned()]);
        assert_eq!(with(value), expected, "{value:?}");
    }
}

#[test]
fn an_icon_is_a_path_below_assets() {
    let icon = |flavor, base: &str, value: &str| {
        let sidecar = format!("interface: {{icon_large: '{value}'}}");
        let outcome = load_below(flavor, base, sidecar.as_bytes());
        let (skill, dropped) = read_from(outcome, value);
        assert_eq!(dropped.is_empty(), skill.interface.is_some(), "{value:?}");
        let path = skill.interface.and_then(|it| it.icon_large);
        path.map(|path| path.to_string())
    };
    let both = [
        ("/s", "file:///s/d", Flavor::Posix),
        ("C:/s", "file:///C:/s/d", Flavor::Windows),
    ];
    for (base, directory, flavor) in both {
        let kept = [
            ("assets", "/assets"),
            ("assets/", "/assets"),
            ("./assets/./x//y.png", "/assets/x/y.png"),
            ("assets/%2e%2e/x", "/assets/%252e%252e/x"),
            ("assets/a#b?c", "/assets/a%23b%3Fc"),
        ];
        for (value, below) in kept {
            let path = Some(format!("{directory}{below}"));
            assert_eq!(icon(flavor, base, value), path, "{value:?}");
        }
        let dropped = [
            "",
            ".",
            "x.png",
            "Assets/x",
            " assets/x",
            "/assets/x",
            "../assets/x",
            "assets/..",
            "assets/../x",
            "x/assets",
            "https://e.com/a.png",
            "assetsx/y",
        ];
        for value in dropped {
            assert_eq!(icon(flavor, base, value), None, "{value:?}");
        }
    }
    let windows = |value| icon(Flavor::Windows, "C:/s", value);
    assert_eq!(windows("assets\\x").unwrap(), "file:///C:/s/d/assets/x");
    assert_eq!(windows("assets\\..\\x"), None);
    assert_eq!(windows("\\assets\\x"), None);
    assert_eq!(windows("C:assets/x"), None);
    let posix = |value| icon(Flavor::Posix, "/s", value);
    assert_eq!(posix("assets\\x"), None);
    assert_eq!(posix("assets/a\\b").unwrap(), "file:///s/d/assets/a%5Cb");
}

#[test]
fn a_tool_without_type_and_value_goes_and_the_rest_of_one_may_be_dropped() {
    let tools = |list: &str| {
        let (skill, dropped) = read(&format!("dependencies:\n  tools:\n{list}"));
        (skill.dependencies, dropped)
    };
    let list = "    - {type: ' a  b ', value: 'c  d'}\n    - {type: t}\n    - {value: v}\n    \
        - {type: ' ', value: v}\n    - {type: t, value: ~, url: ' '}\n    - {type: t, value: v}";
    let gone = [1, 2, 3, 4].map(|index| format!("dependencies.tools[{index}]"));
    assert_eq!(
        tools(list),
        (vec![tool("a b", "c d"), tool("t", "v")], gone.to_vec())
    );
    let lengths = |kind: usize, value: usize| {
        let (kind, value) = ("é".repeat(kind), "é".repeat(value));
        tools(&format!("    - {{type: {kind}, value: {value}}}"))
    };
    assert_eq!(lengths(64, 1_024).1, [""; 0]);
    assert_eq!(lengths(65, 1).1, ["dependencies.tools[0]"]);
    assert_eq!(lengths(1, 1_025).1, ["dependencies.tools[0]"]);
    for (key, limit) in [
        ("description", 1_024),
        ("command", 1_024),
        ("url", 1_024),
        ("transport", 64),
    ] {
        let with = |length: usize| {
            let text = "é".repeat(length);
            tools(&format!("    - {{type: t, value: v, {key}: {text}}}"))
        };
        assert_eq!(with(limit).1, [""; 0], "{key}");
        let dropped = vec![format!("dependencies.tools[0].{key}")];
        assert_eq!(with(limit + 1), (vec![tool("t", "v")], dropped), "{key}");
    }
    for none in [
        "dependencies:",
        "dependencies: {tools:}",
        "dependencies: {tools: []}",
    ] {
        assert_eq!(read(none).0.dependencies, [], "{none:?}");
    }
}

#[test]
fn a_policy_names_products_in_one_case_and_a_yaml_boolean() {
    let policy = |text: &str| read(&format!("policy: {{{text}}}")).0.policy;
    for text in [
        "",
        "allow_implicit_invocation: ~",
        "products: ~",
        "products: []",
    ] {
        assert_eq!(policy(text), SkillPolicy::default(), "{text:?}");
    }
    for (text, allowed) in [("true", true), ("FALSE", false), ("False", false)] {
        let policy = policy(&format!("allow_implicit_invocation: {text}"));
        assert_eq!(policy.allow_implicit_invocation, allowed, "{text:?}");
    }
    assert_eq!(
        policy("products: [codex, 'CHATGPT', ATLAS]").products,
        [Product::Codex, Product::ChatGpt, Product::Atlas]
    );
    let other = load("policy: {products: [CHATGPT, atlas]}");
    assert_eq!(other.skills, []);
    assert_eq!(codes(&other), ["product_restricted"]);
}

#[test]
fn a_misspelt_key_of_a_sidecar_is_told_with_the_one_that_is_meant() {
    let outcome = load("policy: {allowImplicitInvocation: false}\nInterface: {display_name: X}");
    let found = outcome.diagnostics.iter();
    let found: Vec<_> = found
        .map(|it| (it.code.as_str(), it.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            (
                "sidecar_field_dropped",
                "`Interface` has no effect: the key is `interface`"
            ),
            (
                "sidecar_field_dropped",
                "`policy.allowImplicitInvocation` has no effect: the key is \
                 `allow_implicit_invocation`"
            ),
        ]
    );
}

#[test]
fn unknown_keys_of_a_sidecar_are_ignored() {
    let text = "x: [1]\nx: 2\ninterface: {display_name: X, other: {a: [b]}}\n\
        dependencies: {other: 1}\npolicy: {other: [x]}";
    let (kept, dropped) = interface(text);
    assert_eq!(kept.unwrap().display_name.as_deref(), Some("X"));
    assert_eq!(dropped, [""; 0]);
}
