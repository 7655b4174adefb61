//! The options and their defaults.

use codex_file_system::Window;
use codex_plugin::{DEFAULT_PLUGIN_WINDOW, MAX_MANIFEST_BYTES, PluginOptions, SymlinkPolicy};
use pretty_assertions::assert_eq;

#[test]
fn the_defaults_are_the_documented_ones() {
    let options = PluginOptions::default();
    assert_eq!(options.symlinks(), SymlinkPolicy::RefuseEscape);
    assert_eq!(options.max_manifest_bytes(), MAX_MANIFEST_BYTES);
    assert_eq!(
        options.window(),
        Window::new(DEFAULT_PLUGIN_WINDOW).unwrap()
    );
    assert!(!options.agent_plugins_root());
}
