//! Texts are put together on the stack, so that a value costs the one allocation it is kept in.
//!
//! A text that outgrows its buffer moves to the heap; nothing is ever cut.

use std::sync::Arc;

/// Enough for nearly every path.
const SMALL: usize = 192;
/// Enough for every path that a POSIX system call takes.
const LARGE: usize = 4096 + 64;

/// Enough for what stands around the names of a text: scheme, slashes and a drive.
pub(crate) const AROUND_NAMES: usize = 16;

/// The parts, one after the other, in an allocation of their own, if `accept` agrees to the whole
/// after it had the chance to change it in place.
#[inline]
pub(crate) fn share_joined<const PARTS: usize>(
    parts: [&[u8]; PARTS],
    accept: impl Fn(&mut [u8]) -> bool,
) -> Option<Arc<str>> {
    let len: usize = parts.iter().map(|part| part.len()).sum();
    if len <= SMALL {
        join_and_share(&mut [0; SMALL], parts, accept)
    } else {
        share_long_joined(len, parts, accept)
    }
}

/// Apart from [`share_joined`], so that its frame is paid for by long texts only.
#[inline(never)]
fn share_long_joined<const PARTS: usize>(
    len: usize,
    parts: [&[u8]; PARTS],
    accept: impl Fn(&mut [u8]) -> bool,
) -> Option<Arc<str>> {
    if len <= LARGE {
        join_and_share(&mut [0; LARGE], parts, accept)
    } else {
        join_and_share(&mut vec![0; len], parts, accept)
    }
}

#[inline]
fn join_and_share<const PARTS: usize>(
    space: &mut [u8],
    parts: [&[u8]; PARTS],
    accept: impl Fn(&mut [u8]) -> bool,
) -> Option<Arc<str>> {
    let mut len = 0;
    for part in parts {
        space.get_mut(len..len + part.len())?.copy_from_slice(part);
        len += part.len();
    }
    let text = space.get_mut(..len)?;
    if accept(text) {
        std::str::from_utf8(text).ok().map(Arc::from)
    } else {
        None
    }
}

/// A growing byte string that starts out in borrowed space.
pub(crate) struct Text<'a> {
    space: &'a mut [u8],
    len: usize,
    /// Takes over once `space` is too small.
    spill: Option<Vec<u8>>,
}

/// Calls `write` with an empty text that has room for about `expected` bytes.
#[inline]
pub(crate) fn with_text<R>(expected: usize, write: impl FnOnce(&mut Text<'_>) -> R) -> R {
    if expected <= SMALL {
        write(&mut Text {
            space: &mut [0; SMALL],
            len: 0,
            spill: None,
        })
    } else {
        with_large_text(expected, write)
    }
}

/// Apart from [`with_text`], so that its frame is paid for by long texts only.
#[inline(never)]
fn with_large_text<R>(expected: usize, write: impl FnOnce(&mut Text<'_>) -> R) -> R {
    if expected <= LARGE {
        write(&mut Text {
            space: &mut [0; LARGE],
            len: 0,
            spill: None,
        })
    } else {
        write(&mut Text {
            space: &mut [],
            len: 0,
            spill: Some(Vec::with_capacity(expected)),
        })
    }
}

impl Text<'_> {
    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match &self.spill {
            None => self.space.get(..self.len).unwrap_or_default(),
            Some(spill) => spill,
        }
    }

    /// The text as a string; callers write ASCII or UTF-8 only, so nothing is replaced.
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }

    /// The text in an allocation of its own.
    #[inline]
    pub(crate) fn share(&self) -> Arc<str> {
        Arc::from(self.as_str())
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        self.push_bytes(&[byte]);
    }

    #[inline]
    pub(crate) fn push_str(&mut self, text: &str) {
        self.push_bytes(text.as_bytes());
    }

    #[inline]
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        match (&mut self.spill, self.space.get_mut(self.len..end)) {
            (None, Some(free)) => {
                free.copy_from_slice(bytes);
                self.len = end;
            }
            _ => self.push_to_spill(bytes),
        }
    }

    #[cold]
    fn push_to_spill(&mut self, bytes: &[u8]) {
        let inline = self.space.get(..self.len).unwrap_or_default();
        let spill = self.spill.get_or_insert_with(|| inline.to_vec());
        spill.extend_from_slice(bytes);
    }

    /// Folds the letters from `start` on.
    pub(crate) fn make_ascii_uppercase(&mut self, start: usize) {
        let bytes = match &mut self.spill {
            None => self.space.get_mut(start..self.len),
            Some(spill) => spill.get_mut(start..),
        };
        bytes.unwrap_or_default().make_ascii_uppercase();
    }

    /// Shortens the text to at most `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        match &mut self.spill {
            None => self.len = self.len.min(len),
            Some(spill) => spill.truncate(len),
        }
    }
}
