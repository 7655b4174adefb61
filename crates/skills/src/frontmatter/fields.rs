//! The keys of the frontmatter that a skill is made of.
//!
//! Scalars are their source text, folded. Other keys are ignored, also repeated. What is missing is
//! told by `None`: defaults and the judgement of lengths need the directory and come later.

use super::{Refusal, Repairs};
use crate::diagnostics::SkillDiagnosticCode as Code;
use crate::limits::MAX_NAME_CHARS;
use crate::text::{fold_to_some, is_longer_than};
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
        match metadata.shape() {
            Shape::Null => {}
            Shape::Mapping => {
                let short = metadata.get_first("short-description")?;
                fields.short_description = fields.scalar("short-description", short, repairs)?;
            }
            Shape::Scalar | Shape::Sequence => {
                return Err(YamlProblem::WrongType(
                    "`metadata` is not a mapping".to_owned(),
                ));
            }
        }
        Ok(fields)
    }

    fn scalar(
        &mut self,
        key: &str,
        value: Value<'_>,
        repairs: &Repairs,
    ) -> Result<Option<String>, YamlProblem> {
        if matches!(value.shape(), Shape::Sequence | Shape::Mapping) {
            return Err(YamlProblem::WrongType(format!("`{key}` is not a text")));
        }
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

/// Judges the presence of a description.
pub(crate) fn check_description(description: Option<String>) -> Result<String, Refusal> {
    description.ok_or_else(|| {
        Refusal::new(
            Code::DescriptionMissing,
            "the frontmatter has no description",
        )
    })
}
