//! Where one piece of project text comes from.
//!
//! A path is never kept without its environment: the same spelling in another environment is
//! another file. Nothing here says how pieces are put together; that is `assembly.rs`.

use codex_file_system::EnvironmentId;
use codex_path_uri::PathUri;

/// One piece of the instructions, with its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionEntry {
    /// The text as the model is given it: decoded, cut to the budget, otherwise unchanged.
    pub contents: String,
    /// Where the text comes from.
    pub provenance: InstructionProvenance,
}

/// The origin of an [`InstructionEntry`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionProvenance {
    /// A document found between the project root and the working directory.
    Project {
        /// The document, as it was asked for: links are not resolved.
        source_path: PathUri,
        /// The environment that holds the document.
        environment_id: EnvironmentId,
        /// The working directory whose search found the document.
        cwd: PathUri,
    },
    /// Text that the host itself adds; it has no file.
    Internal,
}

impl InstructionEntry {
    /// A document found for `cwd` in an environment.
    pub(crate) fn project(
        contents: impl Into<String>,
        source_path: PathUri,
        environment_id: EnvironmentId,
        cwd: PathUri,
    ) -> Self {
        let provenance = InstructionProvenance::Project {
            source_path,
            environment_id,
            cwd,
        };
        Self {
            contents: contents.into(),
            provenance,
        }
    }

    /// Text that the host adds.
    pub(crate) fn internal(contents: impl Into<String>) -> Self {
        Self {
            contents: contents.into(),
            provenance: InstructionProvenance::Internal,
        }
    }
}
