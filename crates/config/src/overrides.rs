//! `-c key=value` arguments.

use crate::{ConfigError, TomlValue};

/// The most segments the key of a `-c` argument may have.
pub const MAX_OVERRIDE_SEGMENTS: usize = 64;

/// The session-flags table that the arguments make, later ones winning.
pub fn parse_overrides(arguments: &[String]) -> Result<TomlValue, ConfigError> {
    todo!("{arguments:?}")
}
