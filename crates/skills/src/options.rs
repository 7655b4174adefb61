//! What a caller chooses about a load.

use codex_file_system::{FileSystemSandboxContext, Window};
use codex_plugin::ManifestDirectories;
use serde::{Deserialize, Serialize};

use crate::limits::{DEFAULT_SKILL_WINDOW, SkillScanLimits};

/// How skills are loaded. The default is what an agent uses, with no product running.
///
/// # Examples
/// ```
/// use codex_file_system::Window;
/// use codex_skills::{ManifestLocations, Product, SkillLoadOptions};
///
/// let options = SkillLoadOptions { product: Some(Product::Codex), ..SkillLoadOptions::default() };
/// assert_eq!(Some(options.window), Window::new(32));
/// assert_eq!(options.manifest_locations, ManifestLocations::ALL);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillLoadOptions {
    /// How far each root is walked.
    pub limits: SkillScanLimits,
    /// Most calls in flight per environment, over all its roots.
    pub window: Window,
    /// Where plugin manifests are looked for.
    pub manifest_locations: ManifestLocations,
    /// The running product. A skill for other products only is not loaded; without a running
    /// product that is every skill that names any.
    pub product: Option<Product>,
    /// Passed to every call.
    pub sandbox: Option<FileSystemSandboxContext>,
}

impl Default for SkillLoadOptions {
    fn default() -> Self {
        Self {
            limits: SkillScanLimits::default(),
            window: DEFAULT_SKILL_WINDOW,
            manifest_locations: ManifestLocations::default(),
            product: None,
            sandbox: None,
        }
    }
}

/// The plugin manifest locations that a load looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ManifestLocations(pub ManifestDirectories);

impl ManifestLocations {
    /// All three locations.
    pub const ALL: Self = Self(ManifestDirectories::ALL);
    /// `.codex-plugin` and `.claude-plugin` only.
    pub const FIRST_TWO: Self = Self(ManifestDirectories::first(2));
}

impl Default for ManifestLocations {
    fn default() -> Self {
        Self::ALL
    }
}

/// A product that may run skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Product {
    /// Codex.
    Codex,
    /// ChatGPT.
    ChatGpt,
    /// Atlas.
    Atlas,
}

impl Product {
    /// Reads a product as a sidecar names it: all in lower case or all in upper case.
    pub(crate) fn from_sidecar(text: &str) -> Option<Self> {
        match text {
            "codex" | "CODEX" => Some(Self::Codex),
            "chatgpt" | "CHATGPT" => Some(Self::ChatGpt),
            "atlas" | "ATLAS" => Some(Self::Atlas),
            _ => None,
        }
    }
}
