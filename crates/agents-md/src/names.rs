//! The names a project document may have, in the order they are asked for.
//!
//! Pure. Every name is a direct child of whatever directory it is joined to, so no candidate lies
//! above the project root. A name that says otherwise in the environment's convention is dropped
//! and reported; a repeated one is dropped without a word. Names are compared as bytes.

use std::collections::HashSet;

use codex_config::{Config, NameProblem, fallback_name_is_plain};
use codex_path_uri::PathConvention;

/// The name of a project document.
pub const DEFAULT_AGENTS_MD_FILENAME: &str = "AGENTS.md";
/// The name that comes before [`DEFAULT_AGENTS_MD_FILENAME`] in each directory.
pub const LOCAL_AGENTS_MD_FILENAME: &str = "AGENTS.override.md";

/// The names to ask for in each directory of one environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CandidateNames {
    /// Distinct, in order.
    pub(crate) names: Vec<String>,
    /// Configured names that are no plain names in this convention, in order.
    pub(crate) refused: Vec<(String, NameProblem)>,
}

impl CandidateNames {
    /// The fixed names, then the configured ones that are plain in `convention`.
    pub(crate) fn new(config: &Config, convention: PathConvention) -> Self {
        let mut names = vec![
            LOCAL_AGENTS_MD_FILENAME.to_owned(),
            DEFAULT_AGENTS_MD_FILENAME.to_owned(),
        ];
        let mut refused = Vec::new();
        let mut seen = HashSet::from([LOCAL_AGENTS_MD_FILENAME, DEFAULT_AGENTS_MD_FILENAME]);
        for name in &config.project_doc_fallback_filenames {
            match fallback_name_is_plain(name, convention) {
                Ok(()) if seen.insert(name) => names.push(name.clone()),
                Ok(()) => {}
                Err(problem) => refused.push((name.clone(), problem)),
            }
        }
        Self { names, refused }
    }
}
