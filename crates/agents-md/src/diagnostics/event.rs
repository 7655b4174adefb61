//! Findings as tracing events, for hosts that read logs rather than outcomes.

use codex_file_system::Severity;

use super::InstructionDiagnostic;

impl InstructionDiagnostic {
    /// Emits a `warn` event, unless nothing is lost.
    pub(crate) fn emit_event(&self) {
        if self.severity < Severity::Warning {
            return;
        }
        let environment_id = self.environment_id.as_ref().map(|id| id.as_str());
        let path = self.path.as_ref().map(|path| path.as_str());
        tracing::warn!(code = self.code.as_str(), environment_id, path, "{self}");
    }
}
