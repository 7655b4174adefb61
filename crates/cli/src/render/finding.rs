//! Findings: what was cut, skipped, shadowed or refused, one line each on standard error.
//!
//! Every crate's diagnostics become findings here; the words and the data are theirs.

use std::fmt::Display;

use codex_agents_md::InstructionDiagnostic;
use codex_config::ConfigDiagnostic;
use codex_file_system::Severity;
use serde::Serialize;
use serde_json::{Map, Value};

use super::escape::escaped;
use super::json::to_json;
use super::text::{Painter, Style};

/// One line about something that a person may want to mend.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    /// How much it matters.
    pub(crate) severity: Severity,
    /// A stable name for it.
    pub(crate) code: String,
    /// One sentence.
    pub(crate) sentence: String,
    /// What a program may want to know, for JSON.
    fields: Map<String, Value>,
}

impl Finding {
    /// A finding of this command itself, with the `fields` that a program may want to know.
    ///
    /// # Errors
    /// When the fields cannot be serialized.
    pub(crate) fn new(
        severity: Severity,
        code: &str,
        sentence: impl Display,
        fields: &impl Serialize,
    ) -> serde_json::Result<Self> {
        let sentence = sentence.to_string();
        let mut map = Map::new();
        map.insert("code".to_owned(), code.into());
        map.insert("severity".to_owned(), serde_json::to_value(severity)?);
        map.insert("message".to_owned(), sentence.clone().into());
        if let Value::Object(fields) = to_json(fields)? {
            for (key, value) in fields {
                map.entry(key).or_insert(value);
            }
        }
        Ok(Self {
            severity,
            code: code.to_owned(),
            sentence,
            fields: map,
        })
    }

    /// A finding of the configuration loaders.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_config(found: &ConfigDiagnostic) -> serde_json::Result<Self> {
        Self::new(found.severity, found.code.as_str(), found, found)
    }

    /// A finding of the loaders of instructions.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_instructions(found: &InstructionDiagnostic) -> serde_json::Result<Self> {
        Self::new(found.severity, found.code.as_str(), found, found)
    }

    /// Whether something was lost or is wrong, which `--check` turns into an exit code.
    pub(crate) fn is_serious(&self) -> bool {
        self.severity >= Severity::Warning
    }

    /// The finding as a JSON object: what its crate serializes, and the sentence as `message`.
    pub(crate) fn to_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    /// `warning: SENTENCE [code]`.
    pub(crate) fn shown(&self, painter: Painter) -> String {
        let label = match self.severity {
            Severity::Info => painter.paint(Style::Dim, "note:"),
            Severity::Warning => painter.paint(Style::Warn, "warning:"),
            Severity::Error => painter.paint(Style::Bad, "error:"),
        };
        let code = painter.paint(Style::Dim, &format!("[{}]", self.code));
        format!("{label} {} {code}\n", escaped(&self.sentence))
    }
}
