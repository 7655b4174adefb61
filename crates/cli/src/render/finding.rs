//! Findings: what was cut, skipped, shadowed or refused, told on standard error.
//!
//! Every crate's diagnostics become findings here; the words and the data are theirs.

use std::error::Error;
use std::fmt::Display;

use codex_agents_md::{InstructionDiagnostic, InstructionDiagnosticKind};
use codex_config::ConfigDiagnostic;
use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, Severity};
use codex_path_uri::PathUri;
use codex_plugin::{PluginDiagnostic, PluginProviderError};
use codex_skills::{ScanLimit, SkillDiagnostic, SkillDiagnosticCode};
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
    /// Told whatever its severity: it says why there is no result, or is what a person asked about.
    is_always_told: bool,
    /// Counted like a loss whatever its severity: finding such things is what was asked for.
    is_always_counted: bool,
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
            is_always_told: false,
            is_always_counted: false,
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
        let mut finding = Self::new(found.severity(), found.code(), found, found)?;
        finding.is_always_told = matches!(
            found,
            ConfigDiagnostic::UnknownKey { .. }
                | ConfigDiagnostic::MisplacedKey { .. }
                | ConfigDiagnostic::KeyWithoutEffect { .. }
        );
        Ok(finding)
    }

    /// The same for whoever is shown what configuration leads to, and not its layers.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_applied_config(found: &ConfigDiagnostic) -> serde_json::Result<Self> {
        let mut finding = Self::of_config(found)?;
        finding.is_always_told |= matches!(found, ConfigDiagnostic::ProjectLayerDisabled { .. });
        Ok(finding)
    }

    /// A finding of the loaders of instructions.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_instructions(found: &InstructionDiagnostic) -> serde_json::Result<Self> {
        let advice = match found.kind {
            InstructionDiagnosticKind::EnvironmentFailed { .. } => {
                "; `--keep-readable` goes on without what fails"
            }
            _ => "",
        };
        let sentence = format!("{found}{advice}");
        let mut finding = Self::new(found.severity(), found.code(), sentence, found)?;
        finding.is_always_told = matches!(
            found.kind,
            InstructionDiagnosticKind::ProjectDocumentsWithheld
                | InstructionDiagnosticKind::ProjectDocumentsDisabled
                | InstructionDiagnosticKind::BrokenLink
                | InstructionDiagnosticKind::ForeignBudget { .. }
        );
        Ok(finding)
    }

    /// A finding about skills.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_skills(found: &SkillDiagnostic) -> serde_json::Result<Self> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Fields<'a> {
            environment_id: Option<&'a EnvironmentId>,
            path: Option<&'a PathUri>,
            field: Option<&'a str>,
            limit: Option<ScanLimit>,
            not_listed: Option<u64>,
            count: Option<u64>,
            others: &'a [PathUri],
            kind: Option<&'static str>,
        }
        let fields = Fields {
            environment_id: found.environment_id.as_ref(),
            path: found.path.as_ref(),
            field: found.field.as_deref(),
            limit: found.limit,
            not_listed: found.not_listed,
            count: found.count,
            others: &found.others,
            kind: found.io_kind.map(kind_name),
        };
        let mut finding = Self::new(found.severity, found.code.as_str(), found, &fields)?;
        finding.is_always_told = matches!(
            found.code,
            SkillDiagnosticCode::RootMissing
                | SkillDiagnosticCode::SkillFileMisnamed
                | SkillDiagnosticCode::ProductRestricted
        );
        Ok(finding)
    }

    /// A finding about a plugin.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_plugin(found: &PluginDiagnostic) -> serde_json::Result<Self> {
        let mut finding = Self::new(found.severity(), found.code(), found, found)?;
        // Whoever asks about one plugin wants to hear everything of it.
        finding.is_always_told = true;
        Ok(finding)
    }

    /// Why it is not known whether a directory holds a plugin.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_plugin_error(error: &PluginProviderError) -> serde_json::Result<Self> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Fields<'a> {
            environment_id: Option<&'a EnvironmentId>,
            path: Option<&'a PathUri>,
            kind: Option<&'static str>,
            problem: Option<&'static str>,
            field: Option<&'a str>,
            line: Option<usize>,
            column: Option<usize>,
        }
        let mut fields = Fields {
            environment_id: error.environment_id(),
            path: error.path(),
            kind: error.io_kind().map(kind_name),
            problem: None,
            field: None,
            line: None,
            column: None,
        };
        match error {
            PluginProviderError::ParseManifest { source, .. } => {
                fields.problem = Some(source.problem().code());
                fields.field = Some(source.field()).filter(|field| !field.is_empty());
                fields.line = Some(source.line());
                fields.column = Some(source.column());
            }
            PluginProviderError::ConstructDescriptor { source, .. } => {
                fields.problem = Some(source.code());
                fields.field = Some(source.field());
            }
            _ => {}
        }
        let finding = Self::new(Severity::Error, error.code(), error, &fields)?;
        Ok(match error.source() {
            Some(cause) => finding.caused_by(cause),
            None => finding,
        })
    }

    /// The same finding, told and counted whatever its severity.
    pub(crate) fn asked_for(self) -> Self {
        Self {
            is_always_counted: true,
            ..self
        }
    }

    /// The same finding, told whatever its severity.
    pub(crate) fn told(self) -> Self {
        Self {
            is_always_told: true,
            ..self
        }
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
        self.is_serious() || self.is_always_told
    }

    /// Whether something was lost or is wrong, which `--check` turns into an exit code.
    pub(crate) fn is_serious(&self) -> bool {
        self.is_always_counted || self.severity >= Severity::Warning
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
