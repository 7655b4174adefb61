//! The trees of the case file, as tree literals.

use std::collections::BTreeMap;
use std::fmt::Write;

use codex_file_system_testkit::escape;
use serde::Deserialize;

/// One entry of a case's `files` or `home`. Documents made of other kinds of content than text
/// are empty here: configuration does not depend on them.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Node {
    Text { text: String, mode: Option<String> },
    Dir { mode: Option<String> },
    Symlink { target: String },
    Fifo,
    Base64,
    Repeat,
}

/// The lines of the entries below `base`.
pub(crate) fn literal(
    base: &str,
    entries: &BTreeMap<String, Node>,
    expand: impl Fn(&str) -> String,
) -> String {
    let mut lines = String::new();
    for (path, node) in entries {
        let path = format!("{base}/{}", spelled(path));
        let with_mode = |mode: &Option<String>| {
            mode.as_ref()
                .map_or(path.clone(), |mode| format!("{path} !{mode}"))
        };
        let line = match node {
            Node::Text { text, mode } => {
                format!("{} = {}", with_mode(mode), escape(expand(text).as_bytes()))
            }
            Node::Dir { mode: None } => format!("{path}/"),
            Node::Dir { mode: Some(mode) } => format!("{path}/ !{mode}"),
            Node::Symlink { target } => format!("{path} -> {}", escape(expand(target).as_bytes())),
            Node::Fifo => format!("{path} |"),
            Node::Base64 | Node::Repeat => format!("{path} ="),
        };
        writeln!(lines, "{line}").unwrap();
    }
    lines
}

/// The path as the literal spells it: `{xFF}` is the byte 0xFF.
fn spelled(path: &str) -> String {
    let segments: Vec<_> = path
        .split('/')
        .map(|segment| match segment.split_once("{xFF}") {
            Some((before, after)) => {
                format!(
                    "{}%FF{}",
                    escape(before.as_bytes()),
                    escape(after.as_bytes())
                )
            }
            None => escape(segment.as_bytes()),
        })
        .collect();
    segments.join("/")
}
