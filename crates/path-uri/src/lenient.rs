//! Lenient parsing: repairs what is commonly written wrong, reports every repair, and lets the
//! strict parser decide.
//!
//! A lenient result is always the strict result of the repaired text. Repairs and checks take turns
//! in the order of the checks, so that the first rule that cannot be repaired is the one reported.

use crate::{
    PathConvention, PathRule, PathUri, PathUriError,
    assemble::is_drive_like,
    dots::resolve_dots,
    draft::{Draft, Replacement},
    encoding::{decode, is_letter_and},
    host,
    parse::parse,
    strict::{
        check_authority, check_escapes, check_no_query, fallback_payload, has_leading_slashes,
        is_escape_at, is_trimmed, strip_scheme,
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
    /// Repairs come in the order of the checks, each rule at most once. Text that the strict parser
    /// accepts gives the same value and no repairs.
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
        if let Ok(path) = parse(text, hint) {
            return Ok((path, Vec::new()));
        }
        let mut repairer = Repairer {
            draft: Draft::new(text),
            hint,
            repairs: Vec::new(),
        };
        repairer
            .repair()
            .and_then(|()| parse(repairer.draft.text(), hint))
            .map(|path| (path, repairer.repairs))
            .map_err(|rule| PathUriError::new(rule, text))
    }
}

/// Makes repairs and keeps a list of them.
struct Repairer {
    draft: Draft,
    hint: Option<PathConvention>,
    repairs: Vec<Repair>,
}

impl Repairer {
    /// Makes the repairs in the order of the checks, and the checks that no repair can pass.
    fn repair(&mut self) -> Result<(), PathRule> {
        self.trim();
        strip_scheme(self.draft.text())?;
        self.escape_controls();
        self.turn_backslashes();
        check_no_query(self.draft.text())?;
        self.insert_authority();
        self.move_drive()?;
        self.respell_host()?;
        self.escape_percents();
        let (path, _) = self.draft.path();
        if !self.draft.has_host() && fallback_payload(path).is_some() {
            return Ok(());
        }
        check_escapes(path)?;
        self.drop_leading_slashes()?;
        self.settle_drive();
        Ok(())
    }

    fn trim(&mut self) {
        let text = self.draft.text();
        let without_end = text.trim_end_matches(is_trimmed);
        let kept = without_end.trim_start_matches(is_trimmed);
        let (start, end, len) = (
            without_end.len() - kept.len(),
            without_end.len(),
            text.len(),
        );
        if kept.len() < len {
            self.report(
                PathRule::SurroundingWhitespace,
                if start > 0 { 0 } else { end },
            );
            self.draft.replace(end, len, "");
            self.draft.replace(0, start, "");
        }
    }

    fn escape_controls(&mut self) {
        self.rewrite(0, PathRule::RawControl, |text, at| {
            let byte = *text.get(at)?;
            byte.is_ascii_control().then_some(Replacement::Escape(byte))
        });
    }

    fn turn_backslashes(&mut self) {
        let replacement = match self.hint {
            Some(PathConvention::Posix) => Replacement::Escape(b'\\'),
            Some(PathConvention::Windows) | None => Replacement::Slash,
        };
        self.rewrite(0, PathRule::RawBackslash, |text, at| {
            (text.get(at) == Some(&b'\\')).then_some(replacement)
        });
    }

    fn insert_authority(&mut self) {
        let at = "file:".len();
        let rest = self.draft.text().get(at..).unwrap_or_default();
        if rest.starts_with("//") {
            return;
        }
        let inserted = if rest.starts_with('/') { "//" } else { "///" };
        self.report(PathRule::MissingAuthority, at);
        self.draft.replace(at, at, inserted);
    }

    fn move_drive(&mut self) -> Result<(), PathRule> {
        let (authority, start, end) = self.draft.authority();
        if check_authority(authority) != Err(PathRule::DriveInAuthority) {
            return Ok(());
        }
        if self.hint == Some(PathConvention::Posix) {
            return Err(PathRule::ConventionMismatch);
        }
        self.report(PathRule::DriveInAuthority, start);
        self.draft.replace(end - 1, end, ":");
        self.draft.replace(start, start, "/");
        Ok(())
    }

    /// Gives the host the spelling that the URL standard gives it.
    fn respell_host(&mut self) -> Result<(), PathRule> {
        let (authority, start, end) = self.draft.authority();
        check_authority(authority)?;
        if authority.is_empty() || host::canonical(authority).is_some() {
            return Ok(());
        }
        let spelling = host::repaired(authority).ok_or(PathRule::InvalidHost)?;
        self.report(PathRule::InvalidHost, start);
        self.draft.replace(start, end, &spelling);
        Ok(())
    }

    fn escape_percents(&mut self) {
        let (_, start) = self.draft.path();
        self.rewrite(start, PathRule::MalformedEscape, |text, at| {
            let is_malformed = text.get(at) == Some(&b'%') && !is_escape_at(text, at);
            is_malformed.then_some(Replacement::Escape(b'%'))
        });
    }

    /// Drops the slashes or, where a Windows path is expected, takes them for those before a host.
    fn drop_leading_slashes(&mut self) -> Result<(), PathRule> {
        let (path, start) = self.draft.path();
        if !has_leading_slashes(path) {
            return Ok(());
        }
        let rest = path.trim_start_matches('/');
        let end = start + path.len() - rest.len();
        let first = rest.split('/').next().unwrap_or_default();
        let is_host = self.hint == Some(PathConvention::Windows)
            && !self.draft.has_host()
            && !is_drive_like(&decode(first));
        if is_host && host::canonical(first).is_none() {
            return Err(PathRule::InvalidHost);
        }
        let (_, authority, _) = self.draft.authority();
        self.report(PathRule::LeadingSlashes, start + 1);
        if is_host {
            self.draft.replace(authority, end, "");
        }
        // Those between host and share are extra too.
        self.drop_extra_slashes();
        Ok(())
    }

    fn drop_extra_slashes(&mut self) {
        let (path, start) = self.draft.path();
        let slashes = path.len() - path.trim_start_matches('/').len();
        if slashes > 1 {
            self.draft.replace(start + 1, start + slashes, "");
        }
    }

    /// Decides what a first name such as `C|` is: a drive, or with hint POSIX a name.
    fn settle_drive(&mut self) {
        let Some(letter) = self.ambiguous_drive() else {
            return;
        };
        self.report(PathRule::AmbiguousDrive, letter);
        if self.hint == Some(PathConvention::Posix) {
            // A name can be removed by `..`, which makes another one the first, so all such names
            // are escaped. That changes none: the escape stands for the same byte.
            let (_, start) = self.draft.path();
            self.draft.rewrite(start, |text, at| {
                is_ambiguous_at(text, at).then_some(Replacement::Escape(b'|'))
            });
        } else {
            self.draft.replace(letter + 1, letter + 2, ":");
        }
    }

    /// Where the letter of an ambiguous drive stands.
    fn ambiguous_drive(&self) -> Option<usize> {
        if self.draft.has_host() {
            return None;
        }
        let (path, start) = self.draft.path();
        let at = match resolve_dots(path, false, self.hint) {
            Ok(names) => {
                let first = names.first()?;
                is_letter_and(first.raw.as_bytes(), b'|').then_some(first.at)
            }
            Err(obstacle) => (obstacle.rule == PathRule::AmbiguousDrive).then_some(obstacle.at),
        };
        at.map(|at| start + at)
    }

    fn rewrite(
        &mut self,
        start: usize,
        rule: PathRule,
        choose: impl Fn(&[u8], usize) -> Option<Replacement>,
    ) {
        let first = self.draft.rewrite(start, choose);
        self.repairs.extend(first.map(|at| Repair { rule, at }));
    }

    fn report(&mut self, rule: PathRule, at: usize) {
        let at = self.draft.origin(at);
        self.repairs.push(Repair { rule, at });
    }
}

/// Whether the byte at `at` is the bar of a name such as `C|`.
fn is_ambiguous_at(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let after = text.get(at..).unwrap_or_default();
    matches!(before, [.., b'/', letter] if letter.is_ascii_alphabetic())
        && matches!(after, [b'|'] | [b'|', b'/', ..])
}
