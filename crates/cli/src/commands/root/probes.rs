//! The probes of a root search: what was asked, in which order, with which outcome.
//!
//! Pure: they follow from the markers, the start directory and the result of the search.

use std::collections::HashSet;

use codex_config::RootReason;
use codex_file_system::FileSystemError;
use codex_file_system::error::kind_name;
use codex_path_uri::PathUri;
use serde::Serialize;

use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style};
use crate::session::Located;

/// One probe of the search that counted.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Probe {
    number: usize,
    path: PathUri,
    /// `absent`, `found` or the kind of the failure.
    outcome: &'static str,
}

/// The probes up to the one that decided, in the order of the search.
pub(super) fn probes(located: &Located, cwd: &PathUri) -> Vec<Probe> {
    let failed = located.search.as_ref().err();
    let failed_at = failed
        .and_then(|error| FileSystemError::find(error))
        .map(|error| &error.path);
    let decided = match located.search.as_ref().map(|search| &search.reason) {
        Ok(RootReason::Marker { probe, .. }) => *probe,
        _ => usize::MAX,
    };
    let mut asked = HashSet::new();
    let mut probes = Vec::new();
    let markers = &located.markers.markers;
    let paths = cwd.ancestors().flat_map(|directory| {
        markers
            .iter()
            .filter_map(move |marker| directory.join(marker).ok())
    });
    // The search asks no path twice, and a repeated one takes no number.
    for path in paths.filter(|path| asked.insert(path.clone())) {
        let number = probes.len() + 1;
        let failure = failed.filter(|_| failed_at == Some(&path));
        let outcome = match failure {
            Some(error) => kind_name(error.kind()),
            None if number == decided => "found",
            None => "absent",
        };
        probes.push(Probe {
            number,
            path,
            outcome,
        });
        if failure.is_some() || number == decided {
            break;
        }
    }
    probes
}

/// One row for each probe.
pub(super) fn probe_table(probes: &[Probe]) -> Table {
    let columns = [
        Column::Number("#"),
        Column::Word("OUTCOME"),
        Column::Text("PROBE", Keep::End),
    ];
    let mut table = Table::new(columns);
    for probe in probes {
        let style = match probe.outcome {
            "absent" => Style::Dim,
            "found" => Style::Good,
            _ => Style::Bad,
        };
        table.push([
            Cell::new(probe.number.to_string()),
            Cell::new(probe.outcome).styled(style),
            Cell::new(probe.path.inferred_native_path_string()),
        ]);
    }
    table
}
