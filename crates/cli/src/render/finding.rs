//! Findings: what was cut, skipped, shadowed or refused, told on standard error.
//!
//! Every crate's diagnostics become findings here; the words and the data are theirs.

use std::error::Error;
use std::fmt::Display;

use codex_agents_md::{InstructionDiagnostic, InstructionDiagnosticCode};
use codex_config::ConfigDiagnostic;
use codex_file_system::Severity;
use serde::Serialize;
use serde_json::{Map, Value};

use super::causes::{caused_by, chain};
use super::escape::escaped;
use super::json::to_json;
use super::text::{Painter, Style};

/// Something that a person may want to mend or to know.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    severity: Severity,
    /// Told without being asked for, though nothing is wrong: it says why there is no result.
    explains_absence: bool,
    code: String,
    sentence: String,
    causes: Vec<String>,
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
            explains_absence: false,
            code: code.to_owned(),
            sentence,
            causes: Vec::new(),
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
        let mut finding = Self::new(found.severity, found.code.as_str(), found, found)?;
        finding.explains_absence = matches!(
            found.code,
            InstructionDiagnosticCode::ProjectDocumentsWithheld
                | InstructionDiagnosticCode::ProjectDocumentsDisabled
        );
        Ok(finding)
    }

    /// The same finding with the causes behind it.
    pub(crate) fn caused_by(mut self, cause: &(dyn Error + 'static)) -> Self {
        self.causes = chain(cause);
        self.fields
            .insert("causes".to_owned(), self.causes.clone().into());
        self
    }

    /// Whether a person is told without asking for more.
    pub(crate) fn is_told(&self) -> bool {
        self.is_serious() || self.explains_absence
    }

    /// Whether something was lost or is wrong, which `--check` turns into an exit code.
    pub(crate) fn is_serious(&self) -> bool {
        self.severity >= Severity::Warning
    }

    /// The finding as a JSON object: what its crate serializes, and the sentence as `message`.
    pub(crate) fn to_value(&self) -> Value {
        Value::Object(self.fields.clone())
    }

    /// `warning: SENTENCE [code]`, then one line for each cause.
    pub(crate) fn shown(&self, painter: Painter) -> String {
        let label = match self.severity {
            Severity::Info => painter.paint(Style::Dim, "note:"),
            Severity::Warning => painter.paint(Style::Warn, "warning:"),
            Severity::Error => painter.paint(Style::Bad, "error:"),
        };
        let code = painter.paint(Style::Dim, &format!("[{}]", self.code));
        let (sentence, causes) = (escaped(&self.sentence), caused_by(&self.causes));
        format!("{label} {sentence} {code}\n{causes}")
    }
}
