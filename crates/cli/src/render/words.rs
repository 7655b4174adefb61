//! The words for what the libraries found, shared by several commands.

use codex_agents_md::DirectoryState;
use codex_config::{DisabledReason, MarkersSource, RootReason};

use super::text::Style;

/// Where markers come from.
pub(crate) fn markers_source(source: &MarkersSource) -> String {
    match source {
        MarkersSource::Configured(origin) => format!("from {origin}"),
        MarkersSource::Default => "by default".to_owned(),
        MarkersSource::DefaultAfterInvalid(origin) => {
            format!("by default, as nothing in {origin} can be used")
        }
    }
}

/// Why this project root, or why none.
pub(crate) fn root_reason(reason: &RootReason) -> String {
    match reason {
        RootReason::Marker { marker, probe } => format!("marker `{marker}`, probe {probe}"),
        RootReason::NoMarkerFound => "no root: no directory holds a marker, cwd only".to_owned(),
        RootReason::TraversalDisabled => {
            "no root: the list of markers is empty, cwd only".to_owned()
        }
    }
}

/// A list of names or markers.
pub(crate) fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}

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
