//! The values that discovery needs, validated.
//!
//! Merged values only: a wrong value that a higher layer replaces is never seen. Invariant: a name
//! that [`fallback_name_is_plain`] accepts is a direct child of any directory it is joined to, so
//! no candidate lies above the project root. Names are compared as bytes: no case folding, no
//! Unicode normalisation.

use std::collections::HashSet;

use codex_file_system::TextPosition;
use codex_path_uri::PathConvention;
use serde::Serialize;

use crate::diagnostics::of_elements;
use crate::markers::PROJECT_ROOT_MARKERS_KEY;
use crate::stack::{Scope, Setting};
use crate::{ConfigDiagnostic, ConfigError, ConfigLayerStack, TomlValue, ValueOrigin};

/// How many bytes of project documents are kept when nothing is configured (32 KiB).
pub const DEFAULT_PROJECT_DOC_MAX_BYTES: usize = 32 * 1024;

const MAX_BYTES_KEY: [&str; 1] = ["project_doc_max_bytes"];
const FALLBACK_NAMES_KEY: [&str; 1] = ["project_doc_fallback_filenames"];
const MARKERS_KEY: [&str; 1] = [PROJECT_ROOT_MARKERS_KEY];

/// Validated values and the layers they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The layers. Project root markers are asked of them.
    pub config_layer_stack: ConfigLayerStack,
    /// How many bytes of project documents are kept, per environment; 0 switches them off.
    pub project_doc_max_bytes: usize,
    /// Further names of project documents: trimmed, plain in some environment, distinct, in
    /// order, without `AGENTS.md` and `AGENTS.override.md`.
    pub project_doc_fallback_filenames: Vec<String>,
}

impl Config {
    /// Validates the merged values of `stack`.
    ///
    /// `project_root_markers` is validated twice: without the layers of the project, as it is used,
    /// and with them, so that a bad value in a project file is reported rather than ignored.
    /// The diagnostics are one `invalid_fallback_name` per dropped name, at most
    /// [`MAX_DIAGNOSTICS_PER_KEY`](crate::MAX_DIAGNOSTICS_PER_KEY) and how many more.
    ///
    /// # Errors
    /// [`ConfigError::InvalidValue`] for the first wrong value, lowest layer first, then from
    /// the top of its file.
    ///
    /// # Examples
    ///
    /// ```
    /// use codex_config::{Config, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack};
    ///
    /// # fn main() -> Result<(), codex_config::ConfigError> {
    /// let arguments = ["project_doc_max_bytes=3".to_owned()];
    /// let table = codex_config::parse_overrides(&arguments)?;
    /// let layer = ConfigLayerEntry::new(ConfigLayerSource::SessionFlags, table);
    /// let (config, diagnostics) = Config::from_stack(ConfigLayerStack::new(vec![layer])?)?;
    /// assert_eq!(config.project_doc_max_bytes, 3);
    /// assert!(diagnostics.is_empty());
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_stack(
        stack: ConfigLayerStack,
    ) -> Result<(Config, Vec<ConfigDiagnostic>), ConfigError> {
        let mut errors = Vec::new();
        let max_bytes = kept(max_bytes(&stack), &mut errors);
        let (fallback_names, diagnostics) = kept(fallback_names(&stack), &mut errors);
        kept(markers(&stack, Scope::WithoutProject), &mut errors);
        kept(markers(&stack, Scope::All), &mut errors);
        let first = errors.into_iter().min_by_key(|error| place(&stack, error));
        match first {
            Some(error) => Err(error),
            None => Ok((
                Config {
                    config_layer_stack: stack,
                    project_doc_max_bytes: max_bytes.unwrap_or(DEFAULT_PROJECT_DOC_MAX_BYTES),
                    project_doc_fallback_filenames: fallback_names,
                },
                diagnostics,
            )),
        }
    }
}

/// No layers, and the value that each key has when nothing is configured.
impl Default for Config {
    fn default() -> Self {
        Self {
            config_layer_stack: ConfigLayerStack::default(),
            project_doc_max_bytes: DEFAULT_PROJECT_DOC_MAX_BYTES,
            project_doc_fallback_filenames: Vec::new(),
        }
    }
}

fn max_bytes(stack: &ConfigLayerStack) -> Result<Option<usize>, ConfigError> {
    let Some(setting) = stack.setting(&MAX_BYTES_KEY, Scope::All) else {
        return Ok(None);
    };
    let wrong = |found| Err(setting.invalid(&MAX_BYTES_KEY, "an integer of 0 or more", found));
    match setting.value {
        TomlValue::Integer(bytes) if *bytes < 0 => wrong("a negative integer"),
        // What is more than this machine can address is no limit.
        TomlValue::Integer(bytes) => Ok(Some(usize::try_from(*bytes).unwrap_or(usize::MAX))),
        other => wrong(type_of(other)),
    }
}

fn fallback_names(
    stack: &ConfigLayerStack,
) -> Result<(Vec<String>, Vec<ConfigDiagnostic>), ConfigError> {
    let Some(setting) = stack.setting(&FALLBACK_NAMES_KEY, Scope::All) else {
        return Ok(Default::default());
    };
    let configured = strings(&setting, &FALLBACK_NAMES_KEY)?;
    let (names, dropped) = plain_names(&configured);
    let whole = setting.origin(&FALLBACK_NAMES_KEY);
    let [key] = FALLBACK_NAMES_KEY;
    let diagnostics = of_elements(
        key,
        &whole,
        dropped.into_iter(),
        |dropped: DroppedName<'_>| {
            let origin = setting
                .entry
                .element_origin(&FALLBACK_NAMES_KEY, dropped.index);
            let DroppedName { name, problem, .. } = dropped;
            tracing::warn!(%origin, name, problem = problem.as_str(), "invalid fallback file name");
            ConfigDiagnostic::InvalidFallbackName {
                origin,
                name: name.to_owned(),
                problem,
            }
        },
    );
    Ok((names, diagnostics))
}

fn markers(stack: &ConfigLayerStack, scope: Scope) -> Result<(), ConfigError> {
    match stack.setting(&MARKERS_KEY, scope) {
        Some(setting) => strings(&setting, &MARKERS_KEY).map(drop),
        None => Ok(()),
    }
}

/// The value, or a default beside the error.
fn kept<T: Default>(result: Result<T, ConfigError>, errors: &mut Vec<ConfigError>) -> T {
    result.unwrap_or_else(|error| {
        errors.push(error);
        T::default()
    })
}

/// Where a person meets an error who reads the layers from the lowest, each from its top.
fn place(stack: &ConfigLayerStack, error: &ConfigError) -> Option<(usize, Option<TextPosition>)> {
    let ConfigError::InvalidValue {
        origin: ValueOrigin::Layer { source, position },
        ..
    } = error
    else {
        return None;
    };
    let mut layers = stack.enabled(Scope::All);
    let (layer, _) = layers.find(|(_, layer)| layer.name == *source)?;
    Some((layer, *position))
}

/// The strings of an array that holds nothing else.
fn strings(setting: &Setting<'_>, key: &[&str]) -> Result<Vec<String>, ConfigError> {
    const EXPECTED: &str = "an array of strings";
    let elements = setting
        .value
        .as_array()
        .ok_or_else(|| setting.invalid(key, EXPECTED, type_of(setting.value)))?;
    elements
        .iter()
        .enumerate()
        .map(|(index, element)| match element {
            TomlValue::String(text) => Ok(text.clone()),
            other => {
                let origin = setting.entry.element_origin(key, index);
                let found = format!("{} in the array", type_of(other));
                Err(invalid(origin, key, EXPECTED, found))
            }
        })
        .collect()
}

impl Setting<'_> {
    /// The value of this setting is wrong.
    pub(crate) fn invalid(
        &self,
        key: &[&str],
        expected: &'static str,
        found: impl Into<String>,
    ) -> ConfigError {
        invalid(self.origin(key), key, expected, found)
    }
}

fn invalid(
    origin: ValueOrigin,
    key: &[&str],
    expected: &'static str,
    found: impl Into<String>,
) -> ConfigError {
    ConfigError::InvalidValue {
        key: dotted(key),
        origin,
        expected,
        found: found.into(),
    }
}

/// What a person calls the type of a value.
pub(crate) fn type_of(value: &TomlValue) -> &'static str {
    match value {
        TomlValue::String(_) => "a string",
        TomlValue::Integer(_) => "an integer",
        TomlValue::Float(_) => "a float",
        TomlValue::Boolean(_) => "a boolean",
        TomlValue::Datetime(_) => "a datetime",
        TomlValue::Array(_) => "an array",
        TomlValue::Table(_) => "a table",
    }
}

/// The key as it is written in TOML.
pub(crate) fn dotted(key: &[&str]) -> String {
    let segments: Vec<_> = key
        .iter()
        .map(|segment| {
            let is_bare = !segment.is_empty()
                && segment
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            if is_bare {
                (*segment).to_owned()
            } else {
                format!("{segment:?}")
            }
        })
        .collect();
    segments.join(".")
}

/// Names that are candidates anyway; as fallback names they say nothing.
const ALWAYS_CANDIDATES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// Why a name is no plain file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NameProblem {
    /// Nothing but white space.
    Blank,
    /// `.` or `..`.
    Dot,
    /// Holds a separator of the convention.
    Separator,
    /// Holds a `:`, which names a drive or a stream on Windows.
    Drive,
    /// Holds NUL.
    Nul,
}

impl NameProblem {
    /// The code, as it is serialized.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Dot => "dot",
            Self::Separator => "separator",
            Self::Drive => "drive",
            Self::Nul => "nul",
        }
    }
}

/// Whether `name` is a direct child of any directory of this convention that it is joined to.
///
/// # Errors
/// The first problem, in the order of [`NameProblem`].
///
/// # Examples
///
/// ```
/// use codex_config::{NameProblem, fallback_name_is_plain};
/// use codex_path_uri::PathConvention::{Posix, Windows};
///
/// assert_eq!(fallback_name_is_plain(r"a\b", Posix), Ok(()));
/// assert_eq!(fallback_name_is_plain(r"a\b", Windows), Err(NameProblem::Separator));
/// assert_eq!(fallback_name_is_plain("../X", Posix), Err(NameProblem::Separator));
/// ```
pub fn fallback_name_is_plain(name: &str, convention: PathConvention) -> Result<(), NameProblem> {
    if name.trim().is_empty() {
        Err(NameProblem::Blank)
    } else if matches!(name, "." | "..") {
        Err(NameProblem::Dot)
    } else if convention.path_segments(name).nth(1).is_some() {
        Err(NameProblem::Separator)
    } else if convention == PathConvention::Windows && name.contains(':') {
        Err(NameProblem::Drive)
    } else if name.contains('\0') {
        Err(NameProblem::Nul)
    } else {
        Ok(())
    }
}

/// A configured name that is plain in no environment.
pub(crate) struct DroppedName<'a> {
    /// Its place in the list.
    pub(crate) index: usize,
    pub(crate) name: &'a str,
    pub(crate) problem: NameProblem,
}

/// The names that are plain in some environment, trimmed, distinct, in order; and the others.
pub(crate) fn plain_names(configured: &[String]) -> (Vec<String>, Vec<DroppedName<'_>>) {
    let mut seen: HashSet<&str> = HashSet::from(ALWAYS_CANDIDATES);
    let mut names = Vec::new();
    let mut dropped = Vec::new();
    for (index, written) in configured.iter().enumerate() {
        let name = written.trim();
        // POSIX refuses least; what only Windows refuses is judged per environment.
        match fallback_name_is_plain(name, PathConvention::Posix) {
            Err(problem) => dropped.push(DroppedName {
                index,
                name: written,
                problem,
            }),
            Ok(()) if seen.insert(name) => names.push(name.to_owned()),
            Ok(()) => {}
        }
    }
    (names, dropped)
}
