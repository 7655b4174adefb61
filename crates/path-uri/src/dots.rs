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

/// The segments of `path` that are names once dot segments are applied.
///
/// Empty segments count while that is done, as in the URL standard, and are dropped afterwards.
pub(crate) fn resolve_dots(
    path: &str,
    has_host: bool,
    hint: Option<PathConvention>,
) -> Result<Vec<Segment<'_>>, PathRule> {
    let mut kept: Vec<Segment<'_>> = Vec::new();
    let segments = path.strip_prefix('/').unwrap_or(path);
    let mut at = path.len() - segments.len();
    for raw in segments.split('/') {
        match &*decode(raw) {
            b"." => {}
            b".." => go_up(&mut kept, has_host, hint)?,
            _ => kept.push(Segment { raw, at }),
        }
        at += raw.len() + 1;
    }
    kept.retain(|segment| !segment.raw.is_empty());
    Ok(kept)
}

/// Removes the last segment. Stops at the root and at a drive that every parser sees as one; where
/// parsers disagree on what would be left, that is an error.
fn go_up(
    kept: &mut Vec<Segment<'_>>,
    has_host: bool,
    hint: Option<PathConvention>,
) -> Result<(), PathRule> {
    let Some((last, before)) = kept.split_last() else {
        return Ok(());
    };
    let is_share = !last.raw.is_empty() && before.iter().all(|segment| segment.raw.is_empty());
    if has_host && is_share {
        return Err(PathRule::EscapesRoot);
    }
    let is_drive = !has_host
        && before.is_empty()
        && hint != Some(PathConvention::Posix)
        && is_letter_and(&decode(last.raw), b':');
    match is_drive {
        true if last.raw.len() == "X:".len() => {}
        true => return Err(PathRule::EscapesRoot),
        false => {
            kept.pop();
        }
    }
    Ok(())
}
