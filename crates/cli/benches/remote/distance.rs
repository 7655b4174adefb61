//! How time grows with the distance of the machine, for one session start.

use std::io;

use codex_bench_support::plot::{Axis, Panel, Picture};

use crate::arena::{Arena, Job};
use crate::relay::Behaviour;
use crate::session::Session;
use crate::trees;

/// Round-trip times in milliseconds.
const DISTANCES: [u64; 6] = [0, 10, 20, 50, 100, 200];

/// Starts a session with three documents and two skill roots at every distance.
pub(crate) fn picture(arena: &Arena) -> io::Result<Picture> {
    let (mut ours, mut throughout, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for distance in DISTANCES {
        let outcome = arena.run(&Job {
            tree: trees::documents_and_two_skill_roots(),
            behaviour: Behaviour::milliseconds(distance),
            session: Session::whole(),
        })?;
        let distance = distance as f64;
        ours.push((distance, outcome.ours.milliseconds.median));
        throughout.push((distance, outcome.ours_throughout.milliseconds.median));
        theirs.push((distance, outcome.theirs.milliseconds.median));
    }
    let axes = (
        Axis::linear("round-trip time, ms"),
        Axis::linear("session start, ms"),
    );
    let panel = Panel::lines(axes.0, axes.1)
        .with_series("published client, published server", theirs)
        .with_series("here, published server", ours)
        .with_series("here, own server", throughout);
    Ok(Picture::new(
        "Session start against the distance of the machine",
        "3 documents and 2 skill roots; medians, less is better.",
    )
    .with_panel(panel))
}
