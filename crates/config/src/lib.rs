//! Configuration layers, and where every value came from.
//!
//! A few TOML files and `-c` arguments decide how instructions, skills and plugins are found.
//! This crate reads them through an [`ExecutorFileSystem`](codex_file_system::ExecutorFileSystem),
//! keeps them apart as layers, and answers two questions about any key: what is the value, and
//! which layer and line set it.
//!
//! A host goes through it in this order, because each step needs the one before:
//!
//! ```
//! use codex_config::{
//!     Config, ConfigSources, DEFAULT_PROJECT_LAYER_WINDOW, DisabledReason, ProjectLayerDecision,
//!     ProjectTrustTable, TrustLevel, find_project_root, load_base_layers, load_project_layers,
//! };
//! use codex_file_system::FindUpErrorPolicy;
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::{PathConvention, PathUri};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tree = "
//!     /home/me/.codex/config.toml = projects = { '/repo' = { trust_level = 'trusted' } }
//!     /repo/.git/
//!     /repo/.codex/config.toml = project_doc_max_bytes = 1000
//!     /repo/core/
//! ";
//! let fs = MemoryFileSystem::from_tree(Flavor::Posix, tree)?;
//! let cwd = PathUri::parse("file:///repo/core")?;
//!
//! // 1. The layers that do not depend on the project.
//! let mut sources = ConfigSources::new(&fs, PathUri::parse("file:///home/me/.codex")?);
//! sources.overrides = vec!["project_root_markers=['.git', '.hg']".to_owned()];
//! let base = load_base_layers(&sources).await?;
//!
//! // 2. The project root, which only those layers may define. One search serves everything.
//! let markers = base.stack.usable_project_root_markers(PathConvention::Posix);
//! let search = find_project_root(&fs, &cwd, markers, FindUpErrorPolicy::Propagate).await?;
//!
//! // 3. The layers of the project, as far as the host trusts its directories.
//! let trust = ProjectTrustTable::from_stack(&base.stack)?;
//! let decide = |directory: &PathUri| match trust.nearest([directory].into_iter().chain(&search.root)) {
//!     Some(TrustLevel::Trusted) => ProjectLayerDecision::Enable,
//!     _ => ProjectLayerDecision::Disable(DisabledReason::NotTrusted),
//! };
//! let directories = search.directories(&cwd);
//! let window = DEFAULT_PROJECT_LAYER_WINDOW;
//! let all = load_project_layers(base.stack, &fs, &directories, &decide, window).await?;
//!
//! // 4. The values, judged.
//! let (config, diagnostics) = Config::from_stack(all.stack)?;
//! assert_eq!(config.project_doc_max_bytes, 1000);
//! let origin = config.config_layer_stack.origin(&["project_doc_max_bytes"]);
//! assert_eq!(origin.to_string(), "/repo/.codex/config.toml:1:25");
//! assert!(diagnostics.is_empty());
//! # Ok(())
//! # }
//! ```
//!
//! # Layers
//!
//! [`ConfigLayerSource`] lists the sources, lowest precedence first: the machine, the user, the
//! user's profile, the project's directories from the root to the working directory, `-c`, the
//! managed file. [`merge_toml_values`] is how one overlays another: tables join, all else is
//! replaced. Defaults are no layer; a value that nobody set has [`ValueOrigin::Default`].
//!
//! Layers of the project cannot set `project_root_markers`: they are found by walking to the
//! root that the markers define, and the content of a repository must not move its own boundary.
//!
//! # Mistakes
//!
//! What a person wrote wrongly is a [`ConfigError`] with file, line and column; the first one in
//! order of precedence is returned and nothing is half-applied. What can be left out without
//! changing what the rest means is a [`ConfigDiagnostic`] beside the result. Unknown keys are
//! neither: they stay in the tables for whoever knows them.
//!
//! # Cost
//!
//! | step | calls | round trips |
//! |---|---|---|
//! | [`load_base_layers`] | one per file, at most 4 | 1 |
//! | [`find_project_root`] | those of [`find_up`](codex_file_system::find_up) | ceil(probes / 8) |
//! | [`load_project_layers`] | one per directory | ceil(directories / window) |
//! | everything else | none | none |
//!
//! # What it never does
//!
//! It never touches the host by itself, never decides trust, never writes a file, never expands
//! variables, and never asks for metadata before a read. Admin requirements and device
//! management layers are out of scope.

mod diagnostics;
mod error;
mod fallback_names;
mod judge;
mod keys;
mod layer;
mod load;
mod lookup;
mod markers;
mod merge;
mod nesting;
mod origin;
mod overrides;
mod positions;
mod project_layers;
mod project_root;
mod read;
mod source;
mod stack;
mod text_index;
mod toml_text;
mod trust;
mod usable_markers;
mod values;

pub use codex_file_system::TextPosition;
pub use diagnostics::{ConfigDiagnostic, MAX_DIAGNOSTICS_PER_KEY};
pub use error::{ConfigError, OverrideProblem};
pub use fallback_names::{NameProblem, fallback_name_is_plain};
pub use layer::{ConfigLayerEntry, DisabledReason, TomlValue};
pub use load::{ConfigSources, LoadedLayers, load_base_layers};
pub use markers::{default_project_root_markers, project_root_markers_from_config};
pub use merge::merge_toml_values;
pub use origin::ValueOrigin;
pub use overrides::{MAX_OVERRIDE_SEGMENTS, parse_overrides};
pub use project_layers::{DEFAULT_PROJECT_LAYER_WINDOW, ProjectLayerDecision, load_project_layers};
pub use project_root::{FailedProbe, ProjectRootSearch, RootReason, find_project_root};
pub use read::MAX_CONFIG_FILE_BYTES;
pub use source::{CONFIG_TOML_FILE, ConfigLayerSource, ProfileName};
pub use stack::{ConfigLayerStack, ConfigLayerStackOrdering};
pub use trust::{
    ProjectDocuments, ProjectSkills, ProjectTrust, ProjectTrustTable, TrustDecision, TrustLevel,
    TrustPlace, TrustQuestion, find_project_trust,
};
pub use usable_markers::{
    MarkerProblem, MarkersSource, RejectedMarker, UsableMarkers, usable_markers,
};
pub use values::{Config, DEFAULT_PROJECT_DOC_MAX_BYTES};
