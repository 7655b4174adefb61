//! Skeleton of the upward search.
#![allow(
    missing_docs,
    clippy::todo,
    unused_variables,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason
)]
use crate::{ExecutorFileSystem, FileSystemSandboxContext, Window};
use codex_path_uri::{AbsolutePathBuf, PathUri};
use std::io;
pub const MAX_CONCURRENT_PROBES: usize = 8;
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindUpErrorPolicy {
    Propagate,
    Ignore,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkerKind {
    Any,
    File,
    Directory,
}
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FindUpOptions {
    pub window: Window,
    pub error_policy: FindUpErrorPolicy,
    pub ceiling: Option<PathUri>,
    pub kind: MarkerKind,
}
impl FindUpOptions {
    pub fn new(error_policy: FindUpErrorPolicy) -> Self {
        todo!()
    }
    pub fn with_window(mut self, window: Window) -> Self {
        self.window = window;
        self
    }
    pub fn with_ceiling(mut self, ceiling: PathUri) -> Self {
        self.ceiling = Some(ceiling);
        self
    }
    pub fn with_kind(mut self, kind: MarkerKind) -> Self {
        self.kind = kind;
        self
    }
}
#[derive(Debug)]
#[non_exhaustive]
pub struct FindUpOutcome<P = PathUri> {
    pub ancestor: Option<P>,
    pub marker: Option<PathUri>,
    pub probes_started: usize,
    pub probes_consumed: usize,
    pub ignored_errors: Vec<IgnoredProbe>,
    pub stopped: FindUpStop,
}
#[derive(Debug)]
pub struct IgnoredProbe {
    pub path: PathUri,
    pub error: io::Error,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindUpStop {
    Found,
    FilesystemRoot,
    Ceiling,
    NoMarkers,
}
pub async fn find_nearest_ancestor_with_markers(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &PathUri,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    error_policy: FindUpErrorPolicy,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Option<PathUri>> {
    todo!()
}
pub async fn find_nearest_native_ancestor_with_markers(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &AbsolutePathBuf,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    error_policy: FindUpErrorPolicy,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<Option<AbsolutePathBuf>> {
    todo!()
}
pub async fn find_git_root(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &PathUri,
    sandbox: Option<&FileSystemSandboxContext>,
) -> Option<PathUri> {
    todo!()
}
pub async fn find_native_git_root(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &AbsolutePathBuf,
    sandbox: Option<&FileSystemSandboxContext>,
) -> Option<AbsolutePathBuf> {
    todo!()
}
pub async fn find_up(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &PathUri,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome> {
    todo!()
}
pub async fn find_up_native(
    fs: &(impl ExecutorFileSystem + ?Sized),
    start: &AbsolutePathBuf,
    markers: impl IntoIterator<Item = impl AsRef<str>>,
    options: &FindUpOptions,
    sandbox: Option<&FileSystemSandboxContext>,
) -> io::Result<FindUpOutcome<AbsolutePathBuf>> {
    todo!()
}
