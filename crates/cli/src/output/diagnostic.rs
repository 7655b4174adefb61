//! Diagnostics: what was cut, skipped, shadowed or refused, told on standard error.
//!
//! The words and the data are those of the libraries. On a terminal paths are spelled natively and
//! diagnostics are grouped by code; a pipe gets one line each, in the order they were made.

use std::error::Error;
use std::fmt::Display;

use codex_agents_md::{InstructionDiagnostic, InstructionDiagnosticKind};
use codex_config::ConfigDiagnostic;
use codex_context::Diagnostic as SessionDiagnostic;
use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, Severity};
use codex_path_uri::PathUri;
use codex_plugin::{PluginDiagnostic, PluginProviderError};
use codex_skills::{ScanLimit, SkillDiagnostic, SkillDiagnosticCode};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::escape::{bounded, escaped};
use super::json::to_json;
use super::text::{Painter, Style, grouped};

/// Most diagnostics of one code that a terminal is shown unasked.
const MOST_OF_A_CODE: usize = 3;

/// Something that a person may want to mend or to know.
#[derive(Clone, Debug)]
pub(crate) struct Diagnostic {
    severity: Severity,
    /// Told whatever its severity: it says why there is no result, or is what a person asked about.
    is_always_told: bool,
    /// Counted like a loss whatever its severity: diagnostic such things is what was asked for.
    is_always_counted: bool,
    /// Not told: the result itself says it.
    is_in_result: bool,
    code: String,
    sentence: String,
    causes: Vec<String>,
    /// What a program may want to know, for JSON.
    fields: Map<String, Value>,
}

impl Diagnostic {
    /// A diagnostic of this command itself, with the `fields` that a program may want to know.
    ///
    /// # Errors
    /// When the fields cannot be serialized.
    pub(crate) fn new(
        severity: Severity,
        code: &str,
        sentence: impl Display,
        fields: &impl Serialize,
    ) -> serde_json::Result<Self> {
        let sentence = bounded(sentence.to_string());
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
            is_in_result: false,
            code: code.to_owned(),
            sentence,
            causes: Vec::new(),
            fields: map,
        })
    }

    /// A diagnostic of a session start.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_context(found: &codex_context::Diagnostic) -> serde_json::Result<Self> {
        use codex_context::Diagnostic as Found;
        let diagnostic = match found {
            Found::Config(found) => Self::of_applied_config(found)?,
            Found::Instructions(found, _) => Self::of_instructions(found)?,
            Found::Plugin(found) => Self::of_plugin(found)?,
            Found::PluginUnresolved(error) => return Self::of_plugin_error(error),
            Found::Skills(found) => Self::of_skills(found)?,
            _ => Self::new(found.severity(), found.code(), found, found)?,
        };
        Ok(match found.source() {
            Some(cause) => diagnostic.caused_by(cause),
            None => diagnostic,
        })
    }

    /// A diagnostic of the configuration loaders.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_config(found: &ConfigDiagnostic) -> serde_json::Result<Self> {
        let mut diagnostic = Self::new(found.severity(), found.code(), found, found)?;
        diagnostic.is_always_told = matches!(
            found,
            ConfigDiagnostic::UnknownKey { .. }
                | ConfigDiagnostic::MisplacedKey { .. }
                | ConfigDiagnostic::KeyWithoutEffect { .. }
                | ConfigDiagnostic::BrokenMarkerLink { .. }
        );
        Ok(diagnostic)
    }

    /// The same for whoever is shown what configuration leads to, and not its layers.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_applied_config(found: &ConfigDiagnostic) -> serde_json::Result<Self> {
        let mut diagnostic = Self::of_config(found)?;
        diagnostic.is_always_told |= matches!(found, ConfigDiagnostic::ProjectLayerDisabled { .. });
        Ok(diagnostic)
    }

    /// A diagnostic of the loaders of instructions.
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
        let to_do = found.advice().filter(|_| {
            matches!(
                found.kind,
                InstructionDiagnosticKind::OtherInstructionsPresent { .. }
            )
        });
        let to_do = to_do
            .map(|advice| format!("; {advice}"))
            .unwrap_or_default();
        let sentence = format!("{found}{advice}{to_do}");
        let mut diagnostic = Self::new(found.severity(), found.code(), sentence, found)?;
        diagnostic.is_always_told = matches!(
            found.kind,
            InstructionDiagnosticKind::ProjectDocumentsWithheld
                | InstructionDiagnosticKind::ProjectDocumentsDisabled
                | InstructionDiagnosticKind::BrokenLink
                | InstructionDiagnosticKind::ForeignBudget { .. }
                | InstructionDiagnosticKind::OtherInstructionsPresent { .. }
        );
        Ok(diagnostic)
    }

    /// A diagnostic about skills.
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
        let mut diagnostic = Self::new(found.severity, found.code.as_str(), found, &fields)?;
        diagnostic.is_always_told = matches!(
            found.code,
            SkillDiagnosticCode::RootMissing
                | SkillDiagnosticCode::SkillFileMisnamed
                | SkillDiagnosticCode::ProductRestricted
        );
        Ok(diagnostic)
    }

    /// A diagnostic about a plugin, in the file or directory `place`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_plugin(found: &PluginDiagnostic) -> serde_json::Result<Self> {
        let mut diagnostic = Self::new(found.severity(), found.code(), found, found)?;
        // A person who asks about one plugin wants to hear everything of it.
        diagnostic.is_always_told = true;
        Ok(diagnostic)
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
        let diagnostic = Self::new(Severity::Error, error.code(), error, &fields)?;
        Ok(match error.source() {
            Some(cause) => diagnostic.caused_by(cause),
            None => diagnostic,
        })
    }

    /// What a session start found; `None` for what is shown elsewhere. What is behind it is not told
    /// here.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub(crate) fn of_session(found: &SessionDiagnostic) -> serde_json::Result<Option<Self>> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Place<'a> {
            environment_id: Option<&'a EnvironmentId>,
            path: Option<&'a PathUri>,
        }
        #[derive(Serialize)]
        struct Home<'a> {
            path: &'a PathUri,
        }
        #[derive(Serialize)]
        struct Probe<'a> {
            path: Option<&'a PathUri>,
            kind: &'static str,
        }
        let (severity, code) = (found.severity(), found.code());
        Ok(Some(match found {
            SessionDiagnostic::Config(found) => Self::of_applied_config(found)?,
            SessionDiagnostic::Instructions(found, _) => Self::of_instructions(found)?,
            SessionDiagnostic::Skills(found) => Self::of_skills(found)?,
            SessionDiagnostic::PluginUnresolved(error) => Self::of_plugin_error(error)?,
            SessionDiagnostic::ConfigHomeMissing { path, .. }
            | SessionDiagnostic::ConfigHomeUnknown { path, .. } => {
                Self::new(severity, code, found, &Home { path })?
            }
            SessionDiagnostic::MarkerProbeFailed { source, .. } => {
                let (path, kind) = (found.path(), kind_name(source.kind()));
                Self::new(severity, code, found, &Probe { path, kind })?
            }
            // The table and the rules themselves show it.
            SessionDiagnostic::RuleSelectsNothing(_) => return Ok(None),
            _ => {
                let (environment_id, path) = (found.environment_id(), found.path());
                let place = Place {
                    environment_id,
                    path,
                };
                Self::new(severity, code, found, &place)?
            }
        }))
    }

    /// The same diagnostic, told and counted whatever its severity.
    pub(crate) fn asked_for(self) -> Self {
        Self {
            is_always_counted: true,
            ..self
        }
    }

    /// The same diagnostic, told whatever its severity.
    pub(crate) fn told(self) -> Self {
        Self {
            is_always_told: true,
            ..self
        }
    }

    /// The same diagnostic with the causes behind it.
    pub(crate) fn caused_by(mut self, cause: &(dyn Error + 'static)) -> Self {
        self.causes = chain(cause);
        self.fields
            .insert("causes".to_owned(), self.causes.clone().into());
        self
    }

    /// The same diagnostic, counted whatever its severity and not told, as the result says it.
    pub(crate) fn in_result(self) -> Self {
        Self {
            is_in_result: true,
            ..self.asked_for()
        }
    }

    /// Whether a person is told, who may have asked for more.
    pub(crate) fn is_told(&self, is_verbose: bool) -> bool {
        let is_wanted = is_verbose || self.is_serious() || self.is_always_told;
        is_wanted && !self.is_in_result
    }

    /// The stable code.
    pub(crate) fn code(&self) -> &str {
        &self.code
    }

    /// How much it matters.
    pub(crate) fn severity(&self) -> Severity {
        self.severity
    }

    /// The sentence, as a person wants it.
    pub(crate) fn sentence(&self, spelling: Spelling) -> String {
        self.spelled(&self.sentence, spelling)
    }

    /// Whether something was lost or is wrong, which `--check` turns into an exit code.
    pub(crate) fn is_serious(&self) -> bool {
        self.is_always_counted || self.severity >= Severity::Warning
    }

    /// `warning: SENTENCE [code]`, then one line for each cause.
    pub(crate) fn shown(&self, spelling: Spelling) -> String {
        let painter = spelling.painter;
        let label = match self.severity {
            Severity::Info => painter.paint(Style::Dim, "note:"),
            Severity::Warning => painter.paint(Style::Warn, "warning:"),
            Severity::Error => painter.paint(Style::Bad, "error:"),
        };
        let code = painter.paint(Style::Dim, &format!("[{}]", self.code));
        let sentence = self.spelled(&self.sentence, spelling);
        let causes = self.causes.iter();
        let causes: Vec<String> = causes.map(|cause| self.spelled(cause, spelling)).collect();
        format!(
            "{label} {} {code}\n{}",
            escaped(&sentence),
            caused_by(&causes)
        )
    }

    /// A text of the diagnostic with its paths and its environment as a person wants them.
    fn spelled(&self, text: &str, spelling: Spelling) -> String {
        let mut spelled = text.to_owned();
        if spelling.has_native_paths {
            let mut paths = Vec::new();
            collect_paths(&self.fields, &mut paths);
            // The longest first, since one may begin with another.
            paths.sort_by_key(|(uri, _)| std::cmp::Reverse(uri.len()));
            for (uri, native) in paths {
                spelled = spelled.replace(uri, native);
            }
        }
        if !spelling.names_environments {
            spelled = without_environments(&spelled);
        }
        spelled
    }
}

/// What is serialized is what the library serializes, and the sentence as `message`.
impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.fields.serialize(serializer)
    }
}

/// How sentences spell what they are about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spelling {
    /// Colours.
    pub(crate) painter: Painter,
    /// Whether paths have their native spelling and not that of URIs.
    pub(crate) has_native_paths: bool,
    /// Whether a path alone does not say on which machine it is.
    pub(crate) names_environments: bool,
}

/// Diagnostics in their order, one line each, causes below.
pub(crate) fn listed(diagnostics: &[&Diagnostic], spelling: Spelling) -> String {
    let shown = diagnostics.iter().map(|it| it.shown(spelling));
    shown.collect()
}

/// Diagnostics by their codes, the most severe codes first; of each code the first few.
pub(crate) fn grouped_by_code(diagnostics: &[&Diagnostic], spelling: Spelling) -> String {
    let mut groups: Vec<Vec<&Diagnostic>> = Vec::new();
    for diagnostic in diagnostics {
        let is_same = |group: &&mut Vec<&Diagnostic>| {
            let first = group.first();
            first.is_some_and(|it| {
                (&it.code, it.severity) == (&diagnostic.code, diagnostic.severity)
            })
        };
        match groups.iter_mut().find(is_same) {
            Some(group) => group.push(diagnostic),
            None => groups.push(vec![diagnostic]),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.first().map(|first| first.severity)));
    let mut shown = String::new();
    for group in groups {
        let few = group.get(..MOST_OF_A_CODE).unwrap_or(&group);
        shown.push_str(&listed(few, spelling));
        let others = group.len() - few.len();
        if let (Some(first), true) = (group.first(), others > 0) {
            let others = grouped(u64::try_from(others).unwrap_or(u64::MAX));
            let line = format!("  and {others} more [{}]; -v shows them all", first.code);
            shown.push_str(&spelling.painter.paint(Style::Dim, &line));
            shown.push('\n');
        }
    }
    shown
}

/// A sentence without the words that name an environment.
fn without_environments(sentence: &str) -> String {
    let mut parts = sentence.split(" in environment `");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        shown + part.split_once('`').map_or("", |(_, rest)| rest)
    })
}

/// The URIs among the fields, each with the native spelling that stands beside it.
fn collect_paths<'a>(fields: &'a Map<String, Value>, paths: &mut Vec<(&'a str, &'a str)>) {
    for (key, value) in fields {
        match (value, fields.get(&format!("{key}Native"))) {
            (Value::String(uri), Some(Value::String(native))) => paths.push((uri, native)),
            (Value::Array(uris), Some(Value::Array(natives))) => {
                let pairs = uris.iter().zip(natives);
                paths.extend(pairs.filter_map(|(uri, it)| Some((uri.as_str()?, it.as_str()?))));
            }
            (Value::Object(inner), _) => collect_paths(inner, paths),
            _ => {}
        }
    }
}

/// The texts of an error and of the causes behind it.
///
/// Some errors end with the text of their cause; such a cause is left out.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> Vec<String> {
    let mut texts = vec![bounded(error.to_string())];
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = bounded(error.to_string());
        if texts.last().is_none_or(|last| !last.ends_with(&text)) {
            texts.push(text);
        }
        cause = error.source();
    }
    texts
}

/// One indented line for each cause.
pub(crate) fn caused_by(causes: &[String]) -> String {
    let lines = causes
        .iter()
        .map(|cause| format!("  caused by: {}\n", escaped(cause)));
    lines.collect()
}
