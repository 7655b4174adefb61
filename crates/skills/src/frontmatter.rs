//! The frontmatter of a `SKILL.md`: from bytes to the values a skill is made of.
//!
//! `block` finds the lines between the fences, `repair` quotes prose that is no YAML, the private
//! module `yaml` reads the result, `fields` takes the known keys out of it. The body is never looked
//! at and not kept.

mod block;
mod fields;
mod lines;
mod repair;

use std::collections::BTreeSet;
use std::io;

use block::{BlockProblem, FirstLine};
pub(crate) use fields::{Fields, check_description, check_name, expect_text, is_similar};
use lines::lines;
use repair::Line;

use crate::diagnostics::SkillDiagnosticCode as Code;
use crate::limits::MAX_FRONTMATTER_BYTES;
use crate::yaml::{Document, YamlProblem, parse_frontmatter};

/// Why a file is no skill: exactly one code, with a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: Code,
    pub(crate) message: String,
    /// What the filesystem said, if that is the reason.
    pub(crate) io_kind: Option<io::ErrorKind>,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            io_kind: None,
        }
    }
}

/// Most bytes of a skill file that are looked at: a block of the largest size, also with lines that
/// end at CRLF, and what may stand around it.
pub(crate) const MAX_SKILL_PREFIX_BYTES: u64 = 2 * MAX_FRONTMATTER_BYTES as u64 + 1_024;

/// Reads the known fields of a `SKILL.md`, or of its beginning.
pub(crate) fn read_fields(bytes: &[u8], is_complete: bool) -> Result<Fields, Refusal> {
    let mut fields = read_with(bytes, is_complete, Fields::read)?;
    if fields.description.is_none() {
        fields.commented_description = block::find_block(bytes, is_complete)
            .ok()
            .and_then(commented_description);
    }
    Ok(fields)
}

/// The lines of a block that follows the first one, which nothing reads.
pub(crate) fn second_block(bytes: &[u8]) -> Option<(usize, usize)> {
    block::second_block(bytes)
}

/// The line in the file of a description whose value is a comment.
fn commented_description(block: &str) -> Option<usize> {
    let is_commented = |line: &str| {
        let entry = lines::entry(line);
        entry.is_some_and(|it| it.key == "description" && it.value.starts_with('#'))
    };
    // The first line of the block is the second of the file.
    lines(block).position(is_commented).map(|index| index + 2)
}

/// Whether the beginning of a file is enough to tell what its block holds.
pub(crate) fn ends_block(bytes: &[u8]) -> bool {
    let block = block::find_block(bytes, false);
    block != Err(BlockProblem::TooLarge)
}

/// What repairing a block did.
#[derive(Debug, Default)]
pub(crate) struct Repairs {
    /// Whether anything was quoted.
    pub(crate) is_repaired: bool,
    /// Lines, from 1, whose quoting left a comment out.
    lost_comments: BTreeSet<u32>,
}

impl Repairs {
    fn of(lines: &[Line<'_>], is_repaired: bool) -> Self {
        let lost = lines.iter().zip(1..).filter(|(line, _)| line.lost_comment);
        Self {
            is_repaired,
            lost_comments: lost.map(|(_, number)| number).collect(),
        }
    }
}

/// Parses the block of a file and judges the document, repairing the block if either fails.
pub(crate) fn read_with<T>(
    bytes: &[u8],
    is_complete: bool,
    judge: impl Fn(&Document<'_>, &Repairs) -> Result<T, YamlProblem>,
) -> Result<T, Refusal> {
    let block = block::find_block(bytes, is_complete).map_err(refuse_block)?;
    let (first, lines) = if repair::may_change_before_parsing(block) {
        let written = written(block);
        let quoted = repair::quote_silent_losses(&written);
        let is_quoted = quoted.is_some();
        let lines = quoted.unwrap_or(written);
        (parse_lines(&lines, is_quoted, &judge), Some(lines))
    } else {
        (parse_and_judge(block, &Repairs::default(), &judge), None)
    };
    let Err(problem) = first else {
        return first.map_err(refuse_yaml);
    };
    let lines = lines.unwrap_or_else(|| written(block));
    let repaired = repair::quote_refused(&lines);
    let second = repaired.and_then(|lines| parse_lines(&lines, true, &judge).ok());
    second.ok_or_else(|| refuse_yaml(problem))
}

fn written(block: &str) -> Vec<Line<'_>> {
    lines(block).map(Line::from).collect()
}

fn parse_lines<T>(
    lines: &[Line<'_>],
    is_repaired: bool,
    judge: impl Fn(&Document<'_>, &Repairs) -> Result<T, YamlProblem>,
) -> Result<T, YamlProblem> {
    let texts: Vec<&str> = lines.iter().map(|line| line.text.as_ref()).collect();
    parse_and_judge(&texts.join("\n"), &Repairs::of(lines, is_repaired), judge)
}

fn parse_and_judge<T>(
    block: &str,
    repairs: &Repairs,
    judge: impl Fn(&Document<'_>, &Repairs) -> Result<T, YamlProblem>,
) -> Result<T, YamlProblem> {
    judge(&parse_frontmatter(block)?, repairs)
}

fn refuse_block(problem: BlockProblem) -> Refusal {
    match problem {
        BlockProblem::NotUtf8 { is_utf16 } => Refusal::new(
            Code::SkillNotUtf8,
            match is_utf16 {
                true => "the skill file is UTF-16: save it as UTF-8",
                false => "the skill file is not UTF-8",
            },
        ),
        BlockProblem::Missing { first_line, block } => {
            Refusal::new(Code::FrontmatterMissing, missing_block(first_line, block))
        }
        BlockProblem::Unclosed => Refusal::new(
            Code::FrontmatterMissing,
            "the block that line 1 opens is never closed by a line of `---`",
        ),
        BlockProblem::Empty => Refusal::new(
            Code::FrontmatterMissing,
            "the block between the first two lines of `---` is empty",
        ),
        BlockProblem::TooLarge => Refusal::new(
            Code::FrontmatterTooLarge,
            format!("the frontmatter has more than {MAX_FRONTMATTER_BYTES} bytes"),
        ),
    }
}

fn missing_block(first_line: FirstLine, block: Option<(usize, usize)>) -> String {
    let mut message = format!(
        "the skill file does not begin with a block between two lines of `---`: line 1 is {}",
        first_line.describe()
    );
    if let Some((first, last)) = block {
        message.push_str(&format!(
            ", and a block stands at lines {first} to {last}, which is to come first"
        ));
    }
    message
}

fn refuse_yaml(problem: YamlProblem) -> Refusal {
    let code = match problem {
        YamlProblem::Invalid { .. } => Code::FrontmatterInvalid,
        YamlProblem::OverBudget(_) => Code::FrontmatterBudgetExceeded,
        YamlProblem::WrongType { .. } => Code::FrontmatterWrongType,
        YamlProblem::DuplicateKey { .. } => Code::FrontmatterDuplicateKey,
    };
    // Lines are those of the file, whose first is the opening fence.
    let problem = problem.below(1);
    Refusal::new(code, format!("cannot use the frontmatter: {problem}"))
}
