//! The decisions about host paths, for hosts of both conventions.

use pretty_assertions::assert_eq;
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

use super::{append, below_home, is_below, normalize, parent, resolve};
use crate::{
    PathConvention::{self, Posix, Windows},
    PathRule, PathUri,
    components::Components,
    wtf8,
};

fn uri(native: &[u8], convention: PathConvention) -> PathUri {
    Components::from_native(native, convention)
        .unwrap()
        .to_uri()
}

/// What the case's call gives for the convention of its host.
fn outcome(case: &Value, host: PathConvention) -> Result<Option<Vec<u8>>, PathRule> {
    let text = |key: &str| case[key].as_str().unwrap().as_bytes();
    let path = |key: &str| normalize(text(key), host);
    match case["call"].as_str().unwrap() {
        "checked" | "deserialize" => path("path").map(Some),
        "resolve" => resolve(text("path"), &path("base")?, host).map(Some),
        "resolve_with_home" => match below_home(text("path"), host) {
            Some(below) => append(&path("home")?, below, host).map(Some),
            None => resolve(text("path"), &path("base")?, host).map(Some),
        },
        "parent" => Ok(parent(&path("path")?, host)),
        call => panic!("unknown call {call}"),
    }
}

#[test]
fn cases_of_both_hosts_hold_on_this_one() {
    let file: Value = serde_json::from_str(include_str!(
        "../../../file-system-testkit/data/path-uri.json"
    ))
    .unwrap();
    let cases = file["cases"].as_array().unwrap();
    for case in cases
        .iter()
        .filter(|case| case["group"] == "absolute_path_buf")
    {
        let host = serde_json::from_value(case["host"].clone()).unwrap();
        let actual = match outcome(case, host) {
            Ok(path) => json!(path.map(|path| String::from_utf8(path).unwrap())),
            Err(_) => json!({ "error": "InvalidInput" }),
        };
        assert_eq!(actual, case["expect"], "case {case}");
    }
}

#[test]
fn a_windows_path_with_a_lone_surrogate_in_any_name_is_opaque() {
    for head in ["C:\\", "\\\\host\\", "\\\\host\\share\\"] {
        let units = head.encode_utf16().chain([0xD800]);
        let uri = uri(&wtf8::from_units(units), Windows);
        assert!(uri.is_opaque(), "{head} gives {uri}");
    }
}

/// Absolute texts of either convention, NUL and lone surrogates included.
fn native() -> impl Strategy<Value = (Vec<u8>, PathConvention)> {
    let byte = prop_oneof![select(&b"/./..abC:\\\0"[..]), any::<u8>()];
    let posix = vec(byte, 0..12).prop_map(|tail| ([b"/", &*tail].concat(), Posix));
    let head = select(vec![
        "c:\\",
        "\\\\",
        "\\\\S\\",
        "\\\\S\\h\\",
        "//?/",
        "\\\\.\\",
        "\\\\?\\UNC\\",
        "\\\\.\\unc\\S\\h\\",
        "\\\\?\\d:",
    ]);
    let unit = prop_oneof![
        4 => select("/\\..?aUNC:|\0".encode_utf16().collect::<Vec<_>>()),
        1 => 0xD7F0..0xE010_u16,
    ];
    let windows = (head, vec(unit, 0..12))
        .prop_map(|(head, tail)| (wtf8::from_units(head.encode_utf16().chain(tail)), Windows));
    prop_oneof![posix, windows]
}

proptest! {
    #[test]
    fn normal_form_is_a_fixed_point_and_has_the_same_uri((native, convention) in native()) {
        if let Ok(normal) = normalize(&native, convention) {
            prop_assert_eq!(&normalize(&normal, convention).unwrap(), &normal);
            prop_assert_eq!(uri(&normal, convention), uri(&native, convention));
        }
    }

    #[test]
    fn parents_are_normal_contain_the_path_and_end_at_a_root((native, convention) in native()) {
        if let Ok(mut path) = normalize(&native, convention) {
            while let Some(parent) = parent(&path, convention) {
                prop_assert!(parent.len() < path.len());
                prop_assert!(is_below(&path, &parent, convention));
                prop_assert_eq!(&normalize(&parent, convention).unwrap(), &parent);
                path = parent;
            }
        }
    }

    #[test]
    fn resolving_nothing_changes_nothing((native, convention) in native()) {
        if let Ok(path) = normalize(&native, convention) {
            prop_assert_eq!(resolve(b"", &path, convention).unwrap(), path.clone());
            prop_assert_eq!(resolve(b".", &path, convention).unwrap(), path.clone());
            let elsewhere: &[u8] = match convention {
                Posix => b"/elsewhere",
                Windows => br"D:\elsewhere",
            };
            prop_assert_eq!(resolve(&path, elsewhere, convention).unwrap(), path);
        }
    }
}
