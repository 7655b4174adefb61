//! Signed bearer tokens: JSON Web Tokens with HMAC-SHA-256 and nothing else.
//!
//! The algorithm is fixed by the server. What the token says of it must agree, and decides
//! nothing. A token without an end is refused.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::Deserialize;
use sha2::Sha256;

use super::auth::{AuthError, without_newline};

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
    pub(super) fn admit(&self, token: &str, now: SystemTime) -> Result<(), &'static str> {
        let claims = self.verified(token).ok_or(INVALID)?;
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (now, skew) = (now.as_secs_f64(), self.clock_skew.as_secs_f64());
        if claims.exp.ok_or(INVALID)? + skew < now {
            return Err("expired websocket jwt");
        }
        if claims.nbf.is_some_and(|not_before| not_before - skew > now) {
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
        let header: Header = serde_json::from_slice(&decoded(header)?).ok()?;
        let is_understood = header.alg == "HS256" && header.crit.is_none();
        let claims = serde_json::from_slice(&decoded(claims)?).ok()?;
        is_understood.then_some(claims)
    }
}

const INVALID: &str = "invalid websocket jwt";

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part).ok()
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    /// Extensions that must be understood; none are.
    crit: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Claims {
    /// Seconds since the Unix epoch, as `nbf` is; both may have a fraction.
    exp: Option<f64>,
    nbf: Option<f64>,
    iss: Option<String>,
    aud: Option<Audience>,
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
