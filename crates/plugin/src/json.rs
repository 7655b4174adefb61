//! Strict JSON in which every value knows its place.
//!
//! `serde_json` reads the syntax. A value is kept as the piece of text it is and looked into only where somebody
//! asks, so a value that nobody knows costs no stack, whatever its depth, and numbers are never interpreted. Added
//! here: line and column, the kinds of problem a person can act on, and keys that stand once.

use std::collections::HashSet;
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{InlineJson, MAX_MANIFEST_DEPTH, ManifestError, ManifestProblem};

/// A value of a text.
#[derive(Clone, Copy)]
pub(crate) struct Value<'t> {
    text: &'t str,
    raw: &'t str,
}

/// A key of an object and its value.
pub(crate) struct Member<'t> {
    pub(crate) key: String,
    pub(crate) value: Value<'t>,
    key_place: Value<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl<'t> Value<'t> {
    /// Reads a whole text.
    ///
    /// # Errors
    /// The first problem of syntax.
    pub(crate) fn parse(text: &'t str) -> Result<Self, ManifestError> {
        if text.starts_with('\u{FEFF}') {
            return Err(error_at(text, 0, ManifestProblem::ByteOrderMark));
        }
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let raw = <&RawValue>::deserialize(&mut deserializer)
            .map_err(|error| syntax_error(text, &error))?;
        deserializer.end().map_err(|error| {
            error_at(text, offset_of(text, &error), ManifestProblem::TrailingText)
        })?;
        Ok(Self {
            text,
            raw: raw.get(),
        })
    }

    /// The members of the object that a whole text must be.
    pub(crate) fn object(self) -> Result<Vec<Member<'t>>, ManifestError> {
        self.members().ok_or_else(|| {
            self.error(ManifestProblem::NotAnObject, "")
                .with_explanation(format!("found {}", self.shape()))
        })
    }

    pub(crate) fn kind(self) -> Kind {
        match self.raw.as_bytes().first() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::String,
            Some(b't' | b'f') => Kind::Boolean,
            Some(b'n') => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The kind of value, as messages say it.
    pub(crate) fn shape(self) -> &'static str {
        match self.kind() {
            Kind::Null => "null",
            Kind::Boolean => "a boolean",
            Kind::Number => "a number",
            Kind::String => "a string",
            Kind::Array => "an array",
            Kind::Object => "an object",
        }
    }

    /// The text of a string.
    pub(crate) fn as_text(self) -> Option<String> {
        serde_json::from_str(self.raw).ok()
    }

    pub(crate) fn elements(self) -> Option<Vec<Value<'t>>> {
        let elements: Vec<&RawValue> = serde_json::from_str(self.raw).ok()?;
        Some(elements.into_iter().map(|it| self.part(it)).collect())
    }

    /// Members in document order, repeated keys included.
    pub(crate) fn members(self) -> Option<Vec<Member<'t>>> {
        let Pairs(pairs) = serde_json::from_str(self.raw).ok()?;
        let member = |(key, value): (&'t RawValue, &'t RawValue)| Member {
            key: serde_json::from_str(key.get()).unwrap_or_else(|_| key.get().to_owned()),
            value: self.part(value),
            key_place: self.part(key),
        };
        Some(pairs.into_iter().map(member).collect())
    }

    /// The value of a key that is there; `null` counts as missing.
    pub(crate) fn member(self, key: &str) -> Option<Value<'t>> {
        let mut members = self.members()?.into_iter();
        let found = members.find(|member| member.key == key)?;
        Some(found.value).filter(|value| value.kind() != Kind::Null)
    }

    /// Refuses a value of a known key inside `outer` containers that is nested too deeply or holds a string that
    /// is none and, if `keys_once`, one in which an object has a key twice. The first in document order is told.
    pub(crate) fn check(
        self,
        field: &str,
        outer: usize,
        keys_once: bool,
    ) -> Result<(), ManifestError> {
        let too_deep = || {
            self.error(ManifestProblem::TooDeep, field)
                .with_explanation(format!("more than {MAX_MANIFEST_DEPTH} objects and arrays"))
        };
        self.check_inside(field, MAX_MANIFEST_DEPTH.saturating_sub(outer), keys_once)
            .map_err(|refusal| refusal.unwrap_or_else(too_deep))
    }

    /// `Err(None)` says that the depth left is not enough.
    fn check_inside(
        self,
        field: &str,
        depth_left: usize,
        keys_once: bool,
    ) -> Result<(), Option<ManifestError>> {
        let below = || depth_left.checked_sub(1).ok_or(None);
        match self.kind() {
            Kind::Object => {
                let mut keys = HashSet::new();
                for member in self.members().into_iter().flatten() {
                    let inner = child(field, &member.key);
                    if !keys.insert(member.key.clone()) && keys_once {
                        return Err(Some(member.repeated(&inner)));
                    }
                    member.value.check_inside(&inner, below()?, keys_once)?;
                }
                below().map(drop)
            }
            Kind::Array => {
                for (index, element) in self.elements().into_iter().flatten().enumerate() {
                    let inner = format!("{field}[{index}]");
                    element.check_inside(&inner, below()?, keys_once)?;
                }
                below().map(drop)
            }
            Kind::String => match serde_json::from_str::<String>(self.raw) {
                Ok(_) => Ok(()),
                Err(_) => Err(Some(self.error(ManifestProblem::Syntax, ""))),
            },
            Kind::Null | Kind::Boolean | Kind::Number => Ok(()),
        }
    }

    /// An error about this value.
    pub(crate) fn error(self, problem: ManifestProblem, field: &str) -> ManifestError {
        let mut error = error_at(self.text, self.offset(), problem);
        field.clone_into(&mut error.field);
        error
    }

    /// The value without the white space between its tokens, each of which keeps its spelling.
    pub(crate) fn to_inline(self) -> InlineJson {
        let mut compact = String::with_capacity(self.raw.len());
        let (mut in_string, mut is_escaped) = (false, false);
        for character in self.raw.chars() {
            if in_string || !character.is_ascii_whitespace() {
                compact.push(character);
            }
            in_string = in_string != (character == '"' && !is_escaped);
            is_escaped = character == '\\' && !is_escaped;
        }
        InlineJson(compact)
    }

    fn part(self, raw: &'t RawValue) -> Value<'t> {
        Value {
            text: self.text,
            raw: raw.get(),
        }
    }

    /// Where the value begins; it is a piece of the text.
    fn offset(self) -> usize {
        (self.raw.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize)
    }
}

impl Member<'_> {
    /// The refusal of this key, which its object has already.
    pub(crate) fn repeated(&self, field: &str) -> ManifestError {
        self.key_place.error(ManifestProblem::DuplicateKey, field)
    }

    /// An error about the key.
    pub(crate) fn key_error(&self, problem: ManifestProblem, field: &str) -> ManifestError {
        self.key_place.error(problem, field)
    }
}

/// The path of a key below the path of its object.
pub(crate) fn child(field: &str, key: &str) -> String {
    if field.is_empty() {
        key.to_owned()
    } else {
        format!("{field}.{key}")
    }
}

/// The pairs of an object as they stand.
struct Pairs<'t>(Vec<(&'t RawValue, &'t RawValue)>);

impl<'t> Deserialize<'t> for Pairs<'t> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        struct PairsVisitor;

        impl<'t> Visitor<'t> for PairsVisitor {
            type Value = Pairs<'t>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> Result<Pairs<'t>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        deserializer.deserialize_map(PairsVisitor)
    }
}

/// What a person can do about a text that is no JSON, from the character at which reading stopped.
fn syntax_error(text: &str, error: &serde_json::Error) -> ManifestError {
    if error.is_eof() {
        return error_at(text, text.len(), ManifestProblem::UnexpectedEnd);
    }
    let at = offset_of(text, error);
    let (before, rest) = text.split_at(at);
    if is_inside_string(text.get(..=at).unwrap_or(text)) {
        // Of a control character the place before it is told.
        let control = rest.char_indices().nth(1).filter(|(_, it)| *it < ' ');
        let at = control.map_or(at, |(length, _)| at + length);
        return error_at(text, at, ManifestProblem::Syntax);
    }
    let before = before.trim_end();
    let ends_container = |text: &str| text.starts_with(['}', ']']);
    let behind = rest.get(1..).unwrap_or_default().trim_start();
    let (at, problem) = match rest.chars().next() {
        Some('/' | '#') => (at, ManifestProblem::Comment),
        Some(',') if ends_container(behind) => (at, ManifestProblem::TrailingComma),
        Some('}' | ']') if before.ends_with(',') => {
            (before.len() - 1, ManifestProblem::TrailingComma)
        }
        _ => (at, ManifestProblem::Syntax),
    };
    error_at(text, at, problem)
}

fn is_inside_string(before: &str) -> bool {
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in before.bytes() {
        in_string = in_string != (byte == b'"' && !is_escaped);
        is_escaped = byte == b'\\' && !is_escaped;
    }
    in_string
}

/// The character at which `serde_json` stopped; its columns count bytes.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let line_start: usize = lines.map(str::len).sum();
    let offset = line_start + error.column().saturating_sub(1);
    text.floor_char_boundary(offset)
}

fn error_at(text: &str, offset: usize, problem: ManifestProblem) -> ManifestError {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = before.get(line_start..).unwrap_or_default();
    ManifestError {
        problem,
        field: String::new(),
        line: 1 + before.matches('\n').count(),
        column: 1 + line.chars().count(),
        explanation: None,
    }
}
