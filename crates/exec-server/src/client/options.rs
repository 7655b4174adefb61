//! How a client behaves, as far as its host decides it.

use std::time::Duration;

use super::SecretString;

/// The options of a [`RemoteFileSystem`](super::RemoteFileSystem).
///
/// # Examples
/// ```
/// use std::time::Duration;
///
/// use codex_exec_server::ClientOptions;
///
/// let options = ClientOptions::new("my-host").with_call_timeout(Some(Duration::from_secs(5)));
/// assert_eq!(options.max_in_flight, 64);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientOptions {
    /// What the client calls itself in the handshake.
    pub client_name: String,
    /// How long one attempt to connect may take; 10 s by default.
    pub connect_timeout: Duration,
    /// How long the server may take to answer the handshake; 10 s by default.
    pub initialize_timeout: Duration,
    /// How long a call may take from its first poll; 30 s by default, `None` for no limit.
    pub call_timeout: Option<Duration>,
    /// Most calls on the wire at once, at least 1; 64 by default. The rest wait in order.
    pub max_in_flight: usize,
    /// Bounded reads that may bring more bytes than this go block by block; 1 MiB by default.
    pub block_read_threshold: u64,
    /// The token of the WebSocket upgrade.
    pub bearer: Option<SecretString>,
    /// The certificates, in DER, of the authorities that may vouch for a `wss` server; by default
    /// `None`, which means those that Mozilla trusts.
    pub authorities: Option<Vec<Vec<u8>>>,
    /// Whether a lost connection is made again; true by default.
    pub reconnect: bool,
}

impl ClientOptions {
    /// The defaults, under this name.
    pub fn new(client_name: impl Into<String>) -> Self {
        Self {
            client_name: client_name.into(),
            ..Self::default()
        }
    }

    /// Sets how long one attempt to connect may take.
    #[must_use]
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = timeout;
        self
    }

    /// Sets how long the server may take to answer the handshake.
    #[must_use]
    pub fn with_initialize_timeout(mut self, timeout: Duration) -> Self {
        self.initialize_timeout = timeout;
        self
    }

    /// Sets how long a call may take.
    #[must_use]
    pub fn with_call_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.call_timeout = timeout;
        self
    }

    /// Sets the most calls on the wire at once.
    #[must_use]
    pub fn with_max_in_flight(mut self, calls: usize) -> Self {
        self.max_in_flight = calls;
        self
    }

    /// Sets from how many bytes on bounded reads go block by block.
    #[must_use]
    pub fn with_block_read_threshold(mut self, bytes: u64) -> Self {
        self.block_read_threshold = bytes;
        self
    }

    /// Sets the token of the WebSocket upgrade.
    #[must_use]
    pub fn with_bearer(mut self, token: Option<SecretString>) -> Self {
        self.bearer = token;
        self
    }

    /// Sets the certificates, in DER, of the authorities that may vouch for a `wss` server. One that
    /// is no certificate vouches for nobody.
    #[must_use]
    pub fn with_authorities(mut self, certificates: Option<Vec<Vec<u8>>>) -> Self {
        self.authorities = certificates;
        self
    }

    /// Sets whether a lost connection is made again.
    #[must_use]
    pub fn with_reconnect(mut self, reconnect: bool) -> Self {
        self.reconnect = reconnect;
        self
    }
}

impl Default for ClientOptions {
    fn default() -> Self {
        Self {
            client_name: "codex-context".to_owned(),
            connect_timeout: Duration::from_secs(10),
            initialize_timeout: Duration::from_secs(10),
            call_timeout: Some(Duration::from_secs(30)),
            max_in_flight: 64,
            block_read_threshold: 1024 * 1024,
            bearer: None,
            authorities: None,
            reconnect: true,
        }
    }
}
