//! Skeleton essay.

mod diagnostics;
mod error;
mod fallback_names;
mod judge;
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

pub use diagnostics::{ConfigDiagnostic, ConfigDiagnosticCode};
pub use error::{ConfigError, OverrideProblem};
pub use fallback_names::{NameProblem, fallback_name_is_plain};
pub use layer::{ConfigLayerEntry, DisabledReason, TomlValue};
pub use load::{ConfigSources, LoadedLayers, load_base_layers};
pub use markers::{default_project_root_markers, project_root_markers_from_config};
pub use merge::merge_toml_values;
pub use origin::{TextPosition, ValueOrigin};
pub use overrides::{MAX_OVERRIDE_SEGMENTS, parse_overrides};
pub use project_layers::{DEFAULT_PROJECT_LAYER_WINDOW, ProjectLayerDecision, load_project_layers};
pub use project_root::{FailedProbe, ProjectRootSearch, RootReason, find_project_root};
pub use read::MAX_CONFIG_FILE_BYTES;
pub use source::{CONFIG_TOML_FILE, ConfigLayerSource, ProfileName};
pub use stack::{ConfigLayerStack, ConfigLayerStackOrdering};
pub use trust::{ProjectTrustTable, TrustLevel};
pub use usable_markers::{
    MarkerProblem, MarkersSource, RejectedMarker, UsableMarkers, usable_markers,
};
pub use values::{Config, DEFAULT_PROJECT_DOC_MAX_BYTES};
