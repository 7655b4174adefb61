//! Serving clients over WebSocket: who comes in, and the life of one connection.
//!
//! A client that connects is an *arrival* until it is let in or refused. There is room for so many
//! of them, and for a share of it from one address. An arrival past that takes the place of the
//! oldest one, which may be silent for ever: one whose request is complete is answered at once, so
//! it never waits behind those.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::{Bytes, BytesMut};
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::Service;
use super::auth::Auth;
use super::connection::{Connection, Ended, Incoming, Source, converse, is_ending};
use super::http::{self, Admission, FULL, MAX_HEAD_BYTES, Refusal};
use super::outbox::{Batch, Outbox};
use crate::transport::websocket::{Received, config, is_oversize, received};

/// How long a client may take to ask for what it wants.
const HEAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long after a failed accept the next one is tried: the reason, such as too many open files,
/// does not go away at once.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How often refused clients are told of in the log.
const REFUSALS_TOLD_EVERY: Duration = Duration::from_secs(1);
/// A peer that is silent for so many ping intervals is dropped.
const SILENT_INTERVALS: u32 = 3;
/// The longest time between two pings that a clock can be set to.
const LONGEST_INTERVAL: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How long a goodbye may take.
const FAREWELL: Duration = Duration::from_secs(1);

type Socket = WebSocketStream<TcpStream>;

/// Accepts clients until the server ends, then waits for the connections to end.
pub(super) async fn serve(
    service: &Arc<Service>,
    listener: TcpListener,
    mut ending: watch::Receiver<bool>,
) -> io::Result<()> {
    warn_of_exposure(service, &listener);
    let limits = &service.options.limits;
    let doors = Arc::new(Doors {
        connections: Semaphore::new(limits.connections),
        refusals: Mutex::default(),
    });
    let mut arrivals = Arrivals::new(limits.arrivals());
    let mut clients = JoinSet::new();
    loop {
        while clients.try_join_next().is_some() {}
        tokio::select! {
            biased;
            () = is_ending(&mut ending) => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    let client = Client {
                        service: Arc::clone(service),
                        doors: Arc::clone(&doors),
                        ending: ending.clone(),
                        peer,
                    };
                    clients.spawn(client.serve(stream, arrivals.add(peer.ip())));
                }
                Err(error) => {
                    doors.tell("cannot accept a client", &error.to_string());
                    sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
    Ok(())
}

fn warn_of_exposure(service: &Service, listener: &TcpListener) {
    let address = listener.local_addr().ok();
    let is_open = address.is_some_and(|address| !address.ip().to_canonical().is_loopback());
    if is_open && matches!(service.options.auth, Auth::None) {
        tracing::warn!(
            code = "bind_unauthenticated",
            "whoever reaches the socket is let in"
        );
    }
}

/// The clients that are not let in yet, oldest first.
struct Arrivals {
    waiting: VecDeque<(IpAddr, oneshot::Sender<()>)>,
    most: usize,
}

impl Arrivals {
    fn new(most: usize) -> Self {
        Self {
            waiting: VecDeque::new(),
            most,
        }
    }

    /// Adds an arrival; what is returned is ready when its place is taken by a later one.
    fn add(&mut self, address: IpAddr) -> oneshot::Receiver<()> {
        self.waiting.retain(|(_, place)| !place.is_closed());
        let share = (self.most / 2).max(1);
        let of_address = |(other, _): &(IpAddr, _)| *other == address;
        if self.waiting.iter().filter(|one| of_address(one)).count() >= share {
            let oldest = self.waiting.iter().position(of_address);
            // Dropping its place tells it.
            drop(oldest.and_then(|oldest| self.waiting.remove(oldest)));
        } else if self.waiting.len() >= self.most {
            self.waiting.pop_front();
        }
        let (place, displaced) = oneshot::channel();
        self.waiting.push_back((address, place));
        displaced
    }
}

/// What lets clients in, or tells of those that are not.
struct Doors {
    connections: Semaphore,
    refusals: Mutex<Refusals>,
}

#[derive(Default)]
struct Refusals {
    last_told: Option<Instant>,
    untold: u64,
}

impl Doors {
    /// Logs a refusal, or counts it where one was logged a moment ago: whoever is refused decides
    /// how often that is.
    fn tell(&self, refused: &str, reason: &str) {
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        let is_recent = |told: Instant| told.elapsed() < REFUSALS_TOLD_EVERY;
        if refusals.last_told.is_some_and(is_recent) {
            refusals.untold += 1;
            return;
        }
        let others = std::mem::take(&mut refusals.untold);
        refusals.last_told = Some(Instant::now());
        drop(refusals);
        tracing::warn!(code = "peer_rejected", reason, others, "{refused}");
    }
}

/// A client on its way in.
struct Client {
    service: Arc<Service>,
    doors: Arc<Doors>,
    ending: watch::Receiver<bool>,
    peer: SocketAddr,
}

impl Client {
    async fn serve(mut self, stream: TcpStream, displaced: oneshot::Receiver<()>) {
        if let Err(error) = self.try_serve(stream, displaced).await {
            tracing::debug!(peer = %self.peer, %error, "connection lost");
        }
    }

    async fn try_serve(
        &mut self,
        mut stream: TcpStream,
        mut displaced: oneshot::Receiver<()>,
    ) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let auth = &self.service.options.auth;
        let (admission, rest) = tokio::select! {
            biased;
            () = is_ending(&mut self.ending) => return Ok(()),
            arrived = timeout(HEAD_TIMEOUT, read_head(&mut stream, auth)) => arrived??,
            _ = &mut displaced => return Err(io::ErrorKind::TimedOut.into()),
        };
        let refusal = match admission {
            Admission::Ready => return answer(stream, "200 OK", "", displaced).await,
            Admission::Refused(refusal) => refusal,
            Admission::Upgrade(accept_key) => match self.doors.connections.try_acquire() {
                Ok(_place) => {
                    drop(displaced);
                    return self.converse(stream, rest, &accept_key).await;
                }
                Err(_) => FULL,
            },
        };
        let Refusal { status, body } = refusal;
        let reason = format!("{}: {status}: {body}", self.peer);
        self.doors.tell("client refused", &reason);
        answer(stream, status, body, displaced).await
    }

    /// Makes the connection a WebSocket, and serves it until the client leaves or the server ends.
    async fn converse(
        &self,
        mut stream: TcpStream,
        rest: Vec<u8>,
        accept_key: &str,
    ) -> io::Result<()> {
        let head = http::switching_protocols(accept_key);
        stream.write_all(head.as_bytes()).await?;
        let options = &self.service.options;
        let limits = Some(config(options.limits.inbound_message));
        let socket = WebSocketStream::from_partially_read(stream, rest, Role::Server, limits).await;
        let (mut sink, stream) = socket.split();
        let outbox = Arc::new(Outbox::new(options.limits.waiting_replies));
        let connection = Connection::new(Arc::clone(&self.service), Arc::clone(&outbox));
        let mut source = SocketSource {
            stream,
            patience: patience(options.ping_interval),
            farewell: None,
        };
        let mut ending = self.ending.clone();
        let reading = connection.run(&mut source, &mut ending);
        let writing = write(&outbox, &mut sink, options.ping_interval);
        let ended = converse(reading, writing, self.ending.clone()).await;
        let farewell = match ended {
            Ok(Ended::Shutdown) => Some(CloseCode::Away),
            _ => source.farewell,
        };
        let _ = timeout(FAREWELL, say_goodbye(sink, source.stream, farewell)).await;
        ended.map(drop)
    }
}

/// Reads the head of a request and what of the WebSocket came with it.
async fn read_head(stream: &mut TcpStream, auth: &Auth) -> io::Result<(Admission, Vec<u8>)> {
    let mut bytes = BytesMut::with_capacity(1024);
    loop {
        if let Some((admission, length)) = http::classify(&bytes, auth, SystemTime::now()) {
            let rest = bytes.get(length..).unwrap_or_default().to_vec();
            return Ok((admission, rest));
        }
        let room = (MAX_HEAD_BYTES - bytes.len()) as u64;
        if (&mut *stream).take(room).read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

/// Answers with a whole reply, and waits for the client to take it as long as it has its place.
async fn answer(
    mut stream: TcpStream,
    status: &str,
    body: &str,
    displaced: oneshot::Receiver<()>,
) -> io::Result<()> {
    let text = http::whole(status, body);
    let answering = async {
        stream.write_all(text.as_bytes()).await?;
        linger(stream).await;
        Ok(())
    };
    tokio::select! {
        biased;
        answered = answering => answered,
        _ = displaced => Ok(()),
    }
}

/// How long a peer may be silent.
fn patience(ping_interval: Duration) -> Duration {
    ping_interval.saturating_mul(SILENT_INTERVALS)
}

/// Closes in both directions. What cannot be said any more is not said.
async fn say_goodbye(
    mut sink: SplitSink<Socket, Message>,
    stream: SplitStream<Socket>,
    farewell: Option<CloseCode>,
) {
    let frame = farewell.map(|code| CloseFrame {
        code,
        reason: "".into(),
    });
    // A peer that said goodbye first has its answer waiting: a second one is not taken, and the
    // first leaves when it is flushed.
    let _ = sink.send(Message::Close(frame)).await;
    if sink.flush().await.is_ok()
        && let Ok(socket) = sink.reunite(stream)
    {
        linger(socket.into_inner()).await;
    }
}

/// Ends what is written, then reads until the peer ends too: a socket that is closed with unread
/// bytes takes back what was written last.
async fn linger(mut stream: TcpStream) {
    let draining = async {
        stream.shutdown().await?;
        let mut unread = vec![0; 8 * 1024];
        while stream.read(&mut unread).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(FAREWELL, draining).await;
}

/// Writes answers as they come and pings in between, until there are no more answers.
async fn write(
    outbox: &Outbox,
    sink: &mut SplitSink<Socket, Message>,
    ping_interval: Duration,
) -> io::Result<()> {
    let interval = ping_interval.clamp(Duration::from_millis(1), LONGEST_INTERVAL);
    let mut pings = interval_at(Instant::now() + interval, interval);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let patience = patience(ping_interval);
    loop {
        let batch = tokio::select! {
            biased;
            batch = outbox.next() => batch,
            _ = pings.tick() => {
                in_time(patience, sink.send(Message::Ping(Bytes::new()))).await?;
                continue;
            }
        };
        let Some(Batch { texts, room }) = batch else {
            return Ok(());
        };
        for text in texts {
            in_time(patience, sink.feed(Message::text(text))).await?;
        }
        in_time(patience, sink.flush()).await?;
        drop(room);
    }
}

/// Writes to a peer. One that takes nothing for as long as it may be silent is gone: while its
/// answers wait, its requests are not read, and so its silence is not heard.
async fn in_time(
    patience: Duration,
    writing: impl Future<Output = Result<(), Error>>,
) -> io::Result<()> {
    match timeout(patience, writing).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(Error::Io(error))) => Err(error),
        Ok(Err(error)) => Err(io::Error::other(error)),
        Err(_) => {
            tracing::debug!("a peer that takes no answer is dropped");
            Err(io::ErrorKind::TimedOut.into())
        }
    }
}

/// The messages of a WebSocket.
struct SocketSource {
    stream: SplitStream<Socket>,
    /// How long the peer may be silent while it is listened to.
    patience: Duration,
    /// What the peer is told at the end, where it is at fault.
    farewell: Option<CloseCode>,
}

impl Source for SocketSource {
    const LISTENS_AT_END: bool = false;

    async fn next(&mut self) -> io::Result<Option<Incoming>> {
        loop {
            let Ok(item) = timeout(self.patience, self.stream.next()).await else {
                tracing::debug!("a silent peer is dropped");
                return Ok(None);
            };
            match item {
                None => return Ok(None),
                Some(Ok(message)) => match received(message) {
                    Received::Message(bytes) => return Ok(Some(Incoming::Message(bytes))),
                    Received::Liveness => {}
                    Received::Close => return Ok(None),
                },
                Some(Err(error)) => {
                    self.farewell = close_code(&error);
                    if is_oversize(&error) {
                        tracing::warn!(code = "message_too_large", %error, "connection closed");
                    } else {
                        tracing::debug!(code = "protocol_error", %error, "connection closed");
                    }
                    return Ok(None);
                }
            }
        }
    }
}

/// What is said to a peer about its own fault.
fn close_code(error: &Error) -> Option<CloseCode> {
    match error {
        Error::Capacity(_) => Some(CloseCode::Size),
        Error::Protocol(_) => Some(CloseCode::Protocol),
        Error::Utf8(_) => Some(CloseCode::Invalid),
        _ => None,
    }
}
