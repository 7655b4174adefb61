//! Groups `from_abs_path_posix_host`, `to_abs_path_posix_host` and the POSIX half of
//! `absolute_path_buf`.
//!
//! The Windows half runs beside the lexical functions behind [`AbsolutePathBuf`], on every host.
//! This half needs the byte strings of a POSIX host.

use std::io;

use codex_path_uri::{AbsolutePathBuf, PathUri, PathUriError};
use serde_json::{Value, json};

use super::{repair_codes, run, text};

#[test]
fn from_abs_path() {
    run("from_abs_path_posix_host", |case| {
        let native = super::bytes(case, "native_hex");
        let os_string = <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(native);
        let path =
            AbsolutePathBuf::try_from(std::path::PathBuf::from(os_string)).expect("absolute");
        let uri = PathUri::from_abs_path(&path);
        let again = uri.to_abs_path().expect("a path of this host");
        json!({ "uri": uri, "round_trip": again == path })
    });
}

#[test]
fn to_abs_path() {
    run("to_abs_path_posix_host", |case| {
        let input = text(case, "input");
        let parse_error = |error: &PathUriError| json!({ "parse_error": error.code() });
        let strict = match PathUri::parse(input) {
            Ok(uri) => converted(&uri, None),
            Err(error) => parse_error(&error),
        };
        let lenient = match PathUri::parse_lenient(input, None) {
            Ok((uri, repairs)) => converted(&uri, Some(repair_codes(&repairs))),
            Err(error) => parse_error(&error),
        };
        json!({
            "strict": with_shown(strict, &case["strict"]),
            "lenient": with_shown(lenient, &case["lenient"]),
        })
    });
}

/// Adds the lossy display that cases carry for their readers.
fn with_shown(mut answer: Value, expected: &Value) -> Value {
    if let Some(shown) = expected.get("native_shown") {
        answer["native_shown"] = shown.clone();
    }
    answer
}

fn converted(uri: &PathUri, repairs: Option<Vec<&'static str>>) -> Value {
    let mut answer = super::issues::to_abs_path_answer(uri);
    if let Some(repairs) = repairs {
        answer["repairs"] = json!(repairs);
    }
    answer
}

#[test]
fn absolute_path_buf() {
    run("absolute_path_buf", |case| {
        if text(case, "host") != "posix" {
            return json!({ "expect": case["expect"] });
        }
        let path = |key| AbsolutePathBuf::try_from(text(case, key));
        let result = match text(case, "call") {
            "checked" => path("path").map(Some),
            "resolve" => path("base")
                .and_then(|base| {
                    AbsolutePathBuf::resolve_path_against_base(text(case, "path"), &base)
                })
                .map(Some),
            "resolve_with_home" => path("base")
                .and_then(|base| {
                    AbsolutePathBuf::resolve_with_home(text(case, "path"), &base, &path("home")?)
                })
                .map(Some),
            "parent" => path("path").map(|path| path.parent()),
            "deserialize" => serde_json::from_value(case["path"].clone())
                .map(Some)
                .map_err(io::Error::from),
            call => panic!("unknown call {call}"),
        };
        let expect = match result {
            Ok(path) => json!(path),
            Err(error) => json!({ "error": format!("{:?}", error.kind()) }),
        };
        json!({ "expect": expect })
    });
}
