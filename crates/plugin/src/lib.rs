//! Plugins: does a selected directory hold one, and what does its manifest declare?
//!
//! A host selects directories, each on some *environment* (this machine, a container, a box behind
//! SSH). This crate answers for each of them, and does nothing else: a plugin it resolves is
//! *inert*. Nothing is started, installed, expanded, cached or written, and no answer about one
//! environment ever comes from another.
//!
//! # The way through
//!
//! A [`SelectedCapabilityRoot`] says where to look. [`ExecutorPluginProvider`] asks the
//! environment's filesystem, for all roots together in two round trips: what is there, then the
//! manifests. The manifest is the first regular file among
//! [`DISCOVERABLE_PLUGIN_MANIFEST_PATHS`]; without one the directory is a standalone capability,
//! which is a result, not an error. [`parse_plugin_manifest`] turns the text into a
//! [`PluginManifest`], and [`ResolvedPlugin`] binds it to its environment. [`mcp`] reads what
//! plugins register as MCP servers, in one more trip; [`read_plugin_namespace`] names skills.
//!
//! # What always holds
//!
//! * **A locator stays below its root.** Every [`PluginResourceLocator`] of a resolved plugin is
//!   lexically at or below the root, whatever the manifest says and whichever convention the root
//!   has. Links are judged by the [`SymlinkPolicy`] when a file is opened.
//! * **A path keeps its machine.** A path and its environment are one value.
//! * **A name is no path.** Names come from the manifest verbatim; the [`PluginNamespace`] that
//!   reaches a model is one line that cannot be forged into another plugin's or none.
//! * **Nothing is lost in silence.** What refuses a manifest is an error with line and column; what
//!   is dropped, cut or normalised is a [`PluginDiagnostic`], exactly one each.
//! * **A chosen manifest never falls through** to another location, whatever is wrong with it.
//!
//! What this crate never does: look above a root, look up a variable, read a file of apps or hooks,
//! decide what is enabled.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use codex_file_system::{Environment, EnvironmentId, EnvironmentSet};
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem};
//! use codex_path_uri::PathUri;
//! use codex_plugin::{ExecutorPluginProvider, PluginProvider, SelectedCapabilityRoot};
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let fs = MemoryFileSystem::from_tree(Flavor::Windows, r#"
//!     C:/tools/demo/.claude-plugin/plugin.json = {"name": "demo", "hooks": "../hooks.json"}
//! "#)?;
//! let box_id = EnvironmentId::new("windows-box")?;
//! let root = PathUri::parse("file:///C:/tools/demo")?;
//! let environment = Environment::new(box_id.clone(), root.clone(), Arc::new(fs));
//! let environments = Arc::new(EnvironmentSet::new(vec![environment])?);
//!
//! let provider = ExecutorPluginProvider::new(environments);
//! let selected = SelectedCapabilityRoot::new("demo-1", box_id, root);
//! let plugin = provider.resolve(&selected).await?.expect("there is a manifest");
//!
//! assert_eq!(plugin.namespace().namespace(), "demo");
//! // The bad path is dropped and reported, so the hooks are in their default place.
//! assert_eq!(plugin.diagnostics()[0].code().as_str(), "path_prefix");
//! let hooks = plugin.hook_sources().expect("a place for hooks");
//! assert!(!hooks.is_declared());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod diagnostic;
mod error;
mod id;
mod installed;
mod json;
mod locations;
mod manifest;
pub mod mcp;
mod namespace;
mod read;
mod resolve;
mod resolved;
mod root;

pub use diagnostic::{
    EntryProblem, FieldProblem, InstalledProblem, MAX_DIAGNOSTICS, McpProblem, PathFault,
    PluginDiagnostic,
};
pub use error::{ErrorPlace, ManifestError, ManifestProblem, PluginProviderError};
pub use id::{InvalidPluginName, MarketplaceName, PluginId, PluginIdError, PluginName};
pub use installed::{
    InstalledPlugin, InstalledPlugins, PluginEntry, expect_installed_plugins,
    find_installed_plugins_with,
};
pub use locations::{
    DEFAULT_APPS_CONFIG, DEFAULT_HOOKS_CONFIG, DEFAULT_MCP_CONFIG, DEFAULT_SKILLS_DIR,
    DISCOVERABLE_PLUGIN_MANIFEST_PATHS, FALLBACK_PLUGIN_NAME, ManifestDirectories,
    find_plugin_manifest, manifest_candidates,
};
pub use manifest::{
    ComponentDeclaration, InlineJson, MAX_DEFAULT_PROMPT_CHARS, MAX_DEFAULT_PROMPTS,
    MAX_LIST_ITEMS, MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH, ManifestFormat, ParsedManifest,
    PluginInterface, PluginManifest, parse_plugin_manifest,
};
pub use mcp::{MAX_MCP_CONFIG_BYTES, MAX_MCP_SERVERS};
pub use namespace::{
    PluginNamespace, plugin_namespace_calls, read_plugin_namespace, read_plugin_namespace_with,
};
pub use read::{ResourceOutsideRoot, ResourceReadError, read_plugin_resource};
pub use resolve::{
    ExecutorPluginProvider, PluginOptions, PluginProvider, ResolvedRoot, SymlinkPolicy,
    expect_plugin_root, resolve_all_with, resolve_one_with,
};
pub use resolved::{ComponentSource, PluginSkillRoot, ResolvedPlugin};
pub use root::{
    CapabilityRootLocation, InvalidCapabilityRoot, PluginResourceLocator, SelectedCapabilityRoot,
};
