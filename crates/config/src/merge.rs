//! How one layer overlays another: tables join key by key, everything else is replaced.
//!
//! Pure and total. Arrays are values like any other: replaced whole, never appended to.

use crate::TomlValue;

/// Overlays `overlay` onto `base`.
///
/// Two tables are joined key by key, recursively: keys that `overlay` does not have stay, and an
/// empty overlay table changes nothing. In every other case `base` becomes `overlay`.
///
/// # Examples
///
/// ```
/// use codex_config::{TomlValue, merge_toml_values};
///
/// # fn table(text: &str) -> TomlValue { TomlValue::Table(toml::from_str(text).unwrap()) }
/// let mut base = table("names = ['a', 'b']\n[limits]\nbytes = 1\ncalls = 2\n");
/// merge_toml_values(&mut base, &table("names = ['c']\n[limits]\nbytes = 3\n"));
/// assert_eq!(base, table("names = ['c']\n[limits]\nbytes = 3\ncalls = 2\n"));
/// ```
pub fn merge_toml_values(base: &mut TomlValue, overlay: &TomlValue) {
    match (base, overlay) {
        (TomlValue::Table(base), TomlValue::Table(overlay)) => {
            for (key, value) in overlay {
                match base.get_mut(key) {
                    Some(present) => merge_toml_values(present, value),
                    None => {
                        base.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (base, overlay) => *base = overlay.clone(),
    }
}
