//! Environments, their identities and the set of them.

use std::io::ErrorKind;
use std::sync::Arc;

use codex_file_system::wrap::Counting;
use codex_file_system::{
    Environment, EnvironmentId, EnvironmentSet, FileSystemError, Severity, Window,
};
use codex_file_system_testkit::MemoryFileSystem;
use pretty_assertions::assert_eq;

use crate::support::{now, uri};

fn environment(id: &str) -> Environment {
    let filesystem = Arc::new(MemoryFileSystem::posix());
    Environment::new(
        EnvironmentId::new(id).unwrap(),
        uri("file:///srv"),
        filesystem,
    )
}

#[test]
fn an_id_is_1_to_64_of_letters_digits_underscore_and_hyphen() {
    for valid in ["a", "A-Z_09", &"x".repeat(64)] {
        assert_eq!(EnvironmentId::new(valid).unwrap().as_str(), valid);
    }
    for invalid in ["", " a", "a b", "a/b", "a.b", "é", "a\n", &"x".repeat(65)] {
        assert!(EnvironmentId::new(invalid).is_err(), "{invalid:?}");
    }
}

#[test]
fn an_invalid_id_is_quoted_in_the_error() {
    assert_eq!(
        EnvironmentId::new("a\nb").unwrap_err().to_string(),
        r"invalid environment id `a\nb`: use 1 to 64 of A-Z, a-z, 0-9, _ and -",
    );
}

#[test]
fn an_id_is_a_checked_string_in_json() {
    let id = EnvironmentId::new("build-1").unwrap();
    assert_eq!(serde_json::to_string(&id).unwrap(), r#""build-1""#);
    assert_eq!(
        serde_json::from_str::<EnvironmentId>(r#""build-1""#).unwrap(),
        id
    );
    assert!(serde_json::from_str::<EnvironmentId>(r#""build 1""#).is_err());
    assert!(serde_json::from_str::<EnvironmentId>("1").is_err());
}

#[test]
fn a_set_keeps_the_binding_order() {
    let set = EnvironmentSet::new(["z", "a", "m"].map(environment).to_vec()).unwrap();
    let ids: Vec<_> = set
        .iter()
        .map(|environment| environment.id().as_str())
        .collect();
    assert_eq!(ids, ["z", "a", "m"]);
}

#[test]
fn a_set_rejects_a_repeated_id_and_names_it() {
    let error = EnvironmentSet::new(["a", "b", "a"].map(environment).to_vec()).unwrap_err();
    assert_eq!(error.to_string(), "environment `a` is bound twice");
}

#[test]
fn ids_that_differ_in_case_are_two() {
    assert!(EnvironmentSet::new(["a", "A"].map(environment).to_vec()).is_ok());
}

#[test]
fn an_unknown_id_is_an_error_that_names_all_known_ones() {
    let set = EnvironmentSet::new(["z", "a"].map(environment).to_vec()).unwrap();
    let error = set.get("b\0").unwrap_err();
    assert_eq!((error.asked.as_str(), error.known.len()), ("b\0", 2));
    assert_eq!(
        error.to_string(),
        r"unknown environment `b\0`, known are `z`, `a`"
    );
    let none = EnvironmentSet::default().get("a").unwrap_err();
    assert_eq!(none.to_string(), "unknown environment `a`, none is bound");
}

#[test]
fn looking_an_environment_up_makes_no_call() {
    let counting = Arc::new(Counting::new(MemoryFileSystem::posix()));
    let id = EnvironmentId::new("a").unwrap();
    let bound = Environment::new(id, uri("file:///"), counting.clone());
    let set = EnvironmentSet::new(vec![bound]).unwrap();
    assert!(set.get("a").is_ok() && set.get("b").is_err());
    assert_eq!(counting.calls().total(), 0);
}

#[test]
fn every_error_of_an_environment_names_it() {
    let environment = environment("far");
    let missing = uri("file:///missing");
    let error = now(environment.filesystem().read_file(&missing, None)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let payload = FileSystemError::find(&error).unwrap();
    assert_eq!(payload.environment_id.as_ref(), Some(environment.id()));
}

#[test]
fn clones_of_an_environment_share_its_filesystem() {
    let environment = environment("a");
    assert!(Arc::ptr_eq(
        environment.filesystem(),
        environment.clone().filesystem()
    ));
    let shown = format!("{environment:?}");
    assert!(
        shown.contains("file:///srv") && shown.contains('a'),
        "{shown}"
    );
}

#[test]
fn severities_are_ordered_and_in_snake_case() {
    assert!(Severity::Info < Severity::Warning && Severity::Warning < Severity::Error);
    let all = [Severity::Info, Severity::Warning, Severity::Error];
    assert_eq!(
        serde_json::to_string(&all).unwrap(),
        r#"["info","warning","error"]"#
    );
}

#[test]
fn a_window_is_1_to_256() {
    let valid: Vec<_> = (0..300).filter(|n| Window::new(*n).is_some()).collect();
    assert_eq!(valid, (1..=256).collect::<Vec<_>>());
    assert_eq!(Window::new(usize::MAX), None);
    assert_eq!(Window::new(65_536 + 8), None);
}
