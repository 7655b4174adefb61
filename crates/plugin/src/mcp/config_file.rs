//! One file of registrations: its text, or what to report instead.

use std::io;

use codex_file_system::FileSystemError;
use codex_file_system::error::kind_name;

use super::reads::Reads;
use crate::contained::{ContainedFile, FileFault, decode_utf8};
use crate::escape::Escaped;
use crate::{
    ManifestError, PluginDiagnostic, PluginDiagnosticCode as Code, PluginResourceLocator,
    ResolvedPlugin,
};

/// A file that a plugin declares, or that the grammar fixes.
pub(super) struct ConfigFile<'a> {
    pub(super) plugin: &'a ResolvedPlugin,
    pub(super) locator: &'a PluginResourceLocator,
    pub(super) is_declared: bool,
}

impl ConfigFile<'_> {
    /// The text of the file, or the finding about it. There is nothing to say of a file that is
    /// missing and that nobody declared.
    pub(super) fn text<'r>(
        &self,
        reads: &'r Reads<'_>,
    ) -> Result<&'r str, Option<PluginDiagnostic>> {
        let canonical_root = reads.canonical_root(self.plugin);
        let contained = ContainedFile {
            field: "mcpServers",
            root: self.plugin.root(),
            canonical_root: canonical_root.and_then(Result::ok),
            path: self.locator.path(),
        };
        let answers = reads.file(self.locator).ok_or(None)?;
        let bytes = contained
            .judge(answers)
            .map_err(|fault| self.finding_about(fault))?;
        if let Some(Err(error)) = canonical_root {
            return Err(Some(self.unreadable(error)));
        }
        decode_utf8(bytes).map_err(|error| Some(self.unreadable(&error)))
    }

    /// The finding about a text that is refused.
    pub(super) fn invalid(&self, error: &ManifestError) -> PluginDiagnostic {
        self.finding(
            Code::McpConfigInvalid,
            format!("{error} ({})", error.problem()),
        )
    }

    fn finding_about(&self, fault: FileFault) -> Option<PluginDiagnostic> {
        match fault {
            FileFault::Read(error) if error.kind() == io::ErrorKind::NotFound => {
                let detail = "the declared file is not there";
                self.is_declared
                    .then(|| self.finding(Code::McpConfigMissing, detail))
            }
            FileFault::Read(error) | FileFault::Canonicalize(error) => {
                Some(self.unreadable(&error))
            }
            FileFault::Outside(outside) => {
                Some(self.finding(Code::McpConfigUnreadable, outside.to_string()))
            }
            FileFault::TooLarge { limit, actual } => {
                let detail = format!("the file has {actual} bytes, more than {limit}");
                Some(self.finding(Code::McpConfigUnreadable, detail))
            }
        }
    }

    fn unreadable(&self, error: &io::Error) -> PluginDiagnostic {
        // Whoever shows the finding names the file, so the context of the call would only repeat it.
        let reason = FileSystemError::find(error).map_or(error, |context| &context.source);
        let (reason, kind) = (reason.to_string(), kind_name(error.kind()));
        let detail = format!("the file cannot be read: {} ({kind})", Escaped(&reason));
        self.finding(Code::McpConfigUnreadable, detail)
    }

    /// A finding about the file, which is named relative to the root.
    fn finding(&self, code: Code, detail: impl Into<String>) -> PluginDiagnostic {
        let path = self.locator.path();
        let field = path.relative_path_from(self.plugin.root());
        PluginDiagnostic::new(code, field.unwrap_or_else(|| path.to_string()), detail)
    }
}
