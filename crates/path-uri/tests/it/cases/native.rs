//! Groups `from_native`, `render`, `infer_absolute`, `join_then_native` and `home_relative_suffix`.

use codex_path_uri::{
    PathConvention::{self, Posix, Windows},
    PathUri,
};
use serde_json::{Value, json};

use super::{
    convention, convention_json, error, parsed, run, text, text_and_convention, text_or_error,
    uri_or_error,
};

#[test]
fn from_native() {
    run("from_native", |case| {
        let native = PathUri::from_native(text(case, "native"), convention(case, "convention"));
        let expect = native.map_or_else(|failed| error(&failed), |uri| text_and_convention(&uri));
        json!({ "expect": expect })
    });
}

#[test]
fn render() {
    run("render", |case| {
        let uri = match parsed(case, "input") {
            Ok(uri) => uri,
            Err(failed) => return failed,
        };
        json!({ "expect": {
            "to_native_posix": text_or_error(uri.to_native(Posix)),
            "to_native_windows": text_or_error(uri.to_native(Windows)),
            "inferred_native_path_string": uri.inferred_native_path_string(),
        } })
    });
}

#[test]
fn infer_absolute() {
    run("infer_absolute", |case| {
        let text = text(case, "text");
        let inferred = PathConvention::infer_absolute(text);
        let read = inferred.map(|convention| uri_or_error(PathUri::from_native(text, convention)));
        json!({ "expect": { "convention": convention_json(inferred), "from_native": read } })
    });
}

#[test]
fn join_then_native() {
    run("join_then_native", |case| {
        let base = match parsed(case, "base") {
            Ok(base) => base,
            Err(failed) => return failed,
        };
        let native = base
            .join(text(case, "text"))
            .and_then(|uri| uri.to_native(convention(case, "convention")));
        let expect = native.map_or_else(
            |failed| error(&failed),
            |native| json!({ "native": native }),
        );
        json!({ "expect": expect })
    });
}

#[test]
fn home_relative_suffix() {
    run("home_relative_suffix", |case| {
        let suffix = convention(case, "convention").home_relative_suffix(text(case, "text"));
        json!({ "expect": suffix.map_or(Value::Null, Value::from) })
    });
}
