//! The plain way to do it: a newtype over [`Url`] that decodes, rebuilds and parses again.

use std::str::FromStr;

use url::Url;

/// A file URL, checked once and edited through the `url` crate.
#[derive(Clone)]
pub(crate) struct UrlPath(Url);

impl FromStr for UrlPath {
    type Err = &'static str;

    /// Parses, checks the parts a path has no use for, and refuses a decoded NUL.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let url = Url::parse(text).map_err(|_| "not a URL")?;
        if url.scheme() != "file" || url.query().is_some() || url.fragment().is_some() {
            return Err("not a path");
        }
        if !url.username().is_empty() || url.password().is_some() || url.port().is_some() {
            return Err("not a host");
        }
        if decoded(url.path()).contains(&0) {
            return Err("NUL in path");
        }
        Ok(Self(url))
    }
}

impl UrlPath {
    /// Splits, normalises into a list, and lets the URL encode the names.
    pub(crate) fn from_native(native: &str, separator: char) -> Option<Self> {
        let mut names: Vec<&str> = Vec::new();
        apply(&mut names, native, separator);
        Self::from_names(&names)
    }

    fn from_names<S: AsRef<str>>(names: &[S]) -> Option<Self> {
        let mut url = Url::parse("file:///").ok()?;
        url.path_segments_mut().ok()?.clear().extend(names);
        Some(Self(url))
    }

    /// Copies the URL and removes its last segment, unless that is a drive or a share.
    pub(crate) fn parent(&self) -> Option<Self> {
        let names = self.0.path().split('/').filter(|name| !name.is_empty());
        if names.count() <= usize::from(self.is_windows()) {
            return None;
        }
        let mut url = self.0.clone();
        url.path_segments_mut().ok()?.pop();
        Some(Self(url))
    }

    /// Decodes the names, applies the text to them, encodes them again and parses the result.
    pub(crate) fn join(&self, text: &str) -> Option<Self> {
        let mut names: Vec<String> = self
            .0
            .path_segments()?
            .filter(|name| !name.is_empty())
            .map(|name| String::from_utf8_lossy(&decoded(name)).into_owned())
            .collect();
        apply(&mut names, text, '/');
        Self::from_names(&names)?.0.as_str().parse().ok()
    }

    /// Compares conventions, then decoded names.
    pub(crate) fn starts_with(&self, base: &Self) -> bool {
        if self.is_windows() != base.is_windows() {
            return false;
        }
        let names = |url: &Url| -> Vec<Vec<u8>> {
            url.path()
                .split('/')
                .filter(|name| !name.is_empty())
                .map(decoded)
                .collect()
        };
        names(&self.0).starts_with(&names(&base.0))
    }

    /// Whether the path has a host or a drive, as the URL spells it.
    fn is_windows(&self) -> bool {
        let is_drive = matches!(self.0.path().as_bytes(), [b'/', b'A'..=b'Z', b':', ..]);
        self.0.host_str().is_some() || is_drive
    }
}

fn apply<'text, S: From<&'text str>>(names: &mut Vec<S>, text: &'text str, separator: char) {
    for component in text.split(separator) {
        match component {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name.into()),
        }
    }
}

fn decoded(encoded: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escape = tail
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if first == b'%' => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    bytes
}
