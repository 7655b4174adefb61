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
//! use std::sync::Arc;
//!
//! use codex_config::{
//!     Config, ConfigSources, ProjectTrustTable, find_project_root, find_project_trust,
//!     load_base_layers, load_project_layers,
//! };
//! use codex_file_system::{Environment, EnvironmentId, FindUpErrorPolicy};
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
//! let fs = Arc::new(MemoryFileSystem::from_tree(Flavor::Posix, tree)?);
//! let cwd = PathUri::parse("file:///repo/core")?;
//! let here = Environment::new(EnvironmentId::new("local")?, cwd.clone(), fs.clone());
//!
//! // 1. The layers that do not depend on the project.
//! let mut sources = ConfigSources::new(&*fs, PathUri::parse("file:///home/me/.codex")?);
//! sources.overrides = vec!["project_root_markers=['.git', '.hg']".to_owned()];
//! let base = load_base_layers(&sources).await?;
//!
//! // 2. The project root, which only those layers may define. One search serves everything.
//! let markers = base.stack.usable_project_root_markers(PathConvention::Posix);
//! let search = find_project_root(&*fs, &cwd, markers, FindUpErrorPolicy::Propagate).await?;
//!
//! // 3. The layers of the project, as far as the user trusts its directories.
//! let table = ProjectTrustTable::from_stack(&base.stack)?;
//! let root = search.root.as_ref();
//! let trust = find_project_trust(&here, &cwd, root, Ok(root), &table).await;
//! let decide = |directory: &PathUri| trust.layer(directory);
//! let directories = search.directories(&cwd);
//! let all = load_project_layers(base.stack, &*fs, &directories, &decide).await?;
//!
//! // 4. The values, validated.
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
//! neither, unless they are nearly one of ours: they stay in the tables for whoever knows them.
//!
//! # Cost
//!
//! | step | calls | round trips |
//! |---|---|---|
//! | [`load_base_layers`] | one per file, at most 4 | 1 |
//! | [`find_project_root`] | those of [`find_up`](codex_file_system::find_up) | ceil(probes / 8) |
//! | [`find_project_trust`] | none without entries, else 2 and more | 1 and more |
//! | [`load_project_layers`] | one per directory | ceil(directories / window) |
//! | everything else | none | none |
//!
//! Each has a form `.._with` that takes a [`Lookahead`](codex_file_system::Lookahead), for a session
//! whose loaders share one window and ask nothing twice, and a form `expect_..` that tells such a
//! session ahead what will be asked.
//!
//! # What it never does
//!
//! It never touches the host by itself, never writes a file, never expands
//! variables, and never asks for metadata before a read. Admin requirements and device
//! management layers are out of scope.

mod diagnostics;
mod error;
mod keys;
mod layer;
mod load;
mod markers;
mod overrides;
mod project_root;
mod source;
mod stack;
mod toml_text;
mod trust;
mod values;

pub use codex_file_system::TextPosition;
pub use diagnostics::{ConfigDiagnostic, MAX_DIAGNOSTICS_PER_KEY};
pub use error::{ConfigError, OverrideProblem};
pub use layer::{ConfigLayerEntry, DisabledReason, TomlValue};
pub use load::{
    ConfigSources, LoadedLayers, MAX_CONFIG_FILE_BYTES, ProjectLayerDecision, expect_base_layers,
    expect_project_layer, load_base_layers, load_base_layers_with, load_project_layers,
    load_project_layers_with,
};
pub use markers::{
    MarkerProblem, MarkersSource, RejectedMarker, UsableMarkers, default_project_root_markers,
    project_root_markers_from_config, usable_markers,
};
pub use overrides::{MAX_OVERRIDE_SEGMENTS, parse_overrides};
pub use project_root::{
    FailedProbe, ProjectRootSearch, RootReason, expect_project_root, find_project_root,
    find_project_root_with,
};
pub use source::{CONFIG_TOML_FILE, ConfigLayerSource, ProfileName, ValueOrigin};
pub use stack::{ConfigLayerStack, ConfigLayerStackOrdering, merge_toml_values};
pub use trust::{
    ProjectDocuments, ProjectSkills, ProjectTrust, ProjectTrustTable, TrustDecision, TrustLevel,
    TrustPlace, TrustQuestion, expect_project_trust, find_project_trust, find_project_trust_with,
};
pub use values::{Config, DEFAULT_PROJECT_DOC_MAX_BYTES, NameProblem, fallback_name_is_plain};
