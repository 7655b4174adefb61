//! What was dropped, cut or normalised beside a result.
//!
//! One diagnostic per thing, in document order. A diagnostic never replaces an error: what refuses
//! a whole manifest is a [`ManifestError`](crate::ManifestError).

use std::fmt;

use codex_file_system::Severity;

use crate::MAX_DIAGNOSTICS;
use crate::escape::Escaped;

/// One finding about one place of a manifest or of a file of MCP registrations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginDiagnostic {
    code: PluginDiagnosticCode,
    field: String,
    detail: String,
}

/// The stable code of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PluginDiagnosticCode {
    /// A value of another JSON type; the field or element is dropped.
    WrongType,
    /// A list that holds both strings and objects; the field is dropped.
    MixedList,
    /// A list or map longer than its limit; what lies past it is not judged.
    ListTruncated,
    /// An empty path; dropped.
    PathEmpty,
    /// A path with a control character; dropped.
    PathControlCharacter,
    /// A path that does not begin with `./`; dropped.
    PathPrefix,
    /// A path with a separator right after its `./`; dropped.
    PathRooted,
    /// A path with a component that a filesystem takes for the parent; dropped.
    PathParentComponent,
    /// A path below a Windows root with a `:` in a component; dropped.
    PathDriveOrStream,
    /// A path that names nothing below the root; dropped.
    PathIsRoot,
    /// A path that Windows opens under another name, or not at all; kept.
    PathNotPortable,
    /// A default prompt without text; dropped.
    PromptEmpty,
    /// A default prompt longer than its limit; dropped.
    PromptTooLong,
    /// More default prompts than the limit; the rest is not judged.
    PromptLimit,
    /// A map of hook events without its `hooks` key; kept with the key added.
    HooksUnwrapped,
    /// An unknown key that looks like a misspelling of a known one; ignored.
    UnknownKey,
    /// A name the install rule refuses; kept.
    InvalidPluginName,
    /// A name that is unfit for the model's catalogue; replaced there.
    UnsafePluginName,
    /// More findings than are reported.
    DiagnosticsTruncated,
    /// A declared file of MCP registrations that is not there.
    McpConfigMissing,
    /// A file of MCP registrations that could not be read.
    McpConfigUnreadable,
    /// A file of MCP registrations that is no JSON object of the right grammar.
    McpConfigInvalid,
    /// An MCP registration with a bad name or key; dropped.
    McpServerInvalid,
    /// An MCP registration of another transport than stdio; dropped.
    McpTransportUnsupported,
    /// An MCP registration whose name an earlier one has; dropped.
    McpServerDuplicate,
}

impl PluginDiagnostic {
    pub(crate) fn new(
        code: PluginDiagnosticCode,
        field: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        Self {
            code,
            field: field.into(),
            detail: detail.into(),
        }
    }

    /// The stable code.
    pub fn code(&self) -> PluginDiagnosticCode {
        self.code
    }

    /// The place: a JSON path such as `skills[1]`, a file relative to the root, or
    /// `<server>.<key>`. Empty if the finding is about the whole plugin. Not escaped.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// A sentence fragment for people, foreign text in it escaped and cut.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// How much the finding matters.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for PluginDiagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.field.is_empty() {
            write!(formatter, "`{}`: ", Escaped(&self.field))?;
        }
        write!(formatter, "{} ({})", self.detail, self.code)
    }
}

impl PluginDiagnosticCode {
    /// The code as it stands in reports, in snake case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WrongType => "wrong_type",
            Self::MixedList => "mixed_list",
            Self::ListTruncated => "list_truncated",
            Self::PathEmpty => "path_empty",
            Self::PathControlCharacter => "path_control_character",
            Self::PathPrefix => "path_prefix",
            Self::PathRooted => "path_rooted",
            Self::PathParentComponent => "path_parent_component",
            Self::PathDriveOrStream => "path_drive_or_stream",
            Self::PathIsRoot => "path_is_root",
            Self::PathNotPortable => "path_not_portable",
            Self::PromptEmpty => "prompt_empty",
            Self::PromptTooLong => "prompt_too_long",
            Self::PromptLimit => "prompt_limit",
            Self::HooksUnwrapped => "hooks_unwrapped",
            Self::UnknownKey => "unknown_key",
            Self::InvalidPluginName => "invalid_plugin_name",
            Self::UnsafePluginName => "unsafe_plugin_name",
            Self::DiagnosticsTruncated => "diagnostics_truncated",
            Self::McpConfigMissing => "mcp_config_missing",
            Self::McpConfigUnreadable => "mcp_config_unreadable",
            Self::McpConfigInvalid => "mcp_config_invalid",
            Self::McpServerInvalid => "mcp_server_invalid",
            Self::McpTransportUnsupported => "mcp_transport_unsupported",
            Self::McpServerDuplicate => "mcp_server_duplicate",
        }
    }

    /// How much a finding of this code matters: `Info` where nothing was lost, `Error` where a
    /// whole declared file is missing from the result, `Warning` otherwise.
    pub fn severity(self) -> Severity {
        match self {
            Self::PathNotPortable
            | Self::HooksUnwrapped
            | Self::UnknownKey
            | Self::InvalidPluginName => Severity::Info,
            Self::McpConfigMissing | Self::McpConfigUnreadable | Self::McpConfigInvalid => {
                Severity::Error
            }
            _ => Severity::Warning,
        }
    }
}

impl fmt::Display for PluginDiagnosticCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// Collects findings in order and keeps the first [`MAX_DIAGNOSTICS`].
#[derive(Debug, Default)]
pub(crate) struct DiagnosticSink {
    kept: Vec<PluginDiagnostic>,
    left_out: usize,
}

impl DiagnosticSink {
    pub(crate) fn push(&mut self, diagnostic: PluginDiagnostic) {
        if self.kept.len() < MAX_DIAGNOSTICS {
            self.kept.push(diagnostic);
        } else {
            self.left_out += 1;
        }
    }

    pub(crate) fn report(
        &mut self,
        code: PluginDiagnosticCode,
        field: impl Into<String>,
        detail: impl Into<String>,
    ) {
        self.push(PluginDiagnostic::new(code, field, detail));
    }

    /// Puts a finding before all others.
    pub(crate) fn put_first(&mut self, diagnostic: PluginDiagnostic) {
        self.kept.insert(0, diagnostic);
        if self.kept.len() > MAX_DIAGNOSTICS {
            self.kept.pop();
            self.left_out += 1;
        }
    }

    /// The findings, and one more that says how many were left out.
    pub(crate) fn finish(mut self) -> Vec<PluginDiagnostic> {
        if self.left_out > 0 {
            let detail = format!("{} further findings are left out", self.left_out);
            self.kept.push(PluginDiagnostic::new(
                PluginDiagnosticCode::DiagnosticsTruncated,
                "",
                detail,
            ));
        }
        self.kept
    }
}
