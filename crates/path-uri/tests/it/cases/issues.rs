//! Group `public_issues`: what went wrong elsewhere, as each case's `op`.

use codex_path_uri::{PathUri, PathUriError};
use serde_json::{Value, json};

use super::{
    convention, convention_json, error,
    joining::joined_name,
    parsing::{lenient, strict},
    run, text, text_and_convention, uri_or_error,
};

#[test]
fn public_issues() {
    run("public_issues", |case| {
        let input = || text(case, "input");
        let convention = || convention(case, "convention");
        let expect = match text(case, "op") {
            "from_native" => PathUri::from_native(input(), convention())
                .map_or_else(|failed| error(&failed), |uri| text_and_convention(&uri)),
            "from_native_then_render" => from_native_then_render(input(), case),
            "to_native" => {
                let uri = PathUri::parse(input()).expect("a URI");
                let native = uri.to_native(convention()).expect("a native path");
                json!({ "convention": convention_json(uri.convention()), "native": native })
            }
            "parse" => json!({
                "strict": strict(PathUri::parse(input())),
                "lenient": lenient(PathUri::parse_lenient(input(), None)),
            }),
            "parse_with_convention" => {
                let hint = super::convention(case, "hint");
                json!({
                    "strict": strict(PathUri::parse_with_convention(input(), hint)),
                    "lenient": lenient(PathUri::parse_lenient(input(), Some(hint))),
                })
            }
            "equal" => equal(case, |text| PathUri::from_native(text, convention())),
            "equal_uris" => equal(case, PathUri::parse),
            "join_name" => uri_or_error(joined_name(case)),
            "to_abs_path_posix_host" if cfg!(windows) => case["expect"].clone(),
            "to_abs_path_posix_host" => to_abs_path(case),
            op => panic!("unknown op {op}"),
        };
        json!({ "expect": expect })
    });
}

fn from_native_then_render(input: &str, case: &Value) -> Value {
    let uri = PathUri::from_native(input, convention(case, "convention")).expect("absolute");
    json!({ "text": uri, "native": uri.inferred_native_path_string() })
}

fn equal(case: &Value, read: impl Fn(&str) -> Result<PathUri, PathUriError>) -> Value {
    let inputs = case["inputs"].as_array().expect("a list");
    let uris: Vec<PathUri> = inputs
        .iter()
        .map(|input| read(input.as_str().expect("a string")).expect("a path"))
        .collect();
    let first = uris.first().expect("an input");
    json!({ "equal": uris.iter().all(|uri| uri == first), "text": first })
}

/// States the text only where the case does.
fn to_abs_path(case: &Value) -> Value {
    let uri = PathUri::parse(text(case, "input")).expect("a URI");
    let mut answer = to_abs_path_answer(&uri);
    if case["expect"].get("text").is_none() {
        answer.as_object_mut().expect("an object").remove("text");
    }
    answer
}

pub(super) fn to_abs_path_answer(uri: &PathUri) -> Value {
    match uri.to_abs_path() {
        Ok(path) => {
            let native: String = path
                .as_path()
                .as_os_str()
                .as_encoded_bytes()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            json!({ "text": uri, "native_hex": native })
        }
        Err(failed) => {
            assert_eq!(failed.kind(), std::io::ErrorKind::InvalidInput);
            let inner = failed
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<PathUriError>());
            json!({ "text": uri, "error": inner.expect("a path error").code() })
        }
    }
}
