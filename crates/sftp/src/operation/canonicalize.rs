//! `canonicalize`: realpath and stat, sent together.
//!
//! A server resolves a path whose last name is missing as gladly as any other: the stat decides.

use codex_path_uri::PathUri;

use super::Operation;
use crate::connection::Lane;
use crate::failure::Failure;
use crate::spelling::{Spelling, uri_of};
use crate::wire::Request;

/// The path without links.
pub(crate) struct Canonicalize {
    pub(crate) path: Spelling,
}

impl Operation for Canonicalize {
    type Output = PathUri;

    async fn run(&mut self, lane: &Lane<'_>) -> Result<PathUri, Failure> {
        let path = lane.path(&self.path)?;
        let real = lane.send(&Request::RealPath { path });
        let target = lane.send(&Request::Stat { path });
        target.await?;
        let real = Lane::only_name("realpath", real.await?)?;
        uri_of(&real.name, lane.convention())
    }
}
