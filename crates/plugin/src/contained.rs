//! A file of a plugin, read once and judged: inside the root, readable, not too large.
//!
//! The bytes and the canonical path are asked for together. The bytes of a file outside the root
//! are dropped before anything looks at them.

use std::io;
use std::sync::Arc;

use codex_path_uri::PathUri;

use crate::ResourceOutsideRoot;
use crate::trip::Answer;

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
pub(crate) struct FileAnswers {
    limit: usize,
    canonical: Option<Result<PathUri, Arc<io::Error>>>,
    bytes: Option<Bytes>,
}

enum Bytes {
    Read(Vec<u8>),
    /// Bytes past the limit are counted and dropped at once, so that nobody can fill memory.
    TooLarge(usize),
    Failed(Arc<io::Error>),
}

/// Why the bytes of a file are not handed out.
pub(crate) enum FileFault {
    Outside(ResourceOutsideRoot),
    Read(Arc<io::Error>),
    Canonicalize(Arc<io::Error>),
    TooLarge { limit: u64, actual: u64 },
}

impl FileAnswers {
    /// No answers yet about a file of at most `limit` bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            canonical: None,
            bytes: None,
        }
    }

    pub(crate) fn accept(&mut self, answer: Answer) {
        match answer {
            Answer::Canonical(canonical) => self.canonical = Some(canonical.map_err(Arc::new)),
            Answer::Bytes(Ok(bytes)) if bytes.len() > self.limit => {
                self.bytes = Some(Bytes::TooLarge(bytes.len()));
            }
            Answer::Bytes(Ok(bytes)) => self.bytes = Some(Bytes::Read(bytes)),
            Answer::Bytes(Err(error)) => self.bytes = Some(Bytes::Failed(Arc::new(error))),
            Answer::Metadata(_) => {}
        }
    }

    /// Drops the bytes, which have served.
    pub(crate) fn forget_bytes(&mut self) {
        self.bytes = None;
    }

    /// The bytes, once they are judged.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        match self.bytes {
            Some(Bytes::Read(bytes)) => bytes,
            _ => Vec::new(),
        }
    }
}

impl ContainedFile<'_> {
    /// How the file leaves the root, if the answers show that: then its bytes do not matter.
    pub(crate) fn escape(&self, answers: &FileAnswers) -> Option<ResourceOutsideRoot> {
        let Self {
            field,
            root,
            canonical_root,
            path,
        } = *self;
        let (Some(canonical_root), Some(Ok(resolved))) = (canonical_root, &answers.canonical)
        else {
            return None;
        };
        let is_outside = !resolved.starts_with(canonical_root);
        is_outside.then(|| ResourceOutsideRoot::through_link(field, root, path, resolved))
    }

    /// The file's bytes. A link out of the root outranks a failed read, which outranks a failed
    /// canonical path, which outranks the size.
    pub(crate) fn judge<'b>(&self, answers: &'b FileAnswers) -> Result<&'b [u8], FileFault> {
        if let Some(outside) = self.escape(answers) {
            return Err(FileFault::Outside(outside));
        }
        match (&answers.bytes, &answers.canonical) {
            (Some(Bytes::Failed(error)), _) => Err(FileFault::Read(Arc::clone(error))),
            (None, _) => {
                let error = io::Error::other("the file was not asked for");
                Err(FileFault::Read(Arc::new(error)))
            }
            (_, Some(Err(error))) => Err(FileFault::Canonicalize(Arc::clone(error))),
            (Some(Bytes::TooLarge(actual)), _) => {
                let (limit, actual) = (answers.limit as u64, *actual as u64);
                Err(FileFault::TooLarge { limit, actual })
            }
            (Some(Bytes::Read(bytes)), _) => Ok(bytes),
        }
    }
}

/// The text of a file, which must be UTF-8.
pub(crate) fn decode_utf8(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
