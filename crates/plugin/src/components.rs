//! Components of a path text, judged by the convention of the root they hang below.
//!
//! Text is taken as it is: nothing is decoded, expanded, folded or trimmed here.

use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};

/// Why a component must not be appended to a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ComponentFault {
    /// It leads to the parent, on some filesystem of the convention.
    Parent,
    /// It holds a `:`, which begins a drive or a stream on Windows.
    DriveOrStream,
}

/// The convention of a root; that of POSIX for a root that has none, and takes no names anyway.
pub(crate) fn convention_of(root: &PathUri) -> PathConvention {
    root.convention().unwrap_or(PathConvention::Posix)
}

/// Whether text begins with a separator of the convention.
pub(crate) fn begins_with_separator(text: &str, convention: PathConvention) -> bool {
    match convention {
        PathConvention::Posix => text.starts_with('/'),
        PathConvention::Windows => text.starts_with(['/', '\\']),
    }
}

/// The components of text, without those that stay where they are (empty and `.`).
pub(crate) fn components(text: &str, convention: PathConvention) -> Vec<&str> {
    convention
        .path_segments(text)
        .filter(|part| !matches!(*part, "" | "."))
        .collect()
}

/// The first fault of some component, [`ComponentFault::Parent`] anywhere before others.
pub(crate) fn find_fault(
    components: &[impl AsRef<str>],
    convention: PathConvention,
) -> Option<ComponentFault> {
    let any = |holds: fn(&str) -> bool| components.iter().any(|part| holds(part.as_ref()));
    match convention {
        _ if any(|part| part == "..") => Some(ComponentFault::Parent),
        PathConvention::Posix => None,
        PathConvention::Windows if any(is_dots_and_spaces) => Some(ComponentFault::Parent),
        PathConvention::Windows if any(|part| part.contains(':')) => {
            Some(ComponentFault::DriveOrStream)
        }
        PathConvention::Windows => None,
    }
}

/// Windows drops dots and spaces at the end of a name, so `.. ` and `...` may mean a parent.
fn is_dots_and_spaces(component: &str) -> bool {
    component.len() >= 2 && component.bytes().all(|byte| matches!(byte, b'.' | b' '))
}

/// Whether Windows opens a component under exactly this name.
pub(crate) fn is_portable_to_windows(component: &str) -> bool {
    !component.ends_with(['.', ' ']) && !is_device_name(component)
}

/// Whether a name, whatever its extension, is that of a device.
fn is_device_name(component: &str) -> bool {
    let stem = component
        .split('.')
        .next()
        .unwrap_or(component)
        .trim_end_matches(' ');
    let is = |name: &str| stem.eq_ignore_ascii_case(name);
    if ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
        .into_iter()
        .any(is)
    {
        return true;
    }
    let Some((port, number)) = stem.char_indices().nth(3).map(|(at, _)| stem.split_at(at)) else {
        return false;
    };
    (port.eq_ignore_ascii_case("COM") || port.eq_ignore_ascii_case("LPT"))
        && matches!(
            number,
            "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³"
        )
}

/// Appends the components to a root, one file name each.
pub(crate) fn append(root: &PathUri, components: &[&str]) -> Result<PathUri, PathUriError> {
    let convention = convention_of(root);
    components.iter().try_fold(root.clone(), |path, component| {
        path.join_name(&FileName::new(component, convention)?)
    })
}
