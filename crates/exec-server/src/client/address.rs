//! Where a `ws` or `wss` URL leads, and making a WebSocket connection there.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, ClientConfig, RootCertStore, crypto};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::handshake::client::{Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, Uri, header};

use super::error::shortened;
use super::{ConnectError, SecretString};
use crate::protocol::MAX_CLIENT_INBOUND_MESSAGE;
use crate::transport::websocket;

/// The stream below a WebSocket, plain or encrypted.
pub(super) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Socket for T {}

pub(super) type ClientSocket = WebSocketStream<Box<dyn Socket>>;

/// Where a URL leads.
#[derive(Clone, Debug)]
pub(super) struct Address {
    url: String,
    host: String,
    port: u16,
    is_encrypted: bool,
    /// Who may vouch for an encrypted server.
    authorities: Arc<RootCertStore>,
}

impl Address {
    /// Reads a `ws` or `wss` URL.
    pub(super) fn parse(url: &str) -> Result<Self, ConnectError> {
        let invalid = |reason: &str| ConnectError::InvalidUrl {
            url: redacted(url),
            reason: reason.to_owned(),
        };
        let uri: Uri = url.parse().map_err(|_| invalid("it is no URL"))?;
        let is_encrypted = match uri.scheme_str() {
            Some("ws") => false,
            Some("wss") => true,
            _ => return Err(invalid("the scheme is not ws or wss")),
        };
        let host = uri.host().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| invalid("it names no host"))?;
        if uri
            .authority()
            .is_some_and(|authority| authority.as_str().contains('@'))
        {
            return Err(invalid("credentials do not belong in a URL"));
        }
        // A port that is no number up to 65,535 is taken for none.
        let after_host = uri.authority().map_or("", |authority| {
            let authority = authority.as_str();
            authority.strip_prefix(host).unwrap_or_default()
        });
        if !["", ":"].contains(&after_host) && uri.port_u16().is_none() {
            return Err(invalid("it names no port from 0 to 65535"));
        }
        let default_port = if is_encrypted { 443 } else { 80 };
        Ok(Self {
            url: url.to_owned(),
            // A literal IPv6 address stands in brackets in a URL only.
            host: host.trim_matches(['[', ']']).to_owned(),
            port: uri.port_u16().unwrap_or(default_port),
            is_encrypted,
            authorities: Arc::new(RootCertStore::empty()),
        })
    }

    /// The same address, where these authorities may vouch for the server, or those that Mozilla
    /// trusts.
    pub(super) fn trusting(mut self, certificates: Option<&[Vec<u8>]>) -> Self {
        if self.is_encrypted {
            let mut authorities = RootCertStore::empty();
            match certificates {
                Some(certificates) => {
                    let certificates = certificates.iter().cloned().map(CertificateDer::from);
                    // What is no certificate vouches for nobody, which the handshake tells.
                    authorities.add_parsable_certificates(certificates);
                }
                None => authorities.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
            }
            self.authorities = Arc::new(authorities);
        }
        self
    }

    /// Whether a token may be sent there: not where whoever is on the way can read it.
    pub(super) fn check_token_is_safe(&self) -> Result<(), ConnectError> {
        let is_local = match self.host.parse::<IpAddr>() {
            Ok(address) => address.to_canonical().is_loopback(),
            Err(_) => self.host.eq_ignore_ascii_case("localhost"),
        };
        if self.is_encrypted || is_local {
            return Ok(());
        }
        let address = format!("{}:{}", self.host, self.port);
        Err(ConnectError::ExposedToken { address })
    }

    /// Connects and upgrades the connection to a WebSocket.
    pub(super) async fn connect(
        &self,
        bearer: Option<&SecretString>,
    ) -> Result<ClientSocket, ConnectError> {
        let request = self.request(bearer)?;
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
        let stream = stream.map_err(|error| self.unreachable(error))?;
        stream
            .set_nodelay(true)
            .map_err(|error| self.unreachable(error))?;
        let stream = QuickAcknowledge(stream);
        let stream: Box<dyn Socket> = if self.is_encrypted {
            Box::new(self.encrypt(stream).await?)
        } else {
            Box::new(stream)
        };
        let config = websocket::config(MAX_CLIENT_INBOUND_MESSAGE);
        let upgrade = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
        let (socket, response) = upgrade.await.map_err(|error| self.not_upgraded(error))?;
        if response
            .headers()
            .contains_key(header::SEC_WEBSOCKET_EXTENSIONS)
        {
            // None was offered, and messages in a form that was not would not be understood.
            let message = "the server switches on an extension of WebSocket unasked".to_owned();
            return Err(ConnectError::HandshakeRejected { message });
        }
        Ok(socket)
    }

    fn request(&self, bearer: Option<&SecretString>) -> Result<Request, ConnectError> {
        let request = self.url.as_str().into_client_request();
        let mut request = request.map_err(|error| ConnectError::InvalidUrl {
            url: redacted(&self.url),
            reason: error.to_string(),
        })?;
        if let Some(token) = bearer {
            let value = HeaderValue::from_str(&format!("Bearer {}", token.expose()));
            let mut value = value.map_err(|_| ConnectError::Unauthorized {
                message: "the token holds characters that no header may hold".to_owned(),
            })?;
            value.set_sensitive(true);
            request.headers_mut().insert(header::AUTHORIZATION, value);
        }
        Ok(request)
    }

    async fn encrypt(&self, stream: QuickAcknowledge) -> Result<impl Socket + use<>, ConnectError> {
        let provider = Arc::new(crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| self.unreachable(io::Error::other(error)))?
            .with_root_certificates(Arc::clone(&self.authorities))
            .with_no_client_auth();
        let name = ServerName::try_from(self.host.clone());
        let name = name.map_err(|error| self.unreachable(io::Error::other(error)))?;
        let connector = TlsConnector::from(Arc::new(config));
        let encrypted = connector.connect(name, stream).await;
        encrypted.map_err(|error| self.unreachable(explained(error)))
    }

    fn unreachable(&self, source: io::Error) -> ConnectError {
        ConnectError::Unreachable {
            address: format!("{}:{}", self.host, self.port),
            source,
        }
    }

    fn not_upgraded(&self, error: Error) -> ConnectError {
        match error {
            Error::Http(response) => refused(&response),
            Error::Io(error) => self.unreachable(error),
            other => ConnectError::HandshakeRejected {
                message: other.to_string(),
            },
        }
    }
}

/// What fails where TLS was begun with a server that does not speak it, and what to do.
#[derive(Debug, thiserror::Error)]
enum PlainServer {
    #[error("the server does not speak TLS: try ws:// instead of wss://")]
    Answers(#[source] io::Error),
    #[error(
        "the server ended the connection when TLS began: if it does not speak TLS, try ws:// \
         instead of wss://"
    )]
    HangsUp(#[source] io::Error),
}

/// The error of a TLS handshake, with what to try where the server showed no TLS at all.
fn explained(error: io::Error) -> io::Error {
    let payload = error.get_ref().and_then(|payload| payload.downcast_ref());
    let is_no_tls = matches!(payload, Some(rustls::Error::InvalidMessage(_)));
    let kind = error.kind();
    match kind {
        _ if is_no_tls => io::Error::new(kind, PlainServer::Answers(error)),
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
            io::Error::new(kind, PlainServer::HangsUp(error))
        }
        _ => error,
    }
}

/// The error of an upgrade that was answered with another status.
fn refused(response: &Response) -> ConnectError {
    let body = response.body().as_deref().unwrap_or_default();
    let body = shortened(String::from_utf8_lossy(body).trim().to_owned());
    let status = response.status();
    let message = if body.is_empty() {
        status.to_string()
    } else {
        format!("{status}: {body}")
    };
    if status == StatusCode::UNAUTHORIZED {
        ConnectError::Unauthorized { message }
    } else {
        ConnectError::HandshakeRejected { message }
    }
}

/// A TCP stream whose reads are acknowledged at once.
///
/// A server that leaves Nagle's algorithm on holds back each small reply until the one before is
/// acknowledged, and Linux acknowledges late unless it is told so before every read.
struct QuickAcknowledge(TcpStream);

impl AsyncRead for QuickAcknowledge {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // Only speed depends on it.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_quickack(&self.0, true);
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for QuickAcknowledge {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

/// A URL without the user and the password that it may hold.
fn redacted(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    match authority.rsplit_once('@') {
        Some((_, host)) => format!("{scheme}://***@{host}{path}"),
        None => url.to_owned(),
    }
}
