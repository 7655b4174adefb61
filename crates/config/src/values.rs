//! The values that discovery needs, judged strictly.
//!
//! Merged values only: a wrong value that a higher layer replaces is never seen. Every value is
//! judged before the first error is returned, so the error does not depend on the order of the
//! keys here but on that of the layers.

use crate::diagnostics::of_elements;
use crate::fallback_names::{DroppedName, plain_names};
use crate::judge::{Fault, Judge, strings, type_of};
use crate::markers::PROJECT_ROOT_MARKERS_KEY;
use crate::stack::Scope;
use crate::{ConfigDiagnostic, ConfigError, ConfigLayerStack, TomlValue};

/// How many bytes of project documents are kept when nothing is configured (32 KiB).
pub const DEFAULT_PROJECT_DOC_MAX_BYTES: usize = 32 * 1024;

const MAX_BYTES_KEY: [&str; 1] = ["project_doc_max_bytes"];
const FALLBACK_NAMES_KEY: [&str; 1] = ["project_doc_fallback_filenames"];
const MARKERS_KEY: [&str; 1] = [PROJECT_ROOT_MARKERS_KEY];

/// Judged values and the layers they come from.
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
    /// Judges the merged values of `stack`.
    ///
    /// `project_root_markers` is judged twice: without the layers of the project, as it is used,
    /// and with them, so that a bad value in a project file is reported rather than ignored.
    /// The diagnostics are one `invalid_fallback_name` per dropped name, at most
    /// [`MAX_DIAGNOSTICS_PER_KEY`](crate::MAX_DIAGNOSTICS_PER_KEY) and how many more.
    ///
    /// # Errors
    /// [`ConfigError::InvalidValue`] for the first wrong value: lowest layer first, then from
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
        let mut judge = Judge::default();
        let max_bytes = judge.keep(max_bytes(&stack));
        let (fallback_names, diagnostics) = judge.keep(fallback_names(&stack));
        judge.keep(markers(&stack, Scope::WithoutProject));
        judge.keep(markers(&stack, Scope::All));
        let config = Config {
            config_layer_stack: stack,
            project_doc_max_bytes: max_bytes.unwrap_or(DEFAULT_PROJECT_DOC_MAX_BYTES),
            project_doc_fallback_filenames: fallback_names,
        };
        judge.finish((config, diagnostics))
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

fn max_bytes(stack: &ConfigLayerStack) -> Result<Option<usize>, Fault> {
    let Some(setting) = stack.setting(&MAX_BYTES_KEY, Scope::All) else {
        return Ok(None);
    };
    let fault = |found| {
        Err(Fault::of(
            &setting,
            &MAX_BYTES_KEY,
            "an integer of 0 or more",
            found,
        ))
    };
    match setting.value {
        TomlValue::Integer(bytes) if *bytes < 0 => fault("a negative integer"),
        // What is more than this machine can address is no limit.
        TomlValue::Integer(bytes) => Ok(Some(usize::try_from(*bytes).unwrap_or(usize::MAX))),
        other => fault(type_of(other)),
    }
}

fn fallback_names(stack: &ConfigLayerStack) -> Result<(Vec<String>, Vec<ConfigDiagnostic>), Fault> {
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

fn markers(stack: &ConfigLayerStack, scope: Scope) -> Result<(), Fault> {
    match stack.setting(&MARKERS_KEY, scope) {
        Some(setting) => strings(&setting, &MARKERS_KEY).map(drop),
        None => Ok(()),
    }
}
