//! The project root for people: which one, why, and what went wrong on the way to it.

use codex_config::{MarkersSource, RootReason, UsableMarkers, ValueOrigin};
use codex_file_system::error::kind_name;
use codex_file_system::{FileSystemError, Severity};
use codex_path_uri::PathUri;
use serde::Serialize;

use super::facts::Facts;
use super::finding::Finding;
use super::text::Style;
use super::words::{self, native};
use crate::session::Located;

/// The code of a root search that a failed probe ended.
const MARKER_PROBE_FAILED: &str = "marker_probe_failed";

/// The project root and why it is this one.
pub(crate) fn root_facts(cwd: &PathUri, located: &Located) -> Facts {
    let mut facts = Facts::default();
    facts.push_path("directory", cwd.inferred_native_path_string(), Style::Plain);
    match &located.search {
        Err(error) => {
            let path = FileSystemError::find(error).map(|error| &error.path);
            let (kind, path) = (kind_name(error.kind()), native(path).unwrap_or_default());
            facts.push_styled("root", format!("unknown: {kind} at {path}"), Style::Bad);
        }
        Ok(search) => {
            if let Some(root) = native(search.root.as_ref()) {
                facts.push_path("root", root, Style::Bold);
            }
            let label = if search.root.is_some() {
                "because"
            } else {
                "root"
            };
            facts.push(label, root_reason(&search.reason));
        }
    }
    let UsableMarkers {
        markers, source, ..
    } = &located.markers;
    let source = markers_source(source);
    facts.push("markers", format!("{}, {source}", quoted(markers)));
    facts
}

/// What the root search had to say: markers that were dropped, and the failure that ended it.
pub(crate) fn root_findings(located: &Located) -> serde_json::Result<Vec<Finding>> {
    #[derive(Serialize)]
    struct Fields<'a> {
        path: Option<&'a PathUri>,
        kind: &'static str,
    }
    let of_markers = match &located.search {
        Ok(search) => search.diagnostics(),
        Err(_) => located.markers.diagnostics(),
    };
    let mut found: Vec<Finding> = of_markers
        .iter()
        .map(Finding::of_config)
        .collect::<Result<_, _>>()?;
    if let Err(error) = &located.search {
        let path = FileSystemError::find(error).map(|error| &error.path);
        let fields = Fields {
            path,
            kind: kind_name(error.kind()),
        };
        let sentence = format!("cannot find the project root: {error}");
        found.push(Finding::new(
            Severity::Error,
            MARKER_PROBE_FAILED,
            sentence,
            &fields,
        )?);
    }
    Ok(found)
}

/// Where markers come from.
fn markers_source(source: &MarkersSource) -> String {
    match source {
        MarkersSource::Configured(origin) => words::origin(origin),
        MarkersSource::Default => words::origin(&ValueOrigin::Default),
        MarkersSource::DefaultAfterInvalid(origin) => {
            format!(
                "by default, as nothing {} can be used",
                words::origin(origin)
            )
        }
    }
}

/// Why this project root, or why none.
fn root_reason(reason: &RootReason) -> String {
    match reason {
        RootReason::Marker { marker, probe } => format!("marker `{marker}`, probe {probe}"),
        RootReason::NoMarkerFound => "no root: no directory holds a marker, cwd only".to_owned(),
        RootReason::TraversalDisabled => {
            "no root: the list of markers is empty, cwd only".to_owned()
        }
    }
}

/// A list of names or markers.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() {
        "none".to_owned()
    } else {
        quoted.join(", ")
    }
}
