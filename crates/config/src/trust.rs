//! A reader for the `[projects]` table.

use std::collections::BTreeMap;

use codex_path_uri::PathUri;
use serde::Serialize;

use crate::{ConfigError, ConfigLayerStack};

/// What a host was told about a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustLevel {
    /// `trust_level = "trusted"`.
    Trusted,
    /// `trust_level = "untrusted"`.
    Untrusted,
}

/// The entries of the `[projects]` table that say something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTrustTable {
    levels: BTreeMap<PathUri, TrustLevel>,
}

impl ProjectTrustTable {
    /// Reads the table from the enabled layers, those of the project left out.
    pub fn from_stack(stack: &ConfigLayerStack) -> Result<Self, ConfigError> {
        todo!("{stack:?}")
    }
    /// What is said about exactly this directory.
    pub fn get(&self, directory: &PathUri) -> Option<TrustLevel> {
        self.levels.get(directory).copied()
    }
    /// What is said about the first directory that has an entry.
    pub fn nearest<'a>(
        &self,
        directories: impl IntoIterator<Item = &'a PathUri>,
    ) -> Option<TrustLevel> {
        directories
            .into_iter()
            .find_map(|directory| self.get(directory))
    }
}
