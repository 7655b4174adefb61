//! Plugin manifests of a selected directory: found, parsed, contained and inert.
#![allow(
    clippy::todo,
    dead_code,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason
)]

mod components;
mod contained;
mod containment;
mod diagnostics;
mod directories;
mod error;
mod error_context;
mod escape;
mod executor;
mod id;
mod json;
mod limits;
mod locations;
mod locator;
mod manifest;
pub mod mcp;
mod namespace;
mod options;
mod provider;
mod read_namespace;
mod resolved;
mod resource;
mod root;
mod sources;
mod trip;

pub use containment::ResourceOutsideRoot;
pub use diagnostics::{PluginDiagnostic, PluginDiagnosticCode};
pub use directories::ManifestDirectories;
pub use error::PluginProviderError;
pub use executor::ExecutorPluginProvider;
pub use id::{InvalidPluginName, MarketplaceName, PluginId, PluginIdError, PluginName};
pub use limits::{
    DEFAULT_APPS_CONFIG, DEFAULT_HOOKS_CONFIG, DEFAULT_MCP_CONFIG, DEFAULT_PLUGIN_WINDOW,
    DEFAULT_SKILLS_DIR, FALLBACK_PLUGIN_NAME, MAX_DEFAULT_PROMPT_CHARS, MAX_DEFAULT_PROMPTS,
    MAX_DIAGNOSTICS, MAX_LIST_ITEMS, MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH, MAX_MCP_CONFIG_BYTES,
    MAX_MCP_SERVERS,
};
pub use locations::{
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, choose_manifest, find_plugin_manifest, manifest_candidates,
};
pub use locator::PluginResourceLocator;
pub use manifest::{
    ComponentDeclaration, InlineJson, ManifestError, ManifestFormat, ManifestProblem,
    ParsedManifest, PluginInterface, PluginManifest, parse_plugin_manifest,
};
pub use namespace::PluginNamespace;
pub use options::{PluginOptions, SymlinkPolicy};
pub use provider::PluginProvider;
pub use read_namespace::read_plugin_namespace;
pub use resolved::ResolvedPlugin;
pub use resource::{ResourceReadError, read_plugin_resource};
pub use root::{CapabilityRootLocation, SelectedCapabilityRoot};
pub use sources::ComponentSource;
