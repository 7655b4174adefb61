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
    /// is none and, if `keys_once`, one in which an object has a key twice. The first in document order is told, but
    /// the depth before all.
    pub(crate) fn check(
        self,
        field: &str,
        outer: usize,
        keys_once: bool,
    ) -> Result<(), ManifestError> {
        if outer + self.height() > MAX_MANIFEST_DEPTH {
            let limit = format!("more than {MAX_MANIFEST_DEPTH} objects and arrays");
            let error = self.error(ManifestProblem::TooDeep, field);
            return Err(error.with_explanation(limit));
        }
        // What is still to be looked at, the next in document order last.
        let mut pending = vec![Ok((field.to_owned(), self))];
        while let Some(next) = pending.pop() {
            let (field, value) = next?;
            let mut inner = Vec::new();
            let mut keys = HashSet::new();
            for member in value.members().into_iter().flatten() {
                let field = child(&field, &member.key);
                let is_repeated = keys_once && !keys.insert(member.key.clone());
                inner.push(if is_repeated {
                    Err(member.repeated(&field))
                } else {
                    Ok((field, member.value))
                });
            }
            for (index, element) in value.elements().into_iter().flatten().enumerate() {
                inner.push(Ok((format!("{field}[{index}]"), element)));
            }
            if value.kind() == Kind::String && value.as_text().is_none() {
                return Err(value.error(ManifestProblem::Syntax, ""));
            }
            pending.extend(inner.into_iter().rev());
        }
        Ok(())
    }

    /// How many containers lie inside each other at most, this value included.
    fn height(self) -> usize {
        let (mut depth, mut height) = (0_usize, 0);
        for byte in outside_strings(self.raw).map(|(_, byte)| byte) {
            match byte {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            height = height.max(depth);
        }
        height
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
        let mut from = 0;
        for (at, _) in outside_strings(self.raw).filter(|(_, it)| it.is_ascii_whitespace()) {
            compact.push_str(self.raw.get(from..at).unwrap_or_default());
            from = at + 1;
        }
        compact.push_str(self.raw.get(from..).unwrap_or_default());
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

/// The bytes of a text that are in no string, quotes included.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let (mut in_string, mut is_escaped) = (false, false);
    text.bytes().enumerate().filter(move |(_, byte)| {
        let was_in_string = in_string;
        in_string = in_string != (*byte == b'"' && !is_escaped);
        is_escaped = *byte == b'\\' && !is_escaped;
        !(was_in_string && in_string)
    })
}

fn is_inside_string(before: &str) -> bool {
    outside_strings(before)
        .filter(|(_, byte)| *byte == b'"')
        .count()
        % 2
        == 1
}

/// The character at which `serde_json` stopped; its columns count bytes.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
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
