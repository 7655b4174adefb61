//! A session's project context as one call.
//!
//! A host names the machines that its agent works on and where the user's own files are. It is given
//! the instructions, skills and plugins of all of them, as a model sees them, and one list of what
//! was lost on the way:
//!
//! ```
//! use codex_context::{ContextRequest, Environment, HostSources, SelectedCapabilityRoot};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let build_machine = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/shop/.git/\n/srv/shop/AGENTS.md = Sign it.\n/srv/plugins/release/.codex-plugin/plugin.json = {}")?;
//! let here = Environment::local("local", ".")?;
//! let there = Environment::new("build", "/srv/shop", build_machine)?;
//! let request = ContextRequest {
//!     environments: vec![here, there], // the first decides configuration
//!     sources: HostSources::from_process()?, // config home, home, system folders
//!     plugins: vec![SelectedCapabilityRoot::parse("release", "build", "/srv/plugins/release")?],
//!     context_window: Some(272_000),
//!     ..ContextRequest::default()
//! };
//! let context = codex_context::load(&request).await?; // usage can fail it, content never does
//! println!("{}", context.instructions()); // exactly what the model sees
//! println!("{}", context.skills()); // the catalog, with environments in it
//! for diagnostic in context.diagnostics() {
//!     eprintln!("{diagnostic}");
//! }
//! let (context, changes) = context.refresh().await?; // the next turn
//! assert!(changes.is_empty());
//! # let _ = context;
//! # Ok(())
//! # }
//! ```
//!
//! # What it decides
//!
//! Configuration layers and profile; the trust in each project, and with it which project layers
//! count and whether documents are withheld; one search for each project root; the skill roots of
//! every scope, the user's rules about skills, the budget of their catalog; what plugins bring.
//!
//! Environments load independently. One that cannot be reached is a
//! [`Diagnostic`], and the others are complete.
//!
//! # What it never does
//!
//! It starts no process, opens no socket, writes nothing and keeps no answer for a later load. It
//! asks for nothing above a project root but markers.

mod changes;
mod context;
mod diagnostic;
mod environment;
mod error;
mod instructions_for;
mod machine;
mod measure;
mod patience;
mod plugins;
mod read_skill;
mod request;
mod schedule;
mod session;
mod sources;

/// Project instructions.
pub use codex_agents_md as agents_md;
/// Configuration layers and values.
pub use codex_config as config;
/// Machines behind an exec-server.
#[cfg(feature = "exec-server")]
pub use codex_exec_server as exec_server;
/// The trait that every machine is asked through.
pub use codex_file_system as file_system;
/// Paths of every machine.
pub use codex_path_uri as path_uri;
/// Plugins and their registrations.
pub use codex_plugin as plugin;
/// Machines behind an SFTP server.
#[cfg(feature = "sftp")]
pub use codex_sftp as sftp;
/// Skills and their catalog.
pub use codex_skills as skills;

pub use changes::{Change, ChangeKind, Changes, Subject};
pub use codex_plugin::SelectedCapabilityRoot;
pub use context::{
    Context, EnvironmentContext, EnvironmentState, Instructions, ProjectContext, Skills, View, load,
};
pub use diagnostic::Diagnostic;
pub use environment::{DEFAULT_CALL_TIMEOUT, Environment, StartDirectory, absolute_path};
pub use error::ContextError;
pub use instructions_for::FileInstructions;
pub use measure::{BYTES_PER_TOKEN, Measure, Source, SourceKind};
pub use plugins::{Plugins, SelectedPlugin};
pub use read_skill::ReadSkillError;
pub use request::{ContextRequest, Parts};
pub use sources::HostSources;
#[cfg(feature = "local")]
pub use sources::ProcessOverrides;

/// The program of the README compiles.
#[cfg(all(doctest, feature = "local", feature = "exec-server"))]
#[doc = include_str!("../../../README.md")]
struct ReadmeProgram;
