//! Lenient parsing: repairs what is commonly written wrong, reports every repair, and lets the strict parser decide.
//!
//! A lenient result is always the strict result of the repaired text. Where an earlier check is bound to fail, nothing
//! further is repaired.

use crate::{
    PathConvention, PathRule, PathUri, PathUriError,
    assemble::is_drive_like,
    dots::resolve_dots,
    encoding::{decode, escape, is_letter_and},
    host,
    parse::parse,
    strict::{
        check_authority, check_escapes, fallback_payload, has_leading_slashes, is_escape_at,
        is_trimmed, strip_scheme,
    },
};

/// One repair that a lenient parse made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// What was wrong.
    pub rule: PathRule,
    /// Where it was wrong first: a byte offset in the text as it was given.
    pub at: usize,
}

impl PathUri {
    /// As [`parse`](Self::parse), but repairs common mistakes and tells which.
    ///
    /// Repairs come in the order of the checks, each rule at most once. Text that the strict parser accepts gives the
    /// same value and no repairs.
    ///
    /// # Errors
    /// The first rule that the text breaks and that is not repaired.
    ///
    /// # Examples
    /// ```
    /// use codex_path_uri::{PathRule, PathUri, Repair};
    ///
    /// # fn main() -> Result<(), codex_path_uri::PathUriError> {
    /// let (path, repairs) = PathUri::parse_lenient(r"file:C:\w\100%", None)?;
    /// assert_eq!(path.as_str(), "file:///C:/w/100%25");
    /// assert_eq!(
    ///     repairs,
    ///     [
    ///         Repair { rule: PathRule::RawBackslash, at: 7 },
    ///         Repair { rule: PathRule::MissingAuthority, at: 5 },
    ///         Repair { rule: PathRule::MalformedEscape, at: 13 },
    ///     ]
    /// );
    /// # Ok(())
    /// # }
    /// ```
    pub fn parse_lenient(
        text: &str,
        hint: Option<PathConvention>,
    ) -> Result<(PathUri, Vec<Repair>), PathUriError> {
        let error = |rule| PathUriError::new(rule, text);
        let strict_rule = match parse(text, hint) {
            Ok(path) => return Ok((path, Vec::new())),
            Err(rule) => rule,
        };
        let mut draft = Draft::new(text);
        match draft.repair(hint) {
            Ok(()) if draft.repairs.is_empty() => Err(error(strict_rule)),
            Ok(()) => match parse(&draft.text, hint) {
                Ok(path) => Ok((path, draft.repairs)),
                Err(rule) => Err(error(rule)),
            },
            Err(rule) => Err(error(rule)),
        }
    }
}

/// A text under repair, and where each of its bytes comes from.
struct Draft {
    text: String,
    /// The offset in the original text of each byte of `text`, and of its end.
    origins: Vec<usize>,
    repairs: Vec<Repair>,
}

impl Draft {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            origins: (0..=text.len()).collect(),
            repairs: Vec::new(),
        }
    }

    /// Makes the repairs in the order of the checks, up to the first check that no repair can pass.
    fn repair(&mut self, hint: Option<PathConvention>) -> Result<(), PathRule> {
        self.trim();
        if strip_scheme(&self.text).is_err() {
            return Ok(());
        }
        self.escape_controls();
        self.turn_backslashes(hint);
        if self.text.contains(['?', '#']) {
            return Ok(());
        }
        self.insert_authority();
        self.move_drive(hint)?;
        if !self.respell_host() {
            return Ok(());
        }
        self.escape_percents();
        if self.is_fallback() || check_escapes(self.path()).is_err() {
            return Ok(());
        }
        self.drop_leading_slashes(hint)?;
        self.settle_drive(hint);
        Ok(())
    }

    fn trim(&mut self) {
        let start = self.text.len() - self.text.trim_start_matches(is_trimmed).len();
        let end = self.text.trim_end_matches(is_trimmed).len();
        if start > 0 || end < self.text.len() {
            self.report(
                PathRule::SurroundingWhitespace,
                if start > 0 { 0 } else { end },
            );
            self.replace(end.max(start), self.text.len(), "");
            self.replace(0, start, "");
        }
    }

    fn escape_controls(&mut self) {
        self.rewrite(0, PathRule::RawControl, |_, _, byte| {
            byte.is_ascii_control().then_some(Replacement::Escape(byte))
        });
    }

    fn turn_backslashes(&mut self, hint: Option<PathConvention>) {
        let replacement = match hint {
            Some(PathConvention::Posix) => Replacement::Escape(b'\\'),
            _ => Replacement::Slash,
        };
        self.rewrite(0, PathRule::RawBackslash, |_, _, byte| {
            (byte == b'\\').then_some(replacement)
        });
    }

    fn insert_authority(&mut self) {
        let at = "file:".len();
        let rest = self.text.get(at..).unwrap_or_default();
        if rest.starts_with("//") {
            return;
        }
        let inserted = if rest.starts_with('/') { "//" } else { "///" };
        self.report(PathRule::MissingAuthority, at);
        self.replace(at, at, inserted);
    }

    fn move_drive(&mut self, hint: Option<PathConvention>) -> Result<(), PathRule> {
        let (start, end) = self.authority();
        if check_authority(self.between(start, end)) != Err(PathRule::DriveInAuthority) {
            return Ok(());
        }
        if hint == Some(PathConvention::Posix) {
            return Err(PathRule::ConventionMismatch);
        }
        self.report(PathRule::DriveInAuthority, start);
        self.replace(end - 1, end, ":");
        self.replace(start, start, "/");
        Ok(())
    }

    /// Gives the host its standard spelling; false if it has none.
    fn respell_host(&mut self) -> bool {
        let (start, end) = self.authority();
        let authority = self.between(start, end);
        if check_authority(authority).is_err() {
            return false;
        }
        if authority.is_empty() || host::canonical(authority).is_some() {
            return true;
        }
        let Some(spelling) = host::repaired(authority) else {
            return false;
        };
        self.report(PathRule::InvalidHost, start);
        self.replace(start, end, &spelling);
        true
    }

    fn escape_percents(&mut self) {
        let (_, start) = self.authority();
        self.rewrite(start, PathRule::MalformedEscape, |text, at, byte| {
            (byte == b'%' && !is_escape_at(text, at)).then_some(Replacement::Escape(b'%'))
        });
    }

    fn drop_leading_slashes(&mut self, hint: Option<PathConvention>) -> Result<(), PathRule> {
        if !has_leading_slashes(self.path()) {
            return Ok(());
        }
        let (authority, path) = self.authority();
        let rest = self.path().trim_start_matches('/');
        let end = self.text.len() - rest.len();
        let first = rest.split('/').next().unwrap_or_default();
        let is_host = hint == Some(PathConvention::Windows)
            && !self.has_host()
            && !is_drive_like(&decode(first));
        if is_host && host::canonical(first).is_none() {
            return Err(PathRule::InvalidHost);
        }
        self.report(PathRule::LeadingSlashes, path + 1);
        self.replace(if is_host { authority } else { path + 1 }, end, "");
        Ok(())
    }

    fn settle_drive(&mut self, hint: Option<PathConvention>) {
        if self.has_host() {
            return;
        }
        let (_, start) = self.authority();
        let Ok(names) = resolve_dots(self.path(), false, hint) else {
            return;
        };
        let Some(first) = names
            .first()
            .filter(|first| is_letter_and(first.raw.as_bytes(), b'|'))
        else {
            return;
        };
        let letter = start + first.at;
        self.report(PathRule::AmbiguousDrive, letter);
        let is_name = hint == Some(PathConvention::Posix);
        self.replace(letter + 1, letter + 2, if is_name { "%7C" } else { ":" });
    }

    fn is_fallback(&self) -> bool {
        !self.has_host() && fallback_payload(self.path()).is_some()
    }

    fn has_host(&self) -> bool {
        let (start, end) = self.authority();
        let authority = self.between(start, end);
        !authority.is_empty() && !authority.eq_ignore_ascii_case("localhost")
    }

    /// Where the authority stands: from after `file://` to the next `/` or the end.
    fn authority(&self) -> (usize, usize) {
        let start = "file://".len();
        let rest = self.text.get(start..).unwrap_or_default();
        (start, start + rest.find('/').unwrap_or(rest.len()))
    }

    fn path(&self) -> &str {
        let (_, start) = self.authority();
        self.text.get(start..).unwrap_or_default()
    }

    fn between(&self, start: usize, end: usize) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn report(&mut self, rule: PathRule, at: usize) {
        let at = self.origins.get(at).copied().unwrap_or_default();
        self.repairs.push(Repair { rule, at });
    }

    /// Puts `text` in the place of a range.
    fn replace(&mut self, start: usize, end: usize, text: &str) {
        let origin = self.origins.get(start).copied().unwrap_or_default();
        self.text.replace_range(start..end, text);
        self.origins
            .splice(start..end, text.bytes().map(|_| origin));
    }

    /// Replaces single ASCII bytes from `start` on in one pass, and reports the first.
    fn rewrite(
        &mut self,
        start: usize,
        rule: PathRule,
        replacement: impl Fn(&[u8], usize, u8) -> Option<Replacement>,
    ) {
        let mut text = String::with_capacity(self.text.len());
        let mut origins = Vec::with_capacity(self.origins.len());
        let mut first = None;
        let mut copied = 0;
        for (at, byte) in self.text.bytes().enumerate().skip(start) {
            let Some(replacement) = replacement(self.text.as_bytes(), at, byte) else {
                continue;
            };
            first.get_or_insert(at);
            text.push_str(self.between(copied, at));
            origins.extend_from_slice(self.origins.get(copied..at).unwrap_or_default());
            let origin = self.origins.get(at).copied().unwrap_or_default();
            let before = text.len();
            replacement.push_to(&mut text);
            origins.extend((before..text.len()).map(|_| origin));
            copied = at + 1;
        }
        let Some(first) = first else { return };
        text.push_str(self.between(copied, self.text.len()));
        origins.extend_from_slice(self.origins.get(copied..).unwrap_or_default());
        self.report(rule, first);
        self.text = text;
        self.origins = origins;
    }
}

/// What takes the place of one byte.
#[derive(Clone, Copy)]
enum Replacement {
    Slash,
    Escape(u8),
}

impl Replacement {
    fn push_to(self, text: &mut String) {
        match self {
            Self::Slash => text.push('/'),
            Self::Escape(byte) => text.extend(escape(byte).map(char::from)),
        }
    }
}
