//! `fs/watchMissing`, which is answered and does nothing.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Method, SandboxParam, bounded};

/// `fs/watchMissing`: asks to be told when missing files appear.
#[derive(Debug)]
pub struct WatchMissing;

impl Method for WatchMissing {
    const NAME: &'static str = "fs/watchMissing";
    type Params<'a> = WatchMissingParams<'a>;
    type Result<'a> = WatchMissingResult;
}

/// The parameters of [`WatchMissing`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WatchMissingParams<'a> {
    /// The client's number for the watch.
    pub watch_id: u64,
    /// URIs that do not exist.
    #[serde(borrow, deserialize_with = "bounded::paths")]
    pub missing: Vec<Cow<'a, str>>,
    /// The URI of a directory that exists.
    #[serde(borrow)]
    pub present: Cow<'a, str>,
    /// What the request may touch.
    #[serde(default)]
    pub sandbox: SandboxParam,
}

/// The result of [`WatchMissing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchMissingResult {
    /// Whether anything is watched.
    pub watching: bool,
}
