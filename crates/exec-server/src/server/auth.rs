//! Who may open a WebSocket.
//!
//! Secrets are compared in constant time, never logged and never shown by `Debug`. The query
//! string of a request is not looked at: URLs end up in logs.

use std::fmt;
use std::time::SystemTime;

use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

pub use super::jwt::SignedBearer;

/// Who may open a WebSocket.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Auth {
    /// Everybody who can reach the socket.
    #[default]
    None,
    /// Whoever presents the token.
    CapabilityToken(CapabilityToken),
    /// Whoever presents a token that was signed with the shared secret.
    SignedBearer(SignedBearer),
}

/// A secret that is no secret enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// The token is empty.
    #[error("the token is empty")]
    EmptyToken,
    /// The token has a line break or another control character, or a space at an end: no header
    /// can carry it.
    #[error(
        "no header can carry the token: it has a line break, a control character or a space at an end"
    )]
    MalformedToken,
    /// The digest is not 64 hexadecimal digits.
    #[error("the digest of a token is 64 hexadecimal digits")]
    MalformedDigest,
    /// The secret for signing is too short.
    #[error("the secret has less than 32 bytes")]
    ShortSecret,
}

/// The digest of a token. The token itself is not kept.
///
/// # Examples
/// ```
/// use codex_exec_server::server::{AuthError, CapabilityToken};
///
/// // As read from a file: the newline at its end is no part of the token.
/// let token = CapabilityToken::from_token("open sesame\n")?;
/// assert_eq!(format!("{token:?}"), "CapabilityToken(..)");
/// assert!(matches!(CapabilityToken::from_token("\n"), Err(AuthError::EmptyToken)));
/// assert!(matches!(CapabilityToken::from_token("a\nb"), Err(AuthError::MalformedToken)));
/// # Ok::<(), AuthError>(())
/// ```
#[derive(Clone)]
pub struct CapabilityToken {
    digest: [u8; 32],
}

impl CapabilityToken {
    /// A token as it stands in a file; newlines at its end are dropped.
    ///
    /// # Errors
    /// [`AuthError::EmptyToken`] or [`AuthError::MalformedToken`].
    pub fn from_token(token: &str) -> Result<Self, AuthError> {
        let token = without_newline(token.as_bytes());
        if token.is_empty() {
            return Err(AuthError::EmptyToken);
        }
        let is_space = |byte: Option<&u8>| byte == Some(&b' ');
        if is_space(token.first())
            || is_space(token.last())
            || token.iter().any(u8::is_ascii_control)
        {
            return Err(AuthError::MalformedToken);
        }
        Ok(Self {
            digest: Sha256::digest(token).into(),
        })
    }

    /// A token of which only the SHA-256 digest is known.
    ///
    /// # Errors
    /// [`AuthError::MalformedDigest`].
    pub fn from_sha256_hex(digest: &str) -> Result<Self, AuthError> {
        let mut bytes = [0; 32];
        let digits = digest.as_bytes();
        if digits.len() != 2 * bytes.len() {
            return Err(AuthError::MalformedDigest);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |at: usize| {
                let digit = pair.get(at).copied().map(char::from);
                digit.and_then(|digit| digit.to_digit(16))
            };
            let (Some(high), Some(low)) = (digit(0), digit(1)) else {
                return Err(AuthError::MalformedDigest);
            };
            *byte = u8::try_from(high * 16 + low).map_err(|_| AuthError::MalformedDigest)?;
        }
        Ok(Self { digest: bytes })
    }

    fn is(&self, presented: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(presented.as_bytes()).into();
        digest.ct_eq(&self.digest).into()
    }
}

impl fmt::Debug for CapabilityToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CapabilityToken(..)")
    }
}

impl Auth {
    /// Lets a client in, or says why not. `authorization` holds the values of all headers of
    /// that name.
    pub(super) fn admit(
        &self,
        authorization: &[&[u8]],
        now: SystemTime,
    ) -> Result<(), &'static str> {
        match self {
            Auth::None => Ok(()),
            Auth::CapabilityToken(token) => {
                if token.is(bearer(authorization)?) {
                    Ok(())
                } else {
                    Err(INVALID_TOKEN)
                }
            }
            Auth::SignedBearer(signed) => signed.admit(bearer(authorization)?, now),
        }
    }
}

const MISSING_TOKEN: &str = "missing websocket bearer token";
const INVALID_TOKEN: &str = "invalid websocket bearer token";

/// The token of the one `Authorization: Bearer TOKEN` header.
fn bearer<'a>(authorization: &[&'a [u8]]) -> Result<&'a str, &'static str> {
    let value = match authorization {
        [] => return Err(MISSING_TOKEN),
        [value] => std::str::from_utf8(value).map_err(|_| INVALID_TOKEN)?,
        _ => return Err(INVALID_TOKEN),
    };
    let (scheme, token) = value.trim().split_once(' ').ok_or(MISSING_TOKEN)?;
    let token = token.trim_start();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() {
        return Err(MISSING_TOKEN);
    }
    Ok(token)
}

/// A secret without the newline its file ends with.
pub(super) fn without_newline(secret: &[u8]) -> &[u8] {
    let end = secret.iter().rposition(|byte| !b"\r\n".contains(byte));
    end.and_then(|end| secret.get(..=end)).unwrap_or_default()
}
