//! The words for what the libraries found, shared by several commands.

use codex_agents_md::DirectoryState;
use codex_config::{DisabledReason, ValueOrigin};
use codex_path_uri::{PathConvention, PathUri};
use codex_skills::SkillScope;

use super::text::{Style, width};

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

/// The shortest spelling of a path that a person can follow: its native one, or what is left of it
/// below the project root or, behind `~`, below the home directory.
pub(crate) fn short(path: &PathUri, project: Option<&PathUri>, home: Option<&PathUri>) -> String {
    // Below the root of a machine everything is.
    let below = |base: Option<&PathUri>| {
        let base = base.filter(|base| base.parent().is_some())?;
        let below = path.relative_path_from(base)?;
        Some(below).filter(|below| !below.is_empty())
    };
    let separator = match path.convention() {
        Some(PathConvention::Windows) => '\\',
        _ => '/',
    };
    let at_home = below(home).map(|below| format!("~{separator}{below}"));
    let whole = path.inferred_native_path_string();
    let spellings = [below(project), at_home, Some(whole)];
    let shortest = spellings
        .into_iter()
        .flatten()
        .min_by_key(|text| width(text));
    shortest.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> PathUri {
        PathUri::parse(text).unwrap()
    }

    #[test]
    fn a_path_is_spelled_from_the_nearest_of_project_and_home() {
        let (project, home) = (uri("file:///home/ada/src/shop"), uri("file:///home/ada"));
        let short = |path: &str| short(&uri(path), Some(&project), Some(&home));
        assert_eq!(short("file:///home/ada/src/shop/a/b"), "a/b");
        assert_eq!(short("file:///home/ada/.codex/b"), "~/.codex/b");
        assert_eq!(short("file:///etc/b"), "/etc/b");
        // What would say nothing, or more than the path itself, is not said.
        assert_eq!(short("file:///home/ada/src/shop"), "~/src/shop");
        assert_eq!(short("file:///home/ada"), "/home/ada");
        assert_eq!(short("file:///home/adam/b"), "/home/adam/b");
        let windows = uri("file:///C:/Users/ada");
        let below = uri("file:///C:/Users/ada/x/y");
        assert_eq!(super::short(&below, None, Some(&windows)), r"~\x\y");
        assert_eq!(super::short(&below, Some(&windows), None), r"x\y");
        assert_eq!(super::short(&below, None, None), r"C:\Users\ada\x\y");
    }

    #[test]
    fn the_root_of_a_machine_shortens_nothing() {
        let (root, path) = (uri("file:///"), uri("file:///a"));
        assert_eq!(short(&path, Some(&root), Some(&root)), "/a");
    }
}
