//! The faults that make any parameters unacceptable, whichever method they are for.
//!
//! A method reads the fields it knows and skips the rest, so what it skips is looked at here:
//! nesting, half surrogate pairs and keys that stand twice, for which an object may not have more
//! keys than can be kept in mind.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::protocol::MAX_OBJECT_KEYS;

/// Reads the whole value and keeps nothing. The parser itself bounds the nesting: parameters are
/// one level inside the message, which makes its 127 levels the limit of the protocol.
pub(super) fn check(value: &RawValue) -> Result<(), serde_json::Error> {
    serde_json::from_str::<Sound>(value.get()).map(|_| ())
}

struct Sound;

impl<'de> Deserialize<'de> for Sound {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SoundVisitor)
    }
}

struct SoundVisitor;

impl<'de> Visitor<'de> for SoundVisitor {
    type Value = Sound;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_str<E>(self, _: &str) -> Result<Sound, E> {
        Ok(Sound)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Sound, A::Error> {
        while items.next_element::<Sound>()?.is_some() {}
        Ok(Sound)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Sound, A::Error> {
        let mut keys = HashSet::new();
        while let Some(Key(key)) = fields.next_key()? {
            fields.next_value::<Sound>()?;
            if !keys.insert(key) {
                return Err(A::Error::custom("a key stands twice"));
            }
            if keys.len() > MAX_OBJECT_KEYS {
                let message = format!("an object has more than {MAX_OBJECT_KEYS} keys");
                return Err(A::Error::custom(message));
            }
        }
        Ok(Sound)
    }
}

/// A key, borrowed from the message where it holds no escape.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn is_sound(text: &str) -> bool {
        check(serde_json::from_str(text).unwrap()).is_ok()
    }

    #[test]
    fn any_value_is_sound() {
        assert!(is_sound(
            r#"{"a": [1, -1, 1.5, null, true, "\u00e9"], "b": {"a": 1}}"#
        ));
    }

    #[test]
    fn a_key_that_stands_twice_is_a_fault_at_any_depth() {
        assert_eq!(is_sound(r#"{"a": [{"b": 1, "\u0062": 2}]}"#), false);
    }

    #[test]
    fn an_object_has_no_more_keys_than_the_limit() {
        let object = |keys: usize| {
            let fields: Vec<_> = (0..keys).map(|key| format!("\"{key}\": 1")).collect();
            format!("[{{{}}}]", fields.join(","))
        };
        assert!(is_sound(&object(MAX_OBJECT_KEYS)));
        assert_eq!(is_sound(&object(MAX_OBJECT_KEYS + 1)), false);
    }

    #[test]
    fn half_a_surrogate_pair_is_a_fault() {
        assert_eq!(is_sound(r#"{"a": ["\ud800"]}"#), false);
    }

    #[test]
    fn nesting_is_bounded_by_the_limit_of_the_protocol() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        let within = crate::protocol::MAX_JSON_DEPTH - 1;
        assert_eq!(
            (is_sound(&nested(within)), is_sound(&nested(within + 1))),
            (true, false)
        );
    }
}
