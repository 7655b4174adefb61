//! Every case of the path tables. How a case is read stands in the shared table, under `format`.

mod host;
mod issues;

use codex_file_system_testkit::cases::{self, CaseFile, check_each, read_cases};
use codex_path_uri::PathConvention::{self, Posix, Windows};
use codex_path_uri::{CasePolicy, FileName, PathUri, PathUriError, Repair};
use pretty_assertions::assert_eq;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use self::issues::Issue;

const FILES: [CaseFile; 2] = [
    cases::PATH_URI,
    CaseFile {
        name: "path-uri-more.json",
        text: include_str!("../data/path-uri-more.json"),
        cases: 213,
    },
];

/// A call, and what it gives.
#[derive(Deserialize)]
#[serde(tag = "group", rename_all = "snake_case", deny_unknown_fields)]
enum Case {
    Parse {
        input: String,
        strict: Option<Value>,
        lenient: Option<Value>,
    },
    ParseWithConvention {
        input: String,
        hint: PathConvention,
        strict: Option<Value>,
        lenient: Option<Value>,
    },
    Serde {
        json: Value,
        expect: Value,
    },
    FromNative {
        native: String,
        convention: PathConvention,
        expect: Value,
    },
    Render {
        input: String,
        expect: Value,
    },
    InferAbsolute {
        text: String,
        expect: Value,
    },
    JoinThenNative {
        base: String,
        text: String,
        convention: PathConvention,
        expect: Value,
    },
    HomeRelativeSuffix {
        text: String,
        convention: PathConvention,
        expect: Value,
    },
    Join {
        base: String,
        text: String,
        expect: Value,
    },
    JoinNativeBytes {
        base: PathUri,
        bytes_hex: String,
        expect: Value,
    },
    JoinName {
        base: PathUri,
        posix_name_hex: Option<String>,
        windows_name_units: Option<Vec<u16>>,
        #[serde(rename = "shown")]
        _shown: Option<String>,
        expect: Value,
    },
    Navigate {
        input: String,
        expect: Value,
    },
    Containment {
        path: String,
        base: String,
        expect: Value,
    },
    Order {
        unsorted: Vec<PathUri>,
        expect: Value,
    },
    FromAbsPathPosixHost {
        native_hex: String,
        #[serde(rename = "native_shown")]
        _native_shown: String,
        uri: Value,
        round_trip: Value,
    },
    ToAbsPathPosixHost {
        input: String,
        strict: Option<Value>,
        lenient: Option<Value>,
    },
    AbsolutePathBuf {
        host: PathConvention,
        call: host::AbsoluteCall,
        path: String,
        base: Option<String>,
        home: Option<String>,
        expect: Value,
    },
    PublicIssues(Issue),
}

#[test]
fn every_case_of_the_tables_holds() {
    let is_for_this_host = |case: &cases::Case<Case>| cfg!(unix) || !case.body.is_for_posix_hosts();
    let cases = read_cases(&FILES).into_iter().filter(is_for_this_host);
    check_each(cases, if cfg!(unix) { 612 } else { 522 }, |case| {
        let (actual, stated) = case.body.outcome();
        assert_eq!(actual, stated);
    });
}

impl Case {
    fn is_for_posix_hosts(&self) -> bool {
        use Case as C;
        matches!(
            self,
            C::FromAbsPathPosixHost { .. }
                | C::ToAbsPathPosixHost { .. }
                | C::AbsolutePathBuf { .. }
        )
    }

    /// What the call gives, and what the case states.
    fn outcome(&self) -> (Value, Value) {
        match self {
            Case::Parse {
                input,
                strict,
                lenient,
            } => both(
                (strict, strict_with_path(PathUri::parse(input))),
                (lenient, repaired(PathUri::parse_lenient(input, None))),
            ),
            Case::ParseWithConvention {
                input,
                hint,
                strict,
                lenient,
            } => {
                let parsed = read(PathUri::parse_with_convention(input, *hint));
                let leniently = repaired(PathUri::parse_lenient(input, Some(*hint)));
                both((strict, parsed), (lenient, leniently))
            }
            Case::FromAbsPathPosixHost {
                native_hex,
                uri,
                round_trip,
                ..
            } => (host::from_abs_path(native_hex), json!([uri, round_trip])),
            Case::ToAbsPathPosixHost {
                input,
                strict,
                lenient,
            } => both(
                (strict, host::parsed_to_abs_path(input)),
                (lenient, host::repaired_to_abs_path(input)),
            ),
            Case::Serde { json, expect } => (deserialized(json), expect.clone()),
            Case::FromNative {
                native,
                convention,
                expect,
            } => (
                read(PathUri::from_native(native, *convention)),
                expect.clone(),
            ),
            Case::Render { input, expect } => (parsed(input, rendered), expect.clone()),
            Case::InferAbsolute { text, expect } => (inferred(text), expect.clone()),
            Case::JoinThenNative {
                base,
                text,
                convention,
                expect,
            } => {
                let native = |base: PathUri| base.join(text)?.to_native(*convention);
                let actual = parsed(base, |base| {
                    native(base).map_or_else(
                        |failed| error(&failed),
                        |native| json!({ "native": native }),
                    )
                });
                (actual, expect.clone())
            }
            Case::HomeRelativeSuffix {
                text,
                convention,
                expect,
            } => (json!(convention.home_relative_suffix(text)), expect.clone()),
            Case::Join { base, text, expect } => {
                let join = |base: PathUri| {
                    json!({
                        "join": text_of(base.join(text)),
                        "join_descendant": text_of(base.join_descendant(text)),
                    })
                };
                (parsed(base, join), expect.clone())
            }
            Case::JoinNativeBytes {
                base,
                bytes_hex,
                expect,
            } => (
                text_of(base.join_native_bytes(&bytes(bytes_hex))),
                expect.clone(),
            ),
            Case::JoinName {
                base,
                posix_name_hex,
                windows_name_units,
                expect,
                ..
            } => {
                let name = match windows_name_units {
                    Some(units) => FileName::from_windows_units(units),
                    None => FileName::from_posix_bytes(bytes(posix_name_hex.as_ref().unwrap())),
                };
                (
                    text_of(name.and_then(|name| base.join_name(&name))),
                    expect.clone(),
                )
            }
            Case::Navigate { input, expect } => (parsed(input, navigated), expect.clone()),
            Case::Containment { path, base, expect } => (compared(path, base), expect.clone()),
            Case::Order { unsorted, expect } => {
                let mut sorted = unsorted.clone();
                sorted.sort();
                (json!(sorted), expect.clone())
            }
            Case::AbsolutePathBuf {
                host: Windows,
                expect,
                ..
            } => {
                // The decisions of the other host are tested beside the functions that make them.
                (expect.clone(), expect.clone())
            }
            Case::AbsolutePathBuf {
                call,
                path,
                base,
                home,
                expect,
                ..
            } => (
                call.answer(path, base.as_deref(), home.as_deref()),
                expect.clone(),
            ),
            Case::PublicIssues(issue) => issue.outcome(),
        }
    }
}

/// Two answers, as far as the case states them.
fn both(strict: (&Option<Value>, Value), lenient: (&Option<Value>, Value)) -> (Value, Value) {
    let (mut actual, mut stated) = (Map::new(), Map::new());
    for (key, (expect, answer)) in [("strict", strict), ("lenient", lenient)] {
        if let Some(expect) = expect {
            stated.insert(key.to_owned(), host::without_shown(expect));
            actual.insert(key.to_owned(), answer);
        }
    }
    assert!(!stated.is_empty(), "the case states nothing");
    (actual.into(), stated.into())
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).unwrap();
    (0..hex.len() / 2).map(digits).collect()
}

fn error(error: &PathUriError) -> Value {
    json!({ "error": error.code() })
}

fn text_of(result: Result<impl Serialize, PathUriError>) -> Value {
    result.map_or_else(|failed| error(&failed), |text| json!(text))
}

fn read(result: Result<PathUri, PathUriError>) -> Value {
    let shown = |uri: PathUri| json!({ "text": uri, "convention": uri.convention() });
    result.map_or_else(|failed| error(&failed), shown)
}

fn strict_with_path(result: Result<PathUri, PathUriError>) -> Value {
    let path = result
        .as_ref()
        .ok()
        .map(|uri| uri.encoded_path().to_owned());
    let mut answer = read(result);
    if let Some(path) = path {
        answer["encoded_path"] = json!(path);
    }
    answer
}

fn repaired(result: Result<(PathUri, Vec<Repair>), PathUriError>) -> Value {
    let shown = |(uri, repairs): (PathUri, Vec<Repair>)| json!({ "text": uri, "convention": uri.convention(), "repairs": codes(&repairs) });
    result.map_or_else(|failed| error(&failed), shown)
}

fn codes(repairs: &[Repair]) -> Vec<&'static str> {
    repairs.iter().map(|repair| repair.rule.code()).collect()
}

/// Answers for a path that is parsed strictly; a case states where that fails.
fn parsed(text: &str, answer: impl FnOnce(PathUri) -> Value) -> Value {
    let failed = |failed: PathUriError| json!({ "parse_error": failed.code() });
    PathUri::parse(text).map_or_else(failed, answer)
}

fn deserialized(value: &Value) -> Value {
    match (value, PathUri::deserialize(value)) {
        (_, Ok(uri)) => json!({ "serialized": uri }),
        (Value::String(text), Err(failed)) => {
            let parse_error = PathUri::parse(text).unwrap_err();
            assert_eq!(failed.to_string(), parse_error.to_string());
            error(&parse_error)
        }
        (_, Err(failed)) => {
            assert!(
                failed.to_string().contains("expected a file URI"),
                "{failed}"
            );
            json!({ "error": "type_error" })
        }
    }
}

fn rendered(uri: PathUri) -> Value {
    json!({
        "to_native_posix": text_of(uri.to_native(Posix)),
        "to_native_windows": text_of(uri.to_native(Windows)),
        "inferred_native_path_string": uri.inferred_native_path_string(),
    })
}

fn inferred(text: &str) -> Value {
    let convention = PathConvention::infer_absolute(text);
    let uri = convention.map(|convention| text_of(PathUri::from_native(text, convention)));
    json!({ "convention": convention, "from_native": uri })
}

fn navigated(uri: PathUri) -> Value {
    json!({
        "text": uri,
        "basename": uri.basename(),
        "root_name": uri.root_name(),
        "parent": uri.parent(),
        "ancestors": uri.ancestors().collect::<Vec<_>>(),
        "lexical_depth": uri.lexical_depth(),
    })
}

fn compared(path: &str, base: &str) -> Value {
    let (path, base) = (PathUri::parse(path), PathUri::parse(base));
    let mut failed = Map::new();
    for (key, result) in [("path", &path), ("base", &base)] {
        if let Err(error) = result {
            failed.insert(key.to_owned(), json!(error.code()));
        }
    }
    let (Ok(path), Ok(base)) = (path, base) else {
        return json!({ "parse_error": failed });
    };
    json!({
        "starts_with": path.starts_with(&base),
        "relative_path_from": path.relative_path_from(&base),
        "equal": path == base,
        "overlaps": path.overlaps(&base),
        "equal_ascii_fold": path.eq_under(&base, CasePolicy::AsciiFold),
        "starts_with_ascii_fold": path.starts_with_under(&base, CasePolicy::AsciiFold),
    })
}

#[test]
fn a_dot_segment_does_not_remove_what_may_be_a_drive() {
    let lenient = |hint| repaired(PathUri::parse_lenient("file:///a/../c|/../d|/x", hint));
    let ambiguous = json!(["ambiguous_drive"]);
    assert_eq!(lenient(None)["repairs"], ambiguous);
    assert_eq!(lenient(None)["text"], "file:///C:/d|/x");
    assert_eq!(lenient(Some(Posix))["repairs"], ambiguous);
    assert_eq!(lenient(Some(Posix))["text"], "file:///d%7C/x");
    let strict = PathUri::parse("file:///a/../c|/../x").unwrap_err();
    assert_eq!(strict.code(), "ambiguous_drive");
}

#[test]
fn conventions_are_lower_case_in_json() {
    assert_eq!(json!([Posix, Windows]), json!(["posix", "windows"]));
}
