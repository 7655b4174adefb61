//! The two tasks of a connection: one writes what is queued, one reads what comes.
//!
//! All messages that are ready together are written with one flush. The reader never waits for a
//! call, so a server that answers is never blocked. Whichever task meets the end first tells every
//! waiter, and both stop.

use std::io;
use std::sync::Arc;

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;

use super::pending::Pending;
use crate::wire::{Frame, MAX_MESSAGE, Reply, Request};

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// Most messages that are taken off the queue at once.
const BATCH: usize = 64;

/// A message to be written.
pub(super) struct Message {
    /// The id of a request that is dropped unless its answer is still awaited.
    pub(super) awaited: Option<u32>,
    pub(super) frame: Frame,
}

/// Starts both tasks. `lifeline` is dropped when the reader ends, upon which the program that it
/// reads from is let go.
pub(super) fn start(
    reader: Reader,
    buffer: BytesMut,
    writer: Writer,
    lifeline: Option<oneshot::Sender<()>>,
    pending: &Arc<Pending>,
) -> (mpsc::UnboundedSender<Message>, [AbortHandle; 2]) {
    let (outgoing, queue) = mpsc::unbounded_channel();
    let back = outgoing.downgrade();
    let (wake, ended) = oneshot::channel::<()>();
    let waiters = Arc::clone(pending);
    let write = tokio::spawn(async move {
        tokio::select! {
            () = write_all(writer, queue, &waiters) => {}
            _ = ended => {}
        }
        waiters.lose();
    });
    let waiters = Arc::clone(pending);
    let read = tokio::spawn(async move {
        // Held until the reader ends, for the writer and the program to end with it.
        let _held = (wake, lifeline);
        read_all(reader, buffer, back, &waiters).await;
        waiters.lose();
    });
    (outgoing, [write.abort_handle(), read.abort_handle()])
}

async fn write_all(writer: Writer, mut queue: mpsc::UnboundedReceiver<Message>, pending: &Pending) {
    let mut writer = BufWriter::with_capacity(64 * 1024, writer);
    let mut batch = Vec::with_capacity(BATCH);
    while queue.recv_many(&mut batch, BATCH).await > 0 {
        for message in batch.drain(..) {
            if message.awaited.is_some_and(|id| !pending.start_writing(id)) {
                continue;
            }
            if write(&mut writer, &message.frame).await.is_err() {
                return;
            }
        }
        if queue.is_empty() && writer.flush().await.is_err() {
            return;
        }
    }
}

pub(super) async fn write(writer: &mut (impl AsyncWrite + Unpin), frame: &Frame) -> io::Result<()> {
    writer.write_all(&frame.head).await?;
    writer.write_all(&frame.body).await
}

async fn read_all(
    mut reader: Reader,
    mut buffer: BytesMut,
    outgoing: mpsc::WeakUnboundedSender<Message>,
    pending: &Pending,
) {
    while let Ok(Some(message)) = next_message(&mut reader, &mut buffer).await {
        let (id, reply) = match Reply::decode(message) {
            Ok(decoded) => decoded,
            Err(error) => {
                tracing::debug!(code = "protocol_error", %error, "sftp message without an id");
                return;
            }
        };
        // What was opened for a call that was dropped is given back.
        if let Some(Reply::Handle(handle)) = pending.answer(id, reply)
            && let Some(outgoing) = outgoing.upgrade()
        {
            let close = Request::Close { handle: &handle };
            let _ = outgoing.send(Message {
                awaited: None,
                frame: close.encode(pending.id_without_waiter()),
            });
        }
    }
}

/// The next message without its length; `None` at the end of the stream.
///
/// # Errors
/// Those of the stream, and `InvalidData` for a message that is longer than any server's.
pub(super) async fn next_message(
    reader: &mut Reader,
    buffer: &mut BytesMut,
) -> io::Result<Option<Bytes>> {
    const LENGTH: usize = 4;
    loop {
        if let Some(mut head) = buffer.get(..LENGTH) {
            let length = usize::try_from(head.get_u32()).unwrap_or(usize::MAX);
            if length > MAX_MESSAGE {
                let message = format!("a message of {length} bytes");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            if buffer.len() >= LENGTH + length {
                buffer.advance(LENGTH);
                return Ok(Some(buffer.split_to(length).freeze()));
            }
            buffer.reserve(LENGTH + length - buffer.len());
        } else {
            buffer.reserve(16 * 1024);
        }
        if reader.read_buf(buffer).await? == 0 {
            return Ok(None);
        }
    }
}
