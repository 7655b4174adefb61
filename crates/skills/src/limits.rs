//! Every fixed name and number of this crate, in one place.
//!
//! A limit is never silent: what happens beyond it is stated with each.

use codex_file_system::Window;

/// The file whose presence makes a directory a skill; compared exactly.
pub const SKILL_FILE_NAME: &str = "SKILL.md";
/// The directory beside a `SKILL.md` that may hold the sidecar.
pub const SIDECAR_DIRECTORY: &str = "agents";
/// The sidecar in [`SIDECAR_DIRECTORY`].
pub const SIDECAR_FILE_NAME: &str = "openai.yaml";

/// Deepest directory that is listed; the root has depth 0. Beyond: `scan_limit_reached`.
pub const MAX_SCAN_DEPTH: usize = 6;
/// Most directories listed per root, the root included. Beyond: `scan_limit_reached`.
pub const MAX_SCAN_DIRECTORIES: usize = 2_000;
/// Most names listed per root, hidden ones included. Beyond: `scan_limit_reached`.
pub const MAX_SCAN_ENTRIES: usize = 20_000;

/// Calls in flight per environment unless the caller says otherwise.
pub const DEFAULT_SKILL_WINDOW: Window = match Window::new(32) {
    Some(window) => window,
    None => Window::SERIAL,
};

/// Most bytes of a frontmatter block. Beyond: `frontmatter_too_large`.
pub const MAX_FRONTMATTER_BYTES: usize = 65_536;
/// Most bytes of a sidecar. Beyond: `sidecar_too_large`.
pub const MAX_SIDECAR_BYTES: usize = 65_536;
/// Most YAML nodes after the expansion of aliases.
/// Beyond: `frontmatter_budget_exceeded`, `sidecar_invalid`.
pub const MAX_YAML_NODES: usize = 20_000;
/// Most YAML collections inside each other.
/// Beyond: `frontmatter_budget_exceeded`, `sidecar_invalid`.
pub const MAX_YAML_DEPTH: usize = 64;

/// Most characters of a skill's own name. Beyond: `name_too_long`.
pub const MAX_NAME_CHARS: usize = 64;
/// Most characters of a namespace, a colon and a name. Beyond: `qualified_name_too_long`.
pub const MAX_QUALIFIED_NAME_CHARS: usize = 129;
/// Most characters of a description that rendering shows; a longer one ends in `...`.
pub const MAX_SHOWN_DESCRIPTION_CHARS: usize = 1_024;

/// Characters of a rendered catalog when the context window is unknown.
pub const DEFAULT_CATALOG_CHARS: u64 = 8_000;
/// Percent of the context window that a rendered catalog may take.
pub const CATALOG_WINDOW_PERCENT: u64 = 2;

/// Most diagnostics of one load. Beyond: one `diagnostics_truncated` with the number left out.
pub const MAX_SKILL_DIAGNOSTICS: usize = 1_024;

/// How far one root is walked.
///
/// # Examples
/// ```
/// use codex_skills::SkillScanLimits;
///
/// let limits = SkillScanLimits { max_depth: 2, ..SkillScanLimits::default() };
/// assert_eq!((limits.max_depth, limits.max_directories, limits.max_entries), (2, 2_000, 20_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillScanLimits {
    /// Deepest directory that is listed; the root has depth 0.
    pub max_depth: usize,
    /// Most directories listed, the root included.
    pub max_directories: usize,
    /// Most names listed, hidden ones included.
    pub max_entries: usize,
}

impl Default for SkillScanLimits {
    fn default() -> Self {
        Self {
            max_depth: MAX_SCAN_DEPTH,
            max_directories: MAX_SCAN_DIRECTORIES,
            max_entries: MAX_SCAN_ENTRIES,
        }
    }
}
