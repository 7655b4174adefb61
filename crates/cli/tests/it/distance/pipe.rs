//! A pipe to a server that takes half a round trip in each direction and logs what passes.

use std::sync::Arc;
use std::time::Duration;

use codex_exec_server::Server;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{Instant, sleep_until};

use super::log::Log;

/// More than all messages of a test together, so that nobody waits for the other to read.
const PIPE_BYTES: usize = 1 << 20;

/// Serves a client and gives its end of the pipe.
pub(super) fn to(
    server: Server,
    round_trip: Duration,
    log: Arc<Log>,
) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (client, near) = duplex(PIPE_BYTES);
    let (far, served) = duplex(PIPE_BYTES);
    let (near_reader, near_writer) = split(near);
    let (far_reader, far_writer) = split(far);
    let (one_way, connection) = (round_trip / 2, log.open_connection());
    let (requests, replies) = (Arc::clone(&log), log);
    tokio::spawn(carry(
        near_reader,
        far_writer,
        one_way,
        move |sent, line| {
            if sent == Passing::Begins {
                requests.request(connection, line, &[]);
            }
        },
    ));
    tokio::spawn(carry(
        far_reader,
        near_writer,
        one_way,
        move |sent, line| {
            if sent == Passing::Ends {
                replies.reply(connection, line);
            }
        },
    ));
    tokio::spawn(async move {
        let (reader, writer) = split(served);
        server.serve_stdio(reader, writer).await
    });
    split(client)
}

/// Which end of its way a line is at.
#[derive(PartialEq, Eq)]
enum Passing {
    Begins,
    Ends,
}

/// Carries lines in order; each arrives so long after it was sent.
async fn carry(
    from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    one_way: Duration,
    note: impl Fn(Passing, &[u8]),
) {
    let (send, mut arrive) = unbounded_channel::<(Instant, String)>();
    let reading = async {
        let mut lines = BufReader::new(from).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            note(Passing::Begins, line.as_bytes());
            if send.send((Instant::now() + one_way, line)).is_err() {
                break;
            }
        }
    };
    let writing = async {
        while let Some((due, line)) = arrive.recv().await {
            sleep_until(due).await;
            note(Passing::Ends, line.as_bytes());
            if to.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                break;
            }
        }
    };
    tokio::join!(reading, writing);
}
