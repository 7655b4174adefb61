//! How one layer overlays another.

use crate::TomlValue;

/// Overlays `overlay` onto `base`.
pub fn merge_toml_values(base: &mut TomlValue, overlay: &TomlValue) {
    todo!("{base:?} {overlay:?}")
}
