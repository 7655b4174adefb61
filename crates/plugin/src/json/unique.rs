//! Objects in which every key stands once.

use std::borrow::Cow;
use std::collections::HashSet;

use super::document::{Elements, Members, Value};

/// The second of two equal keys of one object at or below a value, with its path.
pub(crate) struct RepeatedKey {
    /// JSON path of the key, below the path given for the value.
    pub(crate) field: String,
    /// Line and column of the key, counted from 1.
    pub(crate) place: (usize, usize),
}

/// A container on the way down to the value being looked at.
enum Level<'d> {
    Object {
        members: Members<'d>,
        seen: HashSet<Cow<'d, str>>,
        key: Cow<'d, str>,
    },
    Array {
        elements: Elements<'d>,
        index: usize,
    },
}

/// Finds the first key in document order that its object already has. `field` is the value's path.
///
/// The containers above the value being looked at are kept in a list, so depth costs no stack.
pub(crate) fn find_repeated_key(value: Value<'_>, field: &str) -> Option<RepeatedKey> {
    let mut levels: Vec<Level<'_>> = open(value).into_iter().collect();
    while let Some(level) = levels.last_mut() {
        let child = match level {
            Level::Object { members, seen, key } => match members.next() {
                Some(member) => {
                    *key = member.key();
                    if !seen.insert(key.clone()) {
                        let place = member.key_place();
                        return Some(RepeatedKey {
                            field: path(field, &levels),
                            place,
                        });
                    }
                    Some(member.value)
                }
                None => None,
            },
            Level::Array { elements, index } => {
                *index = index.wrapping_add(1);
                elements.next()
            }
        };
        match child {
            Some(child) => levels.extend(open(child)),
            None => {
                levels.pop();
            }
        }
    }
    None
}

fn open(value: Value<'_>) -> Option<Level<'_>> {
    if let Some(members) = value.members() {
        return Some(Level::Object {
            members,
            seen: HashSet::new(),
            key: Cow::Borrowed(""),
        });
    }
    // The first step moves the index to 0.
    let elements = value.elements()?;
    Some(Level::Array {
        elements,
        index: usize::MAX,
    })
}

fn path(field: &str, levels: &[Level<'_>]) -> String {
    let mut path = field.to_owned();
    for level in levels {
        match level {
            Level::Object { key, .. } if path.is_empty() => path.push_str(key),
            Level::Object { key, .. } => {
                path.push('.');
                path.push_str(key);
            }
            Level::Array { index, .. } => path.push_str(&format!("[{index}]")),
        }
    }
    path
}
