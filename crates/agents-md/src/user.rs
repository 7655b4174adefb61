//! The user-level text: one document of the config home, for every environment.
//!
//! It has its own rules. It is trimmed, has no size limit and costs no project budget; a blank or
//! unreadable document gives way to the next name, which a project document never does. Names
//! that a project may configure are not used here.

use std::io;

use codex_file_system::ExecutorFileSystem;
use codex_path_uri::{AbsolutePathBuf, PathUri};
use futures::future::join_all;

use crate::diagnostics::{InstructionDetails, InstructionDiagnostic, InstructionDiagnosticCode};
use crate::document::{Decoded, decode, holds_wrapper_tag};
use crate::names::{DEFAULT_AGENTS_MD_FILENAME, LOCAL_AGENTS_MD_FILENAME};

use InstructionDiagnosticCode as Code;

/// Instructions that hold in every project of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserInstructions {
    /// The text. [`load_user_instructions`] trims it; a host may give any. A blank one counts as
    /// none.
    pub text: String,
    /// The file it comes from, on the host.
    pub source: AbsolutePathBuf,
}

/// The outcome of [`load_user_instructions`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UserInstructionsOutcome {
    /// The first document that is there, readable and not blank.
    pub instructions: Option<UserInstructions>,
    /// What was passed over before it, and what is wrong with its text.
    pub diagnostics: Vec<InstructionDiagnostic>,
}

/// Loads the user-level text: `AGENTS.override.md`, else `AGENTS.md`, of the config home.
///
/// Bytes that are no UTF-8 become U+FFFD; the text is trimmed and has no size limit.
///
/// # Round trips
/// Both metadata calls go out together, then documents are read one at a time until one is not
/// blank: 2 + r calls and 1 + r round trips, r = 0, 1 or 2.
///
/// # Errors
/// None: what cannot be asked for or read gives way to the next name, with a diagnostic.
///
/// # Cancellation
/// Dropping the future starts no further call; calls already sent may still finish remotely.
///
/// # Examples
/// ```ignore-windows
/// use codex_agents_md::load_user_instructions;
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::AbsolutePathBuf;
///
/// # futures::executor::block_on(async {
/// let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/home/AGENTS.md = Be brief.%0A")?;
/// let home = AbsolutePathBuf::try_from("/home")?;
/// let outcome = load_user_instructions(&fs, &home).await;
/// assert_eq!(outcome.instructions.map(|user| user.text).as_deref(), Some("Be brief."));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub async fn load_user_instructions(
    fs: &dyn ExecutorFileSystem,
    config_home: &AbsolutePathBuf,
) -> UserInstructionsOutcome {
    let mut outcome = UserInstructionsOutcome::default();
    let candidates = candidates(config_home, &mut outcome.diagnostics);
    let probes = candidates
        .iter()
        .map(|(_, path)| fs.get_metadata(path, None));
    let answers = join_all(probes).await;
    for ((source, path), answer) in candidates.iter().zip(answers) {
        let bytes = match answer {
            Ok(metadata) if metadata.is_file => fs.read_file(path, None).await,
            Ok(_) => continue,
            Err(error) => Err(error),
        };
        match bytes {
            Ok(bytes) => {
                let text = judge(bytes, path, &mut outcome.diagnostics);
                if let Some(text) = text {
                    outcome.instructions = Some(UserInstructions {
                        text,
                        source: source.clone(),
                    });
                    break;
                }
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => outcome.diagnostics.push(unreadable(path, error.kind())),
        }
    }
    for diagnostic in &outcome.diagnostics {
        diagnostic.emit_event();
    }
    outcome
}

/// The documents that may hold the text, as host path and URI, in order.
fn candidates(
    config_home: &AbsolutePathBuf,
    diagnostics: &mut Vec<InstructionDiagnostic>,
) -> Vec<(AbsolutePathBuf, PathUri)> {
    let mut candidates = Vec::new();
    for name in [LOCAL_AGENTS_MD_FILENAME, DEFAULT_AGENTS_MD_FILENAME] {
        match config_home.join(name) {
            Ok(source) => {
                let path = PathUri::from_abs_path(&source);
                candidates.push((source, path));
            }
            Err(error) => {
                diagnostics.push(unreadable(
                    &PathUri::from_abs_path(config_home),
                    error.kind(),
                ));
            }
        }
    }
    candidates
}

/// The trimmed text, unless it is blank; what is wrong with it goes to `diagnostics`.
fn judge(
    bytes: Vec<u8>,
    path: &PathUri,
    diagnostics: &mut Vec<InstructionDiagnostic>,
) -> Option<String> {
    let mut found = |code, details| {
        diagnostics.push(InstructionDiagnostic::at_user_level(code, path, details));
    };
    let Decoded {
        text,
        replacement_characters,
        ..
    } = decode(bytes);
    let text = text.trim();
    if text.is_empty() {
        found(Code::UserDocumentBlank, InstructionDetails::None);
        return None;
    }
    if replacement_characters > 0 {
        found(
            Code::InvalidUtf8,
            InstructionDetails::Replaced {
                replacement_characters,
            },
        );
    }
    if holds_wrapper_tag(text) {
        found(Code::WrapperTagInDocument, InstructionDetails::None);
    }
    Some(text.to_owned())
}

fn unreadable(path: &PathUri, kind: io::ErrorKind) -> InstructionDiagnostic {
    let details = InstructionDetails::failure(kind);
    InstructionDiagnostic::at_user_level(Code::UserDocumentUnreadable, path, details)
}
