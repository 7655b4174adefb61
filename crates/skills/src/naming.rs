//! What a skill is called, and whether that makes it one.
//!
//! The name is the frontmatter's or the directory's, the namespace that of the owning plugin. Either a
//! skill has a name and a description that are fit to use, or it is lost for exactly one reason.

use std::io;

use codex_path_uri::PathUri;

use crate::diagnostics::{SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::discover::{FoundSkill, Obstacle, SkillText};
use crate::frontmatter::{Fields, Refusal, check_description, check_name};
use crate::limits::MAX_QUALIFIED_NAME_CHARS;
use crate::problems::failure;
use crate::roots::SkillRoot;
use crate::text::{Foreign, fold, fold_to_some, is_longer_than};

/// What a skill is called if nothing says so: a filesystem root has no name.
const FALLBACK_NAME: &str = "skill";

/// What there is to say of a text whose end YAML took for a comment.
pub(crate) const COMMENT_DROPPED: &str =
    "YAML takes text behind ` #` for a comment: quote the value to keep it";

/// The text of a skill that is not lost.
pub(crate) struct NamedSkill {
    pub(crate) name: String,
    pub(crate) namespace: Option<String>,
    pub(crate) base_name: String,
    pub(crate) description: String,
    /// What else the frontmatter says.
    pub(crate) fields: Fields,
}

impl NamedSkill {
    /// What there is to say about a text that is used all the same.
    pub(crate) fn remarks(&self) -> Vec<SkillDiagnostic> {
        let mut remarks = Vec::new();
        if self.fields.is_repaired {
            let message = "the frontmatter is YAML only after quoting some of its values";
            remarks.push(SkillDiagnostic::new(Code::FrontmatterRepaired, message));
        }
        if self.fields.lost_comment {
            remarks.push(SkillDiagnostic::new(Code::CommentDropped, COMMENT_DROPPED));
        }
        remarks
    }
}

/// Names a skill, or says why there is none. Takes its text and its namespace away.
pub(crate) fn name_skill(root: &SkillRoot, found: &mut FoundSkill) -> Result<NamedSkill, Refusal> {
    let mut fields = match std::mem::replace(&mut found.text, SkillText::Absent) {
        SkillText::Fields(fields) => fields,
        SkillText::Refused(refusal) => return Err(refusal),
        SkillText::Unreadable(kind) => return Err(unreadable(kind)),
        SkillText::Absent => return Err(unreadable(io::ErrorKind::NotFound)),
    };
    let base_name = fields.name.take();
    let base_name = base_name.unwrap_or_else(|| default_name(&found.directory));
    check_name(&base_name)?;
    let description = check_description(&mut fields)?;
    let namespace = match &root.plugin {
        Some(given) => fold_to_some(given.namespace()),
        None => found.namespace.take(),
    };
    let name = match &namespace {
        Some(namespace) => [namespace, ":", &base_name].concat(),
        None => base_name.clone(),
    };
    if is_longer_than(&name, MAX_QUALIFIED_NAME_CHARS) {
        let message = format!(
            "namespace and name have more than {MAX_QUALIFIED_NAME_CHARS} characters: {}",
            Foreign(&name)
        );
        return Err(Refusal::new(Code::QualifiedNameTooLong, message));
    }
    Ok(NamedSkill {
        name,
        namespace,
        base_name,
        description,
        fields,
    })
}

fn unreadable(kind: io::ErrorKind) -> Refusal {
    Refusal {
        io_kind: Some(kind),
        ..Refusal::new(
            Code::SkillUnreadable,
            failure(Code::SkillUnreadable, Obstacle::Io(kind)),
        )
    }
}

/// The folded name of a skill's directory.
fn default_name(directory: &PathUri) -> String {
    let name = directory
        .file_name()
        .map(|name| fold(&name.to_string_lossy()));
    name.filter(|name| !name.is_empty())
        .unwrap_or_else(|| FALLBACK_NAME.to_owned())
}
