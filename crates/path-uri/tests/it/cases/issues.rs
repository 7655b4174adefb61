//! Group `public_issues`: what went wrong elsewhere, as each case's `op`.

use codex_path_uri::{FileName, PathConvention, PathUri, PathUriError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{bytes, host, read, repaired, text_of};

/// A lesson from a public tracker.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Issue {
    #[serde(rename = "issue")]
    _issue: String,
    #[serde(rename = "symptom")]
    _symptom: String,
    op: Op,
    input: Option<String>,
    inputs: Option<Vec<String>>,
    base: Option<PathUri>,
    posix_name_hex: Option<String>,
    convention: Option<PathConvention>,
    hint: Option<PathConvention>,
    expect: Value,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    FromNative,
    FromNativeThenRender,
    ToNative,
    Parse,
    ParseWithConvention,
    Equal,
    EqualUris,
    JoinName,
    ToAbsPathPosixHost,
}

impl Issue {
    pub(super) fn outcome(&self) -> (Value, Value) {
        let input = self.input.as_deref().unwrap_or_default();
        let from_native = |text: &str| PathUri::from_native(text, self.convention.unwrap());
        let actual = match self.op {
            Op::FromNative => read(from_native(input)),
            Op::FromNativeThenRender => {
                let uri = from_native(input).unwrap();
                json!({ "text": uri, "native": uri.inferred_native_path_string() })
            }
            Op::ToNative => {
                let uri = PathUri::parse(input).unwrap();
                let native = uri.to_native(self.convention.unwrap()).unwrap();
                json!({ "convention": uri.convention(), "native": native })
            }
            Op::Parse => json!({
                "strict": read(PathUri::parse(input)),
                "lenient": repaired(PathUri::parse_lenient(input, None)),
            }),
            Op::ParseWithConvention => json!({
                "strict": read(PathUri::parse_with_convention(input, self.hint.unwrap())),
                "lenient": repaired(PathUri::parse_lenient(input, self.hint)),
            }),
            Op::Equal => self.equal(from_native),
            Op::EqualUris => self.equal(PathUri::parse),
            Op::JoinName => {
                let name = bytes(self.posix_name_hex.as_ref().unwrap());
                let name = FileName::from_posix_bytes(name).unwrap();
                text_of(self.base.as_ref().unwrap().join_name(&name))
            }
            Op::ToAbsPathPosixHost if cfg!(windows) => self.expect.clone(),
            Op::ToAbsPathPosixHost => self.to_abs_path(input),
        };
        (actual, self.expect.clone())
    }

    fn equal(&self, read: impl Fn(&str) -> Result<PathUri, PathUriError>) -> Value {
        let inputs = self.inputs.as_ref().unwrap();
        let uris: Vec<PathUri> = inputs.iter().map(|text| read(text).unwrap()).collect();
        json!({ "equal": uris.iter().all(|uri| *uri == uris[0]), "text": uris[0] })
    }

    /// States the text only where the case does.
    fn to_abs_path(&self, input: &str) -> Value {
        let mut answer = host::to_abs_path(&PathUri::parse(input).unwrap());
        if self.expect.get("text").is_none() {
            answer.as_object_mut().unwrap().remove("text");
        }
        answer
    }
}
