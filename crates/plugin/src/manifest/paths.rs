//! The path rule: which texts name a resource of a plugin, and which resource.
//!
//! A kept path is lexically below the root, whatever the text and the convention. Text is literal: nothing is decoded,
//! expanded, folded or trimmed. The convention of the root decides what a separator is.

use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};

use crate::PathFault;

/// The resource that `text` names below `root`, and what there is to say about a kept one.
///
/// # Errors
/// The first rule that refuses the text.
pub(super) fn resolve_path(
    root: &PathUri,
    text: &str,
) -> Result<(PathUri, Option<PathFault>), PathFault> {
    let convention = convention_of(root);
    if text.is_empty() {
        return Err(PathFault::Empty);
    }
    if text.chars().any(char::is_control) {
        return Err(PathFault::ControlCharacter);
    }
    let rest = text.strip_prefix("./").ok_or(PathFault::Prefix)?;
    if begins_with_separator(rest, convention) {
        return Err(PathFault::Rooted);
    }
    let components = components(rest, convention);
    if let Some(fault) = find_fault(&components, convention) {
        return Err(fault);
    }
    if components.is_empty() {
        return Err(PathFault::IsRoot);
    }
    // The only root that refuses a name is one that takes none: nothing is below it.
    let path = append(root, &components).map_err(|_| PathFault::IsRoot)?;
    let is_portable = convention == PathConvention::Posix
        || components.iter().all(|it| is_portable_to_windows(it));
    Ok((path, (!is_portable).then_some(PathFault::NotPortable)))
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

/// The first fault of some component, [`PathFault::ParentComponent`] anywhere before others.
pub(crate) fn find_fault(
    components: &[impl AsRef<str>],
    convention: PathConvention,
) -> Option<PathFault> {
    let any = |holds: fn(&str) -> bool| components.iter().any(|part| holds(part.as_ref()));
    match convention {
        _ if any(|part| part == "..") => Some(PathFault::ParentComponent),
        PathConvention::Posix => None,
        PathConvention::Windows if any(is_dots_and_spaces) => Some(PathFault::ParentComponent),
        PathConvention::Windows if any(|part| part.contains(':')) => Some(PathFault::DriveOrStream),
        PathConvention::Windows => None,
    }
}

/// Windows drops dots and spaces at the end of a name, so `.. ` and `...` may mean a parent.
fn is_dots_and_spaces(component: &str) -> bool {
    component.len() >= 2 && component.bytes().all(|byte| matches!(byte, b'.' | b' '))
}

/// Whether Windows opens a component under exactly this name.
fn is_portable_to_windows(component: &str) -> bool {
    !component.ends_with(['.', ' ']) && !is_device_name(component)
}

/// Whether a name, whatever its extension, is that of a device.
fn is_device_name(component: &str) -> bool {
    let stem = component.split('.').next().unwrap_or(component);
    let stem = stem.trim_end_matches(' ').to_ascii_uppercase();
    let is_port = |kind: &str| {
        let number = stem.strip_prefix(kind);
        number.is_some_and(|it| it.chars().count() == 1 && "123456789¹²³".contains(it))
    };
    matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) || is_port("COM")
        || is_port("LPT")
}

/// Appends the components to a root, one file name each.
pub(crate) fn append(root: &PathUri, components: &[&str]) -> Result<PathUri, PathUriError> {
    let convention = convention_of(root);
    components.iter().try_fold(root.clone(), |path, component| {
        path.join_name(&FileName::new(component, convention)?)
    })
}
