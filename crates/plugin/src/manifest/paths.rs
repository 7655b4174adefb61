//! The path rule: which texts name a resource of a plugin, and which resource.
//!
//! A kept path is lexically below the root, whatever the text and the convention. Dropping a path
//! never drops more than the path.

use std::fmt;

use codex_path_uri::{PathConvention, PathUri};

use crate::PluginDiagnosticCode as Code;
use crate::components::{
    ComponentFault, append, begins_with_separator, components, convention_of, find_fault,
    is_portable_to_windows,
};
use crate::diagnostics::DiagnosticSink;
use crate::escape::Escaped;

/// A resource, and what there is to say about its path.
type Kept = (PathUri, Option<Code>);

/// The resource that `text` names below `root`. What is dropped or doubtful is reported at `field`.
pub(super) fn resolve_path(
    root: &PathUri,
    text: &str,
    field: impl fmt::Display,
    diagnostics: &mut DiagnosticSink,
) -> Option<PathUri> {
    let (path, code) = match judge(root, text) {
        Ok((path, code)) => (Some(path), code),
        Err(code) => (None, Some(code)),
    };
    if let Some(code) = code {
        let detail = format!("path `{}` {}", Escaped(text), explanation(code));
        diagnostics.report(code, field.to_string(), detail);
    }
    path
}

/// The first rule that applies decides.
fn judge(root: &PathUri, text: &str) -> Result<Kept, Code> {
    let convention = convention_of(root);
    if text.is_empty() {
        return Err(Code::PathEmpty);
    }
    if text.chars().any(char::is_control) {
        return Err(Code::PathControlCharacter);
    }
    let rest = text.strip_prefix("./").ok_or(Code::PathPrefix)?;
    if begins_with_separator(rest, convention) {
        return Err(Code::PathRooted);
    }
    let components = components(rest, convention);
    match find_fault(&components, convention) {
        Some(ComponentFault::Parent) => return Err(Code::PathParentComponent),
        Some(ComponentFault::DriveOrStream) => return Err(Code::PathDriveOrStream),
        None => {}
    }
    if components.is_empty() {
        return Err(Code::PathIsRoot);
    }
    // The only root that refuses a name is one that takes none: nothing is below it.
    let path = append(root, &components).map_err(|_| Code::PathIsRoot)?;
    let is_portable = convention == PathConvention::Posix
        || components
            .iter()
            .all(|component| is_portable_to_windows(component));
    Ok((path, (!is_portable).then_some(Code::PathNotPortable)))
}

fn explanation(code: Code) -> &'static str {
    match code {
        Code::PathEmpty => "is empty",
        Code::PathControlCharacter => "holds a control character",
        Code::PathPrefix => "does not begin with `./`",
        Code::PathRooted => "has a separator right after its `./`",
        Code::PathParentComponent => "has a component that leads to the parent",
        Code::PathDriveOrStream => "has a component with a `:`",
        Code::PathIsRoot => "names nothing below the root",
        _ => "has a component that Windows reads otherwise",
    }
}
