//! The user-level text: one document of the config home, for every environment.
//!
//! It has its own rules. It is trimmed, has no size limit but that of a read, and costs no project
//! budget; a blank or unreadable document gives way to the next name, which a project document never
//! does. Names that a project may configure are not used here.

use std::io;

use codex_file_system::error::is_broken_link;
use codex_file_system::{
    ExecutorFileSystem, FileKind, Lookahead, MAX_READ_FILE_BYTES, ReadCall, Window,
};
use codex_path_uri::{AbsolutePathBuf, PathUri};

use crate::decode::{decode, wrapper_tag};
use crate::diagnostic::{InstructionDiagnostic, InstructionDiagnosticKind as Kind, oddities};
use crate::input::{DEFAULT_AGENTS_MD_FILENAME, LOCAL_AGENTS_MD_FILENAME};

/// Instructions that hold in every project of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserInstructions {
    /// The text. [`load_user_instructions`] trims it; a host may give any. A blank one counts as
    /// none.
    pub text: String,
    /// The file it comes from, on the machine that holds the config home.
    pub source: PathUri,
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
/// Bytes that are no UTF-8 become U+FFFD; the text is trimmed.
///
/// # Round trips
/// 1: both names are read together, 2 calls. One more round trip for a document larger than 64 KiB,
/// and for the metadata of a name that is there and cannot be read.
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
    let fs = Lookahead::new(fs, Window::default());
    let config_home = PathUri::from_abs_path(config_home);
    fs.drive(load_user_instructions_with(&fs, &config_home))
        .await
}

/// [`load_user_instructions`] as part of a larger load, from a config home on any machine.
///
/// # Round trips
/// As [`load_user_instructions`], in the window of the load.
pub async fn load_user_instructions_with(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    config_home: &PathUri,
) -> UserInstructionsOutcome {
    let mut outcome = UserInstructionsOutcome::default();
    expect_user_instructions(fs, config_home);
    for name in [LOCAL_AGENTS_MD_FILENAME, DEFAULT_AGENTS_MD_FILENAME] {
        if outcome.instructions.is_some() {
            if let Ok(path) = config_home.join(name) {
                fs.forget(&ReadCall::beginning(&path, MAX_READ_FILE_BYTES));
            }
            continue;
        }
        match config_home.join(name) {
            Ok(path) => read(fs, path, &mut outcome).await,
            Err(error) => {
                let kind = io::Error::from(error).kind();
                let kind = Kind::UserDocumentUnreadable { kind };
                outcome
                    .diagnostics
                    .push(InstructionDiagnostic::at_user_level(config_home, kind));
            }
        }
    }
    for diagnostic in &outcome.diagnostics {
        diagnostic.emit_event();
    }
    outcome
}

/// Expects the reads of [`load_user_instructions_with`]. Makes no call.
pub fn expect_user_instructions(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    config_home: &PathUri,
) {
    let names = [LOCAL_AGENTS_MD_FILENAME, DEFAULT_AGENTS_MD_FILENAME];
    let paths = names
        .into_iter()
        .filter_map(|name| config_home.join(name).ok());
    fs.expect_all(paths.map(|path| ReadCall::beginning(&path, MAX_READ_FILE_BYTES)));
}

/// Reads one name, and writes down its text or why it has none.
async fn read(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    path: PathUri,
    outcome: &mut UserInstructionsOutcome,
) {
    let bytes = match fs.read_beginning(&path, MAX_READ_FILE_BYTES).await {
        Ok(prefix) => prefix.bytes,
        Err(error) => {
            let kind = obstacle(fs, &path, &error).await;
            let found = kind.map(|kind| InstructionDiagnostic::at_user_level(&path, kind));
            outcome.diagnostics.extend(found);
            return;
        }
    };
    let decoded = decode(bytes);
    let text = decoded.text.trim();
    if text.is_empty() {
        let blank = InstructionDiagnostic::at_user_level(&path, Kind::UserDocumentBlank);
        outcome.diagnostics.push(blank);
        return;
    }
    let tag = wrapper_tag(text);
    let kinds = oddities(decoded.replacement_characters, decoded.encoding, tag).into_iter();
    let found = kinds.map(|kind| InstructionDiagnostic::at_user_level(&path, kind));
    outcome.diagnostics.extend(found);
    outcome.instructions = Some(UserInstructions {
        text: text.to_owned(),
        source: path,
    });
}

/// Why a name has no text, if there is anything of that name.
async fn obstacle(
    fs: &Lookahead<'_, impl ExecutorFileSystem + ?Sized>,
    path: &PathUri,
    error: &io::Error,
) -> Option<Kind> {
    match error.kind() {
        io::ErrorKind::NotFound => is_broken_link(error).then_some(Kind::BrokenLink),
        io::ErrorKind::IsADirectory => Some(Kind::CandidateNotAFile {
            found: FileKind::Directory,
        }),
        kind => match fs.get_metadata(path, None).await {
            Ok(metadata) if !metadata.is_file => Some(Kind::CandidateNotAFile {
                found: metadata.kind,
            }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            _ => Some(Kind::UserDocumentUnreadable { kind }),
        },
    }
}
