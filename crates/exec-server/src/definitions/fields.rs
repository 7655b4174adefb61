//! Reading a table key by key, so that what is left over is unknown.

use std::time::Duration;

use toml::{Table, Value};

use super::{DefinitionError, DefinitionFault};

/// The fields of a table that have not been read yet, and what errors call the table.
pub(super) struct Fields<'a> {
    file: &'a str,
    pub(super) entry: Option<String>,
    table: Table,
}

impl<'a> Fields<'a> {
    pub(super) fn new(file: &'a str, entry: Option<String>, table: Table) -> Self {
        Self { file, entry, table }
    }

    pub(super) fn error(&self, key: Option<&str>, fault: DefinitionFault) -> DefinitionError {
        DefinitionError {
            file: self.file.to_owned(),
            entry: self.entry.clone(),
            key: key.map(str::to_owned),
            fault,
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

    /// Fails if one of the keys is given.
    pub(super) fn refuse(&self, keys: &[&str], needs: &'static str) -> Result<(), DefinitionError> {
        match keys.iter().find(|key| self.table.contains_key(**key)) {
            Some(key) => Err(self.at(key, DefinitionFault::NotHere(needs))),
            None => Ok(()),
        }
    }

    /// Fails if a key is left.
    pub(super) fn end(&self) -> Result<(), DefinitionError> {
        match self.table.keys().next() {
            Some(key) => Err(self.at(key, DefinitionFault::UnknownKey)),
            None => Ok(()),
        }
    }

    /// Takes a value that `read` understands.
    pub(super) fn take<T>(
        &mut self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(Value) -> Option<T>,
    ) -> Result<Option<T>, DefinitionError> {
        let Some(value) = self.table.remove(key) else {
            return Ok(None);
        };
        match read(value) {
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
    ) -> Result<Option<Vec<Value>>, DefinitionError> {
        self.take(key, expected, |value| match value {
            Value::Array(values) => Some(values),
            _ => None,
        })
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Vec<String>, DefinitionError> {
        let texts = self.take(key, "an array of strings", |value| match value {
            Value::Array(values) => values.into_iter().map(text).collect(),
            _ => None,
        })?;
        Ok(texts.unwrap_or_default())
    }

    pub(super) fn variables(
        &mut self,
        key: &str,
    ) -> Result<Vec<(String, String)>, DefinitionError> {
        let variables = self.take(key, "a table of strings", |value| match value {
            Value::Table(table) => table
                .into_iter()
                .map(|(name, value)| Some((name, text(value)?)))
                .collect(),
            _ => None,
        })?;
        Ok(variables.unwrap_or_default())
    }

    pub(super) fn seconds(&mut self, key: &str) -> Result<Option<Duration>, DefinitionError> {
        self.take(key, "a number of seconds above 0", |value| {
            let seconds = match value {
                Value::Integer(seconds) => Duration::from_secs(u64::try_from(seconds).ok()?),
                Value::Float(seconds) => Duration::try_from_secs_f64(seconds).ok()?,
                _ => return None,
            };
            (!seconds.is_zero()).then_some(seconds)
        })
    }
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}
