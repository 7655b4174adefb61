//! Puts a path together name by name, and gives the result whatever spelling its names call for.

use crate::{
    PathConvention, PathUri,
    buffer::{Text, share_joined},
    encoding::{Scan, is_letter_and, push_encoded, scan},
    fallback,
    plain::{native_from_encoded, root_len, separate_by_slash},
    uri::Kind,
};

/// An ordinary text under construction.
///
/// A drive-like first name of a POSIX path and names that no URI can hold are written like any
/// other meanwhile; [`finish`](Assembly::finish) sees to them.
pub(crate) struct Assembly<'t, 'space> {
    text: &'t mut Text<'space>,
    kind: Kind,
    root_len: usize,
    /// Whether a name was written that only a sealed value can hold; a later `..` may have removed
    /// it.
    irregular: bool,
}

impl<'t, 'space> Assembly<'t, 'space> {
    /// Goes on from `text`, which holds at least a root of `kind`.
    #[inline]
    pub(crate) fn new(text: &'t mut Text<'space>, kind: Kind) -> Self {
        let root_len = root_len(text.as_bytes(), kind);
        Self {
            text,
            kind,
            root_len,
            irregular: false,
        }
    }

    /// Goes up to the root.
    pub(crate) fn go_to_root(&mut self) {
        self.text.truncate(self.root_len);
    }

    /// Applies the components of a relative native path: POSIX bytes or WTF-8.
    pub(crate) fn apply(&mut self, components: &[u8]) {
        let convention = self.kind.convention().unwrap_or(PathConvention::Posix);
        for component in components.split(|&byte| convention.is_separator(byte)) {
            match component {
                b"" | b"." => {}
                b".." => self.go_up(),
                name => self.push(name),
            }
        }
    }

    /// Appends one name.
    #[inline]
    pub(crate) fn push(&mut self, name: &[u8]) {
        self.irregular |=
            name.contains(&0) || (self.kind != Kind::Posix && std::str::from_utf8(name).is_err());
        if !self.text.as_bytes().ends_with(b"/") {
            self.text.push(b'/');
        }
        push_encoded(self.text, name);
    }

    fn go_up(&mut self) {
        let slash = self
            .text
            .as_bytes()
            .iter()
            .rposition(|&byte| byte == b'/')
            .unwrap_or_default();
        self.text.truncate(slash.max(self.root_len));
    }

    /// The value of the path.
    #[inline]
    pub(crate) fn finish(self) -> PathUri {
        if self.irregular
            && let Some(sealed) = seal(self.text.as_str(), self.kind)
        {
            return sealed;
        }
        match self.kind {
            Kind::Posix => posix(self.text),
            kind => PathUri::from_shared(self.text.share(), kind),
        }
    }
}

/// The short way for names that need no work, as most do not: one copy of all parts of the text, of
/// which the last is native and relative. `None` if there is anything to do.
#[inline]
pub(crate) fn copied<const PARTS: usize>(kind: Kind, parts: [&[u8]; PARTS]) -> Option<PathUri> {
    let components = parts.last().copied().unwrap_or_default();
    // What may begin with a drive is not for a look at the names alone to judge.
    if matches!(components, [_, b':' | b'|', ..]) {
        return None;
    }
    let text = share_joined(parts, |text| {
        let names = text.len() - components.len();
        let names = text.get_mut(names..).unwrap_or_default();
        if kind != Kind::Posix {
            separate_by_slash(names);
        }
        scan(names) == Some(Scan::Plain)
    })?;
    Some(PathUri::from_shared(text, kind))
}

/// The sealed value of `text`, if it still holds a name that no ordinary value can.
#[cold]
fn seal(text: &str, kind: Kind) -> Option<PathUri> {
    let native = native_from_encoded(text, kind);
    let has_nul = native.contains(&0);
    match kind {
        Kind::Posix => has_nul.then(|| fallback::from_posix(&native)),
        _ => (has_nul || std::str::from_utf8(&native).is_err())
            .then(|| fallback::from_windows(&native)),
    }
}

/// The POSIX path with the names of `text`.
///
/// URL parsers read a first name such as `C:` or `C|` as a drive. The one becomes a lexical
/// fallback; in the other the bar is escaped.
#[inline]
pub(crate) fn posix(text: &Text<'_>) -> PathUri {
    let bytes = text.as_bytes().get("file:///".len()..).unwrap_or_default();
    if let [letter, mark @ (b':' | b'|'), rest @ ..] = bytes
        && letter.is_ascii_alphabetic()
        && matches!(rest, [] | [b'/', ..])
    {
        return drive_like(text.as_str(), *mark);
    }
    PathUri::from_shared(text.share(), Kind::Posix)
}

#[cold]
fn drive_like(text: &str, mark: u8) -> PathUri {
    if mark == b':' {
        fallback::from_posix(&native_from_encoded(text, Kind::Posix))
    } else {
        PathUri::from_shared(text.replacen('|', "%7C", 1).into(), Kind::Posix)
    }
}

/// Whether URL parsers read `name` as a drive where a first name stands.
pub(crate) fn is_drive_like(name: &[u8]) -> bool {
    is_letter_and(name, b':') || is_letter_and(name, b'|')
}
