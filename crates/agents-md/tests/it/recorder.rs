//! A tracing subscriber that keeps what it is told: spans with their fields and how long they
//! were open on the paused clock, and events with the span they happened in.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Field names and values, as `Debug` prints them.
pub(crate) type Fields = BTreeMap<&'static str, String>;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordedSpan {
    pub(crate) name: &'static str,
    pub(crate) level: Level,
    pub(crate) fields: Fields,
    /// From its creation to its end.
    pub(crate) open_for: Duration,
    begin: Instant,
    handles: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RecordedEvent {
    pub(crate) level: Level,
    pub(crate) target: String,
    pub(crate) fields: Fields,
}

/// The subscriber; clones share what is recorded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    spans: Vec<RecordedSpan>,
    events: Vec<RecordedEvent>,
}

impl Recorder {
    /// The spans of this crate that were opened, in order.
    pub(crate) fn spans(&self) -> Vec<RecordedSpan> {
        self.0.lock().unwrap().spans.clone()
    }

    /// The events of at least this level, in order.
    pub(crate) fn events(&self, at_least: Level) -> Vec<RecordedEvent> {
        let recorded = self.0.lock().unwrap();
        recorded
            .events
            .iter()
            .filter(|event| event.level <= at_least)
            .cloned()
            .collect()
    }

    fn span(&self, id: &Id, change: impl FnOnce(&mut RecordedSpan)) {
        let index = usize::try_from(id.into_u64()).unwrap() - 1;
        change(&mut self.0.lock().unwrap().spans[index]);
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("codex_")
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = FieldVisitor::default();
        attributes.record(&mut fields);
        let mut recorded = self.0.lock().unwrap();
        recorded.spans.push(RecordedSpan {
            name: attributes.metadata().name(),
            level: *attributes.metadata().level(),
            fields: fields.0,
            open_for: Duration::ZERO,
            begin: Instant::now(),
            handles: 1,
        });
        Id::from_u64(recorded.spans.len() as u64)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        let mut fields = FieldVisitor::default();
        values.record(&mut fields);
        self.span(span, |span| span.fields.extend(fields.0));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = FieldVisitor::default();
        event.record(&mut fields);
        let (level, target) = (
            *event.metadata().level(),
            event.metadata().target().to_owned(),
        );
        let event = RecordedEvent {
            level,
            target,
            fields: fields.0,
        };
        self.0.lock().unwrap().events.push(event);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn clone_span(&self, id: &Id) -> Id {
        self.span(id, |span| span.handles += 1);
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut is_closed = false;
        self.span(&id, |span| {
            span.handles -= 1;
            span.open_for = span.begin.elapsed();
            is_closed = span.handles == 0;
        });
        is_closed
    }
}

#[derive(Default)]
struct FieldVisitor(Fields);

impl Visit for FieldVisitor {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}
