//! Paths of this host. The byte strings of the cases are those of POSIX hosts.

use std::io;
use std::path::PathBuf;

use codex_path_uri::{AbsolutePathBuf, PathUri, PathUriError};
use pretty_assertions::assert_eq;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{bytes, codes};

/// A function of [`AbsolutePathBuf`].
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum AbsoluteCall {
    Checked,
    Resolve,
    ResolveWithHome,
    Parent,
    Deserialize,
}

impl AbsoluteCall {
    pub(super) fn answer(self, path: &str, base: Option<&str>, home: Option<&str>) -> Value {
        let result = self.call(path, base.unwrap_or_default(), home.unwrap_or_default());
        let failed = |error: io::Error| json!({ "error": format!("{:?}", error.kind()) });
        result.map_or_else(failed, |path| json!(path))
    }

    fn call(self, path: &str, base: &str, home: &str) -> io::Result<Option<AbsolutePathBuf>> {
        let absolute = |text: &str| AbsolutePathBuf::try_from(text);
        match self {
            Self::Checked => absolute(path).map(Some),
            Self::Resolve => {
                AbsolutePathBuf::resolve_path_against_base(path, &absolute(base)?).map(Some)
            }
            Self::ResolveWithHome => {
                AbsolutePathBuf::resolve_with_home(path, &absolute(base)?, &absolute(home)?)
                    .map(Some)
            }
            Self::Parent => Ok(absolute(path)?.parent()),
            Self::Deserialize => Ok(Some(serde_json::from_value(json!(path))?)),
        }
    }
}

/// The URI of a path of this host, and whether it leads back.
pub(super) fn from_abs_path(native_hex: &str) -> Value {
    let path = AbsolutePathBuf::try_from(host_path(bytes(native_hex))).unwrap();
    let uri = PathUri::from_abs_path(&path);
    json!([uri, uri.to_abs_path().unwrap() == path])
}

#[cfg(unix)]
fn host_path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes))
}

#[cfg(not(unix))]
fn host_path(bytes: Vec<u8>) -> PathBuf {
    PathBuf::from(String::from_utf8(bytes).unwrap())
}

pub(super) fn parsed_to_abs_path(input: &str) -> Value {
    PathUri::parse(input).map_or_else(parse_error, |uri| to_abs_path(&uri))
}

pub(super) fn repaired_to_abs_path(input: &str) -> Value {
    match PathUri::parse_lenient(input, None) {
        Ok((uri, repairs)) => {
            let mut answer = to_abs_path(&uri);
            answer["repairs"] = json!(codes(&repairs));
            answer
        }
        Err(error) => parse_error(error),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "an argument of map_or_else")]
fn parse_error(error: PathUriError) -> Value {
    json!({ "parse_error": error.code() })
}

pub(super) fn to_abs_path(uri: &PathUri) -> Value {
    match uri.to_abs_path() {
        Ok(path) => {
            let native = path.as_path().as_os_str().as_encoded_bytes();
            let hex: String = native.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "text": uri, "native_hex": hex })
        }
        Err(failed) => {
            assert_eq!(failed.kind(), io::ErrorKind::InvalidInput);
            let inner = failed
                .get_ref()
                .and_then(|inner| inner.downcast_ref::<PathUriError>());
            json!({ "text": uri, "error": inner.unwrap().code() })
        }
    }
}

/// What is expected without the lossy display that a case carries for people.
pub(super) fn without_shown(expect: &Value) -> Value {
    let mut expect = expect.clone();
    if let Some(fields) = expect.as_object_mut() {
        fields.remove("native_shown");
    }
    expect
}
