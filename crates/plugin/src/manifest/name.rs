//! What there is to report about a plugin's name.

use crate::PluginDiagnosticCode as Code;
use crate::diagnostics::DiagnosticSink;
use crate::escape::Escaped;
use crate::namespace::NameFinding;
use crate::{PluginDiagnostic, PluginNamespace};

/// Puts the finding about the name, if there is one, before the others.
pub(super) fn report_name(
    namespace: &PluginNamespace,
    finding: NameFinding,
    mut others: DiagnosticSink,
) -> DiagnosticSink {
    let name = Escaped(namespace.name());
    let (code, detail) = match finding {
        NameFinding::Valid => return others,
        NameFinding::NotInstallable => (
            Code::InvalidPluginName,
            format!("no plugin can be installed under the name `{name}`"),
        ),
        NameFinding::Replaced => {
            let replacement = Escaped(namespace.namespace());
            let detail =
                format!("`{name}` is unfit for a namespace, which is `{replacement}` instead");
            (Code::UnsafePluginName, detail)
        }
    };
    others.put_first(PluginDiagnostic::new(code, "name", detail));
    others
}
