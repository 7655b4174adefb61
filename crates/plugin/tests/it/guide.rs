//! The guide for people who write plugins is true: each of its manifests gives the findings that
//! stand below it.

use codex_plugin::parse_plugin_manifest;
use pretty_assertions::assert_eq;

use crate::support::uri;

const GUIDE: &str = include_str!("../../../../docs/plugins.md");

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
        let found: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(found.join("\n"), findings);
        checked += 1;
        rest = behind;
    }
    assert_eq!(checked, GUIDE.matches("```json").count());
}
