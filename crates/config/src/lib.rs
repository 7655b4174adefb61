//! Skeleton of signatures; bodies are on the way.
#![allow(
    clippy::todo,
    dead_code,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason
)]

mod diagnostics;
mod documents;
mod error;
mod layer;
mod load;
mod markers;
mod merge;
mod origin;
mod overrides;
mod positions;
mod project_root;
mod source;
mod stack;
mod trust;

pub use diagnostics::{ConfigDiagnostic, ConfigDiagnosticCode};
pub use documents::{Config, DEFAULT_PROJECT_DOC_MAX_BYTES, NameProblem, fallback_name_is_plain};
pub use error::{ConfigError, OverrideProblem};
pub use layer::{ConfigLayerEntry, DisabledReason, TomlValue};
pub use load::{
    ConfigSources, LoadedLayers, MAX_CONFIG_FILE_BYTES, ProjectLayerDecision, load_base_layers,
    load_project_layers,
};
pub use markers::{
    MarkerProblem, MarkersSource, RejectedMarker, UsableMarkers, default_project_root_markers,
    project_root_markers_from_config, usable_markers,
};
pub use merge::merge_toml_values;
pub use origin::{TextPosition, ValueOrigin};
pub use overrides::{MAX_OVERRIDE_SEGMENTS, parse_overrides};
pub use project_root::{FailedProbe, ProjectRootSearch, RootReason, find_project_root};
pub use source::{CONFIG_TOML_FILE, ConfigLayerSource, ProfileName};
pub use stack::{ConfigLayerStack, ConfigLayerStackOrdering};
pub use trust::{ProjectTrustTable, TrustLevel};
