//! Dot segments, applied as the URL standard does it, and refused where URL parsers disagree.

use crate::{
    PathConvention, PathRule,
    encoding::{decode, is_letter_and},
};

/// A part of a path between slashes, as it is spelled.
#[derive(Clone, Copy)]
pub(crate) struct Segment<'a> {
    pub(crate) raw: &'a str,
    /// Where it begins, as an offset in the path.
    pub(crate) at: usize,
}

/// What a `..` may not remove, and where in the path that begins.
pub(crate) struct Obstacle {
    pub(crate) rule: PathRule,
    pub(crate) at: usize,
}

/// The segments of `path` that are names once dot segments are applied.
///
/// Empty segments count while that is done, as in the URL standard, and are dropped afterwards.
pub(crate) fn resolve_dots(
    path: &str,
    has_host: bool,
    hint: Option<PathConvention>,
) -> Result<Vec<Segment<'_>>, Obstacle> {
    let mut kept = Kept::default();
    let segments = path.strip_prefix('/').unwrap_or(path);
    let mut at = path.len() - segments.len();
    for raw in segments.split('/') {
        match &*decode(raw) {
            b"." => {}
            b".." => kept.go_up(has_host, hint)?,
            _ => kept.push(Segment { raw, at }),
        }
        at += raw.len() + 1;
    }
    kept.segments.retain(|segment| !segment.raw.is_empty());
    Ok(kept.segments)
}

/// The segments that no dot segment has removed so far.
#[derive(Default)]
struct Kept<'a> {
    segments: Vec<Segment<'a>>,
    /// How many of them are not empty.
    names: usize,
}

impl<'a> Kept<'a> {
    fn push(&mut self, segment: Segment<'a>) {
        self.names += usize::from(!segment.raw.is_empty());
        self.segments.push(segment);
    }

    /// Removes the last segment, unless that is a drive to every parser.
    ///
    /// Where parsers disagree on what is left, that is an error: one keeps a share, `X%3A` or `X|`
    /// as a root, another removes it.
    fn go_up(&mut self, has_host: bool, hint: Option<PathConvention>) -> Result<(), Obstacle> {
        let Some(&Segment { raw, at }) = self.segments.last() else {
            return Ok(());
        };
        let refuse = |rule| Err(Obstacle { rule, at });
        let is_name = !raw.is_empty();
        if has_host && is_name && self.names == 1 {
            return refuse(PathRule::EscapesRoot);
        }
        let can_be_drive = !has_host && self.segments.len() == 1;
        if can_be_drive && is_letter_and(raw.as_bytes(), b'|') {
            return refuse(PathRule::AmbiguousDrive);
        }
        let reads_drives = hint != Some(PathConvention::Posix);
        if can_be_drive && reads_drives && is_letter_and(&decode(raw), b':') {
            let is_spelled_out = raw.len() == "X:".len();
            return if is_spelled_out {
                Ok(())
            } else {
                refuse(PathRule::EscapesRoot)
            };
        }
        self.names -= usize::from(is_name);
        self.segments.pop();
        Ok(())
    }
}
