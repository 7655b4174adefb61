//! What a server says on standard error, without ever waiting for whoever reads it.
//!
//! A pipe that nobody drains blocks the thread that writes to it. So messages go through a queue of
//! bounded length to a thread of their own; what finds no room is lost and counted.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing_subscriber::fmt::MakeWriter;

/// How many messages may wait.
const MAX_WAITING: usize = 256;
/// How long what waits may take to be written at the end.
const LAST_WORDS: Duration = Duration::from_millis(200);

enum Entry {
    Text(Vec<u8>),
    /// All that came before is written.
    Written(SyncSender<()>),
}

/// A writer to standard error that loses what it cannot take. Clones share the queue.
#[derive(Clone)]
pub(crate) struct LossyLog {
    queue: SyncSender<Entry>,
    lost: Arc<AtomicU64>,
}

impl LossyLog {
    /// Starts the thread that writes.
    ///
    /// # Errors
    /// When the host has no thread left.
    pub(crate) fn start() -> io::Result<Self> {
        let (queue, entries) = sync_channel(MAX_WAITING);
        let lost = Arc::new(AtomicU64::new(0));
        let log = Self {
            queue,
            lost: Arc::clone(&lost),
        };
        thread::Builder::new().spawn(move || write(&entries, &lost))?;
        Ok(log)
    }

    /// Waits a moment for what was said to be written.
    pub(crate) fn flush(&self) {
        let (written, is_written) = sync_channel(1);
        if self.queue.try_send(Entry::Written(written)).is_ok() {
            // Whoever does not read it in time does not read it at all.
            let _ = is_written.recv_timeout(LAST_WORDS);
        }
    }
}

fn write(entries: &Receiver<Entry>, lost: &AtomicU64) {
    let mut stderr = io::stderr();
    for entry in entries {
        // Whoever closed it does not want to know.
        match entry {
            Entry::Text(text) => drop(stderr.write_all(&text)),
            Entry::Written(told) => drop(told.try_send(())),
        }
        let lost = lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            drop(writeln!(stderr, "{lost} messages were lost"));
        }
    }
}

impl Write for LossyLog {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        if self.queue.try_send(Entry::Text(text.to_vec())).is_err() {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LossyLog {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
