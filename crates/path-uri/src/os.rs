//! Where names and paths cross over to the strings of this host: bytes on POSIX, WTF-8 on Windows.
//!
//! Nothing else in the crate but the choice of the native convention depends on the host.

use std::ffi::{OsStr, OsString};

#[cfg(windows)]
use crate::wtf8;

#[cfg(unix)]
pub(crate) fn to_bytes(text: &OsStr) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(text).to_vec()
}

#[cfg(unix)]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes)
}

#[cfg(windows)]
pub(crate) fn to_bytes(text: &OsStr) -> Vec<u8> {
    wtf8::from_units(std::os::windows::ffi::OsStrExt::encode_wide(text))
}

#[cfg(windows)]
pub(crate) fn from_bytes(bytes: Vec<u8>) -> OsString {
    std::os::windows::ffi::OsStringExt::from_wide(&wtf8::to_units(&bytes))
}
