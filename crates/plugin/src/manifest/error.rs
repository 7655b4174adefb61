//! Why a text is no manifest, and where.
//!
//! The message names the problem, the field and the place. It never shows content of the file other
//! than a key, because the file comes from an environment that is not trusted.

use std::fmt;

use crate::escape::Escaped;

/// A text that is refused as a whole.
///
/// # Examples
/// ```
/// use codex_path_uri::PathUri;
/// use codex_plugin::{ManifestProblem, parse_plugin_manifest};
///
/// let root = PathUri::parse("file:///plugins/demo")?;
/// let error = parse_plugin_manifest(&root, "{\n  \"description\": 5\n}").unwrap_err();
/// assert_eq!(error.problem(), ManifestProblem::WrongType);
/// assert_eq!((error.field(), error.line(), error.column()), ("description", 2, 18));
/// assert_eq!(
///     error.to_string(),
///     "`description` has the wrong type: expected a string, found a number, at line 2 column 18",
/// );
/// # Ok::<(), codex_path_uri::PathUriError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestError {
    problem: ManifestProblem,
    field: String,
    line: usize,
    column: usize,
    explanation: Option<String>,
}

/// The kind of problem that refuses a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ManifestProblem {
    /// The text begins with U+FEFF.
    ByteOrderMark,
    /// A comment, of any style.
    Comment,
    /// A comma before the end of an object or array.
    TrailingComma,
    /// Anything but white space after the value.
    TrailingText,
    /// The text is empty, or stops before the value does.
    UnexpectedEnd,
    /// Any other text that is not JSON.
    Syntax,
    /// The value is not an object.
    NotAnObject,
    /// A key that may stand once stands twice in one object.
    DuplicateKey,
    /// A value nested deeper than [`MAX_MANIFEST_DEPTH`](crate::MAX_MANIFEST_DEPTH).
    TooDeep,
    /// A value of another type than its field takes.
    WrongType,
    /// A rule of Agent Plugins 1.0 is broken.
    AgentPluginsRule,
}

impl ManifestError {
    pub(crate) fn new(
        problem: ManifestProblem,
        field: impl Into<String>,
        (line, column): (usize, usize),
    ) -> Self {
        Self {
            problem,
            field: field.into(),
            line,
            column,
            explanation: None,
        }
    }

    /// Adds what was expected and found, without content of the file.
    pub(crate) fn with_explanation(mut self, explanation: impl Into<String>) -> Self {
        self.explanation = Some(explanation.into());
        self
    }

    /// The kind of problem.
    pub fn problem(&self) -> ManifestProblem {
        self.problem
    }

    /// JSON path of the field, such as `interface.logo`; empty for problems of syntax. Not escaped.
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Line of the place, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column of the place in Unicode scalar values, counted from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

impl ManifestProblem {
    /// The code as it stands in reports, in snake case.
    pub fn code(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::Comment => "comment",
            Self::TrailingComma => "trailing_comma",
            Self::TrailingText => "trailing_text",
            Self::UnexpectedEnd => "unexpected_end",
            Self::Syntax => "syntax",
            Self::NotAnObject => "not_an_object",
            Self::DuplicateKey => "duplicate_key",
            Self::TooDeep => "too_deep",
            Self::WrongType => "wrong_type",
            Self::AgentPluginsRule => "agent_plugins_rule",
        }
    }

    /// What a message says, as a predicate of the field or, without one, of the text.
    fn predicate(self) -> &'static str {
        match self {
            Self::ByteOrderMark => "begins with a byte order mark",
            Self::Comment => "holds a comment, which JSON has not",
            Self::TrailingComma => "holds a comma before the end of an object or array",
            Self::TrailingText => "goes on after its JSON value",
            Self::UnexpectedEnd => "stops before its JSON value does",
            Self::Syntax => "is not JSON",
            Self::NotAnObject => "is no JSON object",
            Self::DuplicateKey => "stands twice in its object",
            Self::TooDeep => "is nested too deeply",
            Self::WrongType => "has the wrong type",
            Self::AgentPluginsRule => "breaks a rule of Agent Plugins 1.0",
        }
    }
}

impl fmt::Display for ManifestProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.field.is_empty() {
            write!(formatter, "the text {}", self.problem.predicate())?;
        } else {
            write!(
                formatter,
                "`{}` {}",
                Escaped(&self.field),
                self.problem.predicate()
            )?;
        }
        if let Some(explanation) = &self.explanation {
            write!(formatter, ": {explanation}")?;
        }
        write!(formatter, ", at line {} column {}", self.line, self.column)
    }
}

impl std::error::Error for ManifestError {}
