//! The Chrome trace-event format, for Perfetto and `chrome://tracing`.
//!
//! One process per environment, one slice per call. Slices of one thread must not overlap, so the
//! calls in flight together lie in lanes, which are the threads. An arrow leads to the first call
//! of each phase from the answer that came last before it.

use std::time::Duration;

use codex_file_system::error::kind_name;
use codex_file_system::wrap::CallEnd;
use serde_json::{Map, Value, json};

use super::axis::Lanes;
use super::{Outcome, Trace, method, words};
use crate::cost::recording::Call;

/// Where a slice lies.
#[derive(Clone, Copy)]
struct Place {
    process: usize,
    lane: usize,
}

/// The trace as one JSON object.
pub(crate) fn document(trace: &Trace) -> Value {
    let environments = trace.environments();
    let places = places(&trace.calls, &environments);
    let mut events: Vec<Value> = Vec::new();
    for (index, environment) in environments.iter().enumerate() {
        events.extend(tracks(index + 1, environment, &places));
    }
    let slices = trace.calls.iter().zip(&places);
    events.extend(slices.map(|(call, place)| slice(call, *place)));
    for (id, phase) in trace.phases().iter().enumerate() {
        let ends = phase.after.and_then(|from| {
            let (before, place) = (trace.calls.get(from)?, places.get(from)?);
            let (first, to) = (trace.calls.get(phase.first)?, places.get(phase.first)?);
            Some([
                arrow("s", phase.name, id, last_moment(before), *place),
                arrow("f", phase.name, id, first.start, *to),
            ])
        });
        events.extend(ends.into_iter().flatten());
    }
    json!({
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": { "title": trace.title, "totals": trace.totals() },
    })
}

/// The names of an environment and of its lanes, in their order.
fn tracks(process: usize, environment: &str, places: &[Place]) -> Vec<Value> {
    let named = |lane, name: String| {
        let kind = if lane == 0 { "process" } else { "thread" };
        let order = if lane == 0 { process - 1 } else { lane };
        [
            metadata(&format!("{kind}_name"), process, lane, "name", json!(name)),
            metadata(
                &format!("{kind}_sort_index"),
                process,
                lane,
                "sort_index",
                json!(order),
            ),
        ]
    };
    let lanes = places.iter().filter(|place| place.process == process);
    let lanes = lanes.map(|place| place.lane).max().unwrap_or(0);
    let names = (1..=lanes).map(|lane| named(lane, format!("in flight {lane}")));
    let mut events = Vec::from(named(0, format!("environment {environment}")));
    events.extend(names.flatten());
    events
}

/// The process of each call, and its lane there.
fn places(calls: &[Call], environments: &[&str]) -> Vec<Place> {
    let mut lanes: Vec<Lanes> = environments.iter().map(|_| Lanes::default()).collect();
    let place = |call: &Call| {
        let id = call.environment.as_str();
        let process = environments.iter().position(|other| *other == id)?;
        Some(Place {
            process: process + 1,
            lane: lanes.get_mut(process)?.take(call) + 1,
        })
    };
    calls.iter().filter_map(place).collect()
}

fn slice(call: &Call, place: Place) -> Value {
    let file_name = call.path.basename().unwrap_or_default();
    let mut about = Map::new();
    about.insert("path".to_owned(), json!(call.path));
    about.insert(
        "pathNative".to_owned(),
        json!(call.path.inferred_native_path_string()),
    );
    about.insert("phase".to_owned(), json!(call.phase));
    about.insert("outcome".to_owned(), json!(Outcome::of(call).word()));
    match call.end {
        CallEnd::Answered { bytes } => about.insert("bytes".to_owned(), json!(bytes)),
        CallEnd::Failed(kind) => about.insert("error".to_owned(), json!(kind_name(kind))),
        CallEnd::Dropped => None,
    };
    json!({
        "ph": "X",
        "name": format!("{} {}", method(call.kind), file_name).trim_end(),
        "cat": words(call.phase),
        "ts": microseconds(call.start),
        "dur": microseconds(call.stop.saturating_sub(call.start)),
        "pid": place.process,
        "tid": place.lane,
        "args": about,
    })
}

/// One end of an arrow; both are bound to the slice around their moment.
fn arrow(end: &str, phase: &str, id: usize, at: Duration, place: Place) -> Value {
    let mut event = json!({
        "ph": end,
        "name": words(phase),
        "cat": "phase",
        "id": id,
        "ts": microseconds(at),
        "pid": place.process,
        "tid": place.lane,
    });
    if let (Some(fields), "f") = (event.as_object_mut(), end) {
        fields.insert("bp".to_owned(), json!("e"));
    }
    event
}

/// A slice's end belongs to the slice after it, so an arrow leaves just before.
fn last_moment(call: &Call) -> Duration {
    let just_before = call.stop.saturating_sub(Duration::from_nanos(1));
    just_before.max(call.start)
}

fn metadata(name: &str, process: usize, lane: usize, key: &str, value: Value) -> Value {
    json!({ "ph": "M", "name": name, "pid": process, "tid": lane, "args": { key: value } })
}

/// The format counts in microseconds and takes fractions.
fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}
