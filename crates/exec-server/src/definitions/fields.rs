//! Reading a table key by key, so that what is left over is unknown.

use std::collections::BTreeMap;
use std::time::Duration;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{DefinitionError, DefinitionFault, TextPosition};

/// A text, and what errors call it.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
}

/// The fields of a table that have not been read yet, and what errors call the table.
pub(super) struct Fields<'a> {
    source: Source<'a>,
    pub(super) entry: Option<String>,
    /// Where the table begins, in bytes.
    begin: usize,
    /// The places of all fields, those that have been read included.
    places: BTreeMap<String, Place>,
    table: DeTable<'a>,
}

/// Where a field stands, in bytes.
#[derive(Clone, Copy)]
struct Place {
    key: usize,
    value: usize,
}

impl Source<'_> {
    /// An error at a byte of the text, outside of any field.
    pub(super) fn error(&self, offset: usize, fault: DefinitionFault) -> DefinitionError {
        DefinitionError {
            file: self.file.to_owned(),
            position: Some(TextPosition::of(self.text, offset)),
            entry: None,
            key: None,
            fault,
        }
    }
}

impl<'a> Fields<'a> {
    pub(super) fn new(
        source: Source<'a>,
        entry: Option<String>,
        begin: usize,
        table: DeTable<'a>,
    ) -> Self {
        let places = table.iter().map(|(key, value)| {
            let place = Place {
                key: key.span().start,
                value: value.span().start,
            };
            (key.get_ref().to_string(), place)
        });
        Self {
            source,
            entry,
            begin,
            places: places.collect(),
            table,
        }
    }

    fn error(&self, key: Option<&str>, fault: DefinitionFault) -> DefinitionError {
        let place = key.and_then(|key| self.places.get(key));
        let is_about_key = matches!(
            fault,
            DefinitionFault::UnknownKey | DefinitionFault::NotHere(_) | DefinitionFault::Token
        );
        let offset = match place {
            Some(place) if is_about_key => place.key,
            Some(place) => place.value,
            None => self.begin,
        };
        DefinitionError {
            entry: self.entry.clone(),
            key: key.map(str::to_owned),
            ..self.source.error(offset, fault)
        }
    }

    pub(super) fn at(&self, key: &str, fault: DefinitionFault) -> DefinitionError {
        self.error(Some(key), fault)
    }

    pub(super) fn value(&self, key: &str, message: String) -> DefinitionError {
        self.at(key, DefinitionFault::Value(message))
    }

    pub(super) fn whole(&self, fault: DefinitionFault) -> DefinitionError {
        self.error(None, fault)
    }

    /// Fails with `fault` if one of the keys is given.
    pub(super) fn refuse(
        &self,
        keys: &[&str],
        fault: DefinitionFault,
    ) -> Result<(), DefinitionError> {
        match keys.iter().find(|key| self.table.contains_key(**key)) {
            Some(key) => Err(self.at(key, fault)),
            None => Ok(()),
        }
    }

    /// Fails if a key is left, with the first one in the text.
    pub(super) fn end(&self) -> Result<(), DefinitionError> {
        match self.table.keys().min_by_key(|key| key.span().start) {
            Some(key) => Err(self.at(key.get_ref(), DefinitionFault::UnknownKey)),
            None => Ok(()),
        }
    }

    /// Takes a value that `read` understands.
    pub(super) fn take<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(DeValue<'a>) -> Option<T>,
    ) -> Result<Option<T>, DefinitionError> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        match read(value.into_inner()) {
            Some(value) => Ok(Some(value)),
            None => Err(self.at(key, DefinitionFault::Type(expected))),
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, DefinitionError> {
        self.take(key, "a string", text)
    }

    pub(super) fn boolean(&mut self, key: &str) -> Result<Option<bool>, DefinitionError> {
        self.take(key, "true or false", |value| value.as_bool())
    }

    pub(super) fn array(
        &mut self,
        key: &str,
        expected: &'static str,
    ) -> Result<Option<Vec<Spanned<DeValue<'a>>>>, DefinitionError> {
        self.take(key, expected, |value| match value {
            DeValue::Array(values) => Some(values.into_iter().collect()),
            _ => None,
        })
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, DefinitionError> {
        let texts = self.take(key, "an array of strings", |value| match value {
            DeValue::Array(values) => {
                let values = values.into_iter().map(Spanned::into_inner);
                values.map(text).collect()
            }
            _ => None,
        })?;
        Ok(texts.unwrap_or_default())
    }

    pub(super) fn variables(
        &mut self,
        key: &str,
    ) -> Result<Vec<(String, String)>, DefinitionError> {
        let variables = self.take(key, "a table of strings", |value| match value {
            DeValue::Table(table) => table
                .into_iter()
                .map(|(name, value)| {
                    Some((name.into_inner().into_owned(), text(value.into_inner())?))
                })
                .collect(),
            _ => None,
        })?;
        Ok(variables.unwrap_or_default())
    }

    pub(super) fn seconds(&mut self, key: &str) -> Result<Option<Duration>, DefinitionError> {
        self.take(key, "a number of seconds above 0", |value| {
            let seconds = match value {
                DeValue::Integer(seconds) => {
                    let seconds = u64::from_str_radix(seconds.as_str(), seconds.radix());
                    Duration::from_secs(seconds.ok()?)
                }
                DeValue::Float(seconds) => {
                    Duration::try_from_secs_f64(seconds.as_str().parse().ok()?).ok()?
                }
                _ => return None,
            };
            (!seconds.is_zero()).then_some(seconds)
        })
    }
}

fn text(value: DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.into_owned()),
        _ => None,
    }
}
