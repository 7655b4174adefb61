//! What a case expects of a reply.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// Why a reply is not what was expected, if it is not.
pub(crate) fn mismatch(expected: &Value, reply: &Value) -> Option<String> {
    if let Some(alternatives) = expected.get("one_of").and_then(Value::as_array) {
        let all: Option<Vec<String>> = alternatives
            .iter()
            .map(|expected| mismatch(expected, reply))
            .collect();
        return all.map(|all| all.join("\n"));
    }
    if let Some(id) = expected.get("id")
        && reply.get("id") != Some(id)
    {
        return Some(format!("id {id} expected in {reply}"));
    }
    match (expected.get("result"), expected.get("error")) {
        (Some(result), _) => match reply.get("result") {
            Some(actual) => difference(result, actual),
            None => Some(format!("a result expected, not {reply}")),
        },
        (None, Some(error)) => error_mismatch(error, reply),
        (None, None) => Some("nothing is expected".to_owned()),
    }
}

fn error_mismatch(expected: &Value, reply: &Value) -> Option<String> {
    let Some(error) = reply.get("error") else {
        return Some(format!("an error expected, not {reply}"));
    };
    let field = |pointer| error.pointer(pointer).cloned().unwrap_or_default();
    let wanted = |name| expected.get(name).cloned();
    for (name, pointer) in [
        ("code", "/code"),
        ("kind", "/data/kind"),
        ("errno", "/data/errno"),
    ] {
        if let Some(wanted) = wanted(name)
            && wanted != field(pointer)
        {
            return Some(format!("{name} {wanted} expected in {error}"));
        }
    }
    if let Some(number) = field("/data/errno").as_i64() {
        let suffix = format!(" (os error {number})");
        let message = field("/message");
        if !message.as_str().is_some_and(|text| text.ends_with(&suffix)) {
            return Some(format!("{message} does not end in{suffix}"));
        }
    }
    None
}

/// Why `actual` does not contain `expected`, if it does not.
fn difference(expected: &Value, actual: &Value) -> Option<String> {
    match (expected, actual) {
        (Value::String(text), Value::String(actual)) if text.starts_with('*') => {
            let tail = text.trim_start_matches('*');
            (!actual.ends_with(tail)).then(|| format!("{actual} does not end in {tail}"))
        }
        (Value::String(text), _) if text == "*" => None,
        (Value::Object(expected), Value::Object(actual)) => {
            expected.iter().find_map(|(key, expected)| {
                if key == "chunk_bytes" {
                    let chunk = actual.get("chunk")?.as_str()?;
                    let length = BASE64_STANDARD.decode(chunk).unwrap().len();
                    return (expected.as_u64() != Some(length as u64))
                        .then(|| format!("{length} bytes, not {expected}"));
                }
                match actual.get(key) {
                    Some(actual) => difference(expected, actual),
                    None => Some(format!("{key} is missing")),
                }
            })
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            let mut pairs = expected.iter().zip(actual);
            pairs.find_map(|(expected, actual)| difference(expected, actual))
        }
        _ if expected == actual => None,
        _ => Some(format!("{expected} expected, not {actual}")),
    }
}
