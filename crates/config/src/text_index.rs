//! Byte offsets of a text as lines and columns.
//!
//! Anchors every [`STRIDE`] bytes bound the cost of one look-up, so a file of one very long line
//! with very many values is not quadratic.

use crate::TextPosition;

/// The most bytes between an anchor and the offsets it serves.
const STRIDE: usize = 256;

/// An index over one text.
pub(crate) struct TextIndex<'a> {
    text: &'a str,
    anchors: Vec<(usize, TextPosition)>,
}

impl<'a> TextIndex<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let mut anchors = Vec::new();
        let mut here = TextPosition { line: 1, column: 1 };
        let mut next_anchor = 0;
        for (offset, character) in text.char_indices() {
            if offset >= next_anchor {
                anchors.push((offset, here));
                next_anchor = offset + STRIDE;
            }
            here = after(here, character);
        }
        Self { text, anchors }
    }

    /// The position of the character that begins at or spans `offset`; past the end, the
    /// position behind the last character.
    pub(crate) fn position(&self, offset: usize) -> TextPosition {
        let known = self
            .anchors
            .partition_point(|(anchor, _)| *anchor <= offset);
        let start = TextPosition { line: 1, column: 1 };
        let (anchor, position) = known
            .checked_sub(1)
            .and_then(|last| self.anchors.get(last).copied())
            .unwrap_or((0, start));
        let tail = self.text.get(anchor..).unwrap_or_default();
        tail.char_indices()
            .take_while(|(index, character)| anchor + index + character.len_utf8() <= offset)
            .fold(position, |here, (_, character)| after(here, character))
    }
}

fn after(here: TextPosition, character: char) -> TextPosition {
    if character == '\n' {
        TextPosition {
            line: here.line.saturating_add(1),
            column: 1,
        }
    } else {
        TextPosition {
            line: here.line,
            column: here.column.saturating_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_has_the_position_that_counting_from_the_start_gives() {
        let line = "é = \"ü😀\" # a comment that is long enough to pass an anchor\r\n";
        let text = line.repeat(40) + &"x".repeat(700) + "€\n\nend";
        let index = TextIndex::new(&text);
        for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
            let before = &text[..offset];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let expected = TextPosition {
                line: 1 + before.matches('\n').count() as u32,
                column: 1 + before[line_start..].chars().count() as u32,
            };
            assert_eq!(index.position(offset), expected, "offset {offset}");
        }
    }

    #[test]
    fn an_offset_inside_a_character_or_past_the_end_has_the_nearest_position() {
        let index = TextIndex::new("a€");
        assert_eq!(index.position(2), TextPosition { line: 1, column: 2 });
        assert_eq!(index.position(9), TextPosition { line: 1, column: 3 });
        assert_eq!(
            TextIndex::new("").position(0),
            TextPosition { line: 1, column: 1 }
        );
    }
}
