//! Selected roots as JSON.

use codex_plugin::{CapabilityRootLocation, SelectedCapabilityRoot};
use pretty_assertions::assert_eq;
use serde_json::json;

use crate::support::{env, uri};

#[test]
fn a_root_goes_through_json_unchanged() {
    let root = SelectedCapabilityRoot::new("any\ntext ", env("box"), uri("file:///C:/p%20q"));
    let value = serde_json::to_value(&root).unwrap();
    let location =
        json!({"type": "environment", "environmentId": "box", "path": "file:///C:/p%20q"});
    assert_eq!(value, json!({"id": "any\ntext ", "location": location}));
    assert_eq!(
        serde_json::from_value::<SelectedCapabilityRoot>(value).unwrap(),
        root
    );
    let expected = CapabilityRootLocation::Environment {
        environment_id: env("box"),
        path: uri("file:///C:/p%20q"),
    };
    assert_eq!(root.location, expected);
}

#[test]
fn what_is_no_root_fails_to_deserialize() {
    let good = json!({"type": "environment", "environmentId": "e", "path": "file:///p"});
    let with = |key: &str, value: &str| {
        let mut location = good.clone();
        location[key] = json!(value);
        serde_json::from_value::<SelectedCapabilityRoot>(json!({"id": "", "location": location}))
    };
    assert!(with("path", "file:///other").is_ok());
    for path in ["/p", "https://h/p", "p", ""] {
        assert!(with("path", path).is_err(), "{path}");
    }
    for id in ["", "a b", "ä", &"x".repeat(65)] {
        assert!(with("environmentId", id).is_err(), "{id}");
    }
    for kind in ["local", "Environment", ""] {
        assert!(with("type", kind).is_err(), "{kind}");
    }
    assert!(serde_json::from_value::<SelectedCapabilityRoot>(json!({"location": good})).is_err());
}
