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

/// Removes the last segment, unless that is a drive to every parser.
///
/// Where parsers disagree on what is left, that is an error: one keeps a share, `X%3A` or `X|` as a
/// root, another removes it.
fn go_up(
    kept: &mut Vec<Segment<'_>>,
    has_host: bool,
    hint: Option<PathConvention>,
) -> Result<(), Obstacle> {
    let Some((&Segment { raw, at }, before)) = kept.split_last() else {
        return Ok(());
    };
    let is_first = before.is_empty();
    let is_first_name = !raw.is_empty() && before.iter().all(|segment| segment.raw.is_empty());
    if has_host && is_first_name {
        return Err(Obstacle {
            rule: PathRule::EscapesRoot,
            at,
        });
    }
    if !has_host && is_first && is_letter_and(raw.as_bytes(), b'|') {
        return Err(Obstacle {
            rule: PathRule::AmbiguousDrive,
            at,
        });
    }
    let reads_drives = !has_host && hint != Some(PathConvention::Posix);
    if reads_drives && is_first && is_letter_and(&decode(raw), b':') {
        let is_spelled_out = raw.len() == "X:".len();
        return if is_spelled_out {
            Ok(())
        } else {
            Err(Obstacle {
                rule: PathRule::EscapesRoot,
                at,
            })
        };
    }
    kept.pop();
    Ok(())
}
