//! Plugin manifests and MCP registrations: JSON as every parser reads it, and nothing outside.

use codex_path_uri::PathUri;
use codex_plugin::mcp::{McpTransport, parse_mcp_config};
use codex_plugin::{
    ComponentDeclaration, MAX_DIAGNOSTICS, MAX_MCP_SERVERS, ManifestError, ManifestProblem,
    ParsedManifest, parse_plugin_manifest,
};
use serde::de::IgnoredAny;
use serde_json::Value;

const ROOTS: [&str; 4] = [
    "file:///plugins/demo",
    "file:///",
    "file:///C:/plugins/demo",
    "file://server/share",
];

/// The bytes are the text of a manifest, and of a file of MCP servers.
pub fn plugin_manifest(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let root = |text| PathUri::parse(text).expect("a root is a path");
    for root in ROOTS.map(root) {
        let parsed = parse_plugin_manifest(&root, text);
        the_grammar_is_json(text, parsed.as_ref().err());
        if let Ok(parsed) = parsed {
            locators_stay_below(&root, parsed);
        }
        let servers = parse_mcp_config(&root, text);
        the_grammar_is_json(text, servers.as_ref().err());
        if let Ok((servers, diagnostics)) = servers {
            assert!(servers.len() <= MAX_MCP_SERVERS);
            assert!(diagnostics.len() <= MAX_DIAGNOSTICS + 1);
            for (_, server, raw) in servers {
                if let McpTransport::Stdio(server) = server {
                    assert!(server.cwd().starts_with(&root), "{}", server.cwd());
                    let resolved = &server.resolved().cwd;
                    assert!(resolved.starts_with(&root), "{resolved}");
                }
                assert!(serde_json::from_str::<IgnoredAny>(raw.as_str()).is_ok());
            }
        }
    }
}

fn locators_stay_below(root: &PathUri, (manifest, diagnostics): ParsedManifest) {
    assert!(!manifest.name().is_empty());
    assert!(diagnostics.len() <= MAX_DIAGNOSTICS + 1);
    for declaration in [manifest.mcp_servers(), manifest.hooks()] {
        if let Some(ComponentDeclaration::Inline(objects)) = declaration {
            assert!(!objects.is_empty());
            for object in objects {
                assert!(serde_json::from_str::<IgnoredAny>(object.as_str()).is_ok());
            }
        }
    }
    let below = manifest.try_map_resources(|field, path| {
        let is_below = path.starts_with(root) && path != *root;
        is_below.then_some(()).ok_or(format!("{field}: {path}"))
    });
    assert!(below.is_ok(), "{below:?}");
}

/// A text is refused for its syntax exactly where a JSON parser refuses it.
///
/// Two parsers stand for all: one that also refuses what it cannot represent, such as `1e999`, and
/// one that looks at nothing it is not asked for.
fn the_grammar_is_json(text: &str, error: Option<&ManifestError>) {
    let is_syntax = error.is_some_and(|error| {
        !matches!(
            error.problem(),
            ManifestProblem::DuplicateKey | ManifestProblem::TooDeep | ManifestProblem::WrongType
        )
    });
    if serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_object()) {
        assert!(!is_syntax, "{error:?}");
    }
    if !is_syntax {
        assert!(serde_json::from_str::<IgnoredAny>(text).is_ok());
    }
    if let Some(error) = error {
        let lines = text.split('\n').count();
        assert!((1..=lines).contains(&error.line()), "{error:?}");
        assert!(error.column() >= 1 && !error.to_string().contains('\n'));
    }
}
