//! JSON with a place for every problem, read without recursion.
//!
//! A text is scanned once into a flat list of nodes; everything behind that walks the list. Depth
//! costs list entries, never stack, neither while scanning nor while dropping, so any text can be
//! scanned. Strings stay undecoded until somebody asks, and numbers are never interpreted.
//!
//! This grammar is strict: no byte order mark, comment, trailing comma or second value.

mod compact;
mod document;
mod escapes;
mod lexemes;
mod place;
mod scan;
mod unique;

pub(crate) use compact::compact;
pub(crate) use document::{Document, Elements, Kind, Member, Value};
pub(crate) use unique::find_repeated_key;
