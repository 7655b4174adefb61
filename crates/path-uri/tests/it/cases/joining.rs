//! Groups `join`, `join_native_bytes` and `join_name`.

use codex_path_uri::{FileName, PathUri, PathUriError};
use serde_json::{Value, json};

use super::{bytes, parsed, run, text, uri_or_error};

#[test]
fn join() {
    run("join", |case| {
        let base = match parsed(case, "base") {
            Ok(base) => base,
            Err(failed) => return failed,
        };
        let text = text(case, "text");
        json!({ "expect": {
            "join": uri_or_error(base.join(text)),
            "join_descendant": uri_or_error(base.join_descendant(text)),
        } })
    });
}

#[test]
fn join_native_bytes() {
    run("join_native_bytes", |case| {
        let base = PathUri::parse(text(case, "base")).expect("a URI");
        json!({ "expect": uri_or_error(base.join_native_bytes(&bytes(case, "bytes_hex"))) })
    });
}

#[test]
fn join_name() {
    run(
        "join_name",
        |case| json!({ "expect": uri_or_error(joined_name(case)) }),
    );
}

pub(super) fn joined_name(case: &Value) -> Result<PathUri, PathUriError> {
    let base = PathUri::parse(text(case, "base")).expect("a URI");
    let name = match case.get("windows_name_units") {
        Some(units) => {
            let units: Vec<u16> = serde_json::from_value(units.clone()).expect("code units");
            FileName::from_windows_units(&units)?
        }
        None => FileName::from_posix_bytes(bytes(case, "posix_name_hex"))?,
    };
    base.join_name(&name)
}
