//! A WebSocket relay on loopback that delays what it passes on and keeps a log of it.
//!
//! Each direction adds half of the round-trip time. Messages overtake nothing and wait side by
//! side: ten requests sent together arrive together, half a round trip later. Connecting and the
//! upgrade to a WebSocket are not delayed. Both sockets send and acknowledge at once, so that
//! Nagle's algorithm at either end costs neither of the clients that are compared anything.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use futures::stream::{SplitSink, SplitStream};
use futures::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};

use crate::traffic::{Log, Traffic};

type Socket = WebSocketStream<TcpStream>;
/// A message and the moment at which it is passed on.
type Delayed = (Instant, Message);

/// What a relay does to what passes through it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Behaviour {
    /// What a request and its answer take longer than without the relay.
    pub(crate) round_trip: Duration,
    /// Methods that the relay refuses, as a server does that does not know them.
    pub(crate) denied: &'static [&'static str],
}

impl Behaviour {
    /// That of a network whose round trips take so long.
    pub(crate) fn milliseconds(round_trip: u64) -> Self {
        Self {
            round_trip: Duration::from_millis(round_trip),
            denied: &[],
        }
    }
}

/// A relay that listens. Dropping it ends its connections.
pub(crate) struct Relay {
    address: SocketAddr,
    log: Arc<Log>,
    listening: JoinHandle<()>,
}

impl Relay {
    /// Listens on a port of its own and passes on what comes to `target`, a host and a port.
    pub(crate) async fn start(target: &str, behaviour: Behaviour) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let log = Arc::new(Log::default());
        let line = Line {
            target: target.to_owned(),
            log: Arc::clone(&log),
            behaviour,
        };
        let listening = tokio::spawn(line.listen(listener));
        Ok(Self {
            address,
            log,
            listening,
        })
    }

    /// Where clients are to connect.
    pub(crate) fn url(&self) -> String {
        format!("ws://{}", self.address)
    }

    /// What has passed since the start or the last call; the log is empty afterwards.
    pub(crate) fn take_traffic(&self) -> Traffic {
        self.log.take()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// What every connection is to know.
#[derive(Clone)]
struct Line {
    target: String,
    log: Arc<Log>,
    behaviour: Behaviour,
}

impl Line {
    async fn listen(self, listener: TcpListener) {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((client, _)) = listener.accept().await {
            let connection = self.log.open_connection();
            let line = self.clone();
            // Either end may break off at any moment; that is the other end's matter.
            connections.spawn(async move { line.connect(client, connection).await.ok() });
        }
    }

    async fn connect(self, client: TcpStream, connection: u64) -> Result<(), tungstenite::Error> {
        let server = TcpStream::connect(&self.target).await?;
        let (acknowledge_client, acknowledge_server) = (prompt(&client)?, prompt(&server)?);
        let config = Some(unlimited());
        let client = tokio_tungstenite::accept_async_with_config(client, config).await?;
        let url = format!("ws://{}/", self.target);
        let (server, _) = tokio_tungstenite::client_async_with_config(url, server, config).await?;
        let ((to_client, from_client), (to_server, from_server)) = (client.split(), server.split());
        let (requests, delayed_requests) = delay_line();
        let (replies, delayed_replies) = delay_line();
        let one_way = self.behaviour.round_trip / 2;
        let log = &self.log;

        let asking = read(from_client, &acknowledge_client, |message| {
            let refusal = log.request(connection, bytes(&message), self.behaviour.denied);
            match refusal {
                None => requests.send((Instant::now() + one_way, message)).is_ok(),
                Some(refusal) => {
                    let due = Instant::now() + self.behaviour.round_trip;
                    replies.send((due, Message::text(refusal))).is_ok()
                }
            }
        });
        let answering = read(from_server, &acknowledge_server, |message| {
            replies.send((Instant::now() + one_way, message)).is_ok()
        });
        tokio::select! {
            () = asking => {}
            () = answering => {}
            () = write(delayed_requests, to_server, |_| ()) => {}
            () = write(delayed_replies, to_client, |reply| log.reply(connection, bytes(reply))) => {}
        }
        Ok(())
    }
}

/// Reads messages until there are no more or nobody takes them.
async fn read(
    mut from: SplitStream<Socket>,
    acknowledge: &OwnedFd,
    mut take: impl FnMut(Message) -> bool,
) {
    while let Some(Ok(message)) = from.next().await {
        // The flag wears off; only speed depends on it.
        #[cfg(target_os = "linux")]
        let _ = rustix::net::sockopt::set_tcp_quickack(acknowledge, true);
        if !take(message) {
            break;
        }
    }
}

/// Writes messages as they come; `note` sees each one just before.
async fn write(
    mut delayed: UnboundedReceiver<Message>,
    mut to: SplitSink<Socket, Message>,
    mut note: impl FnMut(&Message),
) {
    while let Some(message) = delayed.recv().await {
        note(&message);
        if to.send(message).await.is_err() {
            break;
        }
    }
}

/// A queue whose messages come out in order, each when it is due and not before.
///
/// A thread waits, because its clock is finer than the timers of the runtime.
fn delay_line() -> (mpsc::Sender<Delayed>, UnboundedReceiver<Message>) {
    let (enter, queue) = mpsc::channel::<Delayed>();
    let (pass_on, leave) = unbounded_channel();
    thread::spawn(move || {
        for (due, message) in queue {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if pass_on.send(message).is_err() {
                break;
            }
        }
    });
    (enter, leave)
}

/// Lets a socket send at once, and gives the handle by which it is told to acknowledge at once.
fn prompt(stream: &TcpStream) -> io::Result<OwnedFd> {
    stream.set_nodelay(true)?;
    stream.as_fd().try_clone_to_owned()
}

/// What a message carries; the log looks only at what is text.
fn bytes(message: &Message) -> &[u8] {
    message.to_text().unwrap_or_default().as_bytes()
}

fn unlimited() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None)
}
