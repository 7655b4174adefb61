//! Where the components of a plugin are, in one shape for every kind.

use codex_path_uri::PathUri;
use codex_plugin::{
    ComponentDeclaration, ComponentSource, InlineJson, PluginResourceLocator, ResolvedPlugin,
};
use serde::Serialize;

/// One kind of component.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Component {
    /// For people.
    #[serde(skip)]
    pub(super) label: &'static str,
    /// For programs: the key of a manifest that declares it.
    #[serde(skip)]
    pub(super) key: &'static str,
    /// Whether the manifest names the place, or it is the usual one.
    pub(super) is_declared: bool,
    pub(super) paths: Vec<PathUri>,
    /// The compact JSON texts that stand in the manifest itself.
    pub(super) inline: Vec<String>,
}

impl Component {
    /// Who chose the place.
    pub(super) fn chosen_by(&self) -> &'static str {
        if self.is_declared {
            "declared"
        } else {
            "default"
        }
    }
}

/// The components that the grammar of the plugin's manifest has.
pub(super) fn components(plugin: &ResolvedPlugin) -> Vec<Component> {
    let skills = plugin.skill_sources();
    let mut components = vec![Component {
        label: "skills",
        key: "skills",
        is_declared: skills.is_declared(),
        paths: paths(skills.get()),
        inline: Vec::new(),
    }];
    let mcp = plugin.mcp_sources();
    components.extend(mcp.map(|it| declaration("MCP servers", "mcpServers", &it)));
    components.extend(plugin.apps_source().map(|source| Component {
        label: "apps",
        key: "apps",
        is_declared: source.is_declared(),
        paths: vec![source.get().path().clone()],
        inline: Vec::new(),
    }));
    let hooks = plugin.hook_sources();
    components.extend(hooks.map(|it| declaration("hooks", "hooks", &it)));
    components
}

fn declaration(
    label: &'static str,
    key: &'static str,
    source: &ComponentSource<ComponentDeclaration<PluginResourceLocator>>,
) -> Component {
    let (paths, inline) = match source.get() {
        ComponentDeclaration::Files(files) => (paths(files), Vec::new()),
        ComponentDeclaration::Inline(objects) => {
            let texts = objects.iter().map(InlineJson::as_str);
            (Vec::new(), texts.map(str::to_owned).collect())
        }
    };
    Component {
        label,
        key,
        is_declared: source.is_declared(),
        paths,
        inline,
    }
}

fn paths(locators: &[PluginResourceLocator]) -> Vec<PathUri> {
    locators.iter().map(|it| it.path().clone()).collect()
}
