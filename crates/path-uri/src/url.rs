//! The border to the `url` crate: converted when asked, stored nowhere.

use url::Url;

use crate::{PathUri, PathUriError};

impl TryFrom<Url> for PathUri {
    type Error = PathUriError;

    /// As [`PathUri::parse`] of the URL's text.
    fn try_from(url: Url) -> Result<Self, PathUriError> {
        Self::parse(url.as_str())
    }
}

impl TryFrom<&Url> for PathUri {
    type Error = PathUriError;

    /// As [`PathUri::parse`] of the URL's text.
    fn try_from(url: &Url) -> Result<Self, PathUriError> {
        Self::parse(url.as_str())
    }
}

impl TryFrom<&PathUri> for Url {
    type Error = url::ParseError;

    /// The URL that prints the same text. It always exists: canonical text is what the URL standard
    /// leaves alone.
    fn try_from(uri: &PathUri) -> Result<Self, url::ParseError> {
        Self::parse(uri.as_str())
    }
}
