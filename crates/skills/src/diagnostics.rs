//! What there is to say beside a result: stable codes, each with one severity.
//!
//! A diagnostic names the environment and the path it speaks of, never a guess, and its message is a
//! lowercase fragment that holds foreign text only escaped and cut. Codes are compared, messages are
//! for people.

use std::fmt;
use std::io;

use codex_file_system::{EnvironmentId, Severity};
use codex_path_uri::PathUri;
use serde::{Deserialize, Serialize};

/// One finding of a load, of a rendering, of mentions or of the lint.
///
/// # Examples
/// ```
/// use codex_skills::{SkillDiagnostic, SkillDiagnosticCode};
///
/// let found = &codex_skills::validate(b"# no frontmatter\n", "demo")[0];
/// assert_eq!(found.code, SkillDiagnosticCode::FrontmatterMissing);
/// assert_eq!(found.code.as_str(), "frontmatter_missing");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillDiagnostic {
    /// What was found.
    pub code: SkillDiagnosticCode,
    /// How much it matters; a function of the code.
    pub severity: Severity,
    /// The environment that `path` belongs to.
    pub environment_id: Option<EnvironmentId>,
    /// What the finding is about. For a skill this is its identity.
    pub path: Option<PathUri>,
    /// The field of a sidecar, a configuration rule or the lint, or the ambiguous mention.
    pub field: Option<String>,
    /// The limit that was reached.
    pub limit: Option<ScanLimit>,
    /// Directories that are known and were not listed because of `limit`.
    pub not_listed: Option<u64>,
    /// How many things the finding is about.
    pub count: Option<u64>,
    /// Identities of the other skills concerned.
    pub others: Vec<PathUri>,
    /// What the filesystem said.
    pub io_kind: Option<io::ErrorKind>,
    /// One sentence for a person, without the path.
    pub message: String,
}

/// Which limit of a walk was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScanLimit {
    /// Directories lie deeper than the limit.
    Depth,
    /// There are more directories than the limit.
    Directories,
    /// The listings hold more names than the limit.
    Entries,
}

/// Declares the codes with their texts and severities, so that none can be forgotten.
macro_rules! codes {
    ($($(#[$doc:meta])+ $variant:ident $text:literal $severity:ident;)+) => {
        /// What was found; the text of [`as_str`](Self::as_str) is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum SkillDiagnosticCode {
            $($(#[$doc])+ $variant,)+
        }

        impl SkillDiagnosticCode {
            /// Every code, most severe first.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The code as it stands in reports, in snake case.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// How much a finding with this code matters.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// A root names an environment that is not in the set; nothing was called.
    UnknownEnvironment "unknown_environment" Error;
    /// A `SKILL.md` cannot be read.
    SkillUnreadable "skill_unreadable" Error;
    /// A `SKILL.md` is not UTF-8.
    SkillNotUtf8 "skill_not_utf8" Error;
    /// A `SKILL.md` under the System root is a link.
    SkillLinkNotFollowed "skill_link_not_followed" Error;
    /// There is no frontmatter block.
    FrontmatterMissing "frontmatter_missing" Error;
    /// The frontmatter block has too many bytes.
    FrontmatterTooLarge "frontmatter_too_large" Error;
    /// The frontmatter block is not YAML.
    FrontmatterInvalid "frontmatter_invalid" Error;
    /// The frontmatter block expands to too many nodes or nests too deep.
    FrontmatterBudgetExceeded "frontmatter_budget_exceeded" Error;
    /// The block or a known key has the wrong shape.
    FrontmatterWrongType "frontmatter_wrong_type" Error;
    /// A known key stands twice.
    FrontmatterDuplicateKey "frontmatter_duplicate_key" Error;
    /// There is no description.
    DescriptionMissing "description_missing" Error;
    /// The name is too long.
    NameTooLong "name_too_long" Error;
    /// Namespace and name together are too long.
    QualifiedNameTooLong "qualified_name_too_long" Error;
    /// A limit of the walk left directories out.
    ScanLimitReached "scan_limit_reached" Warning;
    /// A directory cannot be listed.
    DirectoryUnreadable "directory_unreadable" Warning;
    /// A link cannot be resolved.
    LinkUnreadable "link_unreadable" Warning;
    /// A root exists and is no directory.
    RootNotDirectory "root_not_directory" Warning;
    /// A plugin manifest is refused; it gives no namespace.
    ManifestInvalid "manifest_invalid" Warning;
    /// A plugin manifest cannot be read; it gives no namespace.
    ManifestUnreadable "manifest_unreadable" Warning;
    /// A sidecar cannot be read.
    SidecarUnreadable "sidecar_unreadable" Warning;
    /// A directory stands in the place of a sidecar.
    SidecarNotAFile "sidecar_not_a_file" Warning;
    /// A sidecar is not UTF-8.
    SidecarNotUtf8 "sidecar_not_utf8" Warning;
    /// A sidecar has too many bytes.
    SidecarTooLarge "sidecar_too_large" Warning;
    /// A sidecar is not YAML of the right shape.
    SidecarInvalid "sidecar_invalid" Warning;
    /// A field of a sidecar has a bad value; the rest stays.
    SidecarFieldDropped "sidecar_field_dropped" Warning;
    /// YAML took the end of a plain value for a comment.
    CommentDropped "comment_dropped" Warning;
    /// Several enabled skills have one name.
    NameAmbiguous "name_ambiguous" Warning;
    /// A mention names several enabled skills.
    MentionAmbiguous "mention_ambiguous" Warning;
    /// A rule of `[[skills.config]]` is ignored.
    ConfigRuleInvalid "config_rule_invalid" Warning;
    /// The budget of a catalog cut descriptions.
    DescriptionsShortened "descriptions_shortened" Warning;
    /// The budget of a catalog left skills out.
    SkillsOmitted "skills_omitted" Warning;
    /// There are more diagnostics than one load keeps.
    DiagnosticsTruncated "diagnostics_truncated" Warning;
    /// A root that the caller asked for does not exist.
    RootMissing "root_missing" Info;
    /// The frontmatter block is YAML only after quoting some values.
    FrontmatterRepaired "frontmatter_repaired" Info;
    /// A skill is not for the running product.
    ProductRestricted "product_restricted" Info;
    /// A file is a `SKILL.md` but for the case of its name.
    SkillFileMisnamed "skill_file_misnamed" Info;
    /// Lint: the block needed repair.
    SpecYamlRepaired "spec_yaml_repaired" Info;
    /// Lint: a key that the specification does not know.
    SpecUnknownKey "spec_unknown_key" Info;
    /// Lint: no name, or a blank one.
    SpecNameMissing "spec_name_missing" Info;
    /// Lint: the name has more than 64 characters.
    SpecNameLength "spec_name_length" Info;
    /// Lint: the name holds other characters than the specification allows.
    SpecNameCharacters "spec_name_characters" Info;
    /// Lint: the name differs from the directory's.
    SpecNameDirectoryMismatch "spec_name_directory_mismatch" Info;
    /// Lint: no description, or a blank one.
    SpecDescriptionMissing "spec_description_missing" Info;
    /// Lint: the description has more than 1,024 characters.
    SpecDescriptionLength "spec_description_length" Info;
    /// Lint: the compatibility note has more than 500 characters.
    SpecCompatibilityLength "spec_compatibility_length" Info;
    /// Lint: the metadata is no map of strings.
    SpecMetadataShape "spec_metadata_shape" Info;
    /// Lint: a second block follows the one that is read.
    SpecSecondBlock "spec_second_block" Info;
}

impl fmt::Display for SkillDiagnosticCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl SkillDiagnostic {
    /// A finding about nothing in particular.
    pub fn new(code: SkillDiagnosticCode, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            environment_id: None,
            path: None,
            field: None,
            limit: None,
            not_listed: None,
            count: None,
            others: Vec::new(),
            io_kind: None,
            message: message.into(),
        }
    }

    /// The finding, about this path of this environment.
    pub fn at(mut self, environment_id: &EnvironmentId, path: &PathUri) -> Self {
        self.environment_id = Some(environment_id.clone());
        self.path = Some(path.clone());
        self
    }

    /// The finding, about this field.
    pub fn with_field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// The finding, about this many things.
    pub fn with_count(mut self, count: u64) -> Self {
        self.count = Some(count);
        self
    }

    /// The finding, caused by this answer of a filesystem.
    pub fn with_io_kind(mut self, kind: io::ErrorKind) -> Self {
        self.io_kind = Some(kind);
        self
    }
}

impl fmt::Display for SkillDiagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if let Some(path) = &self.path {
            write!(formatter, ": {path}")?;
        }
        match &self.environment_id {
            Some(id) => write!(formatter, " in environment `{id}`"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::SkillDiagnosticCode;

    #[test]
    fn codes_are_distinct_and_ordered_by_severity() {
        let texts: BTreeSet<_> = SkillDiagnosticCode::ALL
            .iter()
            .map(|code| code.as_str())
            .collect();
        assert_eq!(texts.len(), SkillDiagnosticCode::ALL.len());
        let severities: Vec<_> = SkillDiagnosticCode::ALL
            .iter()
            .map(|code| code.severity())
            .collect();
        assert!(severities.is_sorted_by(|earlier, later| earlier >= later));
    }
}
