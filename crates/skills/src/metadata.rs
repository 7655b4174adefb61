//! What is known of a skill without its body.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;
use serde::{Deserialize, Serialize};

use crate::options::Product;
use crate::roots::SkillScope;

/// One skill, ready to be listed, rendered, mentioned and read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillMetadata {
    /// What the skill is called: `namespace:base_name`, or `base_name`.
    pub name: String,
    /// The folded namespace of the plugin that owns the skill.
    pub namespace: Option<String>,
    /// The skill's own folded name, or its directory's.
    pub base_name: String,
    /// What the skill is for, folded, without a limit.
    pub description: String,
    /// A shorter description, folded.
    pub short_description: Option<String>,
    /// How a user interface shows the skill.
    pub interface: Option<SkillInterface>,
    /// Tools the skill needs.
    pub dependencies: Vec<ToolDependency>,
    /// When the skill may be used.
    pub policy: SkillPolicy,
    /// Whose skill it is.
    pub scope: SkillScope,
    /// Index of the root that found it first.
    pub root: usize,
    /// Whether configuration leaves it on.
    pub enabled: bool,
    /// The environment, and the `SKILL.md` as walked.
    pub handle: SkillHandle,
    /// The canonical `SKILL.md`: the same for every way that leads to it.
    pub identity: PathUri,
    /// The canonical location of the directory that lists the `SKILL.md`.
    pub directory: PathUri,
}

impl SkillMetadata {
    /// Whether a model is told of the skill unasked.
    pub fn is_shown(&self) -> bool {
        self.enabled && self.policy.allow_implicit_invocation
    }
}

/// Names one skill of one environment. The same path in another environment is another skill.
///
/// # Examples
/// ```
/// use codex_file_system::EnvironmentId;
/// use codex_path_uri::PathUri;
/// use codex_skills::SkillHandle;
///
/// let handle = SkillHandle::new(EnvironmentId::new("box")?, PathUri::parse("file:///s/a/SKILL.md")?);
/// let json = serde_json::to_string(&handle)?;
/// assert_eq!(json, r#"{"environmentId":"box","entrypoint":"file:///s/a/SKILL.md"}"#);
/// assert_eq!(serde_json::from_str::<SkillHandle>(&json)?, handle);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkillHandle {
    environment_id: EnvironmentId,
    entrypoint: PathUri,
}

impl SkillHandle {
    /// The skill whose `SKILL.md`, as walked, is `entrypoint`.
    pub fn new(environment_id: EnvironmentId, entrypoint: PathUri) -> Self {
        Self {
            environment_id,
            entrypoint,
        }
    }

    /// The environment that owns the skill.
    pub fn environment_id(&self) -> &EnvironmentId {
        &self.environment_id
    }

    /// The `SKILL.md` as walked: below the root as given, links by their own names.
    pub fn entrypoint(&self) -> &PathUri {
        &self.entrypoint
    }
}

/// When a skill may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillPolicy {
    /// Whether a model may use it unasked. If not, it is listed and mentionable, not shown.
    pub allow_implicit_invocation: bool,
    /// The products it is for; none means all.
    pub products: Vec<Product>,
}

impl Default for SkillPolicy {
    fn default() -> Self {
        Self {
            allow_implicit_invocation: true,
            products: Vec::new(),
        }
    }
}

/// How a user interface shows a skill. Texts are folded, paths are not checked for existence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillInterface {
    /// The name to show, up to 64 characters.
    pub display_name: Option<String>,
    /// A line about the skill, up to 1,024 characters.
    pub short_description: Option<String>,
    /// What to say to use the skill, up to 1,024 characters.
    pub default_prompt: Option<String>,
    /// `#` and six hexadecimal digits.
    pub brand_color: Option<String>,
    /// A picture below `assets` of the skill's directory.
    pub icon_small: Option<PathUri>,
    /// A larger picture, likewise.
    pub icon_large: Option<PathUri>,
}

/// A tool that a skill needs. Nothing is started or looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolDependency {
    /// What kind of tool (`type` in the sidecar), up to 64 characters.
    pub kind: String,
    /// Which one, up to 1,024 characters.
    pub value: String,
    /// A line about it, up to 1,024 characters.
    pub description: Option<String>,
    /// How it is reached, up to 64 characters.
    pub transport: Option<String>,
    /// The program, up to 1,024 characters.
    pub command: Option<String>,
    /// The address, up to 1,024 characters.
    pub url: Option<String>,
}
