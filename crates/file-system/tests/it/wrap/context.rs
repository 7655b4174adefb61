//! `Context`.

use std::fmt::Debug;
use std::io::ErrorKind;
use std::sync::{Arc, Mutex};

use codex_file_system::wrap::Context;
use codex_file_system::{
    CopyOptions, EnvironmentId, ExecutorFileSystem, FileSystemError, Operation, WalkOptions,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use pretty_assertions::assert_eq;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber, span};

use crate::support::{now, uri};

fn memory() -> MemoryFileSystem {
    let tree = "/d/a.txt = x\n/d/locked/\n/d/locked/ !000";
    MemoryFileSystem::from_tree(Flavor::Posix, tree).unwrap()
}

fn far() -> EnvironmentId {
    EnvironmentId::new("far").unwrap()
}

#[test]
fn an_error_says_what_where_and_in_which_environment() {
    let fs = Context::new(memory(), Some(far()));
    let missing = uri("file:///missing");
    let error = now(fs.read_file_text(&missing, None)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let payload = FileSystemError::find(&error).unwrap();
    assert_eq!(
        (payload.operation, &payload.path, &payload.environment_id),
        (Operation::ReadFile, &missing, &Some(far())),
    );
}

#[test]
fn an_error_of_a_copy_names_its_source() {
    let fs = Context::new(memory(), None);
    let (source, destination) = (uri("file:///missing"), uri("file:///d/b"));
    let options = CopyOptions { recursive: false };
    let error = now(fs.copy(&source, &destination, options, None)).unwrap_err();
    let payload = FileSystemError::find(&error).unwrap();
    assert_eq!(
        (payload.operation, &payload.path),
        (Operation::Copy, &source)
    );
}

#[test]
fn the_nearest_context_is_kept_and_completed() {
    let fs = Context::new(Context::new(memory(), None), Some(far()));
    let error = now(fs.canonicalize(&uri("file:///missing"), None)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot resolve `file:///missing` in environment `far`: entity not found",
    );
}

#[test]
fn the_errors_inside_a_walk_say_it_too() {
    let fs = Context::new(memory(), Some(far()));
    let walk = now(fs.walk(&uri("file:///d"), &WalkOptions::new(9, 9, 9), None)).unwrap();
    let [failed] = &walk.errors[..] else {
        panic!("{walk:?}")
    };
    assert_eq!(failed.error.kind(), ErrorKind::PermissionDenied);
    let payload = FileSystemError::find(&failed.error).unwrap();
    assert_eq!(
        (payload.operation, &payload.path, &payload.environment_id),
        (
            Operation::ReadDirectory,
            &uri("file:///d/locked"),
            &Some(far())
        ),
    );
}

#[test]
fn each_call_is_one_trace_event() {
    let events = Events::default();
    let fs = Context::new(memory(), Some(far()));
    let (found, missing) = (uri("file:///d/a.txt"), uri("file:///missing"));
    tracing::subscriber::with_default(events.clone(), || {
        drop(fs.read_file(&found, None));
        now(fs.read_file(&found, None)).unwrap();
        now(fs.get_metadata(&missing, None)).unwrap_err();
    });
    assert_eq!(
        *events.0.lock().unwrap(),
        [
            "TRACE message=answered call=ReadFile path=file:///d/a.txt environment=\"far\"",
            "TRACE call=GetMetadata path=file:///missing environment=\"far\" error=\"NotFound\"",
        ],
    );
}

/// Keeps events as text.
#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<String>>>);

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("codex_file_system")
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let level: &Level = event.metadata().level();
        let mut text = Text(level.to_string());
        event.record(&mut text);
        self.0.lock().unwrap().push(text.0);
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {}={value:?}", field.name()));
    }
}
