//! Serving one client on a pair of pipes.

use std::io;
use std::pin::pin;
use std::sync::Arc;

use futures::future::{Either, select};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::watch;

use super::connection::{Connection, Incoming, LARGE_REPLY_BYTES, Source, is_ending};
use super::outbox::{Batch, Outbox};
use super::service::Service;
use crate::stdio::{Line, LineReader};

/// Serves until the input ends and everything is answered, or the server ends.
pub(super) async fn serve(
    service: &Arc<Service>,
    reader: impl AsyncRead + Send + Unpin,
    mut writer: impl AsyncWrite + Send + Unpin,
    mut ending: watch::Receiver<bool>,
) -> io::Result<()> {
    let limits = &service.options.limits;
    let outbox = Arc::new(Outbox::new(limits.waiting_replies));
    let mut source = LineReader::new(reader, limits.inbound_message);
    let connection = Connection::new(Arc::clone(service), Arc::clone(&outbox));
    let mut patience = ending.clone();
    let reading = connection.run(&mut source, &mut ending);
    let conversing = converse(reading, write(&outbox, &mut writer));
    let running_out = async {
        is_ending(&mut patience).await;
        tokio::time::sleep(limits.shutdown_grace).await;
    };
    tokio::select! {
        biased;
        ended = conversing => ended.map(drop),
        () = running_out => Ok(()),
    }
}

/// Runs both sides of a connection. Reading that ends lets writing end; writing that fails ends
/// both.
pub(super) async fn converse<T>(
    reading: impl Future<Output = io::Result<T>>,
    writing: impl Future<Output = io::Result<()>>,
) -> io::Result<T> {
    match select(pin!(reading), pin!(writing)).await {
        Either::Left((read, writing)) => {
            let read = read?;
            writing.await?;
            Ok(read)
        }
        Either::Right((written, reading)) => {
            written?;
            reading.await
        }
    }
}

/// Writes answers until there are no more. Those that are ready together leave in one go.
async fn write(outbox: &Outbox, writer: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    let mut small = Vec::new();
    while let Some(batch) = outbox.next().await {
        write_batch(&batch, &mut small, writer).await?;
        writer.flush().await?;
    }
    Ok(())
}

async fn write_batch(
    batch: &Batch,
    small: &mut Vec<u8>,
    writer: &mut (impl AsyncWrite + Unpin),
) -> io::Result<()> {
    small.clear();
    for text in &batch.texts {
        if text.len() > LARGE_REPLY_BYTES {
            writer.write_all(small).await?;
            small.clear();
            writer.write_all(text.as_bytes()).await?;
        } else {
            small.extend_from_slice(text.as_bytes());
        }
        small.push(b'\n');
    }
    writer.write_all(small).await
}

impl<R: AsyncRead + Send + Unpin> Source for LineReader<R> {
    const LISTENS_AT_END: bool = true;

    async fn next(&mut self) -> io::Result<Option<Incoming>> {
        Ok(LineReader::next(self).await?.map(|line| match line {
            Line::Message(bytes) => Incoming::Message(bytes),
            Line::TooLong => Incoming::TooLong,
        }))
    }
}
