//! What is wrong in a definitions file, and where.

/// Something in a definitions file that is not as it must be: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {}{fault}", place(entry.as_deref(), key.as_deref()))]
#[non_exhaustive]
pub struct DefinitionError {
    /// The file, as the host calls it.
    pub file: String,
    /// The entry: its id, or its place from 1 on.
    pub entry: Option<String>,
    /// The key.
    pub key: Option<String>,
    /// What is wrong.
    pub fault: DefinitionFault,
}

/// What is wrong in a definitions file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefinitionFault {
    /// It is not TOML.
    #[error("invalid TOML: {0}")]
    Toml(String),
    /// There is no such key.
    #[error("unknown key")]
    UnknownKey,
    /// A key is missing.
    #[error("missing")]
    Missing,
    /// A value has another type.
    #[error("expected {0}")]
    Type(&'static str),
    /// A value of the right type that cannot be used.
    #[error("{0}")]
    Value(String),
    /// The id is one that an earlier entry has.
    #[error("an earlier environment has this id")]
    Duplicate,
    /// No environment has the id that is the default.
    #[error("there is no such environment")]
    UnknownDefault,
    /// Neither `url` nor `program` is given, or both are.
    #[error("give exactly one of `url` and `program`")]
    Target,
    /// The key does not belong to an environment that is reached in this way.
    #[error("this key needs `{0}`")]
    NotHere(&'static str),
}

fn place(entry: Option<&str>, key: Option<&str>) -> String {
    let entry = entry.map(|entry| format!("environment `{entry}`: "));
    let key = key.map(|key| format!("`{key}`: "));
    entry.unwrap_or_default() + &key.unwrap_or_default()
}
