//! The life of one WebSocket: messages, pings, and how it ends.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::connection::{Connection, Ended, Incoming, Source, is_ending};
use super::outbox::Outbox;
use super::pipe::converse;
use super::service::Service;
use crate::websocket::{Received, is_oversize, received};

type Socket = WebSocketStream<TcpStream>;

/// A peer that is silent for so many ping intervals is dropped.
const SILENT_INTERVALS: u32 = 3;
/// The longest time between two pings that a clock can be set to.
const LONGEST_INTERVAL: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// How long a goodbye may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves one client until it leaves or the server ends.
pub(super) async fn serve(
    service: &Arc<Service>,
    socket: Socket,
    ending: &mut watch::Receiver<bool>,
) -> io::Result<()> {
    let options = &service.options;
    let (mut sink, stream) = socket.split();
    let outbox = Arc::new(Outbox::new(options.limits.waiting_replies));
    let connection = Connection::new(Arc::clone(service), Arc::clone(&outbox));
    let mut source = SocketSource {
        stream,
        patience: patience(options.ping_interval),
        farewell: None,
    };
    let mut patience = ending.clone();
    let ended = {
        let reading = connection.run(&mut source, ending);
        let conversing = converse(reading, write(&outbox, &mut sink, options.ping_interval));
        let running_out = async {
            is_ending(&mut patience).await;
            tokio::time::sleep(options.limits.shutdown_grace).await;
        };
        tokio::select! {
            biased;
            ended = conversing => ended,
            () = running_out => Ok(Ended::Shutdown),
        }
    };
    let farewell = match ended {
        Ok(Ended::Shutdown) => Some(CloseCode::Away),
        _ => source.farewell,
    };
    let _ = timeout(FAREWELL, say_goodbye(sink, source.stream, farewell)).await;
    ended.map(drop)
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
pub(super) async fn linger(mut stream: TcpStream) {
    let draining = async {
        stream.shutdown().await?;
        let mut unread = vec![0; 64 * 1024];
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
        let Some(batch) = batch else {
            return Ok(());
        };
        let (texts, _room) = batch.into_texts();
        for text in texts {
            in_time(patience, sink.feed(Message::text(text))).await?;
        }
        in_time(patience, sink.flush()).await?;
    }
}

/// Writes to a peer. One that takes nothing for as long as it may be silent is gone: while its
/// answers wait, its requests are not read, and so its silence is not heard.
async fn in_time(
    patience: Duration,
    writing: impl Future<Output = Result<(), Error>>,
) -> io::Result<()> {
    match timeout(patience, writing).await {
        Ok(written) => written.map_err(broken),
        Err(_) => {
            tracing::debug!("a peer that takes no answer is dropped");
            Err(io::ErrorKind::TimedOut.into())
        }
    }
}

fn broken(error: Error) -> io::Error {
    match error {
        Error::Io(error) => error,
        other => io::Error::other(other),
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
                    self.farewell = blame(&error);
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
fn blame(error: &Error) -> Option<CloseCode> {
    match error {
        Error::Capacity(_) => Some(CloseCode::Size),
        Error::Protocol(_) => Some(CloseCode::Protocol),
        Error::Utf8(_) => Some(CloseCode::Invalid),
        _ => None,
    }
}
