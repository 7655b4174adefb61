//! Lists that are refused when they are longer than anybody needs, before they are held whole.
//!
//! An element of a list may take twenty times the memory of its text, so the limit of a message
//! does not bound what a list of short texts comes to.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

use super::{MAX_KEY_NAMES, MAX_LISTED_ENTRIES, MAX_LISTED_PATHS};

/// Reads a list of paths.
pub(super) fn paths<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(Bounded::<T, MAX_LISTED_PATHS>(PhantomData))
}

/// Reads a list of what is in a directory, or below it.
pub(super) fn entries<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(Bounded::<T, MAX_LISTED_ENTRIES>(PhantomData))
}

/// Reads a list of keys, each a list of names.
pub(super) fn keys<'de, T, D>(deserializer: D) -> Result<Vec<Vec<T>>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    let keys = paths::<Key<T>, D>(deserializer)?;
    Ok(keys.into_iter().map(|Key(names)| names).collect())
}

struct Key<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Key<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = deserializer.deserialize_seq(Bounded::<T, MAX_KEY_NAMES>(PhantomData));
        names.map(Key)
    }
}

/// A list of at most so many elements.
struct Bounded<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Bounded<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {MOST} elements")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            if list.len() == MOST {
                return Err(A::Error::invalid_length(MOST + 1, &self));
            }
            list.push(element);
        }
        Ok(list)
    }
}
