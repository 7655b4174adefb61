//! Line and column of an offset.

/// Line and column of the character at `offset`, both counted from 1.
///
/// Only LF ends a line; the column counts Unicode scalar values. An offset at the end of the text
/// is the place one past the last character.
pub(super) fn place_of(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = 1 + before
        .get(line_start..)
        .map_or(0, |rest| rest.chars().count());
    (line, column)
}
