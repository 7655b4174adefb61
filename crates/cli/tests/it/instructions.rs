//! `instructions`: what is shown of a load, in every shape.

use insta::assert_snapshot;
use pretty_assertions::assert_eq;

use crate::sandbox::Sandbox;

/// Three directories, a user-level document, and a budget that the second document exceeds.
const REPO: &str = "\
/home/AGENTS.md = Be brief.%0A
/home/config.toml = project_doc_max_bytes = 30%0Aproject_doc_fallback_filenames = ['CLAUDE.md']%0A
/w/repo/.git/
/w/repo/AGENTS.md = Root rules apply.%0A
/w/repo/crates/AGENTS.override.md = Crates need tests.%0A
/w/repo/crates/AGENTS.md = hidden%0A
/w/repo/crates/CLAUDE.md = hidden, too%0A
/w/repo/crates/core/CLAUDE.md = Core is frozen.%0A
/w/repo/crates/core/src/agents.md = not read%0A";

const LEAF: &str = "repo/crates/core/src";

#[test]
fn the_table_shows_every_considered_directory_and_the_totals() {
    let sandbox = Sandbox::new(REPO);
    assert_snapshot!(
        "table",
        sandbox
            .run(&["instructions", LEAF, "--format", "table"])
            .all()
    );
}

#[test]
fn a_pipe_gets_one_tab_separated_row_per_document_and_directory() {
    let sandbox = Sandbox::new(REPO);
    assert_snapshot!("rows", sandbox.run(&["instructions", LEAF]).all());
}

#[test]
fn json_is_one_object_with_native_spellings_beside_the_uris() {
    let sandbox = Sandbox::new(REPO);
    assert_snapshot!(
        "json",
        sandbox
            .run(&["instructions", LEAF, "--format", "json"])
            .all()
    );
}

#[test]
fn jsonl_is_one_record_a_line() {
    let sandbox = Sandbox::new(REPO);
    assert_snapshot!(
        "jsonl",
        sandbox
            .run(&["instructions", LEAF, "--format", "jsonl"])
            .all()
    );
}

#[test]
fn text_is_exactly_the_fragment() {
    let sandbox = Sandbox::new(REPO);
    let expected = "\
# AGENTS.md instructions for /sandbox/w/repo/crates/core/src

<INSTRUCTIONS>
Be brief.

--- project-doc ---

Root rules apply.


Crates need 
</INSTRUCTIONS>";
    assert_eq!(
        sandbox.run(&["instructions", LEAF, "--text"]).stdout,
        expected
    );
}

#[test]
fn text_is_empty_without_instructions() {
    let sandbox = Sandbox::new("/w/repo/.git/");
    assert_eq!(sandbox.run(&["instructions", "repo", "--text"]).clean(), "");
    assert_eq!(
        sandbox.run(&["instructions", "repo", "--sources"]).clean(),
        ""
    );
    let json = sandbox
        .run(&["instructions", "repo", "--format", "json"])
        .json();
    assert_eq!(json["text"], serde_json::Value::Null);
}

#[test]
fn sources_are_the_paths_in_the_order_of_the_text() {
    let sandbox = Sandbox::new(REPO);
    let expected = "\
/sandbox/home/AGENTS.md
/sandbox/w/repo/AGENTS.md
/sandbox/w/repo/crates/AGENTS.override.md
";
    assert_eq!(
        sandbox.run(&["instructions", LEAF, "--sources"]).stdout,
        expected
    );
}

#[test]
fn no_marker_means_the_start_directory_only() {
    let sandbox = Sandbox::new("/w/a/AGENTS.md = above%0A\n/w/a/b/AGENTS.md = here%0A");
    let markers = "project_root_markers=['no-such-marker']";
    let ran = sandbox.run(&["instructions", "a/b", "--format", "table", "-c", markers]);
    assert_snapshot!("no_root", ran.all());
}

#[test]
fn an_empty_list_of_markers_means_the_start_directory_only() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/a/AGENTS.md = here%0A");
    let arguments = [
        "instructions",
        "r/a",
        "--format",
        "table",
        "-c",
        "project_root_markers=[]",
    ];
    assert_snapshot!("traversal_disabled", sandbox.run(&arguments).all());
}

#[test]
fn a_document_that_cannot_be_asked_for_loses_all_of_them_by_default() {
    let sandbox = Sandbox::new(BROKEN);
    let ran = sandbox.run(&["instructions", "r/a/b", "--format", "table"]);
    assert_snapshot!("failed", ran.all());
}

#[test]
fn keep_readable_keeps_the_other_documents() {
    let sandbox = Sandbox::new(BROKEN);
    let ran = sandbox.run(&[
        "instructions",
        "r/a/b",
        "--format",
        "table",
        "--keep-readable",
    ]);
    assert_snapshot!("keep_readable", ran.all());
}

const BROKEN: &str = "\
/w/r/.git/
/w/r/AGENTS.md = root%0A
/w/r/a/AGENTS.md -> AGENTS.md
/w/r/a/b/AGENTS.md = leaf%0A";

#[test]
fn keep_readable_searches_past_a_probe_that_fails() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = x\n/w/r/a/.git -> .git\n/w/r/a/");
    let sources = |more: &[&str]| {
        let usual = ["instructions", "r/a", "--sources"];
        sandbox.run(&[&usual[..], more].concat()).stdout
    };
    assert_eq!(sources(&[]), "");
    assert_eq!(sources(&["--keep-readable"]), "/sandbox/w/r/AGENTS.md\n");
}

#[test]
fn a_failed_root_search_leaves_the_user_level_text() {
    let sandbox = Sandbox::new("/home/AGENTS.md = mine\n/w/r/.git -> .git\n/w/r/AGENTS.md = r");
    let ran = sandbox.run(&["instructions", "r", "--format", "table"]);
    assert_snapshot!("search_failed", ran.all());
    let text = sandbox.run(&["instructions", "r", "--text"]).stdout;
    assert_eq!(
        text,
        "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nmine\n</INSTRUCTIONS>"
    );
}

#[test]
fn an_untrusted_project_gives_no_documents() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = r\n/home/AGENTS.md = mine");
    let untrusted = "[projects.\"{SANDBOX}/w/r\"]\ntrust_level = \"untrusted\"\n";
    sandbox.write("/home/config.toml", untrusted);
    std::fs::create_dir(sandbox.path("/w/r/a")).unwrap();
    let ran = sandbox.run(&["instructions", "r/a", "--format", "table"]);
    assert_snapshot!("withheld", ran.all());
}

#[test]
fn a_limit_of_zero_switches_documents_off() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = r");
    let arguments = [
        "instructions",
        "r",
        "--format",
        "table",
        "-c",
        "project_doc_max_bytes=0",
    ];
    assert_snapshot!("disabled", sandbox.run(&arguments).all());
}

#[test]
fn notes_tell_what_numbers_do_not() {
    let sandbox = Sandbox::new(
        "/w/r/.git/\n/w/r/AGENTS.override.md/\n/w/r/AGENTS.md = %FF%FE ok%0A\n\
         /w/r/a/AGENTS.md = %20%0A\n/w/r/a/b/AGENTS.md = 0123456789%C3%A9",
    );
    let arguments = [
        "instructions",
        "r/a/b",
        "--format",
        "table",
        "-c",
        "project_doc_max_bytes=17",
    ];
    assert_snapshot!("notes", sandbox.run(&arguments).all());
}

#[test]
fn no_line_of_the_table_is_wider_than_the_terminal() {
    let sandbox = Sandbox::new(REPO);
    for columns in [1, 10, 24, 40, 60, 80] {
        let mut command = sandbox.command(&["instructions", LEAF, "--format", "table"]);
        let ran = sandbox.finish(command.env("COLUMNS", columns.to_string()));
        let widest = ran
            .stdout
            .lines()
            .map(unicode_width::UnicodeWidthStr::width)
            .max();
        assert!(widest <= Some(columns), "{columns}:\n{}", ran.stdout);
    }
    let mut command = sandbox.command(&["instructions", LEAF, "--format", "table"]);
    let ran = sandbox.finish(command.env("COLUMNS", "60"));
    let rows = ran
        .stdout
        .lines()
        .skip_while(|line| !line.starts_with("DIRECTORY"));
    let rows: Vec<&str> = rows.take_while(|line| !line.is_empty()).collect();
    assert_snapshot!("narrow", rows.join("\n"));
}

#[test]
fn check_turns_losses_into_exit_code_1() {
    let sandbox = Sandbox::new(REPO);
    assert_eq!(
        sandbox.run(&["instructions", LEAF, "--check"]).code,
        Some(1)
    );
    assert_eq!(
        sandbox.run(&["instructions", "repo", "--check"]).code,
        Some(0)
    );
    assert_eq!(sandbox.run(&["instructions", LEAF]).code, Some(0));
}

#[test]
fn findings_that_lose_nothing_are_shown_on_request() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = r\n/w/r/agents.md = R");
    let arguments = ["instructions", "r", "--format", "table", "--check"];
    assert_eq!(sandbox.run(&arguments).stderr, "");
    let verbose = sandbox.run(&[&arguments[..], &["-v"]].concat());
    assert_eq!(verbose.code, Some(0));
    assert!(
        verbose.stderr.contains("[case_variant_present]\n"),
        "{}",
        verbose.stderr
    );
}

#[test]
fn a_project_layer_counts_only_where_it_is_trusted() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = 0123456789");
    sandbox.write("/w/r/.codex/config.toml", "project_doc_max_bytes = 4\n");
    let ran = sandbox.run(&["instructions", "r"]);
    assert_eq!(
        ran.stdout,
        "/sandbox/w/r\tAGENTS.md\tloaded\t10\t10\t0\t32758\n"
    );
    // Also where nobody asked about configuration.
    assert!(
        ran.stderr.ends_with("[project_layer_disabled]\n"),
        "{}",
        ran.stderr
    );
    let trusted = "[projects.\"{SANDBOX}/w/r\"]\ntrust_level = \"trusted\"\n";
    sandbox.write("/home/config.toml", trusted);
    assert_eq!(
        sandbox.run(&["instructions", "r"]).stdout,
        "/sandbox/w/r\tAGENTS.md\tcut\t10\t4\t6\t0\n"
    );
}

/// A main checkout and a linked worktree beside it, as Git makes them.
const WORKTREE: &str = "\
/w/main/.git/HEAD = ref: refs/heads/main%0A
/w/main/.git/worktrees/wt/commondir = ../..%0A
/w/wt/AGENTS.md = Rules%0A";

#[test]
fn the_worktree_of_an_untrusted_checkout_gives_no_documents() {
    let sandbox = Sandbox::new(WORKTREE);
    sandbox.write("/w/main/.git/worktrees/wt/gitdir", "{SANDBOX}/w/wt/.git\n");
    sandbox.write("/w/wt/.git", "gitdir: {SANDBOX}/w/main/.git/worktrees/wt\n");
    let untrusted = "[projects.\"{SANDBOX}/w/main\"]\ntrust_level = \"untrusted\"\n";
    sandbox.write("/home/config.toml", untrusted);
    let ran = sandbox.run_in("/w/wt", &["instructions", "--sources"]);
    assert_eq!(ran.stdout, "");
    assert!(
        ran.stderr.contains("[project_documents_withheld]"),
        "{}",
        ran.stderr
    );
}

#[test]
fn an_untrusted_project_is_untrusted_through_a_link() {
    let sandbox = Sandbox::new("/w/real/repo/.git/\n/w/real/repo/AGENTS.md = R\n/w/link -> real");
    let untrusted = "[projects.\"{SANDBOX}/w/real/repo\"]\ntrust_level = \"untrusted\"\n";
    sandbox.write("/home/config.toml", untrusted);
    let ran = sandbox.run(&["instructions", "--sources", "link/repo"]);
    assert_eq!(ran.stdout, "");
}

#[test]
fn a_config_home_inside_the_project_cannot_trust_it() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = 0123456789");
    sandbox.write("/w/r/.codex/config.toml", "project_doc_max_bytes = 4\n");
    let trusted = "[projects.\"{SANDBOX}/w/r\"]\ntrust_level = \"trusted\"\n";
    sandbox.write("/w/r/config.toml", trusted);
    let mut command = sandbox.bare_command();
    command.current_dir(sandbox.path("/w/r"));
    command
        .env("HOME", sandbox.path("/user"))
        .env("CODEX_HOME", ".");
    let ran = sandbox.finish(command.args(["instructions", "--text"]));
    assert!(ran.stdout.contains("0123456789"), "{}", ran.stdout);
    for code in ["config_home_in_project", "project_layer_disabled"] {
        assert!(ran.stderr.contains(code), "{}", ran.stderr);
    }
}

#[test]
fn a_key_that_nothing_reads_is_told_with_the_one_that_was_meant() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/AGENTS.md = R");
    sandbox.write(
        "/home/config.toml",
        "[project]\nproject_doc_max_bytes = 3\n",
    );
    let arguments = ["instructions", "r", "-c", "project_doc_max_byte=3"];
    assert_eq!(
        sandbox.run(&arguments).stderr,
        "note: /sandbox/home/config.toml:2:25: nothing reads the key \"project.project_doc_max_bytes\" \
         here; it belongs at the top level, before the first table [misplaced_key]\n\
         note: -c: nothing reads the key \"project_doc_max_byte\"; did you mean `project_doc_max_bytes`? \
         [unknown_key]\n"
    );
}

#[test]
fn a_link_to_nothing_is_told_wherever_a_document_or_marker_may_be() {
    let sandbox = Sandbox::new(
        "/w/r/.git/\n/w/r/AGENTS.md -> gone\n/w/r/a/.git -> gone\n/home/AGENTS.md -> gone",
    );
    let ran = sandbox.run(&["instructions", "r/a", "--check"]);
    assert_eq!(ran.code, Some(0));
    for path in ["/w/r/AGENTS.md", "/w/r/a/.git", "/home/AGENTS.md"] {
        assert!(ran.stderr.contains(path), "{path}: {}", ran.stderr);
    }
    assert_eq!(
        ran.stderr.matches("[broken_link]").count(),
        3,
        "{}",
        ran.stderr
    );
}

#[test]
fn claude_md_alone_is_told_with_how_to_load_it() {
    let sandbox = Sandbox::new("/w/r/.git/\n/w/r/CLAUDE.md = C");
    let ran = sandbox.run(&["instructions", "r", "--format", "table"]);
    assert!(ran.stderr.contains("CLAUDE.md"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("project_doc_fallback_filenames"),
        "{}",
        ran.stderr
    );
}
