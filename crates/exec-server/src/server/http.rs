//! The HTTP before a WebSocket: one request head, classified by pure functions.
//!
//! | request | answer |
//! |---|---|
//! | anything with `Origin` | 403: it comes from a page in a browser |
//! | another path than `/` and `/readyz` | 404 |
//! | another method than `GET` | 405 |
//! | `GET /readyz` | 200, whoever asks |
//! | `GET /` without a complete upgrade | 400 |
//! | `GET /` without the token asked for | 401 |
//! | `GET /` past the limit of connections | 503, told by the caller |
//!
//! `Host` is not looked at, bodies are not read, and a connection carries one request.

use std::time::SystemTime;

use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::auth::Auth;

/// The most bytes of a request head.
pub(super) const MAX_HEAD_BYTES: usize = 16 * 1024;
const MAX_HEADERS: usize = 64;

/// What is answered to a request head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// The server is up.
    Ready,
    /// The connection becomes a WebSocket, whose accept key this is.
    Upgrade(String),
    /// It does not.
    Refused(Refusal),
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: &'static str,
    pub(super) body: &'static str,
}

const BAD_HEAD: Refusal = refusal("400 Bad Request", "malformed request");
const NO_UPGRADE: Refusal = refusal("400 Bad Request", "a websocket upgrade is expected here");
const BROWSER: Refusal = refusal("403 Forbidden", "");
const NO_SUCH_PATH: Refusal = refusal("404 Not Found", "");
const NO_SUCH_METHOD: Refusal = refusal("405 Method Not Allowed", "");
/// All connections are taken.
pub(super) const FULL: Refusal = refusal("503 Service Unavailable", "too many connections");

const fn refusal(status: &'static str, body: &'static str) -> Refusal {
    Refusal { status, body }
}

/// Classifies the head of a request once it is complete, and says how long the head is.
pub(super) fn classify(bytes: &[u8], auth: &Auth, now: SystemTime) -> Option<(Admission, usize)> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => {
            let admission = match admitted(&request, auth, now) {
                Ok(admission) => admission,
                Err(refusal) => Admission::Refused(refusal),
            };
            Some((admission, length))
        }
        Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD_BYTES => None,
        Ok(httparse::Status::Partial) | Err(_) => Some((Admission::Refused(BAD_HEAD), bytes.len())),
    }
}

fn admitted(
    request: &httparse::Request<'_, '_>,
    auth: &Auth,
    now: SystemTime,
) -> Result<Admission, Refusal> {
    if values(request, "origin").next().is_some() {
        return Err(BROWSER);
    }
    let target = request.path.unwrap_or_default();
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    if path != "/" && path != "/readyz" {
        return Err(NO_SUCH_PATH);
    }
    if request.method != Some("GET") {
        return Err(NO_SUCH_METHOD);
    }
    if path == "/readyz" {
        return Ok(Admission::Ready);
    }
    let key = upgrade_key(request).ok_or(NO_UPGRADE)?;
    let authorization: Vec<&[u8]> = values(request, "authorization").collect();
    match auth.check(&authorization, now) {
        Ok(()) => Ok(Admission::Upgrade(derive_accept_key(key))),
        Err(body) => Err(refusal("401 Unauthorized", body)),
    }
}

/// The key of a request that asks for a WebSocket in full.
fn upgrade_key<'a>(request: &'a httparse::Request<'_, '_>) -> Option<&'a [u8]> {
    let names = |header: &'static str, token: &str| {
        values(request, header).any(|value| {
            value
                .split(|byte| *byte == b',')
                .any(|item| item.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
        })
    };
    let asks = request.version == Some(1)
        && names("connection", "upgrade")
        && names("upgrade", "websocket")
        && names("sec-websocket-version", "13");
    values(request, "sec-websocket-key")
        .next()
        .filter(|key| asks && !key.is_empty())
}

fn values<'a>(
    request: &'a httparse::Request<'_, '_>,
    name: &'static str,
) -> impl Iterator<Item = &'a [u8]> {
    request
        .headers
        .iter()
        .filter(move |header| header.name.eq_ignore_ascii_case(name))
        .map(|header| header.value.trim_ascii())
}

/// The head of the answer that makes the connection a WebSocket.
pub(super) fn switching_protocols(accept_key: &str) -> String {
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept_key}\r\n\r\n"
    )
}

/// A whole answer, after which the connection ends.
pub(super) fn whole(status: &str, body: &str) -> String {
    let allow = if status.starts_with("405") {
        "Allow: GET\r\n"
    } else if status.starts_with("401") {
        "WWW-Authenticate: Bearer\r\n"
    } else {
        ""
    };
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: text/plain; charset=utf-8\r\n\
         Content-Length: {length}\r\n{allow}\r\n{body}"
    )
}
