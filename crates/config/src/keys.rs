//! Keys that a person believes to be active and nothing reads: misspelt, in the wrong table, or in
//! a layer that may not set them.
//!
//! A guess at a typing error, never a judgement of unknown keys: those belong to other programs,
//! and only one that is nearly a key of ours is told. Pure.

use crate::diagnostics::of_elements;
use crate::values::dotted;
use crate::{ConfigDiagnostic, ConfigLayerEntry, ConfigLayerSource, TomlValue, ValueOrigin};

/// The keys at the top level that this project reads.
const TOP_LEVEL: [&str; 7] = [
    "model_context_window",
    "plugins",
    "project_doc_fallback_filenames",
    "project_doc_max_bytes",
    "project_root_markers",
    "projects",
    "skills",
];

/// Those of them that say in any table what they are meant for.
const DISTINCT: [&str; 3] = [
    "project_doc_fallback_filenames",
    "project_doc_max_bytes",
    "project_root_markers",
];

const TRUST_LEVEL: &str = "trust_level";

/// Where a key of [`DISTINCT`] is read.
const AT_TOP_LEVEL: &str = "at the top level, before the first table";

/// Where [`TRUST_LEVEL`] is read.
const IN_PROJECTS: &str = "in `[projects.\"DIRECTORY\"]`";

/// What the layer of a project may not set: the boundary of the project, the trust in it, and the
/// user's choice of skills.
const NOT_FROM_PROJECTS: [(&[&str], &str); 3] = [
    (&["project_root_markers"], "project_root_markers"),
    (&["projects"], "projects"),
    (&["skills", "config"], "skills.config"),
];

/// How alike two keys are at least for one to be taken for the other, 1 being equal.
const NEARLY: f64 = 0.8;

/// The keys of one layer that have no effect although somebody meant them to.
pub(crate) fn key_diagnostics(layer: &ConfigLayerEntry) -> Vec<ConfigDiagnostic> {
    let mut found = Vec::new();
    if matches!(layer.name, ConfigLayerSource::Project { .. }) {
        for (segments, key) in NOT_FROM_PROJECTS {
            if at(&layer.config, segments).is_some() {
                let origin = layer.origin(segments);
                found.push(ConfigDiagnostic::KeyWithoutEffect { origin, key });
            }
        }
    }
    collect_misplaced(layer, &layer.config, &mut Vec::new(), &mut found);
    collect_misspelt(layer, &[], &TOP_LEVEL, &mut found);
    collect_misspelt(layer, &["skills"], &["bundled", "config"], &mut found);
    for (table, key) in [("projects", TRUST_LEVEL), ("plugins", "enabled")] {
        let entries = at(&layer.config, &[table]).and_then(TomlValue::as_table);
        for name in entries.into_iter().flat_map(|entries| entries.keys()) {
            collect_misspelt(layer, &[table, name], &[key], &mut found);
        }
    }
    let origin = ValueOrigin::Layer {
        source: layer.name.clone(),
        position: None,
    };
    of_elements("keys", &origin, found.into_iter(), |found| found)
}

/// Adds the keys of ours that stand in a table below `table`.
fn collect_misplaced<'a>(
    layer: &ConfigLayerEntry,
    table: &'a TomlValue,
    path: &mut Vec<&'a str>,
    found: &mut Vec<ConfigDiagnostic>,
) {
    for (key, value) in table.as_table().into_iter().flatten() {
        let belongs = match path.first() {
            Some(_) if DISTINCT.contains(&key.as_str()) => Some(AT_TOP_LEVEL),
            None if key == TRUST_LEVEL => Some(IN_PROJECTS),
            _ => None,
        };
        path.push(key);
        if let Some(belongs) = belongs {
            let (origin, key) = (layer.origin(path), dotted(path));
            found.push(ConfigDiagnostic::MisplacedKey {
                origin,
                key,
                belongs,
            });
        }
        collect_misplaced(layer, value, path, found);
        path.pop();
    }
}

/// Adds the keys of the table at `path` that are nearly one of `known`.
fn collect_misspelt(
    layer: &ConfigLayerEntry,
    path: &[&str],
    known: &[&'static str],
    found: &mut Vec<ConfigDiagnostic>,
) {
    let table = at(&layer.config, path).and_then(TomlValue::as_table);
    for (key, value) in table.into_iter().flatten() {
        if known.contains(&key.as_str()) || holds_distinct(value) {
            continue;
        }
        let Some(meant) = nearest(key, known) else {
            continue;
        };
        let segments = [path, &[key]].concat();
        found.push(ConfigDiagnostic::UnknownKey {
            origin: layer.origin(&segments),
            key: dotted(&segments),
            meant,
        });
    }
}

/// Whether a table is only told for what stands in it: `[project]` with a key of the top level.
fn holds_distinct(value: &TomlValue) -> bool {
    let table = value.as_table();
    table.is_some_and(|table| DISTINCT.iter().any(|key| table.contains_key(*key)))
}

/// The known key that `key` is nearly, if there is one; case and separators never tell keys apart.
fn nearest(key: &str, known: &[&'static str]) -> Option<&'static str> {
    let likeness =
        |known: &str| strsim::normalized_damerau_levenshtein(&folded(key), &folded(known));
    let rated = known.iter().map(|known| (likeness(known), *known));
    let near = rated.filter(|(likeness, _)| *likeness >= NEARLY);
    near.max_by(|one, other| one.0.total_cmp(&other.0))
        .map(|(_, known)| known)
}

fn folded(key: &str) -> String {
    let letters = key
        .chars()
        .filter(|character| !matches!(character, '-' | '_'));
    letters.flat_map(char::to_lowercase).collect()
}

fn at<'a>(config: &'a TomlValue, path: &[&str]) -> Option<&'a TomlValue> {
    path.iter()
        .try_fold(config, |table, segment| table.get(*segment))
}
