//! From the bytes of a `SKILL.md` to the text of its frontmatter block.
//!
//! The block is found by its fences alone. Whether it is YAML is not judged here, and nothing behind
//! the closing fence is looked at, except that the whole file must be UTF-8.

use super::lines::{LineKind, LineReader, entry, lines, split_line};
use crate::limits::MAX_FRONTMATTER_BYTES;

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockProblem {
    /// The file is not UTF-8.
    NotUtf8 {
        /// Whether it begins as UTF-16 does.
        is_utf16: bool,
    },
    /// No opening fence.
    Missing {
        /// What stands in its place.
        first_line: FirstLine,
        /// The lines of the fences of a block further down.
        block: Option<(usize, usize)>,
    },
    /// An opening fence, and no closing one.
    Unclosed,
    /// No line between the fences.
    Empty,
    /// The block has too many bytes.
    TooLarge,
}

/// What the first line of a file is, if it is no fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FirstLine {
    Nothing,
    Blank,
    Comment,
    Heading,
    CodeFence,
    TomlFence,
    ManyDashes,
    TypographicDashes,
    FenceWithText,
    Utf16,
    Text,
}

impl FirstLine {
    fn of(line: &str, is_whole_file: bool) -> Self {
        let trimmed = line.trim();
        let is_all = |these: &[char]| trimmed.chars().all(|it| these.contains(&it));
        match trimmed {
            "" if is_whole_file => Self::Nothing,
            "" => Self::Blank,
            _ if line.contains('\0') => Self::Utf16,
            _ if is_all(&['-']) => Self::ManyDashes,
            _ if is_all(&[
                '-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}',
                '\u{2212}',
            ]) =>
            {
                Self::TypographicDashes
            }
            _ if is_all(&['+']) => Self::TomlFence,
            _ if trimmed.starts_with("```") || trimmed.starts_with("~~~") => Self::CodeFence,
            _ if trimmed.starts_with("<!--") => Self::Comment,
            _ if trimmed.starts_with('#') => Self::Heading,
            _ if trimmed.starts_with("---") => Self::FenceWithText,
            _ => Self::Text,
        }
    }

    pub(super) fn describe(self) -> &'static str {
        match self {
            Self::Nothing => "empty, and so is the file",
            Self::Blank => "blank",
            Self::Comment => "a comment",
            Self::Heading => "a heading",
            Self::CodeFence => "a code fence",
            Self::TomlFence => "`+++`, which opens TOML",
            Self::ManyDashes => "dashes, but not three",
            Self::TypographicDashes => "typographic dashes, not three `-`",
            Self::FenceWithText => "`---` with more text behind it",
            Self::Utf16 => "UTF-16: save the file as UTF-8",
            Self::Text => "text",
        }
    }
}

const FENCE: &str = "---";
const BYTE_ORDER_MARK: char = '\u{FEFF}';

const NOT_UTF8: BlockProblem = BlockProblem::NotUtf8 { is_utf16: false };

/// Each line is counted with its end, but the last one has none in a block.
const LIMIT: usize = MAX_FRONTMATTER_BYTES + 1;

/// The text between the fences of a `SKILL.md`, with the line ends it has there but for the last.
///
/// Of a file that is not complete the last character may be cut, and a block that does not end in what
/// is there is too large.
pub(super) fn find_block(bytes: &[u8], is_complete: bool) -> Result<&str, BlockProblem> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) if !is_complete && error.error_len().is_none() => {
            let whole = bytes.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(whole).map_err(|_| NOT_UTF8)?
        }
        Err(_) => {
            let is_utf16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            return Err(BlockProblem::NotUtf8 { is_utf16 });
        }
    };
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let (first, below) = split_line(text);
    if first.trim() != FENCE {
        return Err(BlockProblem::Missing {
            first_line: FirstLine::of(first, text.trim().is_empty()),
            block: block_below(text),
        });
    }
    let below = below.ok_or(BlockProblem::Unclosed)?;
    // What lines are is asked only where it matters: nearly all blocks end without.
    let (mut unread, mut pending) = (lines(below), 0);
    let mut reader = LineReader::default();
    let mut block = None;
    let mut bytes = 0;
    let mut rest = Some(below);
    while let Some(text) = rest {
        let (line, after) = split_line(text);
        pending += 1;
        let mut is_scalar_text = || {
            let lines = unread.by_ref().take(std::mem::take(&mut pending));
            let kind = lines.map(|line| reader.read(line)).last();
            kind == Some(LineKind::Scalar)
        };
        if line.trim() == FENCE && !(line.starts_with(' ') && is_scalar_text()) {
            let block = block.ok_or(BlockProblem::Empty)?;
            return match bytes {
                ..=LIMIT => Ok(block),
                _ => Err(BlockProblem::TooLarge),
            };
        }
        bytes += line.len() + 1;
        block = below.get(..below.len() - text.len() + line.len());
        rest = after;
    }
    match is_complete {
        true => Err(BlockProblem::Unclosed),
        false => Err(BlockProblem::TooLarge),
    }
}

/// The lines of the fences of a block that directly follows the first one, which nothing reads.
pub(super) fn second_block(bytes: &[u8]) -> Option<(usize, usize)> {
    let first = find_block(bytes, true).ok()?;
    let text = std::str::from_utf8(bytes).ok()?;
    // The opening fence, the block, the closing fence.
    let taken = lines(first).count() + 2;
    let blank = lines(text)
        .skip(taken)
        .take_while(|it| it.trim().is_empty());
    let above = taken + blank.count();
    let is_fence = lines(text).nth(above).is_some_and(|it| it.trim() == FENCE);
    let rest: Vec<&str> = lines(text).skip(above).filter(|_| is_fence).collect();
    let (opening, closing) = block_below(&rest.join("\n"))?;
    (opening == 1).then_some((above + opening, above + closing))
}

/// The first block of entries between fences that does not begin the file.
fn block_below(text: &str) -> Option<(usize, usize)> {
    let mut opened = None;
    let mut has_entry = false;
    for (line, number) in lines(text).zip(1..) {
        match (line.trim() == FENCE, opened) {
            (true, Some(first)) if has_entry => return Some((first, number)),
            (true, _) => (opened, has_entry) = (Some(number), false),
            (false, Some(_)) => {
                let known = entry(line).map(|it| it.key);
                has_entry |= matches!(known, Some("name" | "description"));
            }
            (false, None) => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::BlockProblem;
    use crate::limits::MAX_FRONTMATTER_BYTES;

    fn find_block(bytes: &[u8]) -> Result<&str, BlockProblem> {
        super::find_block(bytes, true)
    }

    #[test]
    fn fences_trim_to_three_dashes() {
        assert_eq!(find_block(b" --- \na\n---\nb"), Ok("a"));
        assert_eq!(find_block("\u{feff}---\r\na\r---".as_bytes()), Ok("a"));
        assert_eq!(find_block(b"---\n\n---"), Ok(""));
        assert_eq!(find_block(b"---\n---"), Err(BlockProblem::Empty));
        assert_eq!(find_block(b"---\r\na\r\n\r\nb\r\n---"), Ok("a\r\n\r\nb"));
        for text in ["", "a", "\n---\na\n---", "----\na\n---"] {
            let found = find_block(text.as_bytes());
            assert!(
                matches!(found, Err(BlockProblem::Missing { .. })),
                "{text:?}"
            );
        }
        for text in ["---", "---\na"] {
            let found = find_block(text.as_bytes());
            assert_eq!(found, Err(BlockProblem::Unclosed), "{text:?}");
        }
    }

    #[test]
    fn only_an_indented_fence_inside_a_block_scalar_is_text() {
        assert_eq!(find_block(b"---\na: |\n  ---\n---"), Ok("a: |\n  ---"));
        assert_eq!(find_block(b"---\na: |\n---\nb\n---"), Ok("a: |"));
        assert_eq!(find_block(b"---\na: x\n  ---\n---"), Ok("a: x"));
    }

    #[test]
    fn the_limit_counts_the_joined_block() {
        let file = |length: usize| format!("---\na\n{}\n---\n", "x".repeat(length));
        assert!(find_block(file(MAX_FRONTMATTER_BYTES - 2).as_bytes()).is_ok());
        let too_large = file(MAX_FRONTMATTER_BYTES - 1);
        assert_eq!(
            find_block(too_large.as_bytes()),
            Err(BlockProblem::TooLarge)
        );
        let first_line_alone = format!("---\n{}\n---\n", "x".repeat(2 * MAX_FRONTMATTER_BYTES));
        assert_eq!(
            find_block(first_line_alone.as_bytes()),
            Err(BlockProblem::TooLarge)
        );
    }
}
