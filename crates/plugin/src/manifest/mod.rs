//! From the text of a manifest to what it declares.
//!
//! Three steps, each pure: the text is scanned (`json`), each known key is read by its field's rule,
//! and what the fields name is resolved below the root. A problem either refuses the manifest
//! ([`ManifestError`]) or drops one thing and reports it.

mod agent_plugins;
mod component;
mod declarations;
mod error;
mod fields;
mod interface;
mod interface_fields;
mod keys;
mod model;
mod name;
mod parse;
mod paths;
mod prompt;
mod spelling;
mod strict;

pub(crate) use agent_plugins::{AGENT_PLUGINS_MANIFEST, parse_agent_plugins_manifest};
pub use component::{ComponentDeclaration, InlineJson};
pub use error::{ManifestError, ManifestProblem};
pub use interface::PluginInterface;
pub use model::{ManifestFormat, PluginManifest};
pub use parse::{ParsedManifest, parse_plugin_manifest};
pub(crate) use strict::{check_depth, refuse_repeated_keys};
