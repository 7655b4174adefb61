//! The checks on a URI text, in their fixed order; the first that fails and is not repaired decides.
//!
//! What surrounds the text, its scheme, its characters, its authority and host, its escapes; then a
//! fallback is read, and of any other path NUL and separators, leading slashes, dot segments, share
//! and drive, the convention, and what only Windows forbids. A repair changes how the rest is read
//! and never the text, so every offset is one of the input.

use super::{
    Repair,
    segments::{Drive, Piece, Segment},
};
use crate::{
    PathConvention, PathRule, PathUri, PathUriError,
    components::Components,
    encoding::{canonical_host, find_malformed_escape, is_drive_like, repaired_host},
    native, opaque,
    root::Root,
};

pub(super) fn strict(text: &str, hint: Option<PathConvention>) -> Result<PathUri, PathUriError> {
    let repairs = None;
    Parser { hint, repairs }
        .read(text)
        .map_err(|rule| PathUriError::new(rule, text))
}

pub(super) fn lenient(
    text: &str,
    hint: Option<PathConvention>,
) -> Result<(PathUri, Vec<Repair>), PathUriError> {
    let repairs = Some(Vec::new());
    let mut parser = Parser { hint, repairs };
    match parser.read(text) {
        Ok(path) => Ok((path, parser.repairs.unwrap_or_default())),
        Err(rule) => Err(PathUriError::new(rule, text)),
    }
}

struct Parser {
    hint: Option<PathConvention>,
    /// The repairs made so far; `None` where a broken rule is an error.
    repairs: Option<Vec<Repair>>,
}

impl Parser {
    /// Refuses a text that breaks `rule`, or notes that what follows repairs it.
    fn broken(&mut self, rule: PathRule, at: usize) -> Result<(), PathRule> {
        let repairs = self.repairs.as_mut().ok_or(rule)?;
        if repairs.iter().all(|repair| repair.rule != rule) {
            repairs.push(Repair { rule, at });
        }
        Ok(())
    }

    fn read(&mut self, text: &str) -> Result<PathUri, PathRule> {
        let text = self.trim(text)?;
        let rest = strip_scheme(text)?;
        self.check_characters(text)?;
        let (authority, path) = self.split_authority(rest)?;
        let has_drive = self.check_authority(authority)?;
        let host = if has_drive {
            None
        } else {
            self.host(authority)?
        };
        if let Some(at) = find_malformed_escape(path.text) {
            self.broken(PathRule::MalformedEscape, path.at + at)?;
        }
        let pieces = path.split(|byte| self.is_separator(byte));
        if host.is_none()
            && !has_drive
            && let Some(payload) = fallback_payload(&pieces)
        {
            return self.read_fallback(payload?);
        }
        let mut segments: Vec<Segment<'_>> = pieces.into_iter().map(Segment::new).collect();
        if has_drive {
            let mut drive = Segment::new(authority);
            drive.turn_bar();
            segments.insert(0, drive);
        }
        self.read_path(host, segments)
    }

    fn trim<'a>(&mut self, input: &'a str) -> Result<Piece<'a>, PathRule> {
        let is_trimmed = |character| character <= ' ';
        let without_start = input.trim_start_matches(is_trimmed);
        let at = input.len() - without_start.len();
        let text = without_start.trim_end_matches(is_trimmed);
        if text.len() < input.len() {
            let first = if at > 0 { 0 } else { text.len() };
            self.broken(PathRule::SurroundingWhitespace, first)?;
        }
        Ok(Piece { text, at })
    }

    /// Controls count as if they were escaped, backslashes as separators or, with hint POSIX, as if
    /// they were escaped.
    fn check_characters(&mut self, text: Piece<'_>) -> Result<(), PathRule> {
        let control = text
            .text
            .find(|character: char| character.is_ascii_control());
        if let Some(at) = control {
            self.broken(PathRule::RawControl, text.at + at)?;
        }
        if let Some(at) = text.text.find('\\') {
            self.broken(PathRule::RawBackslash, text.at + at)?;
        }
        match text.text.bytes().find(|byte| matches!(byte, b'?' | b'#')) {
            Some(b'?') => Err(PathRule::QueryNotAllowed),
            Some(_) => Err(PathRule::FragmentNotAllowed),
            None => Ok(()),
        }
    }

    fn is_separator(&self, byte: u8) -> bool {
        byte == b'/' || (byte == b'\\' && self.hint != Some(PathConvention::Posix))
    }

    /// The authority and the path.
    fn split_authority<'a>(&mut self, rest: Piece<'a>) -> Result<(Piece<'a>, Piece<'a>), PathRule> {
        let mut bytes = rest.text.bytes().take(2);
        if bytes.len() == 2 && bytes.all(|byte| self.is_separator(byte)) {
            let (_, rest) = rest.split_at(2);
            let end = rest.text.bytes().position(|byte| self.is_separator(byte));
            return Ok(rest.split_at(end.unwrap_or(rest.text.len())));
        }
        self.broken(PathRule::MissingAuthority, rest.at)?;
        Ok(rest.split_at(0))
    }

    /// Refuses everything in the place of a host that cannot be one; says whether a drive that is
    /// moved into the path stands there.
    fn check_authority(&mut self, authority: Piece<'_>) -> Result<bool, PathRule> {
        if authority.text.contains('@') {
            return Err(PathRule::CredentialsNotAllowed);
        }
        if is_drive_like(authority.text.as_bytes()) {
            self.broken(PathRule::DriveInAuthority, authority.at)?;
            return match self.hint {
                Some(PathConvention::Posix) => Err(PathRule::ConventionMismatch),
                _ => Ok(true),
            };
        }
        let mut in_brackets = false;
        for byte in authority.text.bytes() {
            match byte {
                b'[' => in_brackets = true,
                b']' => in_brackets = false,
                b':' if !in_brackets => return Err(PathRule::PortNotAllowed),
                _ => {}
            }
        }
        Ok(false)
    }

    /// The host; `None` for this machine, which `localhost` names too.
    fn host(&mut self, authority: Piece<'_>) -> Result<Option<String>, PathRule> {
        if authority.text.is_empty() {
            return Ok(None);
        }
        let host = match canonical_host(authority.text) {
            Some(host) => host,
            None => {
                self.broken(PathRule::InvalidHost, authority.at)?;
                repaired_host(authority.text).ok_or(PathRule::InvalidHost)?
            }
        };
        Ok(Some(host).filter(|host| host != "localhost"))
    }

    fn read_fallback(&mut self, payload: Piece<'_>) -> Result<PathUri, PathRule> {
        let path = opaque::parse(payload.text)?;
        if self.hint.is_some() && path.convention() != self.hint {
            return Err(PathRule::ConventionMismatch);
        }
        if self.repairs.is_some()
            && let Some(named) = native::named_by_device_prefix(&path)
            && named != path
        {
            self.broken(PathRule::NonCanonicalFallback, payload.at)?;
            return Ok(named);
        }
        Ok(path)
    }

    fn read_path(
        &mut self,
        mut host: Option<String>,
        mut segments: Vec<Segment<'_>>,
    ) -> Result<PathUri, PathRule> {
        let is_anywhere = |byte| segments.iter().any(|segment| segment.name.contains(byte));
        let has_backslash = is_anywhere(&b'\\');
        if is_anywhere(&0) {
            return Err(PathRule::NulInPath);
        }
        if is_anywhere(&b'/') {
            return Err(PathRule::EncodedSeparator);
        }
        self.drop_leading_slashes(&mut host, &mut segments)?;
        let mut segments = self.resolve_dots(segments, host.is_some())?;
        let root = self.take_root(host, &mut segments)?;
        if self.hint.is_some_and(|hint| hint != root.convention()) {
            return Err(PathRule::ConventionMismatch);
        }
        let mut path = Components::at_root(root);
        for segment in segments {
            path.push(&segment.name);
        }
        if path.convention() == PathConvention::Windows {
            if has_backslash {
                return Err(PathRule::EncodedSeparator);
            }
            if std::str::from_utf8(&path.to_native()).is_err() {
                return Err(PathRule::NotUnicode);
            }
        }
        Ok(path.to_uri())
    }

    /// Drops the slashes or, where a Windows path is expected, takes them for those before a host.
    fn drop_leading_slashes(
        &mut self,
        host: &mut Option<String>,
        segments: &mut Vec<Segment<'_>>,
    ) -> Result<(), PathRule> {
        let at = match segments.first() {
            Some(first) if first.is_empty() => first.at,
            _ => return Ok(()),
        };
        if segments.iter().all(Segment::is_empty) {
            return Ok(());
        }
        self.broken(PathRule::LeadingSlashes, at)?;
        drop_empty(segments);
        let expects_host = host.is_none() && self.hint == Some(PathConvention::Windows);
        if let Some(first) = segments.first().filter(|_| expects_host)
            && !is_drive_like(&first.name)
        {
            let spelling = canonical_host(first.raw).ok_or(PathRule::InvalidHost)?;
            *host = Some(spelling).filter(|host| host != "localhost");
            segments.remove(0);
            drop_empty(segments);
        }
        Ok(())
    }

    /// The names that are left once dot segments are applied as the URL standard does it: empty
    /// segments count meanwhile, and are dropped afterwards.
    fn resolve_dots<'a>(
        &mut self,
        segments: Vec<Segment<'a>>,
        has_host: bool,
    ) -> Result<Vec<Segment<'a>>, PathRule> {
        let mut kept: Vec<Segment<'a>> = Vec::new();
        let mut names = 0;
        for segment in segments {
            if *segment.name == *b".." {
                let is_share = has_host && names == 1;
                let is_first = !has_host && kept.len() == 1;
                if let Some(last) = kept.last_mut()
                    && self.may_remove(last, is_share, is_first)?
                {
                    names -= usize::from(!last.is_empty());
                    kept.pop();
                }
            } else if *segment.name != *b"." {
                names += usize::from(!segment.is_empty());
                kept.push(segment);
            }
        }
        kept.retain(|segment| !segment.is_empty());
        Ok(kept)
    }

    /// Whether a `..` removes the segment before it: all but what is a drive to every parser.
    ///
    /// Where parsers disagree on what is left, that is an error: one keeps a share, `X%3A` or `X|`
    /// as a root, another removes it.
    fn may_remove(
        &mut self,
        last: &mut Segment<'_>,
        is_share: bool,
        is_first: bool,
    ) -> Result<bool, PathRule> {
        if is_share && !last.is_empty() {
            return Err(PathRule::EscapesRoot);
        }
        if !is_first {
            return Ok(true);
        }
        self.check_ambiguous_drive(last)?;
        match last.drive {
            _ if self.hint == Some(PathConvention::Posix) => Ok(true),
            Drive::Plain => Ok(false),
            Drive::Escaped => Err(PathRule::EscapesRoot),
            Drive::Bar | Drive::No => Ok(true),
        }
    }

    /// Decides what a first name such as `C|` is: a drive, or with hint POSIX a name.
    fn check_ambiguous_drive(&mut self, first: &mut Segment<'_>) -> Result<(), PathRule> {
        if first.drive == Drive::Bar {
            self.broken(PathRule::AmbiguousDrive, first.at)?;
            if self.hint != Some(PathConvention::Posix) {
                first.turn_bar();
            }
        }
        Ok(())
    }

    /// Takes the root off the names.
    fn take_root(
        &mut self,
        host: Option<String>,
        names: &mut Vec<Segment<'_>>,
    ) -> Result<Root<'static>, PathRule> {
        if let Some(host) = host {
            if names.is_empty() {
                return Err(PathRule::MissingShare);
            }
            let share = names.remove(0).name;
            return if is_drive_like(&share) {
                Err(PathRule::AuthorityWithDrive)
            } else {
                Ok(Root::unc(host, &share))
            };
        }
        let Some(first) = names.first_mut() else {
            return Ok(Root::Posix);
        };
        self.check_ambiguous_drive(first)?;
        let is_drive = matches!(first.drive, Drive::Plain | Drive::Escaped);
        match *first.name {
            [letter, ..] if is_drive && self.hint != Some(PathConvention::Posix) => {
                names.remove(0);
                Ok(Root::Drive(letter.to_ascii_uppercase()))
            }
            _ => Ok(Root::Posix),
        }
    }
}

/// Drops the empty segments at the beginning.
fn drop_empty(segments: &mut Vec<Segment<'_>>) {
    let name = segments.iter().position(|segment| !segment.is_empty());
    segments.drain(..name.unwrap_or(segments.len()));
}

/// The text after `file:`.
fn strip_scheme(text: Piece<'_>) -> Result<Piece<'_>, PathRule> {
    let colon = text.text.find(':').ok_or(PathRule::NotAUri)?;
    let scheme = text.text.get(..colon).unwrap_or_default();
    let is_letter = |first: char| first.is_ascii_alphabetic();
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    if !scheme.starts_with(is_letter) || !scheme.bytes().all(is_allowed) {
        return Err(PathRule::NotAUri);
    }
    if !scheme.eq_ignore_ascii_case("file") {
        return Err(PathRule::UnsupportedScheme);
    }
    let (_, rest) = text.split_at(colon + 1);
    Ok(rest)
}

/// What stands after the reserved prefix, if the path begins with it: one payload, or an error.
fn fallback_payload<'a>(pieces: &[Piece<'a>]) -> Option<Result<Piece<'a>, PathRule>> {
    match pieces {
        [nul, bad, path, rest @ ..]
            if matches!(nul.text, "%00" | "\0") && bad.text == "bad" && path.text == "path" =>
        {
            match rest {
                [payload] => Some(Ok(*payload)),
                _ => Some(Err(PathRule::InvalidFallback)),
            }
        }
        _ => None,
    }
}
