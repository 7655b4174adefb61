//! The words for what the libraries found, shared by several commands.

use codex_agents_md::DirectoryState;
use codex_config::{DisabledReason, ValueOrigin};
use codex_path_uri::PathUri;
use codex_skills::SkillScope;

use super::text::Style;

/// Why a layer does not count.
pub(crate) fn disabled_reason(reason: &DisabledReason) -> &str {
    match reason {
        DisabledReason::NotTrusted => "disabled, not trusted",
        DisabledReason::Untrusted => "disabled, untrusted",
        DisabledReason::Other(words) => words,
        _ => "disabled",
    }
}

/// What became of a directory's document.
pub(crate) fn directory_state(state: DirectoryState) -> (&'static str, Style) {
    match state {
        DirectoryState::None => ("none", Style::Dim),
        DirectoryState::Loaded => ("loaded", Style::Good),
        DirectoryState::Cut => ("cut", Style::Warn),
        DirectoryState::Blank => ("blank", Style::Warn),
        DirectoryState::OverBudget => ("over budget", Style::Warn),
        DirectoryState::Vanished => ("vanished", Style::Warn),
        DirectoryState::Error => ("error", Style::Bad),
        DirectoryState::Discarded => ("discarded", Style::Bad),
        DirectoryState::NotReached => ("not reached", Style::Dim),
        _ => ("other", Style::Plain),
    }
}

/// Whose skills they are.
pub(crate) fn skill_scope(scope: SkillScope) -> &'static str {
    match scope {
        SkillScope::System => "system",
        SkillScope::Admin => "admin",
        SkillScope::Repo => "repo",
        SkillScope::User => "user",
        SkillScope::Environment => "environment",
    }
}

/// Where a value comes from: the layer, and the place in its file.
pub(crate) fn origin(origin: &ValueOrigin) -> String {
    match origin {
        ValueOrigin::Default => "by default".to_owned(),
        ValueOrigin::Layer {
            source,
            position: None,
        } => format!("from {source}"),
        ValueOrigin::Layer {
            source,
            position: Some(_),
        } => format!("from {source}, {origin}"),
    }
}

/// The native spelling of a path that may be missing.
pub(crate) fn native(path: Option<&PathUri>) -> Option<String> {
    path.map(PathUri::inferred_native_path_string)
}
