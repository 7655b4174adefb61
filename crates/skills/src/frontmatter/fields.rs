//! The keys of the frontmatter that a skill is made of.
//!
//! Scalars are their source text, folded. Other keys are ignored, also repeated. What is missing is
//! told by `None`: defaults and the judgement of lengths need the directory and come later.

use super::{Refusal, Repairs};
use crate::diagnostics::SkillDiagnosticCode as Code;
use crate::limits::MAX_NAME_CHARS;
use crate::text::{Foreign, fold_to_some, is_longer_than};
use crate::yaml::{Document, Shape, Value, YamlProblem};

/// What the frontmatter of one file says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fields {
    /// The name, if it is given and not blank.
    pub(crate) name: Option<String>,
    /// The description, if it is given and not blank.
    pub(crate) description: Option<String>,
    /// The short description, if it is given and not blank.
    pub(crate) short_description: Option<String>,
    /// Whether the block is YAML only after quoting.
    pub(crate) is_repaired: bool,
    /// Whether the end of a plain value was taken for a comment.
    pub(crate) lost_comment: bool,
    /// A key that is `description` but for its case, with its line in the file.
    pub(crate) similar_key: Option<(String, u32)>,
    /// The line in the file of a description that is nothing but a comment.
    pub(crate) commented_description: Option<usize>,
}

impl Fields {
    pub(super) fn read(document: &Document<'_>, repairs: &Repairs) -> Result<Self, YamlProblem> {
        let root = document.root();
        let mut fields = Self {
            is_repaired: repairs.is_repaired,
            ..Self::default()
        };
        fields.name = fields.scalar("name", root.get("name")?, repairs)?;
        fields.description = fields.scalar("description", root.get("description")?, repairs)?;
        let metadata = root.get("metadata")?;
        metadata.expect_mapping("`metadata`")?;
        let short = metadata.get_first("short-description");
        fields.short_description = fields.scalar("short-description", short, repairs)?;
        fields.similar_key = similar_key(root, "description");
        Ok(fields)
    }

    fn scalar(
        &mut self,
        key: &str,
        value: Value<'_>,
        repairs: &Repairs,
    ) -> Result<Option<String>, YamlProblem> {
        expect_text(key, value)?;
        let text = value.text();
        self.lost_comment |= text.is_some()
            && (value.is_plain_before_comment() || repairs.lost_comments.contains(&value.line()));
        Ok(text.and_then(fold_to_some))
    }
}

/// Judges the length of a name, given or taken from the directory.
pub(crate) fn check_name(name: &str) -> Result<(), Refusal> {
    if is_longer_than(name, MAX_NAME_CHARS) {
        let message = format!("the name has more than {MAX_NAME_CHARS} characters");
        return Err(Refusal::new(Code::NameTooLong, message));
    }
    Ok(())
}

/// Refuses what is no text where one is due.
pub(crate) fn expect_text(key: &str, value: Value<'_>) -> Result<(), YamlProblem> {
    match value.shape() {
        Shape::Null | Shape::Scalar => Ok(()),
        Shape::Sequence | Shape::Mapping => Err(value.wrong_type(&format!("`{key}`"), "a text")),
    }
}

/// The first key that is `wanted` but for case, hyphens and underscores.
fn similar_key(root: Value<'_>, wanted: &str) -> Option<(String, u32)> {
    let mut keys = root.entries().map(|(key, _)| key);
    let similar = keys.find(|key| {
        key.text()
            .is_some_and(|it| it != wanted && is_similar(it, wanted))
    })?;
    // Lines are those of the file, whose first is the opening fence.
    Some((similar.text()?.to_owned(), similar.line() + 1))
}

/// Whether two keys are one but for case, hyphens and underscores.
pub(crate) fn is_similar(one: &str, other: &str) -> bool {
    let plain = |text: &str| {
        let letters = text.chars().filter(|it| !matches!(it, '-' | '_' | ' '));
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}

/// Judges the presence of a description, and says what may have been meant.
pub(crate) fn check_description(fields: &mut Fields) -> Result<String, Refusal> {
    if let Some(description) = fields.description.take() {
        return Ok(description);
    }
    let mut message = "the frontmatter has no description".to_owned();
    if let Some((key, line)) = &fields.similar_key {
        let key = Foreign(key);
        message.push_str(&format!(": `{key}` at line {line} is to be `description`"));
    } else if let Some(line) = fields.commented_description {
        message.push_str(&format!(
            ": `#` at line {line} begins a comment, so quote the value"
        ));
    }
    Err(Refusal::new(Code::DescriptionMissing, message))
}
