//! Groups `navigate`, `containment` and `order`.

use codex_path_uri::{CasePolicy, PathUri};
use serde_json::{Value, json};

use super::{parsed, run, text};

#[test]
fn navigate() {
    run("navigate", |case| {
        let uri = match parsed(case, "input") {
            Ok(uri) => uri,
            Err(failed) => return failed,
        };
        let ancestors: Vec<PathUri> = uri.ancestors().collect();
        json!({ "expect": {
            "text": uri.as_str(),
            "basename": uri.basename(),
            "root_name": uri.root_name(),
            "parent": uri.parent(),
            "ancestors": ancestors,
            "lexical_depth": uri.lexical_depth(),
        } })
    });
}

#[test]
fn containment() {
    run("containment", |case| {
        let (path, base) = match (
            PathUri::parse(text(case, "path")),
            PathUri::parse(text(case, "base")),
        ) {
            (Ok(path), Ok(base)) => (path, base),
            (path, base) => {
                let mut failed = serde_json::Map::new();
                for (key, result) in [("path", path), ("base", base)] {
                    if let Err(error) = result {
                        failed.insert(key.to_owned(), json!(error.code()));
                    }
                }
                return json!({ "expect": { "parse_error": failed } });
            }
        };
        json!({ "expect": {
            "starts_with": path.starts_with(&base),
            "relative_path_from": path.relative_path_from(&base),
            "equal": path == base,
            "overlaps": path.overlaps(&base),
            "equal_ascii_fold": path.eq_under(&base, CasePolicy::AsciiFold),
            "starts_with_ascii_fold": path.starts_with_under(&base, CasePolicy::AsciiFold),
        } })
    });
}

#[test]
fn order() {
    run("order", |case| {
        let texts = case["unsorted"].as_array().expect("a list");
        let mut uris: Vec<PathUri> = texts
            .iter()
            .map(|text| PathUri::parse(text.as_str().expect("a string")).expect("a URI"))
            .collect();
        uris.sort();
        json!({ "expect": uris.iter().map(|uri| json!(uri)).collect::<Vec<Value>>() })
    });
}
