//! A URI text that is being repaired, and where each of its bytes comes from.
//!
//! It knows where the parts of a URI are, not what is right or wrong with them.

use crate::encoding::escape;

/// A text whose bytes remember their offset in the text as it was given.
pub(crate) struct Draft {
    text: String,
    /// The original offset of each byte of `text`, and of its end.
    origins: Vec<usize>,
}

/// What takes the place of one byte.
#[derive(Clone, Copy)]
pub(crate) enum Replacement {
    /// A separator.
    Slash,
    /// The escape of a byte.
    Escape(u8),
}

/// Where the authority begins in a text that has one.
const AUTHORITY: usize = "file://".len();

impl Draft {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            origins: (0..=text.len()).collect(),
        }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The authority, and where it begins and ends.
    pub(crate) fn authority(&self) -> (&str, usize, usize) {
        let rest = self.text.get(AUTHORITY..).unwrap_or_default();
        let end = rest.find('/').unwrap_or(rest.len());
        (
            rest.get(..end).unwrap_or_default(),
            AUTHORITY,
            AUTHORITY + end,
        )
    }

    /// The path, and where it begins.
    pub(crate) fn path(&self) -> (&str, usize) {
        let (_, _, start) = self.authority();
        (self.text.get(start..).unwrap_or_default(), start)
    }

    /// Whether the authority names a machine.
    pub(crate) fn has_host(&self) -> bool {
        let (authority, ..) = self.authority();
        !authority.is_empty() && !authority.eq_ignore_ascii_case("localhost")
    }

    /// The original offset of what stands at `at`.
    pub(crate) fn origin(&self, at: usize) -> usize {
        self.origins.get(at).copied().unwrap_or_default()
    }

    /// Puts `replacement` in the place of the bytes from `start` to `end`.
    pub(crate) fn replace(&mut self, start: usize, end: usize, replacement: &str) {
        let origin = self.origin(start);
        self.text.replace_range(start..end, replacement);
        self.origins
            .splice(start..end, replacement.bytes().map(|_| origin));
    }

    /// Replaces single ASCII bytes from `start` on, in one pass; `choose` is given the whole text
    /// and an offset in it. Returns the original offset of the first.
    pub(crate) fn rewrite(
        &mut self,
        start: usize,
        choose: impl Fn(&[u8], usize) -> Option<Replacement>,
    ) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let chosen: Vec<(usize, Replacement)> = (start..bytes.len())
            .filter_map(|at| Some((at, choose(bytes, at)?)))
            .collect();
        let (first, _) = chosen.first()?;
        let first = self.origin(*first);
        let mut rewritten = Self {
            text: String::with_capacity(self.text.len() + 2 * chosen.len()),
            origins: Vec::new(),
        };
        let mut copied = 0;
        for (at, replacement) in chosen {
            rewritten.copy(self, copied, at);
            rewritten.push(replacement, self.origin(at));
            copied = at + 1;
        }
        rewritten.copy(self, copied, self.text.len());
        rewritten.origins.push(self.origin(self.text.len()));
        *self = rewritten;
        Some(first)
    }

    fn copy(&mut self, source: &Self, start: usize, end: usize) {
        self.text
            .push_str(source.text.get(start..end).unwrap_or_default());
        self.origins
            .extend_from_slice(source.origins.get(start..end).unwrap_or_default());
    }

    fn push(&mut self, replacement: Replacement, origin: usize) {
        match replacement {
            Replacement::Slash => self.text.push('/'),
            Replacement::Escape(byte) => self.text.extend(escape(byte).map(char::from)),
        }
        self.origins.resize(self.text.len(), origin);
    }
}
