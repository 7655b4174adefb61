//! Skeleton of signatures; bodies are on the way.
#![allow(missing_docs, clippy::all, clippy::todo, unused_variables, dead_code, clippy::allow_attributes, clippy::allow_attributes_without_reason, unreachable_code)]
use std::{borrow::Cow, ffi::{OsStr, OsString}, fmt, io, path::{Path, PathBuf}, sync::Arc};
pub const FALLBACK_PREFIX: &str = "file:///%00/bad/path/";
#[derive(Clone, PartialEq, Eq, Hash)] pub struct PathUri { text: Arc<str> }
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)] #[serde(rename_all = "lowercase")] pub enum PathConvention { Posix, Windows }
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)] pub struct FileName { c: Vec<u8> }
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)] pub struct AbsolutePathBuf(PathBuf);
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)] #[non_exhaustive] pub enum CasePolicy { Exact, AsciiFold }
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)] pub struct PathKey(String);
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)] #[non_exhaustive] pub enum PathRule { NotAUri, NotDescendant, OpaqueBase, ConventionMismatch, NulInPath, NotAbsolute, InvalidName }
#[derive(Clone, Debug, PartialEq, Eq)] pub struct Repair { pub rule: PathRule, pub at: usize }
#[derive(Debug, thiserror::Error)] #[error("x")] pub struct PathUriError { path: String, argument: Option<String>, rule: PathRule }
impl PathUriError { pub fn path(&self) -> &str { todo!() } pub fn argument(&self) -> Option<&str> { todo!() } pub fn rule(&self) -> PathRule { todo!() } pub fn code(&self) -> &'static str { todo!() } }
impl From<PathUriError> for io::Error { fn from(e: PathUriError) -> io::Error { todo!() } }
impl PathUri {
    pub fn parse(text: &str) -> Result<PathUri, PathUriError> { todo!() }
    pub fn parse_with_convention(text: &str, hint: PathConvention) -> Result<PathUri, PathUriError> { todo!() }
    pub fn parse_lenient(text: &str, hint: Option<PathConvention>) -> Result<(PathUri, Vec<Repair>), PathUriError> { todo!() }
    pub fn from_native(text: &str, convention: PathConvention) -> Result<PathUri, PathUriError> { todo!() }
    pub fn from_abs_path(path: &AbsolutePathBuf) -> PathUri { todo!() }
    pub fn from_host_native_path(path: impl AsRef<Path>) -> io::Result<PathUri> { todo!() }
    pub fn as_str(&self) -> &str { todo!() }
    pub fn encoded_path(&self) -> &str { todo!() }
    pub fn host(&self) -> Option<&str> { todo!() }
    pub fn convention(&self) -> Option<PathConvention> { todo!() }
    pub fn is_opaque(&self) -> bool { todo!() }
    pub fn parent(&self) -> Option<PathUri> { todo!() }
    pub fn ancestors(&self) -> impl Iterator<Item = PathUri> + use<> { std::iter::empty() }
    pub fn file_name(&self) -> Option<FileName> { todo!() }
    pub fn basename(&self) -> Option<Cow<'_, str>> { todo!() }
    pub fn root_name(&self) -> Option<String> { todo!() }
    pub fn lexical_depth(&self) -> Option<usize> { todo!() }
    pub fn names(&self) -> Option<impl DoubleEndedIterator<Item = FileName> + use<>> { Some(std::iter::empty()) }
    pub fn starts_with(&self, base: &PathUri) -> bool { todo!() }
    pub fn relative_path_from(&self, base: &PathUri) -> Option<String> { todo!() }
    pub fn names_below(&self, base: &PathUri) -> Option<impl DoubleEndedIterator<Item = FileName> + use<>> { Some(std::iter::empty()) }
    pub fn overlaps(&self, other: &PathUri) -> Option<bool> { todo!() }
    pub fn key(&self, policy: CasePolicy) -> PathKey { todo!() }
    pub fn eq_under(&self, o: &PathUri, p: CasePolicy) -> bool { todo!() }
    pub fn starts_with_under(&self, base: &PathUri, policy: CasePolicy) -> bool { todo!() }
    pub fn join(&self, text: &str) -> Result<PathUri, PathUriError> { todo!() }
    pub fn join_descendant(&self, text: &str) -> Result<PathUri, PathUriError> { todo!() }
    pub fn join_name(&self, name: &FileName) -> Result<PathUri, PathUriError> { todo!() }
    pub fn join_native_bytes(&self, bytes: &[u8]) -> Result<PathUri, PathUriError> { todo!() }
    pub fn to_native(&self, convention: PathConvention) -> Result<String, PathUriError> { todo!() }
    pub fn inferred_native_path_string(&self) -> String { todo!() }
    pub fn to_abs_path(&self) -> io::Result<AbsolutePathBuf> { todo!() }
    pub fn to_path_buf(&self) -> io::Result<PathBuf> { todo!() }
}
impl std::str::FromStr for PathUri { type Err = PathUriError; fn from_str(s: &str) -> Result<Self, PathUriError> { todo!() } }
impl fmt::Display for PathUri { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { todo!() } }
impl fmt::Debug for PathUri { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { todo!() } }
impl AsRef<str> for PathUri { fn as_ref(&self) -> &str { todo!() } }
impl PartialOrd for PathUri { fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> { todo!() } }
impl Ord for PathUri { fn cmp(&self, o: &Self) -> std::cmp::Ordering { todo!() } }
impl serde::Serialize for PathUri { fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { todo!() } }
impl<'de> serde::Deserialize<'de> for PathUri { fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> { todo!() } }
impl TryFrom<url::Url> for PathUri { type Error = PathUriError; fn try_from(u: url::Url) -> Result<Self, PathUriError> { todo!() } }
impl TryFrom<&url::Url> for PathUri { type Error = PathUriError; fn try_from(u: &url::Url) -> Result<Self, PathUriError> { todo!() } }
impl TryFrom<&PathUri> for url::Url { type Error = url::ParseError; fn try_from(u: &PathUri) -> Result<Self, url::ParseError> { todo!() } }
impl fmt::Display for PathConvention { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { todo!() } }
impl PathConvention {
    pub fn native() -> Self { todo!() }
    pub fn infer_absolute(text: &str) -> Option<PathConvention> { todo!() }
    pub fn path_segments(self, text: &str) -> impl Iterator<Item = &str> { std::iter::empty() }
    pub fn home_relative_suffix(self, text: &str) -> Option<&str> { todo!() }
}
impl FileName {
    pub fn new(text: &str, convention: PathConvention) -> Result<Self, PathUriError> { todo!() }
    pub fn from_posix_bytes(bytes: Vec<u8>) -> Result<Self, PathUriError> { todo!() }
    pub fn from_windows_units(units: &[u16]) -> Result<Self, PathUriError> { todo!() }
    pub fn from_host(name: &OsStr) -> Result<Self, PathUriError> { todo!() }
    pub fn convention(&self) -> PathConvention { todo!() }
    pub fn as_str(&self) -> Option<&str> { todo!() }
    pub fn to_string_lossy(&self) -> Cow<'_, str> { todo!() }
    pub fn as_posix_bytes(&self) -> Option<&[u8]> { todo!() }
    pub fn to_windows_units(&self) -> Option<Vec<u16>> { todo!() }
    pub fn to_os_string(&self) -> Option<OsString> { todo!() }
}
impl fmt::Display for FileName { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { todo!() } }
impl AbsolutePathBuf {
    pub fn from_absolute_path_checked(path: impl AsRef<Path>) -> io::Result<Self> { todo!() }
    pub fn resolve_path_against_base(path: impl AsRef<Path>, base: &AbsolutePathBuf) -> io::Result<Self> { todo!() }
    pub fn resolve_with_home(path: impl AsRef<Path>, base: &AbsolutePathBuf, home: &AbsolutePathBuf) -> io::Result<Self> { todo!() }
    pub fn join(&self, path: impl AsRef<Path>) -> io::Result<Self> { todo!() }
    pub fn parent(&self) -> Option<Self> { todo!() }
    pub fn ancestors(&self) -> impl Iterator<Item = AbsolutePathBuf> + use<> { std::iter::empty() }
    pub fn file_name(&self) -> Option<&OsStr> { todo!() }
    pub fn starts_with(&self, base: &AbsolutePathBuf) -> bool { todo!() }
    pub fn as_path(&self) -> &Path { todo!() }
    pub fn into_path_buf(self) -> PathBuf { todo!() }
    pub fn display(&self) -> std::path::Display<'_> { todo!() }
}
impl AsRef<Path> for AbsolutePathBuf { fn as_ref(&self) -> &Path { todo!() } }
impl TryFrom<PathBuf> for AbsolutePathBuf { type Error = io::Error; fn try_from(p: PathBuf) -> io::Result<Self> { todo!() } }
impl TryFrom<&Path> for AbsolutePathBuf { type Error = io::Error; fn try_from(p: &Path) -> io::Result<Self> { todo!() } }
impl TryFrom<&str> for AbsolutePathBuf { type Error = io::Error; fn try_from(p: &str) -> io::Result<Self> { todo!() } }
impl TryFrom<String> for AbsolutePathBuf { type Error = io::Error; fn try_from(p: String) -> io::Result<Self> { todo!() } }
impl serde::Serialize for AbsolutePathBuf { fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> { todo!() } }
impl<'de> serde::Deserialize<'de> for AbsolutePathBuf { fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> { todo!() } }
