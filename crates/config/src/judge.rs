//! Values of the wrong type or out of range, and which of several to report.
//!
//! Judging is pure: it looks at a [`Setting`] and never at a file.

use crate::lookup::Setting;
use crate::{ConfigError, TextPosition, TomlValue, ValueOrigin};

/// A value that cannot be used. Faults are ordered as a person reads the layers: lowest
/// precedence first, then from the top of the file.
pub(crate) struct Fault {
    layer: usize,
    error: Box<ConfigError>,
    position: Option<TextPosition>,
}

impl Fault {
    /// The value of `setting` itself is wrong.
    pub(crate) fn of(
        setting: &Setting<'_>,
        key: &[&str],
        expected: &'static str,
        found: impl Into<String>,
    ) -> Self {
        Self::at(setting, setting.origin(key), key, expected, found)
    }

    /// The value at `origin`, inside that of `setting`, is wrong.
    pub(crate) fn at(
        setting: &Setting<'_>,
        origin: ValueOrigin,
        key: &[&str],
        expected: &'static str,
        found: impl Into<String>,
    ) -> Self {
        let position = match &origin {
            ValueOrigin::Layer { position, .. } => *position,
            ValueOrigin::Default => None,
        };
        let error = ConfigError::InvalidValue {
            key: dotted(key),
            origin,
            expected,
            found: found.into(),
        };
        Self {
            layer: setting.layer,
            error: Box::new(error),
            position,
        }
    }
}

/// Collects faults, so that which one is reported does not depend on what is judged first.
#[derive(Default)]
pub(crate) struct Judge {
    faults: Vec<Fault>,
}

impl Judge {
    /// The judged value; after a fault, one that [`finish`](Self::finish) never lets out.
    pub(crate) fn keep<T: Default>(&mut self, judged: Result<T, Fault>) -> T {
        judged.unwrap_or_else(|fault| {
            self.faults.push(fault);
            T::default()
        })
    }

    /// `value`, unless there was a fault.
    pub(crate) fn finish<T>(self, value: T) -> Result<T, ConfigError> {
        match self
            .faults
            .into_iter()
            .min_by_key(|fault| (fault.layer, fault.position))
        {
            Some(fault) => Err(*fault.error),
            None => Ok(value),
        }
    }
}

/// The strings of an array that holds nothing else.
pub(crate) fn strings(setting: &Setting<'_>, key: &[&str]) -> Result<Vec<String>, Fault> {
    const EXPECTED: &str = "an array of strings";
    let elements = setting
        .value
        .as_array()
        .ok_or_else(|| Fault::of(setting, key, EXPECTED, type_of(setting.value)))?;
    elements
        .iter()
        .enumerate()
        .map(|(index, element)| match element {
            TomlValue::String(text) => Ok(text.clone()),
            other => {
                let origin = setting.entry.element_origin(key, index);
                let found = format!("{} in the array", type_of(other));
                Err(Fault::at(setting, origin, key, EXPECTED, found))
            }
        })
        .collect()
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
