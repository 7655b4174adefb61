//! The parts of a path between slashes, as they are spelled and as they are read.

use std::borrow::Cow;

use crate::encoding::{decode, is_letter_and};

/// A part of the input, and where it begins there.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Piece<'a> {
    pub(super) fn split_at(self, mid: usize) -> (Self, Self) {
        let (head, tail) = self.text.split_at(mid);
        let piece = |text, at| Self { text, at };
        (piece(head, self.at), piece(tail, self.at + mid))
    }

    /// The parts between separators; one at the beginning ends no part.
    pub(super) fn split(self, is_separator: impl Fn(u8) -> bool) -> Vec<Self> {
        let is_separator = |character| u8::try_from(character).is_ok_and(&is_separator);
        let rest = self.text.strip_prefix(is_separator).unwrap_or(self.text);
        let mut at = self.at + self.text.len() - rest.len();
        let parts = rest.split(is_separator).map(|text| {
            let piece = Self { text, at };
            at += text.len() + 1;
            piece
        });
        parts.collect()
    }
}

/// A part of a path between slashes.
pub(super) struct Segment<'a> {
    /// As it is spelled.
    pub(super) raw: &'a str,
    /// Decoded.
    pub(super) name: Cow<'a, [u8]>,
    pub(super) drive: Drive,
    /// Where it begins in the input.
    pub(super) at: usize,
}

/// How a name stands for a drive, if it is the first of a path without a host.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Drive {
    /// `C:`
    Plain,
    /// `C:` with an escape in it: URL parsers do not agree that it is a drive.
    Escaped,
    /// `C|`, which some read as a drive.
    Bar,
    No,
}

impl<'a> Segment<'a> {
    pub(super) fn new(piece: Piece<'a>) -> Self {
        let name = decode(piece.text);
        let drive = match (is_letter_and(&name, b':'), piece.text.len()) {
            (true, 2) => Drive::Plain,
            (true, _) => Drive::Escaped,
            (false, _) if is_letter_and(piece.text.as_bytes(), b'|') => Drive::Bar,
            (false, _) => Drive::No,
        };
        Self {
            raw: piece.text,
            name,
            drive,
            at: piece.at,
        }
    }

    /// Whether slashes follow each other here, or the path ends with one.
    pub(super) fn is_empty(&self) -> bool {
        self.name.is_empty()
    }

    /// Reads the bar of `C|` as the colon of a drive.
    pub(super) fn turn_bar(&mut self) {
        if let Some(mark) = self.name.to_mut().last_mut() {
            *mark = b':';
        }
        self.drive = Drive::Plain;
    }
}
