//! Project instructions: from a working directory to the text a model is given.
//!
//! A repository tells coding agents how to work in it in files called `AGENTS.md`. A directory may
//! have one, and so may every directory above it up to the root of the project; a person may have
//! one more for all projects. This crate finds them, reads as much of them as a budget allows, puts
//! them together, and says exactly what was loaded, cut, skipped or lost.
//!
//! The files may be on another machine, where each call is a round trip of 20 to 200 ms. So the
//! crate asks through one trait, [`ExecutorFileSystem`](codex_file_system::ExecutorFileSystem), as a
//! serial program whose next reads are asked ahead ([`Lookahead`](codex_file_system::Lookahead)): the
//! result never depends on who answers first.
//!
//! # The way through
//!
//! For each environment of a turn:
//!
//! 1. **Root** (`load.rs`). The nearest ancestor of the working directory that holds a marker such
//!    as `.git`. The host may have searched already and hands the result over
//!    ([`ProjectRootInput`]).
//! 2. **Documents** (`read.rs`). In each directory from the root to the working directory the first
//!    of `AGENTS.override.md`, `AGENTS.md` and the configured names that is a regular file is the
//!    document; a blank override still hides the plain file. They are read first and asked about
//!    only where a read fails. Root first, they share `project_doc_max_bytes`: the document that
//!    does not fit is cut where the budget ends, and nothing of later ones is used.
//! 3. **Rows** (`report.rs`). One per directory. The text and its header ([`LoadedAgentsMd`]), the
//!    diagnostics ([`InstructionDiagnostic`]) and the serialized account ([`InstructionsReport`]) are
//!    read off them.
//!
//! # What holds always
//!
//! * No candidate above the project root is asked for, and nothing is asked or read twice.
//! * A load never fails as a whole. What fails in one environment is in its
//!   [`EnvironmentOutcome`]; other environments and the user-level text stay, and nothing falls
//!   back to another filesystem.
//! * Nothing is lost in silence: every cut, skip and loss is a diagnostic, with its bytes.
//! * A document is passed on as it is. No line is trimmed, no markup is interpreted, nothing is
//!   imported; bytes that are no UTF-8 become U+FFFD.
//! * A load keeps no state. A host that wants to see an edit loads again.
//!
//! # What is the host's
//!
//! Whether a project is trusted ([`ProjectDocuments`]), the configuration
//! ([`Config`](codex_config::Config)), the model request around the
//! [fragment](ContextUserInstructions), and for how long a result is good.
//!
//! # Examples
//!
//! A user-level text, and a project whose second document is cut after one byte:
//!
//! ```ignore-windows
//! use std::sync::Arc;
//!
//! use codex_agents_md::{
//!     TurnEnvironment, TurnEnvironmentSnapshot, load_project_instructions, load_user_instructions,
//! };
//! use codex_config::Config;
//! use codex_file_system::{Environment, EnvironmentId};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::{AbsolutePathBuf, PathUri};
//!
//! # futures::executor::block_on(async {
//! let tree = "
//!     /home/me/.codex/AGENTS.md = Be brief.
//!     /srv/repo/.git/
//!     /srv/repo/AGENTS.md = Use just.
//!     /srv/repo/src/AGENTS.md = No unsafe.
//! ";
//! let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
//! let home = AbsolutePathBuf::try_from("/home/me/.codex")?;
//! let user = load_user_instructions(&*fs, &home).await;
//!
//! let cwd = PathUri::parse("file:///srv/repo/src")?;
//! let id = EnvironmentId::new("local")?;
//! let environment = Environment::new(id.clone(), cwd.clone(), fs);
//! let turn_environments = vec![TurnEnvironment::new(id, environment, cwd)];
//! let snapshot = TurnEnvironmentSnapshot { turn_environments };
//! let config = Config { project_doc_max_bytes: 10, ..Config::default() };
//! let outcome = load_project_instructions(&config, user.instructions, &snapshot).await;
//!
//! let loaded = outcome.loaded.ok_or("nothing loaded")?;
//! assert_eq!(loaded.text(), "Be brief.\n\n--- project-doc ---\n\nUse just.\n\nN");
//! assert_eq!(
//!     outcome.diagnostics[0].to_string(),
//!     "the project document `file:///srv/repo/src/AGENTS.md` is cut to the budget: \
//!      1 of 10 bytes kept, 9 lost in environment `local`",
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```

mod below;
mod decode;
mod diagnostic;
mod error;
mod input;
mod listing;
mod load;
mod read;
mod report;
mod text;
mod user;

pub use below::{FileDocuments, documents_for};
pub use codex_config::ProjectDocuments;
pub use decode::ForeignEncoding;
pub use diagnostic::{InstructionDiagnostic, InstructionDiagnosticKind};
pub use error::{InstructionsError, InstructionsOperation};
pub use input::{
    DEFAULT_AGENTS_MD_FILENAME, DocumentErrorPolicy, InstructionsOptions, LOCAL_AGENTS_MD_FILENAME,
    ProjectRootInput, TurnEnvironment, TurnEnvironmentSnapshot,
};
pub use listing::add_listings;
pub use load::{
    EnvironmentOutcome, InstructionsOutcome, load_project_instructions,
    load_project_instructions_through, load_project_instructions_with,
};
pub use read::expect_documents;
pub use report::{
    DirectoryRow, DirectoryState, EnvironmentReport, EnvironmentStatus, InstructionCalls,
    InstructionsReport, PassedOver, PassedOverReason, REPORT_SCHEMA_VERSION, UserRow,
};
pub use text::{ContextUserInstructions, InstructionEntry, InstructionProvenance, LoadedAgentsMd};
pub use user::{
    UserInstructions, UserInstructionsOutcome, expect_user_instructions, load_user_instructions,
    load_user_instructions_with,
};
