//! Configuration: the text of a layer, one layer over another, and the values discovery needs.

use std::collections::HashSet;

use codex_config::{
    Config, ConfigError, ConfigLayerEntry, ConfigLayerSource, ConfigLayerStack, TextPosition,
    TomlValue, ValueOrigin, merge_toml_values,
};
use codex_path_uri::PathConvention::{self, Posix, Windows};
use codex_path_uri::PathUri;

use crate::two_texts;

/// The bytes are the user's `config.toml`, then, behind a line of `=====`, that of a project.
pub fn config_layer(data: &[u8]) {
    let (user, project) = two_texts(data);
    let (Ok(user), Ok(project)) = (
        std::str::from_utf8(user),
        std::str::from_utf8(project.unwrap_or_default()),
    ) else {
        return;
    };
    let path = |text| PathUri::parse(text).expect("a place of a layer is a path");
    let user_source = ConfigLayerSource::User {
        file: path("file:///home/me/.codex/config.toml"),
        profile: None,
    };
    let project_source = ConfigLayerSource::Project {
        dot_codex_folder: path("file:///repo/.codex"),
    };
    let (Some(user), Some(project)) = (layer(user_source, user), layer(project_source, project))
    else {
        return;
    };
    merging_obeys_the_overlay(&user.config, &project.config);
    let merged = overlaid(&user.config, &project.config);
    let stack = ConfigLayerStack::new(vec![user, project]).expect("the layers are in order");
    assert_eq!(shown(&stack.effective_config()), shown(&merged));
    for convention in [Posix, Windows] {
        markers_stay_in_their_ancestor(&stack, convention);
    }
    if let Ok((config, _)) = Config::from_stack(stack) {
        let names = config.project_doc_fallback_filenames;
        assert!(names.iter().all(|name| !name.contains(['/', '\0'])));
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    }
}

/// The layer of a text, which is what another parser makes of it, each value with a place.
fn layer(source: ConfigLayerSource, text: &str) -> Option<ConfigLayerEntry> {
    let oracle = toml::from_str::<toml::Table>(text);
    let layer = match ConfigLayerEntry::from_toml_text(source, text) {
        Ok(layer) => layer,
        Err(ConfigError::InvalidToml {
            position, message, ..
        }) => {
            assert!(stands_in(position, text), "{position:?}");
            // A bound of this crate; the oracle has none of its own.
            assert!(oracle.is_err() || message.contains("128"), "{message}");
            return None;
        }
        Err(error) => {
            assert!(oracle.is_err(), "{error}");
            return None;
        }
    };
    let oracle = TomlValue::Table(oracle.expect("what is accepted is TOML"));
    assert_eq!(shown(&layer.config), shown(&oracle));
    let stack = ConfigLayerStack::new(vec![layer.clone()]).expect("one layer is in order");
    for (key, origin) in stack.origins() {
        let ValueOrigin::Layer { position, .. } = origin else {
            continue;
        };
        let place = position.filter(|it| stands_in(*it, text));
        assert!(place.is_some(), "{key:?} at {position:?}");
    }
    Some(layer)
}

fn stands_in(position: TextPosition, text: &str) -> bool {
    let line = text.split('\n').nth(position.line as usize - 1);
    line.is_some_and(|line| position.column as usize <= line.chars().count() + 1)
}

fn overlaid(base: &TomlValue, overlay: &TomlValue) -> TomlValue {
    let mut merged = base.clone();
    merge_toml_values(&mut merged, overlay);
    merged
}

fn merging_obeys_the_overlay(base: &TomlValue, overlay: &TomlValue) {
    let merged = overlaid(base, overlay);
    assert_eq!(shown(&overlaid(&merged, overlay)), shown(&merged));
    assert_eq!(shown(&overlaid(base, base)), shown(base));
    let nothing = TomlValue::Table(toml::Table::new());
    assert_eq!(shown(&overlaid(base, &nothing)), shown(base));
    assert_eq!(shown(&overlaid(&nothing, overlay)), shown(overlay));
    let keys = |value: &TomlValue| -> HashSet<String> {
        let table = value.as_table().expect("a layer is a table");
        table.keys().cloned().collect()
    };
    assert_eq!(keys(&merged), &keys(base) | &keys(overlay));
}

/// Not-a-number is unequal to itself; its text is not.
fn shown(value: &TomlValue) -> String {
    format!("{value:?}")
}

fn markers_stay_in_their_ancestor(stack: &ConfigLayerStack, convention: PathConvention) {
    let usable = stack.usable_project_root_markers(convention);
    let distinct: HashSet<_> = usable.markers.iter().collect();
    assert_eq!(distinct.len(), usable.markers.len());
    let ancestor = match convention {
        Posix => "file:///srv/a",
        Windows => "file:///C:/srv/a",
    };
    let ancestor = PathUri::parse(ancestor).expect("an ancestor is a path");
    for marker in &usable.markers {
        let probe = ancestor.join(marker);
        let is_inside = probe.is_ok_and(|probe| probe.starts_with(&ancestor));
        assert!(is_inside, "{marker:?}");
    }
    assert!(usable.diagnostics().len() >= usable.rejected.len());
}
