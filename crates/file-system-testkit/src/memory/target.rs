//! The target of a symbolic link, taken apart once when the link is made.

use codex_path_uri::FileName;

/// Where a link leads: a start and the steps from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LinkTarget {
    pub(super) start: Start,
    pub(super) steps: Vec<TargetStep>,
}

/// Where the steps of a link begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// In the directory that holds the link.
    OwnDirectory,
    /// At the root of the drive, share or tree that holds the link.
    OwnRoot,
    /// At this root, in native text.
    Root(String),
}

/// One component of a link target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TargetStep {
    Name(FileName),
    /// `..`: the real parent of where the steps so far lead.
    Parent,
    /// `.` or a trailing separator: nowhere, but only from a directory.
    Current,
}

impl LinkTarget {
    /// A target of these components, or `None` if one of them is no name.
    ///
    /// An empty component is a doubled separator and means nothing, except at the end, where it
    /// says that the target is a directory.
    pub(super) fn new<'t>(
        start: Start,
        components: impl Iterator<Item = &'t [u8]>,
        name: impl Fn(&[u8]) -> Option<FileName>,
    ) -> Option<Self> {
        let mut components = components.peekable();
        let mut steps = Vec::new();
        while let Some(component) = components.next() {
            match component {
                b"" if components.peek().is_some() => {}
                b"" | b"." => steps.push(TargetStep::Current),
                b".." => steps.push(TargetStep::Parent),
                other => steps.push(TargetStep::Name(name(other)?)),
            }
        }
        Some(Self { start, steps })
    }
}
