//! Plugins: does a selected directory hold one, and what does its manifest declare?
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
//! let (id, cwd) = (EnvironmentId::new("windows-box")?, PathUri::parse("file:///C:/")?);
//! let environments = EnvironmentSet::new(vec![Environment::new(id, cwd, Arc::new(fs))])?;
//!
//! let provider = ExecutorPluginProvider::new(Arc::new(environments));
//! let selected = SelectedCapabilityRoot::parse("demo-1", "windows-box", r"C:\tools\demo")?;
//! let plugin = provider.resolve(&selected).await?.expect("there is a manifest");
//!
//! assert_eq!(plugin.namespace().namespace(), "demo");
//! // The bad path is dropped and reported, so the hooks are in their default place.
//! assert_eq!(plugin.diagnostics()[0].code(), "path_prefix");
//! assert!(!plugin.hook_sources().expect("a place for hooks").is_declared());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A host selects directories, each on some *environment* (this machine, a container, a box behind SSH), or asks for the
//! plugins that its configuration enables ([`find_installed_plugins_with`]). A plugin is *inert*: nothing is started,
//! installed, cached or written, and no answer about one environment ever comes from another.
//!
//! # The way through
//!
//! [`resolve_all_with`] asks about the directories of one environment through a `Lookahead` that a whole session may
//! share; [`ExecutorPluginProvider`] makes its own. Per directory: is it one, what does its listing show, which location
//! holds a manifest ([`DISCOVERABLE_PLUGIN_MANIFEST_PATHS`], before them the `plugin.json` of Agent Plugins 1.0), and the
//! manifest itself. Without one the directory is a standalone capability, which is a result, not an error.
//! [`parse_plugin_manifest`] turns the text into a [`PluginManifest`], and [`ResolvedPlugin`] binds it to its environment.
//! [`mcp`] reads what plugins register as MCP servers; [`read_plugin_namespace`] names skills.
//!
//! # What always holds
//!
//! * **A locator stays below its root.** Every [`PluginResourceLocator`] of a resolved plugin is lexically at or below the
//!   root, whatever the manifest says. What links do is judged by the [`SymlinkPolicy`] when a file is opened.
//! * **A path keeps its machine.** A path and its environment are one value.
//! * **A name is no path.** Names come from the manifest verbatim; the [`PluginNamespace`] that reaches a model is one line
//!   that cannot be forged into another plugin's or none.
//! * **Nothing is lost in silence.** What refuses a manifest is an error with line and column; what is dropped, cut,
//!   normalised or missing is a [`PluginDiagnostic`], exactly one each.
//! * **A chosen manifest never falls through** to another location, whatever is wrong with it.
//!
//! What this crate never does: look above a root, look up a variable, read a file of apps or hooks, start anything.

mod diagnostic;
mod error;
mod id;
mod installed;
mod json;
mod locations;
mod manifest;
pub mod mcp;
mod namespace;
mod provider;
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
pub use provider::{ExecutorPluginProvider, PluginProvider};
pub use read::{ResourceOutsideRoot, ResourceReadError, read_plugin_resource};
pub use resolve::{
    PluginOptions, ResolvedRoot, SymlinkPolicy, expect_plugin_root, resolve_all_with,
    resolve_one_with,
};
pub use resolved::{ComponentSource, PluginSkillRoot, ResolvedPlugin};
pub use root::{
    CapabilityRootLocation, InvalidCapabilityRoot, PluginResourceLocator, SelectedCapabilityRoot,
};
