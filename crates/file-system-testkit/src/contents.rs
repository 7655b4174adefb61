//! What a file holds, without holding it where a formula will do.
//!
//! A sparse file of a gibibyte costs nothing until somebody reads it, and nobody may read one
//! that large.

use std::sync::Arc;

/// The bytes of one file; clones share them. Two are equal when they are written alike.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::Contents;
///
/// assert_eq!(Contents::from(b"hello".to_vec()).len(), 5);
/// assert_eq!(Contents::Pattern(258).to_vec()[254..], [254, 255, 0, 1]);
/// assert_eq!(Contents::Zeros(3).to_vec(), [0; 3]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// This many bytes, byte i is i mod 256.
    Pattern(u64),
    /// This many zero bytes.
    Zeros(u64),
}

impl Contents {
    /// Length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Pattern(length) | Self::Zeros(length) => *length,
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All the bytes. The caller checks the length first: a sparse file may be larger than memory.
    pub fn to_vec(&self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.to_vec(),
            Self::Pattern(length) => (0..=u8::MAX).cycle().take(host_length(*length)).collect(),
            Self::Zeros(length) => vec![0; host_length(*length)],
        }
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes.into())
    }
}

/// A length as the host counts; the largest that is ever asked for fits easily.
fn host_length(length: u64) -> usize {
    usize::try_from(length).unwrap_or(usize::MAX)
}
