//! What a person may type about serving files to others.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{ArgAction, Args, ValueEnum, builder::ValueHint};

use crate::options::CostOptions;

// A flag that requires one which another flag excludes is accepted and has no effect, so it has to
// be excluded, too.

/// What asks for something else than a JSON Web Token in our own spelling.
const NO_JWT: [&str; 3] = ["auth_token_file", "auth_token_sha256", "ws_auth"];
/// What asks for something in our own spelling.
const OWN: [&str; 3] = [
    "auth_token_file",
    "auth_token_sha256",
    "auth_jwt_secret_file",
];

/// `serve`
#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Where to listen: ws://IP:PORT, port 0 for any, or stdio
    #[arg(long, value_name = "URL", default_value = "ws://127.0.0.1:0")]
    pub(crate) listen: Listen,
    /// Serve this directory and nothing outside it; may be repeated
    #[arg(long = "root", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) roots: Vec<PathBuf>,
    /// Refuse whatever would change something
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Work on at most N requests of a connection at once
    #[arg(
        long,
        value_name = "N",
        default_value = "32",
        value_parser = parse_requests,
        allow_negative_numbers = true
    )]
    pub(crate) concurrent_requests: NonZeroUsize,
    /// The directory of the user's files, as clients are told [default: $CODEX_HOME, else ~/.codex]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) config_home: Option<PathBuf>,
    /// Also trace on standard error; twice: every message
    #[arg(short, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    #[command(flatten)]
    pub(crate) auth: AuthOptions,
    #[command(flatten)]
    pub(crate) reference: ReferenceAuthOptions,
    #[command(flatten)]
    pub(crate) cost: CostOptions,
}

/// Who may open a WebSocket.
#[derive(Debug, Args)]
#[command(next_help_heading = "Authentication")]
pub(crate) struct AuthOptions {
    /// Ask for the token in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) auth_token_file: Option<PathBuf>,
    /// Ask for the token with this SHA-256 digest
    #[arg(long, value_name = "HEX", conflicts_with = "auth_token_file")]
    pub(crate) auth_token_sha256: Option<String>,
    /// Ask for a JSON Web Token (HS256) signed with the secret in this file, 32 bytes or more
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath,
        conflicts_with_all = ["auth_token_file", "auth_token_sha256"])]
    pub(crate) auth_jwt_secret_file: Option<PathBuf>,
    /// Who must have made the JSON Web Token
    #[arg(long, value_name = "NAME", requires = "auth_jwt_secret_file", conflicts_with_all = NO_JWT)]
    pub(crate) auth_jwt_issuer: Option<String>,
    /// For whom the JSON Web Token must be
    #[arg(long, value_name = "NAME", requires = "auth_jwt_secret_file", conflicts_with_all = NO_JWT)]
    pub(crate) auth_jwt_audience: Option<String>,
    /// How far the clock of the token's maker may be off [default: 30]
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "auth_jwt_secret_file",
        conflicts_with_all = NO_JWT,
        allow_negative_numbers = true
    )]
    pub(crate) auth_jwt_clock_skew_seconds: Option<u64>,
    /// Let everybody in who can reach an address other than the loopback
    #[arg(long)]
    pub(crate) allow_unauthenticated: bool,
}

/// The same, as `codex exec-server` spells it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Authentication, as codex exec-server spells it")]
pub(crate) struct ReferenceAuthOptions {
    /// What to ask for
    #[arg(long, value_name = "MODE", conflicts_with_all = OWN)]
    pub(crate) ws_auth: Option<AuthMode>,
    /// As --auth-token-file
    #[arg(long, value_name = "FILE", requires = "ws_auth", conflicts_with_all = OWN, value_hint = ValueHint::FilePath)]
    pub(crate) ws_token_file: Option<PathBuf>,
    /// As --auth-token-sha256
    #[arg(
        long,
        value_name = "HEX",
        requires = "ws_auth",
        conflicts_with = "ws_token_file",
        conflicts_with_all = OWN
    )]
    pub(crate) ws_token_sha256: Option<String>,
    /// As --auth-jwt-secret-file
    #[arg(long, value_name = "FILE", requires = "ws_auth", conflicts_with_all = OWN, value_hint = ValueHint::FilePath)]
    pub(crate) ws_shared_secret_file: Option<PathBuf>,
    /// As --auth-jwt-issuer
    #[arg(long, value_name = "NAME", requires = "ws_auth", conflicts_with_all = OWN)]
    pub(crate) ws_issuer: Option<String>,
    /// As --auth-jwt-audience
    #[arg(long, value_name = "NAME", requires = "ws_auth", conflicts_with_all = OWN)]
    pub(crate) ws_audience: Option<String>,
    /// As --auth-jwt-clock-skew-seconds
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "ws_auth",
        conflicts_with_all = OWN,
        allow_negative_numbers = true
    )]
    pub(crate) ws_max_clock_skew_seconds: Option<u64>,
}

/// What a client has to present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AuthMode {
    /// A token that the server knows
    CapabilityToken,
    /// A JSON Web Token signed with a shared secret
    SignedBearerToken,
}

/// Where clients are awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listen {
    /// At the other end of standard input and output.
    Stdio,
    /// At a socket, over WebSocket.
    Socket(SocketAddr),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "stdio" || text == "stdio://" {
            return Ok(Self::Stdio);
        }
        let address = text.strip_prefix("ws://").map(str::parse);
        match address {
            Some(Ok(address)) => Ok(Self::Socket(address)),
            _ => {
                Err("give stdio or ws://IP:PORT, the IP in digits and the port included".to_owned())
            }
        }
    }
}

fn parse_requests(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .map_err(|_| "not a number of 1 or more".to_owned())
}

#[cfg(test)]
mod tests {
    use super::Listen;

    #[test]
    fn only_literal_addresses_with_a_port_are_listened_on() {
        for text in ["stdio", "stdio://"] {
            assert_eq!(text.parse(), Ok(Listen::Stdio));
        }
        for text in ["ws://127.0.0.1:0", "ws://[::1]:80", "ws://0.0.0.0:65535"] {
            assert!(matches!(text.parse(), Ok(Listen::Socket(_))), "{text}");
        }
        for text in [
            "ws://localhost:0",
            "ws://127.0.0.1",
            "wss://127.0.0.1:0",
            "127.0.0.1:0",
            "ws://127.0.0.1:0/",
            "ws://::1:80",
            "http://127.0.0.1:0",
            "ws://127.0.0.1:65536",
            "stdio:",
            "",
        ] {
            assert!(text.parse::<Listen>().is_err(), "{text}");
        }
    }
}
