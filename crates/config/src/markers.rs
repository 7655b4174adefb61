//! The configured project root markers, as written.
//!
//! Which of them can be searched for is the matter of `usable_markers`.

use std::io;

use crate::TomlValue;

pub(crate) const PROJECT_ROOT_MARKERS_KEY: &str = "project_root_markers";

/// What a value of the wrong type is told.
pub(crate) const WRONG_TYPE: &str = "project_root_markers must be an array of strings";

/// The markers when nothing is configured: `.git`.
pub fn default_project_root_markers() -> Vec<String> {
    vec![".git".to_owned()]
}

/// The markers that a table sets, as written: order, duplicates and blanks stay. `None` when
/// `config` is not a table or has no `project_root_markers`.
///
/// # Errors
/// `InvalidData` when the value is no array of strings.
///
/// # Examples
///
/// ```
/// use codex_config::{TomlValue, project_root_markers_from_config};
///
/// # fn table(text: &str) -> TomlValue { TomlValue::Table(toml::from_str(text).unwrap()) }
/// let config = table("project_root_markers = ['.hg', '.git']");
/// let markers = project_root_markers_from_config(&config)?;
/// assert_eq!(markers, Some(vec![".hg".to_owned(), ".git".to_owned()]));
///
/// let config = table("project_root_markers = '.git'");
/// let error = project_root_markers_from_config(&config).unwrap_err();
/// assert_eq!(error.to_string(), "project_root_markers must be an array of strings");
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn project_root_markers_from_config(config: &TomlValue) -> io::Result<Option<Vec<String>>> {
    config
        .get(PROJECT_ROOT_MARKERS_KEY)
        .map(strings_of)
        .transpose()
}

/// The strings of an array that holds nothing else.
pub(crate) fn strings_of(value: &TomlValue) -> io::Result<Vec<String>> {
    value
        .as_array()
        .and_then(|elements| {
            elements
                .iter()
                .map(|element| element.as_str().map(str::to_owned))
                .collect()
        })
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, WRONG_TYPE))
}
