//! Why a tree literal is refused.

/// A line of a tree literal that cannot be read or applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the tree, `{text}`: {problem}")]
pub struct TreeError {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// The line as written.
    pub text: String,
    /// What is wrong with it.
    pub problem: TreeProblem,
}

/// What is wrong with one line of a tree literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TreeProblem {
    /// Neither a trailing `/` nor one of the operators says what the entry is.
    #[error("neither a directory (`/`), a file (`=`), a link (`->`) nor a pipe (`|`)")]
    NoKind,
    /// The path is empty, or it names a root as something other than a directory.
    #[error("the path names nothing")]
    EmptyPath,
    /// A `%` is not followed by two hexadecimal digits.
    #[error("a `%` without two hexadecimal digits")]
    MalformedEscape,
    /// A name is `.`, `..`, or holds what the flavor does not allow in a name.
    #[error("a name that this filesystem does not allow")]
    InvalidName,
    /// The count after `=*` or `=~` is not a number.
    #[error("a byte count that is not a number")]
    InvalidCount,
    /// The link target is empty or holds what the flavor does not allow in a path.
    #[error("a link target that names nothing")]
    InvalidTarget,
    /// A mode stands at a link, which has none.
    #[error("a mode on a link")]
    ModeOnLink,
    /// The path lies below something that is not a directory, or would replace a directory.
    #[error("in conflict with an earlier line")]
    Conflict,
}
