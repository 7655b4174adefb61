//! The directory a server is started in: at or below the root, or the server is refused.
//!
//! Text is literal. Nothing is expanded, and `..` is refused even where it would stay inside,
//! because links make its meaning depend on the disk.

use codex_path_uri::{PathConvention, PathUri};

use crate::components::{append, begins_with_separator, components, convention_of, find_fault};
use crate::json::Value;

/// The directory of a server: the root if none is given; `None` if it is refused.
pub(super) fn resolve_cwd(root: &PathUri, cwd: Option<Value<'_>>) -> Option<PathUri> {
    match cwd {
        Some(value) => resolve_text(root, &value.as_text()?),
        None => Some(root.clone()),
    }
}

fn resolve_text(root: &PathUri, text: &str) -> Option<PathUri> {
    let convention = convention_of(root);
    if text.chars().any(char::is_control) {
        return None;
    }
    if is_file_uri(text) {
        let path = PathUri::parse_with_convention(text, convention).ok()?;
        return Some(path).filter(|path| !has_dot_dot_segment(text) && is_inside(root, path));
    }
    let components = components(text, convention);
    if PathConvention::infer_absolute(text) == Some(convention) {
        let path = PathUri::from_native(text, convention).ok()?;
        return Some(path).filter(|path| !components.contains(&"..") && is_inside(root, path));
    }
    // What begins with a separator and is not absolute is rooted on a drive nobody names.
    let is_refused =
        begins_with_separator(text, convention) || find_fault(&components, convention).is_some();
    if is_refused {
        None
    } else {
        append(root, &components).ok()
    }
}

fn is_file_uri(text: &str) -> bool {
    text.get(..5)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
}

/// Whether a URI has a segment that its parser takes for the parent.
fn has_dot_dot_segment(uri: &str) -> bool {
    uri.split('/')
        .any(|segment| segment.to_ascii_lowercase().replace("%2e", ".") == "..")
}

/// Whether a path is at or below the root, by names that lead where they say.
fn is_inside(root: &PathUri, path: &PathUri) -> bool {
    let Some(names) = path.names_below(root) else {
        return false;
    };
    let names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let has_control = names.iter().any(|name| name.chars().any(char::is_control));
    !has_control && find_fault(&names, convention_of(root)).is_none()
}
