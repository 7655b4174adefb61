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
#[derive(Default)]
pub(crate) struct FileAnswers {
    canonical: Option<Result<PathUri, Arc<io::Error>>>,
    bytes: Option<Result<Vec<u8>, Arc<io::Error>>>,
}

/// Why the bytes of a file are not handed out.
pub(crate) enum FileFault {
    Outside(ResourceOutsideRoot),
    Read(Arc<io::Error>),
    Canonicalize(Arc<io::Error>),
    TooLarge { limit: u64, actual: u64 },
}

impl FileAnswers {
    pub(crate) fn accept(&mut self, answer: Answer) {
        match answer {
            Answer::Canonical(canonical) => self.canonical = Some(canonical.map_err(Arc::new)),
            Answer::Bytes(bytes) => self.bytes = Some(bytes.map_err(Arc::new)),
            Answer::Metadata(_) => {}
        }
    }

    /// The bytes, once they are judged.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes.and_then(Result::ok).unwrap_or_default()
    }
}

impl ContainedFile<'_> {
    /// Whether the answers show that the file is outside the root, so that its bytes do not matter.
    pub(crate) fn escapes(&self, answers: &FileAnswers) -> Option<ResourceOutsideRoot> {
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
    pub(crate) fn judge<'b>(
        &self,
        answers: &'b FileAnswers,
        limit: usize,
    ) -> Result<&'b [u8], FileFault> {
        if let Some(outside) = self.escapes(answers) {
            return Err(FileFault::Outside(outside));
        }
        let bytes = match &answers.bytes {
            Some(Ok(bytes)) => bytes,
            Some(Err(error)) => return Err(FileFault::Read(Arc::clone(error))),
            None => {
                let error = io::Error::other("the file was not asked for");
                return Err(FileFault::Read(Arc::new(error)));
            }
        };
        if let Some(Err(error)) = &answers.canonical {
            return Err(FileFault::Canonicalize(Arc::clone(error)));
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

/// The text of a file, which must be UTF-8.
pub(crate) fn decode_utf8(bytes: &[u8]) -> io::Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
