//! JSON forms: a URI or a host path is one string.
//!
//! A string that is not a path fails with the text of the parse error; another type fails as a type
//! error.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{AbsolutePathBuf, PathUri};

impl Serialize for PathUri {
    /// Writes the canonical text.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for PathUri {
    /// As [`PathUri::parse`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "a file URI",
            read: |text| Self::parse(text),
        })
    }
}

impl Serialize for AbsolutePathBuf {
    /// Writes the path; fails if it is not Unicode.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_path().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for AbsolutePathBuf {
    /// As [`AbsolutePathBuf::from_absolute_path_checked`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Text {
            expected: "an absolute path",
            read: |text| Self::try_from(text),
        })
    }
}

/// Reads a string by a function that may refuse it.
struct Text<T, E> {
    expected: &'static str,
    read: fn(&str) -> Result<T, E>,
}

impl<T, E: std::fmt::Display> de::Visitor<'_> for Text<T, E> {
    type Value = T;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<Error: de::Error>(self, text: &str) -> Result<T, Error> {
        (self.read)(text).map_err(Error::custom)
    }
}
