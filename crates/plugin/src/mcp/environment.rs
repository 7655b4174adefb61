//! What the text of a registration means in the plugin's environment: its directory, and the two variables that stand
//! for the plugin's root.
//!
//! Text is literal. `..` is refused even where it would stay inside, because links make its meaning depend on the disk.

use codex_path_uri::{PathConvention, PathUri};
use serde::{Serialize, Serializer};

use crate::manifest::{append, begins_with_separator, components, convention_of, find_fault};

/// The variables that stand for the root of the plugin.
const ROOT_VARIABLES: [&str; 2] = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

/// A program as a host would start it: the native path of the plugin's root stands where the registration says
/// `${PLUGIN_ROOT}` or `${CLAUDE_PLUGIN_ROOT}`. Other variables stay as they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ResolvedCommand {
    /// The program.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables to set, in document order.
    #[serde(serialize_with = "serialize_variables")]
    pub env: Vec<(String, String)>,
    /// The directory to start it in, lexically at or below the plugin's root.
    pub cwd: PathUri,
}

/// Variables as objects of name and value.
pub(super) fn serialize_variables<S: Serializer>(
    variables: &[(String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Variable<'a> {
        name: &'a str,
        value: &'a str,
    }
    serializer.collect_seq(
        variables
            .iter()
            .map(|(name, value)| Variable { name, value }),
    )
}

/// A text with the root of the plugin filled in, and the other variables that it names.
pub(super) fn expand(root: &PathUri, text: &str) -> (String, Vec<String>) {
    let mut expanded = String::with_capacity(text.len());
    let mut unknown = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        expanded.push_str(before);
        let Some((variable, after)) = behind.split_once('}') else {
            expanded.push_str("${");
            rest = behind;
            continue;
        };
        if ROOT_VARIABLES.contains(&variable) {
            expanded.push_str(&root.inferred_native_path_string());
        } else {
            expanded.push_str(&format!("${{{variable}}}"));
            unknown.push(variable.to_owned());
        }
        rest = after;
    }
    expanded.push_str(rest);
    (expanded, unknown)
}

/// The directory that `text` names at or below the root; `None` if it is refused.
pub(super) fn resolve_directory(root: &PathUri, text: &str) -> Option<PathUri> {
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
    // What begins with a separator and is not absolute is rooted on a drive that is not named.
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
