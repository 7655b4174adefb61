//! What a load cut, skipped, passed over, replaced or lost.
//!
//! One enum that carries its data, and the place it is about; code, severity, sentence and JSON are
//! views of it. A diagnostic ends nothing by itself, and nothing here decides when there is one:
//! diagnostics are read off the rows of the report. Codes raised while configuration is loaded stay
//! in the results of `codex-config`.

use std::{fmt, io};

use codex_config::{ConfigDiagnostic, ValueOrigin};
use codex_file_system::error::kind_name;
use codex_file_system::{EnvironmentId, FileKind, Severity, TextPosition};
use codex_path_uri::PathUri;
use serde::{Serialize, Serializer};

use crate::decode::ForeignEncoding;
use crate::error::InstructionsOperation;

use InstructionDiagnosticKind as Kind;

/// One diagnostic. `Display` is one sentence; nothing may be matched on it.
///
/// Serialized as an object of `code`, `severity`, `environmentId`, `path` and `details`, the fields
/// of its kind or null.
///
/// # Examples
/// ```ignore-windows
/// use codex_agents_md::{InstructionDiagnosticKind, load_user_instructions};
/// use codex_file_system::Severity;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::AbsolutePathBuf;
///
/// # futures::executor::block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/home/AGENTS.md = %0A")?;
/// let home = AbsolutePathBuf::try_from("/home")?;
/// let outcome = load_user_instructions(&fs, &home).await;
/// let diagnostic = &outcome.diagnostics[0];
/// assert_eq!(diagnostic.kind, InstructionDiagnosticKind::UserDocumentBlank);
/// assert_eq!(diagnostic.severity(), Severity::Warning);
/// assert_eq!(diagnostic.to_string(), "the user-level document `file:///home/AGENTS.md` is blank");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionDiagnostic {
    /// The environment it was found in; `None` for the user-level text.
    pub environment_id: Option<EnvironmentId>,
    /// The file or directory it is about; `None` where it is about configuration.
    pub path: Option<PathUri>,
    /// What was found.
    pub kind: InstructionDiagnosticKind,
}

/// What was found, with its figures. Serialized as the fields alone, or null.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum InstructionDiagnosticKind {
    /// The host withholds the project documents of an environment.
    ProjectDocumentsWithheld,
    /// The configured limit of 0 bytes switches project documents off.
    ProjectDocumentsDisabled,
    /// A marker or name of the configuration cannot be used in the environment.
    Configuration(#[serde(serialize_with = "serialize_configuration")] ConfigDiagnostic),
    /// A marker could not be asked for and is taken as absent.
    MarkerProbeFailed {
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// A candidate could not be asked for; the next name takes its turn.
    CandidateProbeFailed {
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// A document could not be read and is skipped.
    DocumentUnreadable {
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// An environment contributes no document because of a failure.
    EnvironmentFailed {
        /// What was being done.
        operation: InstructionsOperation,
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// Something that is no regular file has the name of a candidate.
    CandidateNotAFile {
        /// What it is: a directory, or something else that is no regular file.
        #[serde(serialize_with = "serialize_file_kind")]
        found: FileKind,
    },
    /// A link that leads to nothing has the name of a candidate or marker, and counts as absent.
    BrokenLink,
    /// Only the beginning of a document fits.
    DocumentTruncated {
        /// Length of the document in bytes.
        raw_bytes: u64,
        /// Bytes that are part of the instructions.
        kept_bytes: u64,
        /// Bytes that are not.
        lost_bytes: u64,
        /// Whether the cut falls inside a character, which then shows as U+FFFD.
        splits_character: bool,
        /// Bytes that were left of the budget before this document.
        budget_before: u64,
    },
    /// The budget was spent before a document had its turn.
    DocumentOverBudget {
        /// Length of the document in bytes; `None` where its filesystem does not say.
        raw_bytes: Option<u64>,
        /// Bytes that are lost: all of them.
        lost_bytes: Option<u64>,
    },
    /// A document is blank and hides the later names of its directory.
    BlankDocument {
        /// Length of the document in bytes.
        raw_bytes: u64,
    },
    /// The part of a document that fits is blank.
    BlankAfterCut {
        /// Length of the document in bytes.
        raw_bytes: u64,
        /// Bytes that are lost: all of them.
        lost_bytes: u64,
    },
    /// A text holds bytes that are no UTF-8.
    InvalidUtf8 {
        /// U+FFFD that stand for invalid bytes, without one that a cut makes.
        replacement_characters: u64,
        /// What the bytes look like, if it is another encoding.
        #[serde(skip_serializing_if = "Option::is_none")]
        encoding: Option<ForeignEncoding>,
    },
    /// A text is valid UTF-8 and in another encoding all the same.
    ForeignEncoding {
        /// What its bytes look like.
        encoding: ForeignEncoding,
    },
    /// Two texts are the same.
    DuplicateDocument {
        /// The document or user-level file that has the same text and comes first.
        earlier_path: PathUri,
        /// Its environment; `None` for the user-level file.
        earlier_environment_id: Option<EnvironmentId>,
    },
    /// A text holds a tag of the wrapper it is put into.
    WrapperTagInDocument {
        /// Where the tag begins.
        position: TextPosition,
    },
    /// The name of the start directory holds a tag of the wrapper, and is escaped in the header.
    WrapperTagInDirectory,
    /// The budget that cuts the documents of an environment is the setting of another one's project.
    ForeignBudget {
        /// Where the budget comes from.
        origin: ValueOrigin,
        /// The environment whose project sets it.
        configured_by: EnvironmentId,
    },
    /// A user-level document could not be asked for or read.
    UserDocumentUnreadable {
        /// The kind of the failure.
        #[serde(serialize_with = "serialize_error_kind")]
        kind: io::ErrorKind,
    },
    /// A user-level document is blank; the next name takes its turn.
    UserDocumentBlank,
    /// Later candidate names exist beside the chosen document.
    ShadowedCandidate {
        /// The hidden names, in the order of the candidates.
        names: Vec<String>,
    },
    /// An entry differs from a candidate name in ASCII case only.
    CaseVariantPresent {
        /// The entries, sorted.
        names: Vec<String>,
    },
    /// A directory without a document has files with other programs' names for instructions.
    OtherInstructionsPresent {
        /// The entries, sorted.
        names: Vec<String>,
    },
}

impl InstructionDiagnosticKind {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::ProjectDocumentsWithheld => "project_documents_withheld",
            Self::ProjectDocumentsDisabled => "project_documents_disabled",
            Self::Configuration(diagnostic) => diagnostic.code(),
            Self::MarkerProbeFailed { .. } => "marker_probe_failed",
            Self::CandidateProbeFailed { .. } => "candidate_probe_failed",
            Self::DocumentUnreadable { .. } => "document_unreadable",
            Self::EnvironmentFailed { .. } => "environment_failed",
            Self::CandidateNotAFile { .. } => "candidate_not_a_file",
            Self::BrokenLink => "broken_link",
            Self::DocumentTruncated { .. } => "document_truncated",
            Self::DocumentOverBudget { .. } => "document_over_budget",
            Self::BlankDocument { .. } => "blank_document",
            Self::BlankAfterCut { .. } => "blank_after_cut",
            Self::InvalidUtf8 { .. } => "invalid_utf8",
            Self::ForeignEncoding { .. } => "foreign_encoding",
            Self::DuplicateDocument { .. } => "duplicate_document",
            Self::WrapperTagInDocument { .. } => "wrapper_tag_in_document",
            Self::WrapperTagInDirectory => "wrapper_tag_in_directory",
            Self::ForeignBudget { .. } => "foreign_budget",
            Self::UserDocumentUnreadable { .. } => "user_document_unreadable",
            Self::UserDocumentBlank => "user_document_blank",
            Self::ShadowedCandidate { .. } => "shadowed_candidate",
            Self::CaseVariantPresent { .. } => "case_variant_present",
            Self::OtherInstructionsPresent { .. } => "other_instructions_present",
        }
    }

    /// How much it matters: an error where something asked for is missing, information where
    /// nothing is lost, else a warning.
    pub fn severity(&self) -> Severity {
        match self {
            Self::EnvironmentFailed { .. } => Severity::Error,
            Self::Configuration(diagnostic) => diagnostic.severity(),
            Self::ProjectDocumentsWithheld
            | Self::ProjectDocumentsDisabled
            | Self::CandidateNotAFile { .. }
            | Self::BrokenLink
            | Self::ForeignBudget { .. }
            | Self::ShadowedCandidate { .. }
            | Self::CaseVariantPresent { .. }
            | Self::OtherInstructionsPresent { .. } => Severity::Info,
            _ => Severity::Warning,
        }
    }
}

impl InstructionDiagnostic {
    /// A diagnostic about a path in an environment.
    pub(crate) fn at(environment_id: &EnvironmentId, path: &PathUri, kind: Kind) -> Self {
        Self {
            environment_id: Some(environment_id.clone()),
            path: Some(path.clone()),
            kind,
        }
    }

    /// A diagnostic about the user-level text.
    pub(crate) fn at_user_level(path: &PathUri, kind: Kind) -> Self {
        Self {
            environment_id: None,
            path: Some(path.clone()),
            kind,
        }
    }

    /// The stable code.
    pub fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// How much it matters.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// The environment it was found in; `None` for the user-level text.
    pub fn environment_id(&self) -> Option<&EnvironmentId> {
        self.environment_id.as_ref()
    }

    /// The file or directory it is about.
    pub fn path(&self) -> Option<&PathUri> {
        self.path.as_ref()
    }

    /// The place in the file, where it is about one.
    pub fn position(&self) -> Option<TextPosition> {
        match &self.kind {
            Kind::WrapperTagInDocument { position } => Some(*position),
            Kind::Configuration(diagnostic) => diagnostic.position(),
            _ => None,
        }
    }

    /// What to do about it, where the sentence does not say so.
    pub fn advice(&self) -> Option<String> {
        Some(match &self.kind {
            Kind::OtherInstructionsPresent { names } => {
                format!("to load such files, set project_doc_fallback_filenames = {names:?}")
            }
            Kind::DocumentTruncated { .. } | Kind::DocumentOverBudget { .. } => {
                "raise project_doc_max_bytes, or shorten the documents above it".to_owned()
            }
            Kind::ForeignEncoding { .. }
            | Kind::InvalidUtf8 {
                encoding: Some(_), ..
            } => "save the file as UTF-8".to_owned(),
            _ => return None,
        })
    }

    /// Tells hosts that read logs rather than outcomes, unless nothing is lost.
    pub(crate) fn emit_event(&self) {
        let code = self.code();
        let environment_id = self.environment_id.as_ref().map(EnvironmentId::as_str);
        let path = self.path.as_ref().map(PathUri::as_str);
        match self.severity() {
            Severity::Error => tracing::error!(code, environment_id, path, "{self}"),
            Severity::Warning => tracing::warn!(code, environment_id, path, "{self}"),
            Severity::Info => {}
        }
    }
}

impl Serialize for InstructionDiagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Fields<'a> {
            code: &'static str,
            severity: Severity,
            environment_id: Option<&'a EnvironmentId>,
            path: Option<&'a PathUri>,
            details: &'a InstructionDiagnosticKind,
        }
        let fields = Fields {
            code: self.code(),
            severity: self.severity(),
            environment_id: self.environment_id(),
            path: self.path(),
            details: &self.kind,
        };
        fields.serialize(serializer)
    }
}

impl fmt::Display for InstructionDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.as_ref().map_or("", PathUri::as_str);
        self.kind.write(f, path)?;
        if let Some(id) = &self.environment_id {
            write!(f, " in environment `{id}`")?;
        }
        match &self.kind {
            Kind::EnvironmentFailed { kind, .. } => write!(f, ": {kind}"),
            _ => Ok(()),
        }
    }
}

impl InstructionDiagnosticKind {
    /// The sentence about `path`, without its environment.
    fn write(&self, f: &mut fmt::Formatter<'_>, path: &str) -> fmt::Result {
        let document = format_args!("the project document `{path}`");
        match self {
            Self::ProjectDocumentsWithheld => {
                write!(f, "project documents for `{path}` are withheld by the host")
            }
            Self::ProjectDocumentsDisabled => write!(
                f,
                "project documents for `{path}` are switched off by `project_doc_max_bytes = 0`"
            ),
            Self::Configuration(diagnostic) => write!(f, "{diagnostic}"),
            Self::MarkerProbeFailed { kind } => write!(
                f,
                "the project root marker `{path}` counts as absent: probe failed ({})",
                kind_name(*kind)
            ),
            Self::CandidateProbeFailed { kind } => write!(
                f,
                "{document} is passed over: probe failed ({})",
                kind_name(*kind)
            ),
            Self::DocumentUnreadable { kind } => {
                write!(
                    f,
                    "{document} is skipped: read failed ({})",
                    kind_name(*kind)
                )
            }
            Self::EnvironmentFailed { operation, .. } => {
                f.write_str("all project documents are lost, because ")?;
                match operation {
                    // The path is that of a marker, or of the directory a host's search began at.
                    InstructionsOperation::MarkerProbe => {
                        write!(f, "the search for the project root failed at `{path}`")
                    }
                    InstructionsOperation::JoinCandidate => {
                        write!(f, "no project document can be named in `{path}`")
                    }
                    InstructionsOperation::CandidateProbe => {
                        write!(f, "{document} cannot be looked at")
                    }
                    InstructionsOperation::ReadDocument => write!(f, "{document} cannot be read"),
                }
            }
            Self::CandidateNotAFile { found } => {
                let what = match found {
                    FileKind::Directory => " but a directory",
                    _ => "",
                };
                write!(
                    f,
                    "the document `{path}` is passed over: no regular file{what}"
                )
            }
            Self::BrokenLink => write!(
                f,
                "`{path}` is a link that leads to nothing, and counts as absent"
            ),
            Self::DocumentTruncated {
                raw_bytes,
                kept_bytes,
                lost_bytes,
                splits_character,
                ..
            } => {
                let raw = Count(*raw_bytes, "byte");
                let split = if *splits_character {
                    ", one character split"
                } else {
                    ""
                };
                write!(
                    f,
                    "{document} is cut to the budget: {kept_bytes} of {raw} kept, {lost_bytes} lost{split}"
                )
            }
            Self::DocumentOverBudget { raw_bytes, .. } => {
                write!(
                    f,
                    "{document} is not used because the budget is spent: all of it lost"
                )?;
                match raw_bytes {
                    Some(bytes) => write!(f, ", {}", Count(*bytes, "byte")),
                    None => Ok(()),
                }
            }
            Self::BlankDocument { raw_bytes } => write!(
                f,
                "{document} is blank and hides later names: {} dropped",
                Count(*raw_bytes, "byte")
            ),
            Self::BlankAfterCut { raw_bytes, .. } => write!(
                f,
                "{document} is blank as far as it fits the budget: all of it lost, {}",
                Count(*raw_bytes, "byte")
            ),
            Self::InvalidUtf8 {
                replacement_characters,
                encoding,
            } => {
                let count = Count(*replacement_characters, "replacement character");
                write!(
                    f,
                    "the text of `{path}` holds bytes that are no UTF-8: {count}"
                )?;
                match encoding {
                    Some(encoding) => write!(f, ", as the text is {}", encoding.as_str()),
                    None => Ok(()),
                }
            }
            Self::ForeignEncoding { encoding } => write!(
                f,
                "the text of `{path}` is {} and not UTF-8, so a model cannot read it",
                encoding.as_str()
            ),
            Self::DuplicateDocument {
                earlier_path,
                earlier_environment_id,
            } => {
                write!(f, "{document} has the same text as `{earlier_path}`")?;
                match earlier_environment_id {
                    Some(id) => write!(f, " in environment `{id}`, and is found"),
                    None => f.write_str(", and is found"),
                }
            }
            Self::WrapperTagInDocument { position } => write!(
                f,
                "the text of `{path}` holds a tag of the block it is put into, at {position}"
            ),
            Self::WrapperTagInDirectory => write!(
                f,
                "the name of the start directory `{path}` holds a tag of the block it heads, and \
                 is escaped there"
            ),
            Self::ForeignBudget {
                origin,
                configured_by,
            } => write!(
                f,
                "the budget of the documents for `{path}` is that of the project in environment \
                 `{configured_by}` ({origin}), and is used"
            ),
            Self::UserDocumentUnreadable { kind } => write!(
                f,
                "the user-level document `{path}` is passed over: it cannot be read ({})",
                kind_name(*kind)
            ),
            Self::UserDocumentBlank => write!(f, "the user-level document `{path}` is blank"),
            Self::ShadowedCandidate { names } => write!(
                f,
                "other documents are hidden by `{path}` beside them: {names:?}"
            ),
            Self::CaseVariantPresent { names } => write!(
                f,
                "names in `{path}` differ from a document name in case only: {names:?}"
            ),
            Self::OtherInstructionsPresent { names } => write!(
                f,
                "`{path}` has no document, but files with other names for instructions: {names:?}"
            ),
        }
    }
}

/// What is odd about a text.
pub(crate) fn oddities(
    replacement_characters: u64,
    encoding: Option<ForeignEncoding>,
    wrapper_tag: Option<TextPosition>,
) -> Vec<Kind> {
    let encoding = match (replacement_characters, encoding) {
        (0, encoding) => encoding.map(|encoding| Kind::ForeignEncoding { encoding }),
        (_, encoding) => Some(Kind::InvalidUtf8 {
            replacement_characters,
            encoding,
        }),
    };
    let tag = wrapper_tag.map(|position| Kind::WrapperTagInDocument { position });
    [encoding, tag].into_iter().flatten().collect()
}

fn serialize_configuration<S: Serializer>(
    found: &ConfigDiagnostic,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Fields<'a> {
        origin: &'a ValueOrigin,
        text: std::borrow::Cow<'a, str>,
        reason: Option<std::borrow::Cow<'a, str>>,
    }
    let fields = Fields {
        origin: found.origin(),
        text: found.text(),
        reason: found.reason(),
    };
    fields.serialize(serializer)
}

fn serialize_error_kind<S: Serializer>(
    kind: &io::ErrorKind,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind_name(*kind))
}

fn serialize_file_kind<S: Serializer>(kind: &FileKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match kind {
        FileKind::File => "file",
        FileKind::Directory => "directory",
        _ => "other",
    })
}

/// A number of things, with the thing in the singular.
struct Count(u64, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, thing) = self;
        write!(f, "{count} {thing}{}", if *count == 1 { "" } else { "s" })
    }
}
