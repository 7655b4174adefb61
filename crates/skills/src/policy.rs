//! `[[skills.config]]`: which skills configuration leaves on.
//!
//! Only the user's layers and the session's may say so; a project cannot switch skills. Rules are
//! read strictly and one by one: an entry that cannot be understood is reported and has no effect.

use codex_config::{
    ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, ConfigLayerStackOrdering, TomlValue,
};
use codex_path_uri::{PathConvention, PathUri};

use crate::diagnostics::{SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::metadata::SkillMetadata;

/// Switches the skills it selects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillConfigRule {
    /// Which skills.
    pub selector: SkillSelector,
    /// Whether they are on.
    pub enabled: bool,
}

/// Selects skills.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SkillSelector {
    /// By name, namespace included; blanks around it do not count.
    Name(String),
    /// By `SKILL.md`: its identity or its path as walked, compared as written.
    Path(PathUri),
}

impl SkillSelector {
    /// Whether it selects `skill`.
    #[must_use]
    pub fn selects(&self, skill: &SkillMetadata) -> bool {
        match self {
            Self::Name(name) => name.trim() == skill.name,
            Self::Path(path) => *path == skill.identity || path == skill.handle.entrypoint(),
        }
    }
}

/// The rules of `[[skills.config]]` in the user's and the session's layers, lowest first.
///
/// A path is a native path of either convention or a `file:` URI. A relative one of a file is that from
/// the directory of the file; one of the session is refused here, as nothing says from where it leads:
/// see [`skill_config_rules_in`]. Makes no call.
///
/// # Examples
/// ```
/// use codex_config::{ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack};
/// use codex_skills::{SkillSelector, skill_config_rules};
///
/// let text = "[[skills.config]]\nname = \"demo\"\nenabled = false\n";
/// let layer = ConfigLayerEntry::from_toml_text(ConfigLayerSource::SessionFlags, text)?;
/// let (rules, problems) = skill_config_rules(&ConfigLayerStack::new(vec![layer])?);
/// assert_eq!(rules[0].selector, SkillSelector::Name("demo".to_owned()));
/// assert!(!rules[0].enabled && problems.is_empty());
/// # Ok::<(), codex_config::ConfigError>(())
/// ```
pub fn skill_config_rules(
    stack: &ConfigLayerStack,
) -> (Vec<SkillConfigRule>, Vec<SkillDiagnostic>) {
    rules_of(stack, None)
}

/// As [`skill_config_rules`], for a session that starts in `cwd`: its relative paths lead from there.
pub fn skill_config_rules_in(
    stack: &ConfigLayerStack,
    cwd: &PathUri,
) -> (Vec<SkillConfigRule>, Vec<SkillDiagnostic>) {
    rules_of(stack, Some(cwd))
}

fn rules_of(
    stack: &ConfigLayerStack,
    cwd: Option<&PathUri>,
) -> (Vec<SkillConfigRule>, Vec<SkillDiagnostic>) {
    let mut rules = Vec::new();
    let mut problems = Vec::new();
    for layer in stack.get_layers(ConfigLayerStackOrdering::LowestPrecedenceFirst, false) {
        if !speaks_for_the_user(&layer.name) {
            continue;
        }
        let base = match &layer.name {
            ConfigLayerSource::User { file, .. } => file.parent(),
            _ => cwd.cloned(),
        };
        for (index, entry) in entries(layer).into_iter().enumerate() {
            match entry.and_then(|entry| rule(entry, base.as_ref())) {
                Ok(rule) => rules.push(rule),
                Err(problem) => problems.push(ignored(index, problem)),
            }
        }
    }
    (rules, problems)
}

/// Whether the bundled skills are wanted: `skills.bundled.enabled`, true unless the user or the
/// session says `false`.
pub fn bundled_skills_enabled(stack: &ConfigLayerStack) -> bool {
    let layers = stack.get_layers(ConfigLayerStackOrdering::HighestPrecedenceFirst, false);
    let said = layers
        .into_iter()
        .filter(|layer| speaks_for_the_user(&layer.name))
        .find_map(|layer| {
            layer
                .config
                .get("skills")?
                .get("bundled")?
                .get("enabled")?
                .as_bool()
        });
    said.unwrap_or(true)
}

fn speaks_for_the_user(source: &ConfigLayerSource) -> bool {
    matches!(
        source,
        ConfigLayerSource::User { .. } | ConfigLayerSource::SessionFlags
    )
}

/// The entries of one layer; a list of another shape is one problem.
fn entries(layer: &ConfigLayerEntry) -> Vec<Result<&TomlValue, &'static str>> {
    match layer
        .config
        .get("skills")
        .and_then(|skills| skills.get("config"))
    {
        Some(TomlValue::Array(entries)) => entries.iter().map(Ok).collect(),
        Some(_) => vec![Err("`skills.config` is not a list of tables")],
        None => Vec::new(),
    }
}

fn rule(entry: &TomlValue, base: Option<&PathUri>) -> Result<SkillConfigRule, &'static str> {
    let enabled = entry.get("enabled").and_then(TomlValue::as_bool);
    let enabled = enabled.ok_or("`enabled` is not true or false")?;
    let selector = match (entry.get("name"), entry.get("path")) {
        (Some(TomlValue::String(name)), None) if !name.trim().is_empty() => {
            SkillSelector::Name(name.trim().to_owned())
        }
        (None, Some(TomlValue::String(path))) => {
            SkillSelector::Path(absolute(path, base).ok_or("`path` is no path")?)
        }
        _ => return Err("exactly one of `name` and `path` selects skills"),
    };
    Ok(SkillConfigRule { selector, enabled })
}

fn absolute(text: &str, base: Option<&PathUri>) -> Option<PathUri> {
    if let Some(convention) = PathConvention::infer_absolute(text) {
        return PathUri::from_native(text, convention).ok();
    }
    let uri = PathUri::parse(text).ok();
    uri.or_else(|| base?.join(text).ok())
}

fn ignored(index: usize, problem: &str) -> SkillDiagnostic {
    let message = format!("a skill rule is ignored: {problem}");
    SkillDiagnostic::new(Code::ConfigRuleInvalid, message)
        .with_field(format!("skills.config[{index}]"))
}
