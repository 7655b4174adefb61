//! The grammar of a `SKILL.md`: where its block is, what is repaired, what its values may be.

use codex_file_system::Severity;
use codex_file_system_testkit::{Flavor, MemoryFileSystem, escape};
use codex_skills::{
    MAX_FRONTMATTER_BYTES, MAX_NAME_CHARS, MAX_YAML_DEPTH, MAX_YAML_NODES, SkillLoadOptions,
    SkillLoadOutcome, SkillMetadata, SkillRoot, SkillScope, check_loadable, load_skills,
};
use futures::executor::block_on;
use pretty_assertions::assert_eq;

use crate::support::{codes, local, only, uri};

/// Loads one file as the `SKILL.md` of a directory `d`.
fn load_file(bytes: &[u8]) -> SkillLoadOutcome {
    load_file_in("d", bytes)
}

/// Loads one file as the `SKILL.md` of a directory, which is what the judgement of its text foretells.
fn load_file_in(directory: &str, bytes: &[u8]) -> SkillLoadOutcome {
    let tree = format!("/s/{directory}/SKILL.md = {}", escape(bytes));
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let root = SkillRoot::new(local(), uri("file:///s"), SkillScope::User);
    let outcome = block_on(load_skills(
        &only(fs),
        &[root],
        &SkillLoadOptions::default(),
    ));
    let mut found = outcome.diagnostics.iter();
    let lost = found.find(|it| it.severity == Severity::Error);
    let judged = check_loadable(bytes, directory);
    assert_eq!(judged.err(), lost.map(|it| it.code));
    outcome
}

fn load_block(block: &str) -> SkillLoadOutcome {
    load_file(format!("---\n{block}\n---\nBody.\n").as_bytes())
}

/// The skill of a block, and the codes of what is said about it.
fn skill(block: &str) -> (SkillMetadata, Vec<&'static str>) {
    let outcome = load_block(block);
    assert_eq!(outcome.skills.len(), 1, "{block:?}: {:?}", codes(&outcome));
    let codes = codes(&outcome);
    (outcome.skills.into_iter().next().unwrap(), codes)
}

/// The description of a block, and the codes of what is said about it.
fn description(block: &str) -> (String, Vec<&'static str>) {
    let (skill, codes) = skill(block);
    (skill.description, codes)
}

/// The one code of a block that makes no skill.
fn loss(block: &str) -> &'static str {
    loss_of(load_block(block), block)
}

fn loss_of(outcome: SkillLoadOutcome, shown: &str) -> &'static str {
    assert_eq!(outcome.skills, [], "{shown:?}");
    let codes = codes(&outcome);
    assert_eq!(codes.len(), 1, "{shown:?}: {codes:?}");
    codes[0]
}

#[test]
fn the_judgement_of_a_text_foretells_whether_loading_makes_a_skill_of_it() {
    let nameless = "---\ndescription: a\n---";
    assert_eq!(
        load_file_in(&"d".repeat(64), nameless.as_bytes())
            .skills
            .len(),
        1
    );
    for (directory, text) in [
        (&*"d".repeat(65), nameless),
        ("d", "---\nname: a\n---"),
        ("d", "---\nname: a\nname: b\ndescription: c\n---"),
        ("d", "no block"),
    ] {
        assert_eq!(
            load_file_in(directory, text.as_bytes()).skills,
            [],
            "{text:?}"
        );
    }
}

#[test]
fn the_first_line_opens_and_the_next_fence_closes() {
    let opened = [
        "---\ndescription: a\n---",
        "\u{feff}---\ndescription: a\n---\n",
        " \t---\u{a0}\ndescription: a\n  ---  \nrest",
        "---\r\ndescription: a\r\n---\r\n",
        "---\rdescription: a\r---\r",
        "---\ndescription: a\n---\ndescription: b\n---\n",
    ];
    for text in opened {
        let outcome = load_file(text.as_bytes());
        assert_eq!(codes(&outcome), [""; 0], "{text:?}");
        assert_eq!(outcome.skills[0].description, "a", "{text:?}");
    }
    let missing = [
        "",
        "\n---\ndescription: a\n---\n",
        "text\n---\ndescription: a\n---\n",
        "----\ndescription: a\n----\n",
        "--- # c\ndescription: a\n---\n",
        "\u{feff}\u{feff}---\ndescription: a\n---\n",
        "---",
        "---\n---\n",
        "---\ndescription: a\n",
        "---\ndescription: a\n...\n",
    ];
    for text in missing {
        let outcome = load_file(text.as_bytes());
        assert_eq!(loss_of(outcome, text), "frontmatter_missing");
    }
    // A blank line is a line: there is a block, and nothing in it.
    let blank = load_file(b"---\n\n---\n");
    assert_eq!(loss_of(blank, "a blank line"), "description_missing");
}

#[test]
fn an_indented_fence_is_text_inside_a_block_scalar_only() {
    for header in ["|", ">", "|2-", "&a |+  # c", "!!str >1"] {
        let block = format!("description: {header}\n  a\n  ---\n  b");
        let (text, _) = description(&block);
        assert_eq!(text, "a --- b", "{header}");
    }
    let closing = [
        "description: a\n  ---",
        "description: \"a\n  ---",
        "description: |\n---",
        "metadata:\n  x: |\n ---",
    ];
    for block in closing {
        let outcome = load_file(format!("---\n{block}\nname: [\n").as_bytes());
        let found = codes(&outcome);
        // The fence closes the block, so the broken line behind it is body.
        assert!(!found.contains(&"frontmatter_missing"), "{block:?}");
    }
}

#[test]
fn the_whole_file_is_utf8_and_the_block_has_no_control_characters() {
    let outcome = load_file(b"---\ndescription: a\n---\n\xff");
    assert_eq!(loss_of(outcome, "a bad body"), "skill_not_utf8");
    for character in ['\0', '\u{1}', '\u{1b}', '\u{7f}', '\u{80}', '\u{9f}'] {
        for block in [
            format!("description: a{character}"),
            format!("description: a\nx: |\n  {character}"),
            format!("description: a # {character}"),
        ] {
            assert_eq!(loss(&block), "frontmatter_invalid", "{block:?}");
        }
        let body = format!("---\ndescription: a\n---\n{character}");
        assert_eq!(codes(&load_file(body.as_bytes())), [""; 0]);
    }
    // An escape is no character of the block.
    assert_eq!(description("description: \"a\\x1bb\"").0, "a\u{1b}b");
}

#[test]
fn each_budget_includes_its_limit() {
    let filler = |bytes: usize| format!("description: d\n# {}", "x".repeat(bytes - 17));
    assert_eq!(filler(MAX_FRONTMATTER_BYTES).len(), MAX_FRONTMATTER_BYTES);
    assert_eq!(description(&filler(MAX_FRONTMATTER_BYTES)).0, "d");
    assert_eq!(
        loss(&filler(MAX_FRONTMATTER_BYTES + 1)),
        "frontmatter_too_large"
    );
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
        format!("description: d\nx: {open}{close}")
    };
    assert_eq!(description(&nested(MAX_YAML_DEPTH)).0, "d");
    assert_eq!(
        loss(&nested(MAX_YAML_DEPTH + 1)),
        "frontmatter_budget_exceeded"
    );
    // The mapping, two keys, the description and the list are five nodes.
    let nodes = |count: usize| format!("description: d\nx: [{}]", vec!["1"; count - 5].join(","));
    assert_eq!(description(&nodes(MAX_YAML_NODES)).0, "d");
    assert_eq!(
        loss(&nodes(MAX_YAML_NODES + 1)),
        "frontmatter_budget_exceeded"
    );
    let name = |chars: usize| format!("name: {}\ndescription: d", "é".repeat(chars));
    assert_eq!(skill(&name(MAX_NAME_CHARS)).0.name.chars().count(), 64);
    assert_eq!(loss(&name(MAX_NAME_CHARS + 1)), "name_too_long");
    // The name is judged before the description.
    let both = format!("name: {}", "n".repeat(MAX_NAME_CHARS + 1));
    assert_eq!(loss(&both), "name_too_long");
}

#[test]
fn prose_is_read_as_written_after_quoting() {
    let rows = [
        ("Build for AWS: ECS", "Build for AWS: ECS"),
        ("Use when asked:", "Use when asked:"),
        (":", ":"),
        ("a:\tb", "a: b"),
        ("\"quoted\" then text", "\"quoted\" then text"),
        ("'quoted' then text", "'quoted' then text"),
        ("\"unterminated", "\"unterminated"),
        ("'it's fine'", "it's fine"),
        ("\"say \"hi\" now\"", "\"say \"hi\" now\""),
        ("[beta] does things", "[beta] does things"),
        ("[a, b", "[a, b"),
        ("{not yaml", "{not yaml"),
        ("*bold* text", "*bold* text"),
        ("*", "*"),
        ("| pipe", "| pipe"),
        ("|#c", "|#c"),
        ("> quote", "> quote"),
        ("%percent", "%percent"),
        ("@at", "@at"),
        ("`code` first", "`code` first"),
        (", comma", ", comma"),
        ("] bracket", "] bracket"),
        ("} brace", "} brace"),
        ("-", "-"),
        ("- dash", "- dash"),
        ("?", "?"),
        ("? question", "? question"),
        ("&amp first", "&amp first"),
        ("&amp", "&amp"),
        ("!bang first", "!bang first"),
        ("! bang", "! bang"),
        ("first: one\n  second: two", "first: one second: two"),
        ("first\n\n  second: two\n\n", "first second: two"),
    ];
    for (value, text) in rows {
        let (found, codes) = description(&format!("description: {value}"));
        assert_eq!(found, text, "{value:?}");
        assert_eq!(codes, ["frontmatter_repaired"], "{value:?}");
    }
}

#[test]
fn a_list_or_a_mapping_with_a_colon_is_prose_where_a_text_is_due() {
    for value in [
        "[TODO: Say what it does and when.]",
        "{a: b}",
        "[\"x: y\"]",
        "\"Foo\": bar",
        "'Foo': bar",
        "{{ name: x }}",
    ] {
        let (found, codes) = description(&format!("description: {value}"));
        assert_eq!(found, value);
        assert_eq!(codes, ["frontmatter_repaired"], "{value:?}");
    }
    let block = "name: [TODO: x]\ndescription: d\nmetadata:\n  short-description: {a: b}";
    let (skill, _) = skill(block);
    assert_eq!(skill.name, "[TODO: x]");
    assert_eq!(skill.short_description.as_deref(), Some("{a: b}"));
}

#[test]
fn what_is_yaml_already_is_not_repaired() {
    let rows = [
        ("a:b", "a:b"),
        ("a :b", "a :b"),
        ("http://x", "http://x"),
        ("-dash", "-dash"),
        ("?question", "?question"),
        ("a & b ! c * d", "a & b ! c * d"),
        ("\"a: b\"", "a: b"),
        ("'a: b' # c", "a: b"),
        ("!!str 5", "5"),
        ("!<tag:x> y", "y"),
        ("|\n  a: b\n  %c", "a: b %c"),
        (">2-\n    a\n  b", "a b"),
        ("&d text\nother: *d", "text"),
    ];
    for (value, text) in rows {
        let (found, codes) = description(&format!("description: {value}"));
        assert_eq!((found.as_str(), codes), (text, vec![]), "{value:?}");
    }
    // Only a description at the outer level is prose before the first parse.
    let (skill, codes) = skill("description: d\nname: !foo x\nother:\n  description: !tag y");
    assert_eq!((skill.name.as_str(), codes), ("x", vec![]));
    let nested = "description: d\nmetadata:\n  short-description: &word text";
    let (skill, codes) = self::skill(nested);
    assert_eq!(skill.short_description.as_deref(), Some("&word text"));
    assert_eq!(codes, ["frontmatter_repaired"]);
}

#[test]
fn other_entries_are_repaired_for_the_sake_of_the_block() {
    let blocks = [
        "description: d\nargument-hint: [path] [--flag]",
        "description: d\nx: *nope",
        "description: d\nlist:\n  - key: a: b",
        "description: d\nlist:\n- - key: %c",
        "  description: d\n  x: a: b",
        "description: d\n\"x\": @y",
    ];
    for block in blocks {
        let expected = ("d".to_owned(), vec!["frontmatter_repaired"]);
        assert_eq!(description(block), expected, "{block:?}");
    }
}

#[test]
fn a_block_that_repair_does_not_help_reports_its_first_failure() {
    let rows = [
        ("description: a: b\nx:\n\ty: z", "frontmatter_invalid"),
        ("description: [a]\nx: b: c", "frontmatter_invalid"),
        ("description: [a]\nx: b", "frontmatter_wrong_type"),
        (
            "name: a\nname: b\ndescription: c",
            "frontmatter_duplicate_key",
        ),
        ("description: a # c\n  b", "frontmatter_invalid"),
        ("description: & word", "frontmatter_invalid"),
    ];
    for (block, code) in rows {
        assert_eq!(loss(block), code, "{block:?}");
    }
}

#[test]
fn a_comment_in_plain_text_is_reported() {
    let rows = [
        ("description: C # developers", "C"),
        ("description: a\n  b # c", "a b"),
        ("description: a\t# c", "a"),
        ("name: x # y\ndescription: a", "a"),
        ("metadata:\n  short-description: s # t\ndescription: a", "a"),
    ];
    for (block, text) in rows {
        let expected = (text.to_owned(), vec!["comment_dropped"]);
        assert_eq!(description(block), expected, "{block:?}");
    }
    let silent = [
        "description: a#b",
        "description: 'a' # c",
        "description: \"a\" # c",
        "description: a\n# c",
        "description: a\nlicense: MIT # c",
        "description: |  # c\n  a",
        "description: a\nname: # c",
    ];
    for block in silent {
        assert_eq!(skill(block).1, [""; 0], "{block:?}");
    }
    // The comment of a single line stays one, those between several lines go.
    let both = vec!["frontmatter_repaired", "comment_dropped"];
    let one = description("description: a: b # c");
    assert_eq!(one, ("a: b".to_owned(), both.clone()));
    let several = description("description: a # x\n  # y: z\n  b: c # w\nlicense: MIT");
    assert_eq!(several, ("a b: c".to_owned(), both));
}

#[test]
fn scalars_are_their_folded_source_text() {
    for text in [
        "5",
        "1.10",
        "0x1F",
        "1e3",
        ".inf",
        "true",
        "yes",
        "2024-01-02",
        "~x",
    ] {
        let (skill, codes) = skill(&format!("name: {text}\ndescription: {text}"));
        let found = (skill.name.as_str(), skill.description.as_str());
        assert_eq!((found, codes), ((text, text), vec![]));
    }
    let (skill, _) = skill("name: \" a\\u3000b \"\ndescription: |\n  c\n\n  d\u{a0}\u{2028}e");
    assert_eq!(
        (skill.name.as_str(), skill.description.as_str()),
        ("a b", "c d e")
    );
}

#[test]
fn a_name_that_is_not_given_is_that_of_the_directory() {
    for name in [
        "",
        "name:",
        "name: ~",
        "name: null",
        "name: ''",
        "name: \" \\n\"",
    ] {
        let (skill, _) = skill(&format!("{name}\ndescription: a"));
        assert_eq!(skill.name, "d", "{name:?}");
    }
    for name in ["null", "~"] {
        assert_eq!(
            skill(&format!("name: '{name}'\ndescription: a")).0.name,
            name
        );
    }
    // At a filesystem root there is no directory name either.
    let fs = "/SKILL.md = ---%0Adescription: a%0A---";
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, fs).unwrap();
    let root = SkillRoot::new(local(), uri("file:///"), SkillScope::User);
    let outcome = block_on(load_skills(
        &only(fs),
        &[root],
        &SkillLoadOptions::default(),
    ));
    assert_eq!(outcome.skills[0].name, "skill");
}

#[test]
fn values_of_the_wrong_kind_lose_the_skill_with_one_code() {
    let rows = [
        ("name: x", "description_missing"),
        ("description:", "description_missing"),
        ("description: ~", "description_missing"),
        ("description: \" \\t\"", "description_missing"),
        ("Description: a", "description_missing"),
        ("# only a comment", "description_missing"),
        ("description: [a]", "frontmatter_wrong_type"),
        ("description: {a, b}", "frontmatter_wrong_type"),
        ("description:\n  a: b", "frontmatter_wrong_type"),
        ("description: a\nname: [x]", "frontmatter_wrong_type"),
        ("description: a\nmetadata: x", "frontmatter_wrong_type"),
        ("description: a\nmetadata: ''", "frontmatter_wrong_type"),
        ("description: a\nmetadata: [x]", "frontmatter_wrong_type"),
        (
            "description: a\nmetadata: {short-description: [x]}",
            "frontmatter_wrong_type",
        ),
        ("- description: a", "frontmatter_wrong_type"),
        ("text", "frontmatter_wrong_type"),
        (
            "description: a\n\"description\": b",
            "frontmatter_duplicate_key",
        ),
        (
            "description: a\nmetadata: {}\nmetadata: {}",
            "frontmatter_duplicate_key",
        ),
        ("description: a\n...\nname: b", "frontmatter_invalid"),
        ("description: a\n<<: 5", "frontmatter_invalid"),
    ];
    for (block, code) in rows {
        assert_eq!(loss(block), code, "{block:?}");
    }
}

#[test]
fn unknown_keys_and_repetitions_without_harm_are_ignored() {
    let block = "description: a\nx: 1\nx: 2\n5: y\n[a]: b\n\
        metadata: {short-description: s, short-description: t, y: 1, y: 2}";
    let (skill, codes) = skill(block);
    assert_eq!(skill.short_description.as_deref(), Some("s"));
    assert_eq!(codes, [""; 0]);
}

#[test]
fn anchors_aliases_merge_keys_and_tags_are_honoured() {
    let rows = [
        ("x: &d text\ndescription: *d", "text"),
        ("x: &m {description: merged}\n<<: *m", "merged"),
        ("<<: {description: merged}\ndescription: own", "own"),
        ("<<: [{description: first}, {description: second}]", "first"),
        ("!!map {description: !!str a}", "a"),
        ("? description\n: explicit", "explicit"),
    ];
    for (block, text) in rows {
        assert_eq!(description(block), (text.to_owned(), vec![]), "{block:?}");
    }
}
