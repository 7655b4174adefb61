//! Environments: a filesystem, a working directory and an identity, bound together.
use std::{fmt, sync::Arc};
use codex_path_uri::PathUri;
use serde::{Deserialize, Serialize};
use crate::ExecutorFileSystem;

/// Identity of an environment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EnvironmentId(Arc<str>);
/// The text is no environment id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid environment id `{0}`: use 1 to 64 of A-Z, a-z, 0-9, _ and -")]
pub struct InvalidEnvironmentId(String);
/// Two environments have one id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("environment `{0}` is bound twice")]
pub struct DuplicateEnvironment(EnvironmentId);
/// No environment has this id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown environment `{asked}`")]
#[allow(missing_docs, clippy::allow_attributes, clippy::allow_attributes_without_reason)]
pub struct UnknownEnvironment { pub asked: String, pub known: Vec<EnvironmentId> }
impl EnvironmentId {
    /// Checks the text.
    pub fn new(text: &str) -> Result<Self, InvalidEnvironmentId> {
        let valid = (1..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
        if valid { Ok(Self(text.into())) } else { Err(InvalidEnvironmentId(text.to_owned())) }
    }
    /// The text.
    pub fn as_str(&self) -> &str { &self.0 }
}
impl fmt::Display for EnvironmentId { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.write_str(&self.0) } }
impl TryFrom<String> for EnvironmentId { type Error = InvalidEnvironmentId; fn try_from(s: String) -> Result<Self, Self::Error> { Self::new(&s) } }
impl From<EnvironmentId> for String { fn from(id: EnvironmentId) -> String { id.0.as_ref().to_owned() } }
/// One environment.
#[derive(Clone)]
pub struct Environment { id: EnvironmentId, cwd: PathUri, filesystem: Arc<dyn ExecutorFileSystem> }
impl Environment {
    /// Binds the three.
    pub fn new(id: EnvironmentId, cwd: PathUri, filesystem: Arc<dyn ExecutorFileSystem>) -> Self { Self { id, cwd, filesystem } }
    /// Its id.
    pub fn id(&self) -> &EnvironmentId { &self.id }
    /// Its working directory.
    pub fn cwd(&self) -> &PathUri { &self.cwd }
    /// Its filesystem.
    pub fn filesystem(&self) -> &Arc<dyn ExecutorFileSystem> { &self.filesystem }
}
impl fmt::Debug for Environment { fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.debug_struct("Environment").field("id", &self.id).field("cwd", &self.cwd).finish_non_exhaustive() } }
/// Environments in binding order.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentSet(Vec<Environment>);
impl EnvironmentSet {
    /// Rejects a repeated id.
    pub fn new(environments: Vec<Environment>) -> Result<Self, DuplicateEnvironment> {
        for (i, e) in environments.iter().enumerate() { if environments[..i].iter().any(|o| o.id == e.id) { return Err(DuplicateEnvironment(e.id.clone())); } }
        Ok(Self(environments))
    }
    /// The environment with this id.
    pub fn get(&self, id: &str) -> Result<&Environment, UnknownEnvironment> {
        self.0.iter().find(|e| e.id.as_str() == id).ok_or_else(|| UnknownEnvironment { asked: id.to_owned(), known: self.0.iter().map(|e| e.id.clone()).collect() })
    }
    /// In binding order.
    pub fn iter(&self) -> impl Iterator<Item = &Environment> { self.0.iter() }
}
