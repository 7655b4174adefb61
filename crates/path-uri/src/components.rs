//! An absolute path taken apart: its root and the names below it.
//!
//! Every constructor ends here and every lexical operation works on it, so `.` and `..`, joining and
//! the spelling of the result are written once. Names are kept encoded, as in canonical text: to go
//! up or to compare is to look at a prefix of it.
//!
//! Invariant: no name is empty, `.` or `..`, or holds a separator of the root's convention. A name
//! may hold NUL or, on Windows, a lone surrogate; the value of such a path is opaque.

use std::borrow::Cow;

use crate::{
    FileName, PathConvention, PathRule, PathUri,
    encoding::{decode, push_encoded},
    opaque,
    root::Root,
    uri::Kind,
};

/// The root of an absolute path and the names below it.
#[derive(Clone, Debug)]
pub(crate) struct Components<'a> {
    pub(crate) root: Root<'a>,
    /// Each name encoded and behind a `/`; empty at the root.
    names: Cow<'a, str>,
}

impl<'a> Components<'a> {
    pub(crate) fn at_root(root: Root<'a>) -> Self {
        let names = Cow::Borrowed("");
        Self { root, names }
    }

    /// Reads an absolute native path, POSIX bytes or WTF-8; `None` if it is not absolute.
    pub(crate) fn from_native(native: &'a [u8], convention: PathConvention) -> Option<Self> {
        let (root, rest) = Root::split(native, convention)?;
        let mut path = Self::at_root(root);
        path.apply(rest);
        Some(path)
    }

    /// Takes a value apart; `None` if it is opaque.
    pub(crate) fn of(uri: &'a PathUri) -> Option<Self> {
        let text = uri.encoded_path();
        let (root, names) = match uri.kind() {
            Kind::Opaque(_) => return None,
            Kind::Lexical => {
                let mut path = Self::at_root(Root::Posix);
                let native = opaque::native_bytes(uri);
                let names = native.split(|&byte| byte == b'/').skip(1);
                names.for_each(|name| path.push(name));
                return Some(path);
            }
            Kind::Posix => (Root::Posix, text),
            Kind::Drive => {
                let (drive, names) = text.split_at("/C:".len());
                (Root::Drive(*drive.as_bytes().get(1)?), names)
            }
            Kind::Unc => {
                let share = text.strip_prefix('/')?;
                let (share, names) = share.split_at(share.find('/').unwrap_or(share.len()));
                let (host, share) = (uri.host()?.into(), share.into());
                (Root::Unc { host, share }, names)
            }
        };
        let names = Cow::Borrowed(if names == "/" { "" } else { names });
        Some(Self { root, names })
    }

    pub(crate) fn convention(&self) -> PathConvention {
        self.root.convention()
    }

    /// Appends one name: POSIX bytes or WTF-8.
    pub(crate) fn push(&mut self, name: &[u8]) {
        let names = self.names.to_mut();
        names.reserve("/".len() + name.len());
        names.push('/');
        push_encoded(names, name);
    }

    /// Goes up one name; whether there was one.
    pub(crate) fn pop(&mut self) -> bool {
        let parent = self.names.rfind('/');
        if let Some(len) = parent {
            match &mut self.names {
                Cow::Borrowed(names) => *names = names.get(..len).unwrap_or_default(),
                Cow::Owned(names) => names.truncate(len),
            }
        }
        parent.is_some()
    }

    /// Applies the components of a relative native path: `..` goes up and stops at the root.
    pub(crate) fn apply(&mut self, relative: &[u8]) {
        let convention = self.convention();
        for component in relative.split(|&byte| convention.is_separator(byte)) {
            match component {
                b"" | b"." => {}
                b".." => {
                    self.pop();
                }
                name => self.push(name),
            }
        }
    }

    /// Goes on as `text` says to a machine of this convention: absolute text replaces the path,
    /// relative text is applied to it.
    ///
    /// # Errors
    /// On Windows `drive_relative` for `X:rest` of another drive, `not_absolute` for `\\host`.
    pub(crate) fn resolve(mut self, text: &'a [u8]) -> Result<Self, PathRule> {
        let convention = self.convention();
        let is_separator = |byte: &u8| convention.is_separator(*byte);
        let replaced = || Self::from_native(text, convention).ok_or(PathRule::NotAbsolute);
        match (convention, text) {
            (PathConvention::Posix, [b'/', ..]) => return replaced(),
            (PathConvention::Posix, _) => self.apply(text),
            (_, [first, second, ..]) if is_separator(first) && is_separator(second) => {
                return replaced();
            }
            (_, [first, rest @ ..]) if is_separator(first) => {
                self = Self::at_root(self.root);
                self.apply(rest);
            }
            (_, [letter, b':', rest @ ..]) if letter.is_ascii_alphabetic() => {
                if rest.first().is_some_and(is_separator) {
                    return replaced();
                }
                if self.root != Root::Drive(letter.to_ascii_uppercase()) {
                    return Err(PathRule::DriveRelative);
                }
                self.apply(rest);
            }
            _ => self.apply(text),
        }
        Ok(self)
    }

    /// The last name as it is encoded.
    pub(crate) fn last_encoded(&self) -> Option<&str> {
        self.names.rsplit_once('/').map(|(_, name)| name)
    }

    pub(crate) fn depth(&self) -> usize {
        self.names.matches('/').count()
    }

    /// The names below `base` in encoded form, each behind a `/`; `None` unless the path is `base` or
    /// below it.
    pub(crate) fn encoded_below(&self, base: &Components<'_>) -> Option<&str> {
        let below = self.names.strip_prefix(&*base.names)?;
        let is_whole = below.is_empty() || below.starts_with('/');
        (is_whole && self.root == base.root).then_some(below)
    }

    /// Names in encoded form, each behind a `/`, as names.
    pub(crate) fn file_names(&self, encoded: &str) -> std::vec::IntoIter<FileName> {
        let names = encoded.split('/').skip(1).map(decode);
        let names = names.map(|name| FileName::from_decoded(name.into_owned(), self.convention()));
        names.collect::<Vec<_>>().into_iter()
    }

    /// All names, first to last.
    pub(crate) fn names(&self) -> std::vec::IntoIter<FileName> {
        self.file_names(&self.names)
    }

    /// The native spelling: POSIX bytes or WTF-8.
    pub(crate) fn to_native(&self) -> Vec<u8> {
        let separator = self.convention().separator();
        let mut native = self.root.to_native();
        if native.ends_with(&[separator]) && !self.names.is_empty() {
            native.pop();
        }
        native.extend(self.native_names(&self.names));
        native
    }

    /// Names in encoded form as native text.
    pub(crate) fn native_names(&self, encoded: &str) -> Vec<u8> {
        let separator = self.convention().separator();
        let mut native = decode(encoded).into_owned();
        for byte in native.iter_mut().filter(|byte| **byte == b'/') {
            *byte = separator;
        }
        native
    }

    /// The value of the path, in the one spelling that its root and names call for.
    pub(crate) fn to_uri(&self) -> PathUri {
        let kind = match &self.root {
            Root::Posix if self.first_name_is(b':') => return self.to_fallback(),
            Root::Opaque(_) => return self.to_fallback(),
            _ if !self.can_be_spelled() => return self.to_fallback(),
            Root::Posix => Kind::Posix,
            Root::Drive(_) => Kind::Drive,
            Root::Unc { .. } => Kind::Unc,
        };
        let mut text = String::with_capacity("file:///C:/".len() + self.names.len());
        text.push_str("file://");
        match &self.root {
            Root::Drive(letter) => text.extend(['/', char::from(*letter), ':']),
            Root::Unc { host, share } => text.extend([&**host, "/", &**share]),
            Root::Posix | Root::Opaque(_) => {}
        }
        let after_root = text.len();
        text.push_str(&self.names);
        if self.names.is_empty() && kind != Kind::Unc {
            text.push('/');
        }
        if kind == Kind::Posix && self.first_name_is(b'|') {
            // URL parsers read `X|` there as a drive.
            let bar = after_root + "/X".len();
            text.replace_range(bar..=bar, "%7C");
        }
        PathUri::from_canonical(text, kind)
    }

    fn to_fallback(&self) -> PathUri {
        opaque::from_native(&self.to_native(), self.convention())
    }

    /// Whether an ordinary text can hold the names.
    fn can_be_spelled(&self) -> bool {
        let may_be_odd = self.names.contains('%');
        !may_be_odd
            || (!self.names.contains("%00")
                && (self.root == Root::Posix || std::str::from_utf8(&decode(&self.names)).is_ok()))
    }

    fn first_name_is(&self, mark: u8) -> bool {
        match self.names.as_bytes() {
            [b'/', letter, second] | [b'/', letter, second, b'/', ..] => {
                letter.is_ascii_alphabetic() && *second == mark
            }
            _ => false,
        }
    }
}
