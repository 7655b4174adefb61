//! Serving clients over WebSocket: who comes in, and the life of one connection.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::auth::Auth;
use super::connection::is_ending;
use super::http::{self, FULL, MAX_HEAD_BYTES, Refusal, Verdict};
use super::service::Service;
use super::socket;
use crate::websocket::config;

/// How long a client may take to ask for what it wants.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long after a failed accept the next one is tried: the reason, such as too many open files,
/// does not go away at once.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How many clients may be between connecting and being told whether they are let in.
const MAX_ARRIVING: usize = 1024;

/// Accepts clients until the server ends, then waits for the connections to end.
pub(super) async fn serve(
    service: &Arc<Service>,
    listener: TcpListener,
    mut ending: watch::Receiver<bool>,
) -> io::Result<()> {
    warn_of_strangers(service, &listener);
    let limits = &service.options.limits;
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut clients = JoinSet::new();
    loop {
        while clients.try_join_next().is_some() {}
        let has_room = clients.len() < limits.connections.saturating_add(MAX_ARRIVING);
        tokio::select! {
            biased;
            () = is_ending(&mut ending) => break,
            Some(_) = clients.join_next(), if !has_room => {}
            accepted = listener.accept(), if has_room => match accepted {
                Ok((stream, peer)) => {
                    let client = Client {
                        service: Arc::clone(service),
                        places: Arc::clone(&places),
                        ending: ending.clone(),
                        peer,
                    };
                    clients.spawn(client.serve(stream));
                }
                Err(error) => {
                    tracing::warn!(code = "peer_rejected", %error, "cannot accept a client");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
    Ok(())
}

fn warn_of_strangers(service: &Service, listener: &TcpListener) {
    let address = listener.local_addr().ok();
    let is_open = address.is_some_and(|address| !address.ip().is_loopback());
    if is_open && matches!(service.options.auth, Auth::None) {
        tracing::warn!(
            code = "bind_unauthenticated",
            "whoever reaches the socket is let in"
        );
    }
}

/// A client on its way in.
struct Client {
    service: Arc<Service>,
    places: Arc<Semaphore>,
    ending: watch::Receiver<bool>,
    peer: SocketAddr,
}

impl Client {
    async fn serve(mut self, stream: TcpStream) {
        if let Err(error) = self.try_serve(stream).await {
            tracing::debug!(peer = %self.peer, %error, "connection lost");
        }
    }

    async fn try_serve(&mut self, mut stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let auth = &self.service.options.auth;
        let arriving = timeout(HEAD_TIMEOUT, read_head(&mut stream, auth));
        let (verdict, rest) = tokio::select! {
            () = is_ending(&mut self.ending) => return Ok(()),
            arrived = arriving => arrived??,
        };
        let accept_key = match verdict {
            Verdict::Ready => return answer(stream, "200 OK", "").await,
            Verdict::Refused(refusal) => return self.refuse(stream, refusal).await,
            Verdict::Upgrade(accept_key) => accept_key,
        };
        let Ok(_place) = self.places.try_acquire() else {
            return self.refuse(stream, FULL).await;
        };
        let head = http::switching_protocols(&accept_key);
        stream.write_all(head.as_bytes()).await?;
        let limits = config(self.service.options.limits.inbound_message);
        let stream =
            WebSocketStream::from_partially_read(stream, rest, Role::Server, Some(limits)).await;
        socket::serve(&self.service, stream, &mut self.ending).await
    }

    async fn refuse(&self, stream: TcpStream, refusal: Refusal) -> io::Result<()> {
        let Refusal { status, body } = refusal;
        tracing::warn!(code = "peer_rejected", peer = %self.peer, status, body, "client refused");
        answer(stream, status, body).await
    }
}

/// Reads the head of a request and what of the WebSocket came with it.
async fn read_head(stream: &mut TcpStream, auth: &Auth) -> io::Result<(Verdict, Vec<u8>)> {
    let mut bytes = BytesMut::with_capacity(1024);
    loop {
        if let Some((verdict, length)) = http::judge(&bytes, auth, SystemTime::now()) {
            let rest = bytes.get(length..).unwrap_or_default().to_vec();
            return Ok((verdict, rest));
        }
        let room = (MAX_HEAD_BYTES - bytes.len()) as u64;
        if (&mut *stream).take(room).read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

async fn answer(mut stream: TcpStream, status: &str, body: &str) -> io::Result<()> {
    stream
        .write_all(http::whole(status, body).as_bytes())
        .await?;
    socket::linger(stream).await;
    Ok(())
}
