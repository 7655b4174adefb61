//! What is wrong in a definitions file, and where.

use std::fmt;

/// Something in a definitions file that is not as it must be: where, and what.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{file}{}: {}{fault}",
    behind_file(*position),
    in_file(entry.as_deref(), key.as_deref())
)]
#[non_exhaustive]
pub struct DefinitionError {
    /// The file, as the host calls it.
    pub file: String,
    /// The place in the file: of the key if it is not wanted, else of the value, else of the
    /// entry. `None` for the value of a variable.
    pub position: Option<TextPosition>,
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
    /// The key would hold a token itself.
    #[error(
        "no token is read from a file: name the variable that holds it with `bearer_token_env`"
    )]
    Token,
}

/// A place in a text file, both numbers counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// The line; lines end with LF.
    pub line: u32,
    /// The column, in Unicode scalar values.
    pub column: u32,
}

/// `LINE:COLUMN`.
impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

impl TextPosition {
    /// The place of the character at a byte; at or past the end, the place behind the last one.
    pub(super) fn of(text: &str, offset: usize) -> Self {
        let before = text.char_indices().take_while(|(at, _)| *at < offset);
        let first = Self { line: 1, column: 1 };
        before.fold(first, |here, (_, character)| match character {
            '\n' => Self {
                line: here.line.saturating_add(1),
                column: 1,
            },
            _ => Self {
                column: here.column.saturating_add(1),
                ..here
            },
        })
    }
}

fn behind_file(position: Option<TextPosition>) -> String {
    position.map(|it| format!(":{it}")).unwrap_or_default()
}

fn in_file(entry: Option<&str>, key: Option<&str>) -> String {
    let entry = entry.map(|entry| format!("environment `{entry}`: "));
    let key = key.map(|key| format!("`{key}`: "));
    entry.unwrap_or_default() + &key.unwrap_or_default()
}
