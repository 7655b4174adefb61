//! Who may open a WebSocket.
//!
//! Secrets are compared in constant time, never logged and never shown by `Debug`. The query
//! string of a request is not looked at: URLs end up in logs.
//!
//! A signed token is a JSON Web Token with HMAC-SHA-256 and nothing else: the algorithm is fixed by
//! the server, what the token says of it must agree and decides nothing. A token without an end is
//! refused.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Who may open a WebSocket.
#[derive(Clone, Debug, Default)]
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
    pub(super) fn check(
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
            Auth::SignedBearer(signed) => signed.check(bearer(authorization)?, now),
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
fn without_newline(secret: &[u8]) -> &[u8] {
    let end = secret.iter().rposition(|byte| !b"\r\n".contains(byte));
    end.and_then(|end| secret.get(..=end)).unwrap_or_default()
}

/// The fewest bytes of a secret.
const MIN_SECRET_BYTES: usize = 32;

/// What a signed bearer token must be.
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_exec_server::server::SignedBearer;
///
/// let signed = SignedBearer::new(b"a secret of at least 32 bytes, from a file\n")?
///     .with_issuer("host")
///     .with_audience("build-7")
///     .with_clock_skew(Duration::from_secs(5));
/// assert!(SignedBearer::new(b"short").is_err());
/// # drop(signed);
/// # Ok::<(), codex_exec_server::server::AuthError>(())
/// ```
#[derive(Clone)]
pub struct SignedBearer {
    key: Hmac<Sha256>,
    issuer: Option<String>,
    audience: Option<String>,
    clock_skew: Duration,
}

impl SignedBearer {
    /// Tokens signed with this secret, of any issuer and for any audience. A newline at the end
    /// of the secret is dropped; clocks may differ by 30 s.
    ///
    /// # Errors
    /// [`AuthError::ShortSecret`] below 32 bytes.
    pub fn new(secret: &[u8]) -> Result<Self, AuthError> {
        let secret = without_newline(secret);
        if secret.len() < MIN_SECRET_BYTES {
            return Err(AuthError::ShortSecret);
        }
        Ok(Self {
            key: Hmac::new_from_slice(secret).map_err(|_| AuthError::ShortSecret)?,
            issuer: None,
            audience: None,
            clock_skew: Duration::from_secs(30),
        })
    }

    /// Sets who must have made the token.
    #[must_use]
    pub fn with_issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// Sets for whom the token must be.
    #[must_use]
    pub fn with_audience(mut self, audience: impl Into<String>) -> Self {
        self.audience = Some(audience.into());
        self
    }

    /// Sets how far the clock of the issuer may be off.
    #[must_use]
    pub fn with_clock_skew(mut self, skew: Duration) -> Self {
        self.clock_skew = skew;
        self
    }

    /// Checks a token, its signature first: nothing an unsigned token says is looked at.
    fn check(&self, token: &str, now: SystemTime) -> Result<(), &'static str> {
        let claims = self.verified(token).ok_or(INVALID)?;
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let skew = self.clock_skew.as_secs();
        if claims.exp.0.saturating_add(skew) < now {
            return Err("expired websocket jwt");
        }
        if claims
            .nbf
            .is_some_and(|Time(not_before)| not_before > now.saturating_add(skew))
        {
            return Err("websocket jwt is not valid yet");
        }
        if self.issuer.is_some() && claims.iss != self.issuer {
            return Err("websocket jwt issuer mismatch");
        }
        if let Some(audience) = &self.audience
            && !claims.aud.is_some_and(|claimed| claimed.names(audience))
        {
            return Err("websocket jwt audience mismatch");
        }
        Ok(())
    }

    fn verified(&self, token: &str) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let mut key = self.key.clone();
        key.update(signed.as_bytes());
        // Compares in constant time.
        key.verify_slice(&decoded(signature)?).ok()?;
        let header: Header = object(header)?;
        let is_understood = header.alg == "HS256" && header.crit.is_none();
        let claims = object(claims)?;
        is_understood.then_some(claims)
    }
}

const INVALID: &str = "invalid websocket jwt";

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

/// Reads a part that is a JSON object. The types would take an array for one, field by field.
fn object<T: DeserializeOwned>(part: &str) -> Option<T> {
    let text = decoded(part)?;
    let is_object = text.trim_ascii_start().starts_with(b"{");
    serde_json::from_slice(&text).ok().filter(|_| is_object)
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    /// Extensions that must be understood; none are.
    crit: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Claims {
    exp: Time,
    nbf: Option<Time>,
    iss: Option<String>,
    aud: Option<Audience>,
}

/// Whole seconds since the Unix epoch, at most those of the year 9999.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "u64")]
struct Time(u64);

impl TryFrom<u64> for Time {
    type Error = &'static str;

    fn try_from(seconds: u64) -> Result<Self, &'static str> {
        if seconds > 253_402_300_799 {
            return Err("the time is past any reason");
        }
        Ok(Self(seconds))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Audience {
    fn names(&self, audience: &str) -> bool {
        match self {
            Audience::One(claimed) => claimed == audience,
            Audience::Many(claimed) => claimed.iter().any(|claimed| claimed == audience),
        }
    }
}

impl fmt::Debug for SignedBearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignedBearer")
            .field("issuer", &self.issuer)
            .field("audience", &self.audience)
            .field("clock_skew", &self.clock_skew)
            .finish_non_exhaustive()
    }
}
