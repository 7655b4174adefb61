//! A file of a plugin, read once and judged: inside the root, readable, not too large.
//!
//! The bytes and the canonical path are asked for together. The bytes of a file outside the root
//! are dropped before anything looks at them.

use std::io;

use codex_path_uri::PathUri;

use crate::ResourceOutsideRoot;

/// A file below a root, and what the root's canonical path is where links must not leave it.
#[derive(Clone, Copy)]
pub(crate) struct ContainedFile<'a> {
    /// What names the file.
    pub(crate) field: &'a str,
    pub(crate) root: &'a PathUri,
    /// None where links may lead anywhere.
    pub(crate) canonical_root: Option<&'a PathUri>,
    pub(crate) path: &'a PathUri,
}

/// The answers about one file, as far as they were needed.
#[derive(Default)]
pub(crate) struct FileAnswers {
    pub(crate) canonical: Option<io::Result<PathUri>>,
    pub(crate) bytes: Option<io::Result<Vec<u8>>>,
}

/// Why the bytes of a file are not handed out.
pub(crate) enum FileFault {
    Outside(ResourceOutsideRoot),
    Read(io::Error),
    Canonicalize(io::Error),
    TooLarge { limit: u64, actual: u64 },
}

impl ContainedFile<'_> {
    /// Whether a canonical path lies in the root. Where links may lead anywhere, it always does.
    pub(crate) fn contains(&self, resolved: &PathUri) -> bool {
        self.canonical_root
            .is_none_or(|canonical_root| resolved.starts_with(canonical_root))
    }

    /// The file's bytes. A link out of the root outranks a failed read, which outranks a failed
    /// canonical path, which outranks the size.
    pub(crate) fn judge(&self, answers: FileAnswers, limit: usize) -> Result<Vec<u8>, FileFault> {
        let unresolved = match answers.canonical {
            Some(Ok(resolved)) if !self.contains(&resolved) => {
                let Self {
                    field, root, path, ..
                } = *self;
                let outside = ResourceOutsideRoot::through_link(field, root, path, resolved);
                return Err(FileFault::Outside(outside));
            }
            Some(Ok(_)) => None,
            Some(Err(error)) => Some(error),
            None => None,
        };
        let no_answer = || Err(io::Error::other("the file was not asked for"));
        let bytes = answers
            .bytes
            .unwrap_or_else(no_answer)
            .map_err(FileFault::Read)?;
        if let Some(error) = unresolved {
            return Err(FileFault::Canonicalize(error));
        }
        if bytes.len() > limit {
            return Err(FileFault::TooLarge {
                limit: limit as u64,
                actual: bytes.len() as u64,
            });
        }
        Ok(bytes)
    }
}

/// Text of a file, which must be UTF-8.
pub(crate) fn decode_utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}
