//! Text that is never shown.

use std::fmt;

/// A secret, such as a bearer token: no `Display`, and a `Debug` that tells nothing.
///
/// # Examples
/// ```
/// use codex_exec_server::SecretString;
///
/// let token = SecretString::new("right-token");
/// assert_eq!(format!("{token:?}"), "SecretString(..)");
/// assert_eq!(token.expose(), "right-token");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct SecretString(String);

impl SecretString {
    /// Keeps this text secret.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one place that sends it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretString(..)")
    }
}
