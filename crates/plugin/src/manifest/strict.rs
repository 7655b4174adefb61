//! What is refused in values of known keys, whatever their field: depth, and keys that stand twice.

use crate::json::{Value, find_repeated_key};
use crate::{MAX_MANIFEST_DEPTH, ManifestError, ManifestProblem};

/// Refuses a value of a known key that is nested too deeply inside `outer` containers.
pub(crate) fn check_depth(
    value: Value<'_>,
    field: &str,
    outer: usize,
) -> Result<(), ManifestError> {
    let height = usize::try_from(value.height()).unwrap_or(usize::MAX);
    if outer.saturating_add(height) <= MAX_MANIFEST_DEPTH {
        return Ok(());
    }
    Err(
        ManifestError::new(ManifestProblem::TooDeep, field, value.place())
            .with_explanation(format!("more than {MAX_MANIFEST_DEPTH} objects and arrays")),
    )
}

/// Refuses a value in which a key stands twice in one object: two readers of it must not differ.
pub(crate) fn refuse_repeated_keys(value: Value<'_>, field: &str) -> Result<(), ManifestError> {
    match find_repeated_key(value, field) {
        Some(repeated) => {
            let problem = ManifestProblem::DuplicateKey;
            Err(ManifestError::new(problem, repeated.field, repeated.place))
        }
        None => Ok(()),
    }
}
