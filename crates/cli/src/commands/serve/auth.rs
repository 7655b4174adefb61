//! Who may come in, from either spelling of the flags.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use codex_exec_server::server::{Auth, AuthError, CapabilityToken, SignedBearer};

use super::arguments::{AuthMode, AuthOptions, Listen, ReferenceAuthOptions, ServeArguments};
use crate::exit::Failure;

/// Longest file of a secret, in bytes.
const MAX_SECRET: u64 = 64 * 1024;

/// One of the two ways to authenticate, whatever it was called.
enum Wanted<'a> {
    Nothing,
    Token(Token<'a>),
    Jwt {
        secret_file: &'a Path,
        issuer: Option<&'a str>,
        audience: Option<&'a str>,
        clock_skew_seconds: Option<u64>,
    },
}

enum Token<'a> {
    File(&'a Path),
    Sha256(&'a str),
}

/// What the flags ask for.
///
/// # Errors
/// When they contradict each other, or a file or secret cannot be used.
pub(super) fn auth(arguments: &ServeArguments) -> Result<Auth, Failure> {
    let wanted = match arguments.reference.ws_auth {
        Some(mode) => reference(&arguments.reference, mode)?,
        None => own(&arguments.auth),
    };
    if arguments.listen == Listen::Stdio && !matches!(wanted, Wanted::Nothing) {
        let what = "a server on stdio asks nobody for a token";
        return Err(Failure::new(
            what,
            "leave the flags out or listen on ws://IP:PORT",
        ));
    }
    match wanted {
        Wanted::Nothing => Ok(Auth::None),
        Wanted::Token(Token::File(file)) => {
            let token = text(file)?;
            let token = CapabilityToken::from_token(&token);
            token
                .map(Auth::CapabilityToken)
                .map_err(|error| unusable(file, error))
        }
        Wanted::Token(Token::Sha256(digest)) => {
            let token = CapabilityToken::from_sha256_hex(digest);
            token.map(Auth::CapabilityToken).map_err(|error| {
                Failure::new("cannot use the digest of the token", "correct it").caused_by(error)
            })
        }
        Wanted::Jwt {
            secret_file,
            issuer,
            audience,
            clock_skew_seconds,
        } => {
            let signed = SignedBearer::new(&bytes(secret_file)?);
            let mut signed = signed.map_err(|error| unusable(secret_file, error))?;
            if let Some(issuer) = issuer {
                signed = signed.with_issuer(issuer);
            }
            if let Some(audience) = audience {
                signed = signed.with_audience(audience);
            }
            if let Some(seconds) = clock_skew_seconds {
                signed = signed.with_clock_skew(Duration::from_secs(seconds));
            }
            Ok(Auth::SignedBearer(signed))
        }
    }
}

/// Contradictions are refused when the arguments are parsed.
fn own(options: &AuthOptions) -> Wanted<'_> {
    if let Some(file) = &options.auth_token_file {
        Wanted::Token(Token::File(file))
    } else if let Some(digest) = &options.auth_token_sha256 {
        Wanted::Token(Token::Sha256(digest))
    } else if let Some(secret_file) = &options.auth_jwt_secret_file {
        Wanted::Jwt {
            secret_file,
            issuer: options.auth_jwt_issuer.as_deref(),
            audience: options.auth_jwt_audience.as_deref(),
            clock_skew_seconds: options.auth_jwt_clock_skew_seconds,
        }
    } else {
        Wanted::Nothing
    }
}

/// Each mode takes its own flags and no other.
fn reference(options: &ReferenceAuthOptions, mode: AuthMode) -> Result<Wanted<'_>, Failure> {
    let has_token = options.ws_token_file.is_some() || options.ws_token_sha256.is_some();
    let has_jwt = options.ws_shared_secret_file.is_some()
        || options.ws_issuer.is_some()
        || options.ws_audience.is_some()
        || options.ws_max_clock_skew_seconds.is_some();
    match mode {
        AuthMode::CapabilityToken if has_jwt => Err(Failure::new(
            "`--ws-shared-secret-file`, `--ws-issuer`, `--ws-audience` and \
             `--ws-max-clock-skew-seconds` need `--ws-auth signed-bearer-token`",
            "leave them out or change the mode",
        )),
        AuthMode::SignedBearerToken if has_token => Err(Failure::new(
            "`--ws-token-file` and `--ws-token-sha256` need `--ws-auth capability-token`",
            "leave them out or change the mode",
        )),
        AuthMode::CapabilityToken => match (&options.ws_token_file, &options.ws_token_sha256) {
            (Some(file), _) => Ok(Wanted::Token(Token::File(file))),
            (None, Some(digest)) => Ok(Wanted::Token(Token::Sha256(digest))),
            (None, None) => Err(Failure::new(
                "`--ws-auth capability-token` does not say which token",
                "give `--ws-token-file` or `--ws-token-sha256`",
            )),
        },
        AuthMode::SignedBearerToken => match &options.ws_shared_secret_file {
            Some(secret_file) => Ok(Wanted::Jwt {
                secret_file,
                issuer: options.ws_issuer.as_deref(),
                audience: options.ws_audience.as_deref(),
                clock_skew_seconds: options.ws_max_clock_skew_seconds,
            }),
            None => Err(Failure::new(
                "`--ws-auth signed-bearer-token` does not say which secret",
                "give `--ws-shared-secret-file`",
            )),
        },
    }
}

fn text(file: &Path) -> Result<String, Failure> {
    String::from_utf8(bytes(file)?).map_err(|_| {
        let what = format!("the token in {} is not UTF-8", file.display());
        Failure::new(what, "write a token that a header can carry")
    })
}

fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    #[expect(
        clippy::disallowed_types,
        reason = "the secret is a file of the person who starts the server"
    )]
    let opened = std::fs::File::open(file);
    let mut secret = Vec::new();
    let read = opened.and_then(|file| file.take(MAX_SECRET + 1).read_to_end(&mut secret));
    read.map_err(|error| {
        let what = format!("cannot read {}", file.display());
        Failure::new(what, "make the file readable").caused_by(error)
    })?;
    if secret.len() as u64 > MAX_SECRET {
        let what = format!(
            "the secret in {} has more than {MAX_SECRET} bytes",
            file.display()
        );
        return Err(Failure::new(what, "name the file of the secret alone"));
    }
    Ok(secret)
}

fn unusable(file: &Path, error: AuthError) -> Failure {
    let what = format!("cannot use the secret in {}", file.display());
    Failure::new(what, "write a better one").caused_by(error)
}
