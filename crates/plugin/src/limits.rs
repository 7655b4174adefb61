//! The limits and default names of this crate, in one place.
//!
//! A limit is part of the contract: exceeding it gives the error or diagnostic its documentation
//! names, never a silent cut.

use codex_file_system::Window;

/// Largest manifest, in bytes (1 MiB). Exactly this many are accepted; one more is
/// [`ManifestTooLarge`](crate::PluginProviderError::ManifestTooLarge).
pub const MAX_MANIFEST_BYTES: usize = 1024 * 1024;

/// Deepest nesting of JSON containers inside values of known keys, the manifest object included.
/// A deeper value is [`TooDeep`](crate::ManifestProblem::TooDeep).
pub const MAX_MANIFEST_DEPTH: usize = 127;

/// Most elements of one list that are judged; the rest gives one
/// [`ListTruncated`](crate::PluginDiagnosticCode::ListTruncated).
pub const MAX_LIST_ITEMS: usize = 256;

/// Most default prompts that are kept; the rest gives one
/// [`PromptLimit`](crate::PluginDiagnosticCode::PromptLimit).
pub const MAX_DEFAULT_PROMPTS: usize = 3;

/// Longest default prompt, in Unicode scalar values after its white space is folded.
pub const MAX_DEFAULT_PROMPT_CHARS: usize = 512;

/// Most diagnostics of one plugin; the rest gives one
/// [`DiagnosticsTruncated`](crate::PluginDiagnosticCode::DiagnosticsTruncated) with their number.
pub const MAX_DIAGNOSTICS: usize = 64;

/// Calls that plugin discovery keeps in flight unless told otherwise.
pub const DEFAULT_PLUGIN_WINDOW: usize = 32;

/// Largest file of MCP server registrations, in bytes (1 MiB).
pub const MAX_MCP_CONFIG_BYTES: usize = 1024 * 1024;

/// Most MCP server registrations of one plugin.
pub const MAX_MCP_SERVERS: usize = 256;

/// Directory of skills, below the plugin root, when the manifest declares none.
pub const DEFAULT_SKILLS_DIR: &str = "skills";

/// File of MCP servers, below the plugin root, when the manifest declares none.
pub const DEFAULT_MCP_CONFIG: &str = ".mcp.json";

/// File of apps, below the plugin root, when the manifest declares none.
pub const DEFAULT_APPS_CONFIG: &str = ".app.json";

/// File of hooks, below the plugin root, when the manifest declares none.
pub const DEFAULT_HOOKS_CONFIG: &str = "hooks/hooks.json";

/// Name of a plugin whose manifest has none and whose root has no name either.
pub const FALLBACK_PLUGIN_NAME: &str = "plugin";

/// [`DEFAULT_PLUGIN_WINDOW`] as the type that proves its range.
pub(crate) const DEFAULT_WINDOW: Window = match Window::new(DEFAULT_PLUGIN_WINDOW) {
    Some(window) => window,
    None => Window::SERIAL,
};
