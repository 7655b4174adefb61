//! Skeleton.
mod assembly;
mod budget;
mod calls;
mod candidates;
mod conclude;
mod diagnostics;
mod document;
mod duplicates;
mod environment;
mod error;
mod findings;
mod fragment;
mod listings;
mod load;
mod names;
mod options;
mod outcome;
mod provenance;
mod read;
mod report;
mod root;
mod settings;
mod snapshot;
mod user;

pub use assembly::LoadedAgentsMd;
pub use diagnostics::{InstructionDetails, InstructionDiagnostic, InstructionDiagnosticCode};
pub use error::{InstructionsError, InstructionsOperation};
pub use fragment::ContextUserInstructions;
pub use listings::add_listings;
pub use load::{load_project_instructions, load_project_instructions_with};
pub use names::{DEFAULT_AGENTS_MD_FILENAME, LOCAL_AGENTS_MD_FILENAME};
pub use options::{DocumentErrorPolicy, InstructionsOptions};
pub use outcome::{EnvironmentOutcome, InstructionsOutcome};
pub use provenance::{InstructionEntry, InstructionProvenance};
pub use report::{
    DirectoryRow, DirectoryState, EnvironmentReport, EnvironmentStatus, InstructionCalls,
    InstructionsReport, PassedOver, PassedOverReason, REPORT_SCHEMA_VERSION, UserRow,
};
pub use snapshot::{ProjectDocuments, ProjectRootInput, TurnEnvironment, TurnEnvironmentSnapshot};
pub use user::{UserInstructions, UserInstructionsOutcome, load_user_instructions};
