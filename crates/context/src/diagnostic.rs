//! [`Diagnostic`]: everything that was lost, cut, skipped or doubtful, in one shape.
//!
//! The data are those of the crates that found it; what only a whole session can find is here.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use codex_agents_md::InstructionDiagnostic;
use codex_config::ConfigDiagnostic;
use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, FileSystemError, Severity, TextPosition};
use codex_path_uri::PathUri;
use codex_plugin::{PluginDiagnostic, PluginProviderError};
use codex_skills::{SkillDiagnostic, SkillSelector};
use serde::{Serialize, Serializer};

/// One thing that a session start found. `Display` is one sentence.
///
/// Serialized, it is an object with `code`, `severity`, `message`, `environmentId`, `path`, `line`,
/// `column`, `advice` and `causes`; what is not known is null.
#[derive(Clone, Debug)]
pub enum Diagnostic {
    /// The config home that was named does not exist.
    ConfigHomeMissing {
        /// Where it should be.
        path: PathUri,
        /// The option or variable that names it.
        named_by: &'static str,
    },
    /// Where the config home is was guessed.
    ConfigHomeUnknown {
        /// The guess.
        path: PathUri,
        /// What `HOME` is: words that end a sentence.
        home_is: &'static str,
    },
    /// An environment does not answer; nothing of it is in the context.
    EnvironmentUnreachable {
        /// The environment.
        environment_id: EnvironmentId,
        /// What its filesystem said.
        source: Arc<io::Error>,
    },
    /// The search for a project root failed.
    MarkerProbeFailed {
        /// The environment.
        environment_id: EnvironmentId,
        /// What its filesystem said.
        source: Arc<io::Error>,
    },
    /// Of configuration.
    Config(ConfigDiagnostic),
    /// Of the documents, with what is behind the failure of an environment.
    Instructions(InstructionDiagnostic, Option<Arc<io::Error>>),
    /// Of a plugin.
    Plugin(PluginDiagnostic),
    /// A selected directory that is neither known to be a plugin nor known to be none.
    PluginUnresolved(PluginProviderError),
    /// Of the skills, or of their catalog.
    Skills(SkillDiagnostic),
    /// A rule of `[[skills.config]]` that selects no skill.
    RuleSelectsNothing(SkillSelector),
}

impl Diagnostic {
    /// The stable code, in snake case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ConfigHomeMissing { .. } => "config_home_missing",
            Self::ConfigHomeUnknown { .. } => "config_home_unknown",
            Self::EnvironmentUnreachable { .. } => "environment_unreachable",
            Self::MarkerProbeFailed { .. } => "marker_probe_failed",
            Self::Config(found) => found.code(),
            Self::Instructions(found, _) => found.code(),
            Self::Plugin(found) => found.code(),
            Self::PluginUnresolved(error) => error.code(),
            Self::Skills(found) => found.code.as_str(),
            Self::RuleSelectsNothing(_) => "config_rule_selects_nothing",
        }
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        match self {
            Self::ConfigHomeMissing { .. } | Self::ConfigHomeUnknown { .. } => Severity::Warning,
            Self::EnvironmentUnreachable { .. }
            | Self::MarkerProbeFailed { .. }
            | Self::PluginUnresolved(_) => Severity::Error,
            Self::Config(found) => found.severity(),
            Self::Instructions(found, _) => found.severity(),
            Self::Plugin(found) => found.severity(),
            Self::Skills(found) => found.severity,
            Self::RuleSelectsNothing(_) => Severity::Info,
        }
    }

    /// The environment it is about.
    pub fn environment_id(&self) -> Option<&EnvironmentId> {
        match self {
            Self::ConfigHomeMissing { .. }
            | Self::ConfigHomeUnknown { .. }
            | Self::RuleSelectsNothing(_) => None,
            Self::EnvironmentUnreachable { environment_id, .. }
            | Self::MarkerProbeFailed { environment_id, .. } => Some(environment_id),
            Self::Config(found) => found.environment_id(),
            Self::Instructions(found, _) => found.environment_id.as_ref(),
            Self::Plugin(found) => found.environment_id(),
            Self::PluginUnresolved(error) => error.environment_id(),
            Self::Skills(found) => found.environment_id.as_ref(),
        }
    }

    /// The file or directory it is about.
    pub fn path(&self) -> Option<&PathUri> {
        match self {
            Self::ConfigHomeMissing { path, .. } | Self::ConfigHomeUnknown { path, .. } => {
                Some(path)
            }
            Self::EnvironmentUnreachable { .. } => None,
            Self::MarkerProbeFailed { source, .. } => {
                FileSystemError::find(source).map(|error| &error.path)
            }
            Self::Config(found) => found.path(),
            Self::Instructions(found, _) => found.path.as_ref(),
            Self::Plugin(found) => found.path(),
            Self::PluginUnresolved(error) => error.path(),
            Self::Skills(found) => found.path.as_ref(),
            Self::RuleSelectsNothing(SkillSelector::Path(path)) => Some(path),
            Self::RuleSelectsNothing(_) => None,
        }
    }

    /// Where in the file.
    pub fn position(&self) -> Option<TextPosition> {
        match self {
            Self::Config(found) => found.position(),
            Self::Plugin(found) => found.position(),
            _ => None,
        }
    }

    /// What to do about it, where the sentence does not say it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Config(found) => found.advice(),
            Self::Plugin(found) => found.advice(),
            Self::EnvironmentUnreachable { .. } => {
                Some("check the target and that a server runs or can be started there".to_owned())
            }
            _ => None,
        }
    }

    /// What a filesystem said, where that is behind it.
    pub fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::EnvironmentUnreachable { source, .. }
            | Self::MarkerProbeFailed { source, .. }
            | Self::Instructions(_, Some(source)) => Some(source.as_ref()),
            Self::PluginUnresolved(error) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConfigHomeMissing { path, named_by } => {
                let path = path.inferred_native_path_string();
                write!(
                    f,
                    "no configuration or instructions of the user count, as {named_by} names the \
                     config home {path}, which does not exist; create it or name another one"
                )
            }
            Self::ConfigHomeUnknown { path, home_is } => {
                let path = path.inferred_native_path_string();
                write!(
                    f,
                    "configuration, instructions and skills of the user count only if they are in \
                     {path}, as HOME is {home_is}; set HOME to an absolute path, or name the config \
                     home with CODEX_HOME or --config-home"
                )
            }
            Self::EnvironmentUnreachable {
                environment_id,
                source,
            } => write!(
                f,
                "cannot reach the environment `{environment_id}`: {source}"
            ),
            Self::MarkerProbeFailed { source, .. } => {
                write!(f, "cannot find the project root: {source}")
            }
            Self::Config(found) => write!(f, "{found}"),
            Self::Instructions(found, _) => write!(f, "{found}"),
            Self::Plugin(found) => write!(f, "{found}"),
            Self::PluginUnresolved(error) => write!(f, "{error}"),
            Self::Skills(found) => write!(f, "{found}"),
            Self::RuleSelectsNothing(SkillSelector::Name(name)) => {
                write!(
                    f,
                    "a rule for skills selects none: no skill is called `{name}`"
                )
            }
            Self::RuleSelectsNothing(SkillSelector::Path(path)) => {
                write!(f, "a rule for skills selects none: no skill is at {path}")
            }
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record<'a> {
    code: &'static str,
    severity: Severity,
    message: String,
    environment_id: Option<&'a EnvironmentId>,
    path: Option<&'a PathUri>,
    line: Option<u32>,
    column: Option<u32>,
    advice: Option<String>,
    kind: Option<&'static str>,
    causes: Vec<String>,
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut causes = Vec::new();
        let mut cause = self.source();
        while let Some(error) = cause {
            causes.push(error.to_string());
            cause = error.source();
        }
        let io = self.source().and_then(|it| it.downcast_ref::<io::Error>());
        let position = self.position();
        let record = Record {
            code: self.code(),
            severity: self.severity(),
            message: self.to_string(),
            environment_id: self.environment_id(),
            path: self.path(),
            line: position.map(|it| it.line),
            column: position.map(|it| it.column),
            advice: self.advice(),
            kind: io.map(|error| kind_name(error.kind())),
            causes,
        };
        record.serialize(serializer)
    }
}
