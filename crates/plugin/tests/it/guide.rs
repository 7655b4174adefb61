//! The guide for people who write plugins is true and complete: each of its manifests gives the
//! findings that stand below it, and it explains every code.

use codex_plugin::{ManifestProblem, parse_plugin_manifest};
use pretty_assertions::assert_eq;

use crate::support::uri;

const GUIDE: &str = include_str!("../../../../docs/plugins.md");

/// The codes of all diagnostics.
const CODES: [&str; 37] = [
    "wrong_type",
    "mixed_list",
    "list_truncated",
    "path_empty",
    "path_control_character",
    "path_prefix",
    "path_rooted",
    "path_parent_component",
    "path_drive_or_stream",
    "path_is_root",
    "path_not_portable",
    "prompt_empty",
    "prompt_too_long",
    "prompt_limit",
    "hooks_unwrapped",
    "unknown_key",
    "invalid_plugin_name",
    "unsafe_plugin_name",
    "diagnostics_truncated",
    "component_missing",
    "broken_link",
    "manifest_not_regular",
    "manifest_missing",
    "not_a_manifest",
    "mcp_config_missing",
    "mcp_config_unreadable",
    "mcp_config_invalid",
    "mcp_wrapper_unknown",
    "mcp_server_invalid",
    "mcp_transport_unsupported",
    "mcp_server_duplicate",
    "mcp_variable_unknown",
    "mcp_name_shared",
    "plugin_id_invalid",
    "plugin_not_installed",
    "plugin_manifest_missing",
    "plugin_broken",
];

/// The text of a fenced block, and what follows the block.
fn block<'t>(text: &'t str, kind: &str) -> Option<(&'t str, &'t str)> {
    let (_, rest) = text.split_once(&format!("\n```{kind}\n"))?;
    rest.split_once("\n```\n")
}

#[test]
fn every_manifest_of_the_guide_gives_the_findings_below_it() {
    let root = uri("file:///plugins/demo");
    let mut rest = GUIDE;
    let mut checked = 0;
    while let Some((manifest, behind)) = block(rest, "json") {
        let (findings, behind) = block(behind, "text").expect(manifest);
        let (_, diagnostics) = parse_plugin_manifest(&root, manifest).expect(manifest);
        let found: Vec<String> = diagnostics
            .iter()
            .map(|it| format!("{it} ({})", it.code()))
            .collect();
        assert_eq!(found.join("\n"), findings);
        checked += 1;
        rest = behind;
    }
    assert_eq!(checked, GUIDE.matches("```json").count());
}

#[test]
fn the_guide_explains_every_code() {
    let findings = CODES.into_iter();
    let problems = [
        ManifestProblem::ByteOrderMark,
        ManifestProblem::Comment,
        ManifestProblem::TrailingComma,
        ManifestProblem::TrailingText,
        ManifestProblem::UnexpectedEnd,
        ManifestProblem::Syntax,
        ManifestProblem::NotAnObject,
        ManifestProblem::DuplicateKey,
        ManifestProblem::TooDeep,
        ManifestProblem::WrongType,
        ManifestProblem::AgentPluginsRule,
    ];
    let errors = [
        "unavailable_environment",
        "inspect_root",
        "root_not_directory",
        "invalid_manifest_path",
        "inspect_manifest",
        "read_manifest",
        "manifest_too_large",
        "parse_manifest",
        "construct_descriptor",
    ];
    for code in findings
        .chain(problems.map(ManifestProblem::code))
        .chain(errors)
    {
        assert!(GUIDE.contains(&format!("`{code}`")), "{code}");
    }
}
