//! What ends nothing and a person should know all the same.
//!
//! One enum that carries its data; code, severity, sentence and JSON are views of it. What ends
//! loading is a [`ConfigError`](crate::ConfigError) instead.

use std::borrow::Cow;
use std::{fmt, io};

use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, Severity};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::markers::WRONG_TYPE;
use crate::{
    DisabledReason, MarkerProblem, NameProblem, ProfileName, TextPosition, TrustQuestion,
    ValueOrigin,
};

/// Most diagnostics about the elements of one key. Beyond: one `diagnostics_truncated` with the
/// number left out.
pub const MAX_DIAGNOSTICS_PER_KEY: usize = 1_024;

/// One diagnostic. `Display` is one sentence; text that others wrote is quoted and escaped.
///
/// Serialized as an object of `code`, `severity`, `origin`, `text` and `reason`; with `path`,
/// `environmentId` and `kind` where it is about a path rather than a value.
///
/// # Examples
///
/// ```
/// use codex_config::{ValueOrigin, usable_markers};
/// use codex_path_uri::PathConvention;
///
/// let markers = Some(vec!["..".to_owned(), ".hg".to_owned()]);
/// let usable = usable_markers(markers, ValueOrigin::Default, PathConvention::Posix);
/// let diagnostic = &usable.diagnostics()[0];
/// assert_eq!(diagnostic.code(), "invalid_marker");
/// assert_eq!(diagnostic.text(), "..");
/// assert_eq!(diagnostic.reason().as_deref(), Some("escapes"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigDiagnostic {
    /// The selected profile has no file.
    ProfileNotFound {
        /// The layer that the file would have been.
        origin: ValueOrigin,
        /// The profile.
        profile: ProfileName,
    },
    /// A fallback name is no plain file name and is dropped.
    InvalidFallbackName {
        /// The place of the name.
        origin: ValueOrigin,
        /// The name as written.
        name: String,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// A project root marker names nothing inside an ancestor and is dropped.
    InvalidMarker {
        /// The place of the list.
        origin: ValueOrigin,
        /// The marker as written.
        marker: String,
        /// What is wrong with it.
        problem: MarkerProblem,
    },
    /// All configured markers were dropped; the defaults are used.
    DefaultMarkersUsed {
        /// The place of the list.
        origin: ValueOrigin,
    },
    /// `project_root_markers` has the wrong type; the defaults are used.
    InvalidProjectRootMarkers {
        /// The place of the value.
        origin: ValueOrigin,
    },
    /// A project file exists and is disabled.
    ProjectLayerDisabled {
        /// The layer.
        origin: ValueOrigin,
        /// Its file.
        file: PathUri,
        /// Why.
        reason: DisabledReason,
    },
    /// There are more diagnostics about one key than are told.
    DiagnosticsTruncated {
        /// The place of the key's value.
        origin: ValueOrigin,
        /// The key.
        key: &'static str,
        /// How many are left out.
        left_out: usize,
    },
    /// A key that nothing reads is nearly one that something does.
    UnknownKey {
        /// The place of its value.
        origin: ValueOrigin,
        /// The key, as it would be written in TOML.
        key: String,
        /// The key that was probably meant.
        meant: &'static str,
    },
    /// A key stands in a table where nothing reads it.
    MisplacedKey {
        /// The place of its value.
        origin: ValueOrigin,
        /// The key where it stands, as it would be written in TOML.
        key: String,
        /// Where it is read.
        belongs: &'static str,
    },
    /// A project layer sets a key that only the user may set.
    KeyWithoutEffect {
        /// The place of its value.
        origin: ValueOrigin,
        /// The key.
        key: &'static str,
    },
    /// What the trust in a project depends on cannot be found out.
    TrustUndecided {
        /// The environment of the project.
        environment_id: EnvironmentId,
        /// The path that was asked for.
        path: PathUri,
        /// What it was asked for.
        question: TrustQuestion,
        /// Why there is no answer.
        kind: io::ErrorKind,
        /// Whether the project counts as untrusted for it: where any entry says `untrusted`.
        is_untrusted: bool,
    },
    /// A marker of the project root is a link that leads to nothing, and counts as absent.
    BrokenMarkerLink {
        /// The link.
        path: PathUri,
    },
    /// A `.git` file names a checkout that does not know it, so an entry for that one says nothing.
    WorktreeUnknown {
        /// The environment of the project.
        environment_id: EnvironmentId,
        /// The `.git` file.
        path: PathUri,
        /// The checkout it names.
        main_checkout: PathUri,
    },
    /// The config home lies inside the project, which could so trust itself.
    ConfigHomeInProject {
        /// The environment of the project.
        environment_id: EnvironmentId,
        /// The config home.
        path: PathUri,
        /// The directory whose `trusted` entry does not count for it.
        ignored_entry: Option<PathUri>,
    },
}

impl ConfigDiagnostic {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ProfileNotFound { .. } => "profile_not_found",
            Self::InvalidFallbackName { .. } => "invalid_fallback_name",
            Self::InvalidMarker { .. } => "invalid_marker",
            Self::DefaultMarkersUsed { .. } => "default_markers_used",
            Self::InvalidProjectRootMarkers { .. } => "invalid_project_root_markers",
            Self::ProjectLayerDisabled { .. } => "project_layer_disabled",
            Self::DiagnosticsTruncated { .. } => "diagnostics_truncated",
            Self::UnknownKey { .. } => "unknown_key",
            Self::MisplacedKey { .. } => "misplaced_key",
            Self::KeyWithoutEffect { .. } => "key_without_effect",
            Self::TrustUndecided { .. } => "trust_undecided",
            Self::BrokenMarkerLink { .. } => "broken_link",
            Self::WorktreeUnknown { .. } => "worktree_unknown",
            Self::ConfigHomeInProject { .. } => "config_home_in_project",
        }
    }

    /// How much it matters: information where nothing is lost of what a known key asks for.
    pub fn severity(&self) -> Severity {
        match self {
            Self::ProjectLayerDisabled { .. }
            | Self::UnknownKey { .. }
            | Self::MisplacedKey { .. }
            | Self::KeyWithoutEffect { .. }
            | Self::BrokenMarkerLink { .. }
            | Self::ConfigHomeInProject {
                ignored_entry: None,
                ..
            } => Severity::Info,
            _ => Severity::Warning,
        }
    }

    /// The layer and the place it is about; [`ValueOrigin::Default`] for one about a path.
    pub fn origin(&self) -> &ValueOrigin {
        match self {
            Self::ProfileNotFound { origin, .. }
            | Self::InvalidFallbackName { origin, .. }
            | Self::InvalidMarker { origin, .. }
            | Self::DefaultMarkersUsed { origin }
            | Self::InvalidProjectRootMarkers { origin }
            | Self::ProjectLayerDisabled { origin, .. }
            | Self::DiagnosticsTruncated { origin, .. }
            | Self::UnknownKey { origin, .. }
            | Self::MisplacedKey { origin, .. }
            | Self::KeyWithoutEffect { origin, .. } => origin,
            Self::BrokenMarkerLink { .. }
            | Self::TrustUndecided { .. }
            | Self::WorktreeUnknown { .. }
            | Self::ConfigHomeInProject { .. } => &ValueOrigin::Default,
        }
    }

    /// The place in the file of [`origin`](Self::origin).
    pub fn position(&self) -> Option<TextPosition> {
        match self.origin() {
            ValueOrigin::Layer { position, .. } => *position,
            ValueOrigin::Default => None,
        }
    }

    /// The file or directory it is about, where it is not about a value.
    pub fn path(&self) -> Option<&PathUri> {
        match self {
            Self::ProjectLayerDisabled { file: path, .. }
            | Self::BrokenMarkerLink { path }
            | Self::TrustUndecided { path, .. }
            | Self::WorktreeUnknown { path, .. }
            | Self::ConfigHomeInProject { path, .. } => Some(path),
            _ => None,
        }
    }

    /// The environment it was found in, where it is about a project.
    pub fn environment_id(&self) -> Option<&EnvironmentId> {
        match self {
            Self::TrustUndecided { environment_id, .. }
            | Self::WorktreeUnknown { environment_id, .. }
            | Self::ConfigHomeInProject { environment_id, .. } => Some(environment_id),
            _ => None,
        }
    }

    /// The text it is about, as written: a profile, a name, a marker, a key; else a native path.
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::ProfileNotFound { profile, .. } => Cow::Borrowed(profile.as_str()),
            Self::InvalidFallbackName { name: text, .. }
            | Self::InvalidMarker { marker: text, .. }
            | Self::UnknownKey { key: text, .. }
            | Self::MisplacedKey { key: text, .. } => Cow::Borrowed(text),
            Self::DefaultMarkersUsed { .. } | Self::InvalidProjectRootMarkers { .. } => {
                Cow::Borrowed(crate::markers::PROJECT_ROOT_MARKERS_KEY)
            }
            Self::DiagnosticsTruncated { key, .. } | Self::KeyWithoutEffect { key, .. } => {
                Cow::Borrowed(key)
            }
            Self::ProjectLayerDisabled { file: path, .. }
            | Self::BrokenMarkerLink { path }
            | Self::TrustUndecided { path, .. }
            | Self::WorktreeUnknown { path, .. }
            | Self::ConfigHomeInProject { path, .. } => {
                Cow::Owned(path.inferred_native_path_string())
            }
        }
    }

    /// Why: a code in snake_case, the host's own words, the name of an error kind, the text that
    /// was meant, or how many were left out; `None` when [`code`](Self::code) says it all.
    pub fn reason(&self) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::InvalidFallbackName { problem, .. } => Cow::Borrowed(problem.as_str()),
            Self::InvalidMarker { problem, .. } => Cow::Borrowed(problem.as_str()),
            Self::InvalidProjectRootMarkers { .. } => Cow::Borrowed(WRONG_TYPE),
            Self::ProjectLayerDisabled { reason, .. } => Cow::Borrowed(reason.as_str()),
            Self::DiagnosticsTruncated { left_out, .. } => Cow::Owned(left_out.to_string()),
            Self::UnknownKey { meant, .. } => Cow::Borrowed(meant),
            Self::MisplacedKey { belongs, .. } => Cow::Borrowed(belongs),
            Self::TrustUndecided { kind, .. } => Cow::Borrowed(kind_name(*kind)),
            Self::WorktreeUnknown { main_checkout, .. } => {
                Cow::Owned(main_checkout.inferred_native_path_string())
            }
            Self::ConfigHomeInProject { ignored_entry, .. } => {
                Cow::Owned(ignored_entry.as_ref()?.inferred_native_path_string())
            }
            Self::ProfileNotFound { .. }
            | Self::DefaultMarkersUsed { .. }
            | Self::KeyWithoutEffect { .. }
            | Self::BrokenMarkerLink { .. } => return None,
        })
    }

    /// What to do about it, where the sentence does not say so.
    pub fn advice(&self) -> Option<String> {
        Some(match self {
            Self::ProjectLayerDisabled {
                reason: DisabledReason::NotTrusted,
                origin,
                ..
            } => {
                let directory = project_directory(origin)?;
                format!("to apply it, set projects.{directory:?}.trust_level to \"trusted\"")
            }
            Self::KeyWithoutEffect { .. } => {
                "move it to the user's configuration, or pass it with -c".to_owned()
            }
            Self::WorktreeUnknown { .. } => {
                "if it is a worktree of that checkout, run `git worktree repair` there".to_owned()
            }
            _ => return None,
        })
    }
}

/// The directory that owns the folder of a project layer, in native spelling.
fn project_directory(origin: &ValueOrigin) -> Option<String> {
    match origin {
        ValueOrigin::Layer {
            source: crate::ConfigLayerSource::Project { dot_codex_folder },
            ..
        } => Some(dot_codex_folder.parent()?.inferred_native_path_string()),
        _ => None,
    }
}

impl fmt::Display for ConfigDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (origin, text) = (self.origin(), self.text());
        let reason = self.reason().unwrap_or_default();
        let reason = reason.escape_debug();
        match self {
            Self::ProfileNotFound { .. } => {
                write!(f, "{origin}: the profile {text:?} has no file")
            }
            Self::InvalidFallbackName { .. } => write!(
                f,
                "{origin}: fallback name {text:?} is no plain file name ({reason})"
            ),
            Self::InvalidMarker { .. } => write!(
                f,
                "{origin}: project root marker {text:?} names nothing inside a directory ({reason})"
            ),
            Self::DefaultMarkersUsed { .. } => write!(
                f,
                "{origin}: no project root marker can be used, so the defaults are"
            ),
            Self::InvalidProjectRootMarkers { .. } => write!(
                f,
                "{origin}: the default project root markers are used ({reason})"
            ),
            Self::ProjectLayerDisabled { .. } => {
                write!(f, "{origin}: {text:?} is disabled ({reason})")
            }
            Self::DiagnosticsTruncated { .. } => write!(
                f,
                "{origin}: more findings about {text:?} are left out ({reason})"
            ),
            Self::UnknownKey { .. } => write!(
                f,
                "{origin}: nothing reads the key {text:?}; did you mean `{reason}`?"
            ),
            Self::MisplacedKey { .. } => write!(
                f,
                "{origin}: nothing reads the key {text:?} here; it belongs {reason}"
            ),
            Self::KeyWithoutEffect { .. } => write!(
                f,
                "{origin}: the key {text:?} has no effect in a project's configuration"
            ),
            Self::BrokenMarkerLink { .. } => write!(
                f,
                "the project root marker {text:?} is a link that leads to nothing and counts as absent"
            ),
            Self::TrustUndecided {
                question,
                is_untrusted,
                ..
            } => {
                let effect = if *is_untrusted {
                    "so the project counts as untrusted"
                } else {
                    "so entries that name the project otherwise do not count"
                };
                write!(f, "cannot {question} {text:?} ({reason}), {effect}")
            }
            Self::WorktreeUnknown { .. } => write!(
                f,
                "{text:?} names the checkout \"{reason}\", which does not know it, so the trust \
                 entry of that one does not count"
            ),
            Self::ConfigHomeInProject { ignored_entry, .. } => {
                write!(f, "the config home {text:?} lies inside the project")?;
                match ignored_entry {
                    Some(_) => write!(f, ", so its entry that trusts \"{reason}\" does not count"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl Serialize for ConfigDiagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Fields<'a> {
            code: &'static str,
            severity: Severity,
            origin: &'a ValueOrigin,
            text: Cow<'a, str>,
            reason: Option<Cow<'a, str>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            path: Option<&'a PathUri>,
            #[serde(skip_serializing_if = "Option::is_none")]
            environment_id: Option<&'a EnvironmentId>,
        }
        let environment_id = self.environment_id();
        let fields = Fields {
            code: self.code(),
            severity: self.severity(),
            origin: self.origin(),
            text: self.text(),
            reason: self.reason(),
            path: self
                .path()
                .filter(|_| *self.origin() == ValueOrigin::Default),
            environment_id,
        };
        fields.serialize(serializer)
    }
}

/// One diagnostic for each element of an array that gives one, as many as may be told of `key`.
///
/// `origin` is that of the whole array.
pub(crate) fn of_elements<T>(
    key: &'static str,
    origin: &ValueOrigin,
    elements: impl ExactSizeIterator<Item = T>,
    diagnostic: impl FnMut(T) -> ConfigDiagnostic,
) -> Vec<ConfigDiagnostic> {
    let left_out = elements.len().saturating_sub(MAX_DIAGNOSTICS_PER_KEY);
    let kept = elements.take(MAX_DIAGNOSTICS_PER_KEY);
    let mut diagnostics: Vec<_> = kept.map(diagnostic).collect();
    if left_out > 0 {
        diagnostics.push(ConfigDiagnostic::DiagnosticsTruncated {
            origin: origin.clone(),
            key,
            left_out,
        });
    }
    diagnostics
}
