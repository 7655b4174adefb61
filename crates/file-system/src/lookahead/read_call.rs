//! A call that reads, as a value, what it answers, and the expectation that it will be made.

use std::sync::Arc;

use codex_path_uri::PathUri;

use crate::{FileMetadata, FilePrefix, ReadDirectoryEntry, Walk, WalkOptions};

/// The largest beginning of a file that is asked ahead, in bytes.
///
/// [`ReadCall::beginning`] never asks for more, so that what is asked ahead and not needed stays small.
pub const MAX_BEGINNING_BYTES: u64 = 64 * 1024;

/// A call that reads: what is asked of which path.
///
/// # Examples
/// ```
/// use codex_file_system::{Question, ReadCall};
/// use codex_path_uri::PathUri;
///
/// let path = PathUri::parse("file:///srv/AGENTS.md")?;
/// assert_eq!(ReadCall::metadata(&path).question, Question::Metadata);
/// assert_eq!(ReadCall::prefix(&path, 9).question, Question::Prefix { max_bytes: 9 });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReadCall {
    /// What is asked.
    pub question: Question,
    /// The path it is asked of.
    pub path: PathUri,
}

/// What a [`ReadCall`] asks.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// [`get_metadata`](crate::ExecutorFileSystem::get_metadata).
    Metadata,
    /// [`read_directory`](crate::ExecutorFileSystem::read_directory).
    Listing,
    /// [`canonicalize`](crate::ExecutorFileSystem::canonicalize).
    CanonicalPath,
    /// [`read_file`](crate::ExecutorFileSystem::read_file).
    File,
    /// [`read_file_prefix`](crate::ExecutorFileSystem::read_file_prefix). The size hint is left out: it
    /// never changes the bytes.
    Prefix {
        /// The most bytes of the answer.
        max_bytes: u64,
    },
    /// [`walk`](crate::ExecutorFileSystem::walk): only ever expected, for what its entries make probable.
    Walk(Box<WalkOptions>),
}

impl ReadCall {
    /// A call of [`get_metadata`](crate::ExecutorFileSystem::get_metadata).
    pub fn metadata(path: &PathUri) -> Self {
        Self::new(Question::Metadata, path)
    }

    /// A call of [`read_directory`](crate::ExecutorFileSystem::read_directory).
    pub fn listing(path: &PathUri) -> Self {
        Self::new(Question::Listing, path)
    }

    /// A call of [`canonicalize`](crate::ExecutorFileSystem::canonicalize).
    pub fn canonical(path: &PathUri) -> Self {
        Self::new(Question::CanonicalPath, path)
    }

    /// A call of [`read_file`](crate::ExecutorFileSystem::read_file).
    pub fn file(path: &PathUri) -> Self {
        Self::new(Question::File, path)
    }

    /// A call of [`read_file_prefix`](crate::ExecutorFileSystem::read_file_prefix).
    pub fn prefix(path: &PathUri, max_bytes: u64) -> Self {
        Self::new(Question::Prefix { max_bytes }, path)
    }

    /// The first call that [`Lookahead::read_beginning`](crate::Lookahead::read_beginning) makes.
    pub fn beginning(path: &PathUri, max_bytes: u64) -> Self {
        Self::prefix(path, max_bytes.min(MAX_BEGINNING_BYTES))
    }

    /// A call of [`walk`](crate::ExecutorFileSystem::walk).
    pub fn walk(root: &PathUri, options: WalkOptions) -> Self {
        Self::new(Question::Walk(Box::new(options)), root)
    }

    fn new(question: Question, path: &PathUri) -> Self {
        let path = path.clone();
        Self { question, path }
    }

    /// Expects this call, and says what its answer makes probable.
    ///
    /// The function is called once, with a successful answer. It decides nothing: a wrong guess costs a
    /// call, a missing one costs time.
    pub fn then<'f, H>(self, hint: H) -> Expectation<'f>
    where
        H: FnOnce(&Answer) -> Vec<Expectation<'f>> + Send + 'f,
    {
        let hint: Option<Hint<'f>> = Some(Box::new(hint));
        Expectation { call: self, hint }
    }

    /// Whether the answer is the content of a file, which is handed over once and takes memory until then.
    pub(super) fn reads_content(&self) -> bool {
        matches!(self.question, Question::File | Question::Prefix { .. })
    }

    /// How many bytes are reserved for the answer while it is on its way.
    pub(super) fn reserved_bytes(&self) -> u64 {
        match self.question {
            Question::Prefix { max_bytes } => max_bytes,
            Question::File => MAX_BEGINNING_BYTES,
            _ => 0,
        }
    }
}

/// A call that will probably be made, and what its answer will make probable.
pub struct Expectation<'f> {
    pub(super) call: ReadCall,
    pub(super) hint: Option<Hint<'f>>,
}

/// Says what a successful answer makes probable.
pub(super) type Hint<'f> = Box<dyn FnOnce(&Answer) -> Vec<Expectation<'f>> + Send + 'f>;

impl From<ReadCall> for Expectation<'_> {
    fn from(call: ReadCall) -> Self {
        Self { call, hint: None }
    }
}

/// What a [`ReadCall`] answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To [`Question::Metadata`].
    Metadata(FileMetadata),
    /// To [`Question::Listing`].
    Listing(Arc<Vec<ReadDirectoryEntry>>),
    /// To [`Question::CanonicalPath`].
    CanonicalPath(PathUri),
    /// To [`Question::File`].
    File(Vec<u8>),
    /// To [`Question::Prefix`].
    Prefix(FilePrefix),
    /// To [`Question::Walk`].
    Walk(Arc<Walk>),
}

impl Answer {
    /// The entries, if this is a listing.
    pub fn listing(&self) -> Option<&[ReadDirectoryEntry]> {
        match self {
            Self::Listing(entries) => Some(entries),
            _ => None,
        }
    }

    /// How many bytes of file content this holds.
    pub(super) fn content_bytes(&self) -> u64 {
        match self {
            Self::File(bytes) => bytes.len() as u64,
            Self::Prefix(prefix) => prefix.bytes.len() as u64,
            _ => 0,
        }
    }
}
