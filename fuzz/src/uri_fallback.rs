//! Paths that have no ordinary URI: any bytes are carried, compared and given back.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use codex_path_uri::{AbsolutePathBuf, FALLBACK_PREFIX, FileName, PathUri};

use crate::path_laws;

/// The bytes are the native spelling of a path, and the payload of a fallback URI.
pub fn uri_fallback(data: &[u8]) {
    for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
        let text = format!("{FALLBACK_PREFIX}{}", engine.encode(data));
        if let Ok(uri) = PathUri::parse(&text) {
            path_laws::check(&uri);
        }
    }
    if let Ok(payload) = std::str::from_utf8(data)
        && let Ok(uri) = PathUri::parse(&format!("{FALLBACK_PREFIX}{payload}"))
    {
        path_laws::check(&uri);
    }
    names_survive(data);
    #[cfg(unix)]
    host_paths_survive(data);
}

/// A path of the host is the same bytes after it was a URI.
#[cfg(unix)]
fn host_paths_survive(data: &[u8]) {
    use std::os::unix::ffi::OsStringExt as _;

    let native = std::ffi::OsString::from_vec([b"/", data].concat());
    let path = AbsolutePathBuf::from_absolute_path_checked(&native).expect("the path is absolute");
    let uri = PathUri::from_abs_path(&path);
    path_laws::check(&uri);
    assert_eq!(uri.to_abs_path().ok(), Some(path));
    assert_eq!(PathUri::from_host_native_path(&native).ok(), Some(uri));
}

/// A name of either convention is the same after it was the end of a path.
fn names_survive(data: &[u8]) {
    let units = data.chunks_exact(2).map(|pair| match pair {
        [low, high] => u16::from_le_bytes([*low, *high]),
        _ => 0,
    });
    let units: Vec<u16> = units.collect();
    let windows = FileName::from_windows_units(&units);
    if let Ok(name) = &windows {
        assert_eq!(name.to_windows_units().as_ref(), Some(&units));
    }
    let posix = FileName::from_posix_bytes(data.to_vec());
    if let Ok(name) = &posix {
        assert_eq!(name.as_posix_bytes(), Some(data));
    }
    for (base, name) in [("file:///srv", posix), ("file:///C:/srv", windows)] {
        let base = PathUri::parse(base).expect("a base is a path");
        if let Ok(name) = name {
            let path = base.join_name(&name).expect("a base takes names");
            path_laws::check(&path);
            if path.is_opaque() {
                assert_eq!(name.as_str(), None);
            } else {
                assert_eq!(path.file_name(), Some(name));
            }
        }
    }
}
