//! What [`AbsolutePathBuf`](crate::AbsolutePathBuf) does, as functions of a convention and of
//! native text: POSIX bytes or WTF-8.
//!
//! They decide for both kinds of host on each, and look at nothing but their arguments.

use crate::{
    PathConvention, PathRule,
    native::{self, names_after_dots},
    windows,
};

/// The normal form of an absolute native text.
pub(crate) fn normalize(native: &[u8], convention: PathConvention) -> Result<Vec<u8>, PathRule> {
    native::read(native, convention).map(|uri| uri.native_bytes())
}

pub(crate) fn resolve(
    path: &[u8],
    base: &[u8],
    convention: PathConvention,
) -> Result<Vec<u8>, PathRule> {
    let is_separator = |byte: u8| convention.is_separator(byte);
    match (path, convention) {
        ([], _) => Ok(base.to_vec()),
        ([b'/', ..], PathConvention::Posix) => normalize(path, convention),
        (_, PathConvention::Posix) => append(base, path, convention),
        ([first, second, ..], _) if is_separator(*first) && is_separator(*second) => {
            normalize(path, convention)
        }
        ([first, rest @ ..], _) if is_separator(*first) => append(
            base.get(..root_len(base, convention)).unwrap_or_default(),
            rest,
            convention,
        ),
        ([letter, b':', rest @ ..], _) if letter.is_ascii_alphabetic() => match (rest, base) {
            ([separator, ..], _) if is_separator(*separator) => normalize(path, convention),
            (_, [own, b':', ..]) if own.eq_ignore_ascii_case(letter) => {
                append(base, rest, convention)
            }
            _ => Err(PathRule::DriveRelative),
        },
        _ => append(base, path, convention),
    }
}

/// Applies the components of `rest`, which is not looked at for a root of its own.
pub(crate) fn append(
    base: &[u8],
    rest: &[u8],
    convention: PathConvention,
) -> Result<Vec<u8>, PathRule> {
    let separator = match convention {
        PathConvention::Posix => b'/',
        PathConvention::Windows => b'\\',
    };
    let (root, below) = base.split_at(root_len(base, convention).min(base.len()));
    let components = [below, &[separator], rest].concat();
    let names = names_after_dots(&components, convention);
    if names.is_empty() {
        return Ok(root.to_vec());
    }
    let mut joined = root.to_vec();
    if !joined.ends_with(&[separator]) {
        joined.push(separator);
    }
    joined.extend(names.join(&separator));
    // A name can complete a root: `\\?\UNC\host` has no share until one is appended.
    normalize(&joined, convention)
}

/// The rest after a leading `~` and separators, if that stands for a home directory.
pub(crate) fn below_home(path: &[u8], convention: PathConvention) -> Option<&[u8]> {
    let rest = path.strip_prefix(b"~")?;
    let below = rest
        .iter()
        .position(|&byte| !convention.is_separator(byte))
        .unwrap_or(rest.len());
    (below > 0 || rest.is_empty()).then(|| rest.get(below..).unwrap_or_default())
}

/// How many bytes the root of a normalised text takes.
fn root_len(native: &[u8], convention: PathConvention) -> usize {
    match convention {
        PathConvention::Posix => "/".len(),
        PathConvention::Windows => {
            windows::split_root(native).map_or(native.len(), |(root, _)| root.len())
        }
    }
}

/// The length of the parent's text; `None` for a root.
pub(crate) fn parent_len(native: &[u8], convention: PathConvention) -> Option<usize> {
    let root_len = root_len(native, convention);
    if native.len() <= root_len {
        return None;
    }
    let separator = native
        .iter()
        .rposition(|&byte| convention.is_separator(byte))?;
    Some(separator.max(root_len))
}

pub(crate) fn is_below(path: &[u8], base: &[u8], convention: PathConvention) -> bool {
    let is_separator = |byte: Option<&u8>| byte.is_some_and(|&byte| convention.is_separator(byte));
    match path.strip_prefix(base) {
        Some([]) => true,
        Some(rest) => is_separator(rest.first()) || is_separator(base.last()),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use proptest::{collection::vec, prelude::*, sample::select};
    use serde_json::{Value, json};

    use super::{append, below_home, is_below, normalize, parent_len, resolve};
    use crate::{
        PathConvention::{self, Posix, Windows},
        PathRule, native, wtf8,
    };

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
            "parent" => {
                let path = path("path")?;
                Ok(parent_len(&path, host).map(|len| path[..len].to_vec()))
            }
            call => panic!("unknown call {call}"),
        }
    }

    #[test]
    fn cases_of_both_hosts_hold_on_this_one() {
        let file: Value =
            serde_json::from_str(include_str!("../tests/data/path-uri.json")).unwrap();
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
    fn a_windows_path_with_a_lone_surrogate_in_any_name_is_sealed() {
        for head in ["C:\\", "\\\\host\\", "\\\\host\\share\\"] {
            let units = head.encode_utf16().chain([0xD800]);
            let uri = native::read(&wtf8::from_units(units), Windows).unwrap();
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
                let uri = native::read(&native, convention).unwrap();
                prop_assert_eq!(native::read(&normal, convention).unwrap(), uri.clone());
                prop_assert_eq!(uri.native_bytes(), normal);
            }
        }

        #[test]
        fn parents_are_normal_contain_the_path_and_end_at_a_root((native, convention) in native()) {
            if let Ok(mut path) = normalize(&native, convention) {
                while let Some(len) = parent_len(&path, convention) {
                    let parent = path[..len].to_vec();
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
                prop_assert_eq!(resolve(&path, b"/elsewhere", convention).unwrap(), path);
            }
        }
    }
}
