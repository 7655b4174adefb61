//! Findings: everything a load cut, skipped, passed over, replaced or lost.
//!
//! A finding ends nothing by itself; each names what it is about and carries its figures as data.
//! Nothing here decides *when* something is found. Codes raised while configuration is loaded
//! stay in the results of `codex-config`.

mod code;
mod details;
mod event;
mod sentence;

use codex_config::{ConfigDiagnostic, NameProblem, ValueOrigin};
use codex_file_system::{EnvironmentId, Severity};
use codex_path_uri::PathUri;
use serde::Serialize;

pub use code::InstructionDiagnosticCode;
pub use details::InstructionDetails;

use InstructionDiagnosticCode as Code;

/// One finding. `Display` is one sentence.
///
/// # Examples
/// ```ignore-windows
/// use codex_agents_md::{InstructionDiagnosticCode, load_user_instructions};
/// use codex_file_system::Severity;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::AbsolutePathBuf;
///
/// # futures::executor::block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/home/AGENTS.md = %0A")?;
/// let home = AbsolutePathBuf::try_from("/home")?;
/// let outcome = load_user_instructions(&fs, &home).await;
/// let finding = &outcome.diagnostics[0];
/// assert_eq!(finding.code, InstructionDiagnosticCode::UserDocumentBlank);
/// assert_eq!(finding.severity, Severity::Warning);
/// assert_eq!(finding.to_string(), "the user-level document `file:///home/AGENTS.md` is blank");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InstructionDiagnostic {
    /// What was found.
    pub code: InstructionDiagnosticCode,
    /// How much it matters.
    pub severity: Severity,
    /// The environment it was found in; `None` for the user-level text.
    pub environment_id: Option<EnvironmentId>,
    /// The file or directory it is about.
    pub path: Option<PathUri>,
    /// What the code alone does not say.
    pub details: InstructionDetails,
}

impl InstructionDiagnostic {
    /// A finding about a path in an environment.
    pub(crate) fn at(
        code: Code,
        environment_id: &EnvironmentId,
        path: &PathUri,
        details: InstructionDetails,
    ) -> Self {
        Self {
            code,
            severity: code.severity(),
            environment_id: Some(environment_id.clone()),
            path: Some(path.clone()),
            details,
        }
    }

    /// A finding about the user-level text.
    pub(crate) fn at_user_level(code: Code, path: &PathUri, details: InstructionDetails) -> Self {
        Self {
            code,
            severity: code.severity(),
            environment_id: None,
            path: Some(path.clone()),
            details,
        }
    }

    /// A finding about configuration, as an environment uses it; `None` for one that is not this
    /// crate's to repeat.
    pub(crate) fn of_configuration(
        environment_id: &EnvironmentId,
        found: ConfigDiagnostic,
    ) -> Option<Self> {
        let code = Code::from_config(&found)?;
        let origin = found.origin().clone();
        let text = found.text().into_owned();
        let reason = found.reason().map(std::borrow::Cow::into_owned);
        let details = InstructionDetails::Configuration {
            origin,
            text,
            reason,
        };
        Some(Self::without_path(code, environment_id, details))
    }

    /// A configured document name that is no plain name in an environment.
    pub(crate) fn of_fallback_name(
        environment_id: &EnvironmentId,
        origin: ValueOrigin,
        name: &str,
        problem: NameProblem,
    ) -> Self {
        let (text, reason) = (name.to_owned(), Some(problem.as_str().to_owned()));
        let details = InstructionDetails::Configuration {
            origin,
            text,
            reason,
        };
        Self::without_path(Code::InvalidFallbackName, environment_id, details)
    }

    fn without_path(
        code: Code,
        environment_id: &EnvironmentId,
        details: InstructionDetails,
    ) -> Self {
        let environment_id = Some(environment_id.clone());
        Self {
            code,
            severity: code.severity(),
            environment_id,
            path: None,
            details,
        }
    }
}
