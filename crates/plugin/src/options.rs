//! How a host wants its roots resolved.

use codex_file_system::Window;

use crate::MAX_MANIFEST_BYTES;
use crate::limits::DEFAULT_WINDOW;

/// Options of resolving plugins and of loading their MCP servers.
///
/// # Examples
/// ```
/// use codex_file_system::Window;
/// use codex_plugin::{PluginOptions, SymlinkPolicy};
///
/// let options = PluginOptions::default().with_window(Window::SERIAL);
/// assert_eq!(options.symlinks(), SymlinkPolicy::RefuseEscape);
/// // The standard's own manifest is never read through a link that leaves the root.
/// let options = options.with_symlinks(SymlinkPolicy::Follow).with_agent_plugins_root(true);
/// assert_eq!(options.symlinks(), SymlinkPolicy::RefuseEscape);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PluginOptions {
    symlinks: SymlinkPolicy,
    max_manifest_bytes: usize,
    window: Window,
    agent_plugins_root: bool,
}

/// What a link may do to a file of a plugin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SymlinkPolicy {
    /// A file whose canonical path is outside the canonical root is refused.
    #[default]
    RefuseEscape,
    /// Links lead anywhere.
    Follow,
}

impl Default for PluginOptions {
    fn default() -> Self {
        Self {
            symlinks: SymlinkPolicy::default(),
            max_manifest_bytes: MAX_MANIFEST_BYTES,
            window: DEFAULT_WINDOW,
            agent_plugins_root: false,
        }
    }
}

impl PluginOptions {
    /// The policy in force: [`SymlinkPolicy::RefuseEscape`] wherever `agent_plugins_root` is set.
    pub fn symlinks(&self) -> SymlinkPolicy {
        if self.agent_plugins_root {
            SymlinkPolicy::RefuseEscape
        } else {
            self.symlinks
        }
    }

    /// Largest manifest accepted, in bytes.
    pub fn max_manifest_bytes(&self) -> usize {
        self.max_manifest_bytes
    }

    /// The most calls in flight.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Whether `plugin.json` of Agent Plugins 1.0 is a fourth location.
    pub fn agent_plugins_root(&self) -> bool {
        self.agent_plugins_root
    }

    /// Sets what links may do.
    pub fn with_symlinks(mut self, symlinks: SymlinkPolicy) -> Self {
        self.symlinks = symlinks;
        self
    }

    /// Sets the largest manifest accepted, in bytes.
    pub fn with_max_manifest_bytes(mut self, max_manifest_bytes: usize) -> Self {
        self.max_manifest_bytes = max_manifest_bytes;
        self
    }

    /// Sets the most calls in flight.
    pub fn with_window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }

    /// Sets whether `plugin.json` of Agent Plugins 1.0 is a fourth location, behind the three. It
    /// also keeps links inside the root.
    pub fn with_agent_plugins_root(mut self, agent_plugins_root: bool) -> Self {
        self.agent_plugins_root = agent_plugins_root;
        self
    }
}
