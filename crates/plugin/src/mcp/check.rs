//! What refuses a whole text of registrations. Here every key counts as known.

use std::collections::HashSet;

use crate::json::Value;
use crate::manifest::{check_depth, refuse_repeated_keys};
use crate::{ManifestError, ManifestProblem};

/// Containers around a value of the object: the object itself.
const OUTER: usize = 1;

/// Refuses repeated keys and too deep values anywhere in an object, the first in document order.
pub(super) fn check_object(object: Value<'_>) -> Result<(), ManifestError> {
    let mut seen = HashSet::new();
    for member in object.members().into_iter().flatten() {
        let key = member.key();
        if seen.contains(&key) {
            let problem = ManifestProblem::DuplicateKey;
            return Err(ManifestError::new(problem, key, member.key_place()));
        }
        check_depth(member.value, &key, OUTER)?;
        refuse_repeated_keys(member.value, &key)?;
        seen.insert(key);
    }
    Ok(())
}
