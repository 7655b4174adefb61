//! From the bytes of a `SKILL.md` to the text of its frontmatter block.
//!
//! The block is found by its fences alone. Whether it is YAML is not judged here, and nothing behind
//! the closing fence is looked at, except that the whole file must be UTF-8.

use super::lines::{LineKind, LineReader, lines};
use crate::limits::MAX_FRONTMATTER_BYTES;

/// Why there is no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockProblem {
    /// The file is not UTF-8.
    NotUtf8,
    /// No opening fence, no closing fence, or no line between them.
    Missing,
    /// The block has too many bytes.
    TooLarge,
}

const FENCE: &str = "---";
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Each line is counted with its end, but the last one has none once the lines are joined.
const LIMIT: usize = MAX_FRONTMATTER_BYTES + 1;

/// The lines between the fences of a `SKILL.md`.
pub(super) fn find_block(bytes: &[u8]) -> Result<Vec<&str>, BlockProblem> {
    let text = std::str::from_utf8(bytes).map_err(|_| BlockProblem::NotUtf8)?;
    let mut lines = lines(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text));
    if lines.next().map(str::trim) != Some(FENCE) {
        return Err(BlockProblem::Missing);
    }
    // What lines are is asked only where it matters: nearly all blocks end without.
    let (mut unread, mut pending) = (lines.clone(), 0);
    let mut reader = LineReader::default();
    let mut block = Vec::new();
    let mut bytes = 0;
    for line in lines {
        pending += 1;
        let mut is_scalar_text = || {
            let lines = unread.by_ref().take(std::mem::take(&mut pending));
            let kind = lines.map(|line| reader.read(line)).last();
            kind == Some(LineKind::Scalar)
        };
        if line.trim() == FENCE && !(line.starts_with(' ') && is_scalar_text()) {
            return match bytes {
                0 => Err(BlockProblem::Missing),
                1..=LIMIT => Ok(block),
                _ => Err(BlockProblem::TooLarge),
            };
        }
        bytes += line.len() + 1;
        // A block that is too large already is not kept, but its end is still looked for: without
        // one there is no block.
        if bytes <= LIMIT {
            block.push(line);
        }
    }
    Err(BlockProblem::Missing)
}

#[cfg(test)]
mod tests {
    use super::{BlockProblem, find_block};
    use crate::limits::MAX_FRONTMATTER_BYTES;

    #[test]
    fn fences_trim_to_three_dashes() {
        assert_eq!(find_block(b" --- \na\n---\nb"), Ok(vec!["a"]));
        assert_eq!(
            find_block("\u{feff}---\r\na\r---".as_bytes()),
            Ok(vec!["a"])
        );
        assert_eq!(find_block(b"---\n\n---"), Ok(vec![""]));
        for text in [
            "",
            "a",
            "---",
            "---\n---",
            "---\na",
            "\n---\na\n---",
            "----\na\n---",
        ] {
            assert_eq!(
                find_block(text.as_bytes()),
                Err(BlockProblem::Missing),
                "{text:?}"
            );
        }
    }

    #[test]
    fn only_an_indented_fence_inside_a_block_scalar_is_text() {
        assert_eq!(
            find_block(b"---\na: |\n  ---\n---"),
            Ok(vec!["a: |", "  ---"])
        );
        assert_eq!(find_block(b"---\na: |\n---\nb\n---"), Ok(vec!["a: |"]));
        assert_eq!(find_block(b"---\na: x\n  ---\n---"), Ok(vec!["a: x"]));
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
