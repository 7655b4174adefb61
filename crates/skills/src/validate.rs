//! The lint: what the Agent Skills specification asks of a `SKILL.md` beyond what loading does.
//!
//! Pure, and never called by loading: a skill that breaks one of these rules is loaded all the same.

use std::collections::HashSet;

use crate::diagnostics::{SkillDiagnostic, SkillDiagnosticCode as Code};
use crate::frontmatter::{
    Repairs, check_description, check_name, expect_text, is_similar, read_fields, read_with,
    second_block,
};
use crate::naming::COMMENT_DROPPED;
use crate::text::{Foreign, fold_to_some, is_longer_than};
use crate::yaml::{Document, Shape, Value, YamlProblem};

const KNOWN_KEYS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1_024;
const MAX_COMPATIBILITY: usize = 500;

/// Lints the bytes of a `SKILL.md` in a directory of this name.
///
/// A file that loading refuses gives the code of the refusal alone. The findings come in the order
/// of the rules; none means the file follows the specification.
///
/// # Examples
/// ```
/// use codex_skills::{SkillDiagnosticCode, validate};
///
/// let text = b"---\nname: pdf\ndescription: Reads PDF files.\n---\n";
/// assert_eq!(validate(text, "pdf"), []);
/// assert_eq!(validate(text, "docx")[0].code, SkillDiagnosticCode::SpecNameDirectoryMismatch);
/// ```
pub fn validate(text: &[u8], directory_name: &str) -> Vec<SkillDiagnostic> {
    match read_with(text, true, Facts::read) {
        Ok(facts) => {
            let mut findings = facts.findings(directory_name);
            findings.extend(what_loading_drops(text));
            findings
        }
        Err(refusal) => vec![SkillDiagnostic::new(refusal.code, refusal.message)],
    }
}

/// What loading takes away from a text that it accepts.
fn what_loading_drops(text: &[u8]) -> Vec<SkillDiagnostic> {
    let mut dropped = Vec::new();
    if read_fields(text, true).is_ok_and(|fields| fields.lost_comment) {
        dropped.push(finding(Code::CommentDropped, COMMENT_DROPPED));
    }
    if let Some((first, last)) = second_block(text) {
        let message = format!("a second block, at lines {first} to {last}, is not read");
        dropped.push(finding(Code::SpecSecondBlock, &message));
    }
    dropped
}

/// Whether loading makes a skill of the bytes of a `SKILL.md` in a directory of this name.
///
/// Pure. What a plugin's namespace adds to the name is not known here, so a name that only it makes
/// too long passes.
///
/// # Errors
/// The code of the one error that loading reports instead of a skill.
///
/// # Examples
/// ```
/// use codex_skills::{SkillDiagnosticCode, check_loadable};
///
/// let text = b"---\nname: Any Name\ndescription: Reads PDF files.\n---\n";
/// assert_eq!(check_loadable(text, "pdf"), Ok(()));
/// let refused = check_loadable(b"---\nname: pdf\n---\n", "pdf");
/// assert_eq!(refused, Err(SkillDiagnosticCode::DescriptionMissing));
/// ```
pub fn check_loadable(text: &[u8], directory_name: &str) -> Result<(), Code> {
    let judged = read_fields(text, true).and_then(|mut fields| {
        let name = fields.name.take();
        let name = name.or_else(|| fold_to_some(directory_name));
        check_name(name.as_deref().unwrap_or_default())?;
        check_description(&mut fields)
    });
    judged.map(drop).map_err(|refusal| refusal.code)
}

/// What the rules speak of.
struct Facts {
    is_repaired: bool,
    unknown_keys: Vec<String>,
    name: Option<String>,
    description: Option<String>,
    compatibility: Option<String>,
    metadata_is_map_of_strings: bool,
}

impl Facts {
    fn read(document: &Document<'_>, repairs: &Repairs) -> Result<Self, YamlProblem> {
        let root = document.root();
        let mut known: HashSet<&str> = KNOWN_KEYS.into();
        let keys = root.entries().map(|(key, _)| key.text());
        let unknown_keys = keys
            .map(|key| key.unwrap_or("(a key that is no text)"))
            .filter(|key| known.insert(key))
            .map(str::to_owned)
            .collect();
        Ok(Self {
            is_repaired: repairs.is_repaired,
            unknown_keys,
            name: text("name", root.get("name")?)?,
            description: text("description", root.get("description")?)?,
            compatibility: compatibility(root),
            metadata_is_map_of_strings: is_map_of_strings(root.get("metadata")?),
        })
    }

    fn findings(&self, directory_name: &str) -> Vec<SkillDiagnostic> {
        let mut findings = Vec::new();
        if self.is_repaired {
            findings.push(finding(
                Code::SpecYamlRepaired,
                "the block is no YAML as written",
            ));
        }
        for key in &self.unknown_keys {
            let mut message = format!("the specification has no key `{}`", Foreign(key));
            if let Some(meant) = KNOWN_KEYS.iter().find(|it| is_similar(it, key)) {
                message.push_str(&format!(", but `{meant}`"));
            }
            findings.push(finding(Code::SpecUnknownKey, &message).with_field(key));
        }
        self.judge_name(directory_name, &mut findings);
        match self
            .description
            .as_deref()
            .filter(|text| !text.trim().is_empty())
        {
            None => findings.push(finding(
                Code::SpecDescriptionMissing,
                "there is no description",
            )),
            Some(text) if is_longer_than(text, MAX_DESCRIPTION) => {
                let message = too_long("description", text, "1,024");
                findings.push(finding(Code::SpecDescriptionLength, &message));
            }
            Some(_) => {}
        }
        if let Some(text) = &self.compatibility
            && is_longer_than(text, MAX_COMPATIBILITY)
        {
            let message = too_long("compatibility note", text, "500");
            findings.push(finding(Code::SpecCompatibilityLength, &message));
        }
        if !self.metadata_is_map_of_strings {
            findings.push(finding(
                Code::SpecMetadataShape,
                "`metadata` is no map of strings",
            ));
        }
        findings
    }

    fn judge_name(&self, directory_name: &str, findings: &mut Vec<SkillDiagnostic>) {
        let Some(name) = self.name.as_deref().filter(|name| !name.trim().is_empty()) else {
            findings.push(finding(Code::SpecNameMissing, "there is no name"));
            return;
        };
        if is_longer_than(name, MAX_NAME) {
            let message = too_long("name", name, "64");
            findings.push(finding(Code::SpecNameLength, &message));
        }
        let is_allowed = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '-';
        let is_hyphenated = !name.starts_with('-') && !name.ends_with('-') && !name.contains("--");
        if !name.chars().all(is_allowed) || !is_hyphenated {
            let message = format!(
                "the name `{}` is not made of a-z, 0-9 and single inner hyphens",
                Foreign(name)
            );
            findings.push(finding(Code::SpecNameCharacters, &message));
        }
        if name != directory_name {
            let message = format!(
                "the name `{}` is to be that of the directory, `{}`",
                Foreign(name),
                Foreign(directory_name)
            );
            findings.push(finding(Code::SpecNameDirectoryMismatch, &message));
        }
    }
}

fn too_long(what: &str, text: &str, limit: &str) -> String {
    let characters = text.chars().count();
    format!("the {what} has {characters} characters, more than {limit}")
}

fn finding(code: Code, message: &str) -> SkillDiagnostic {
    SkillDiagnostic::new(code, message)
}

/// The note on compatibility, which loading does not look for.
fn compatibility(root: Value<'_>) -> Option<String> {
    root.get_first("compatibility").text().map(str::to_owned)
}

fn text(key: &str, value: Value<'_>) -> Result<Option<String>, YamlProblem> {
    expect_text(key, value)?;
    Ok(value.text().map(str::to_owned))
}

fn is_map_of_strings(value: Value<'_>) -> bool {
    match value.shape() {
        Shape::Null => true,
        Shape::Mapping => value
            .entries()
            .all(|(key, value)| key.text().is_some() && value.is_string()),
        Shape::Scalar | Shape::Sequence => false,
    }
}
