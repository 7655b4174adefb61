//! The standard streams of this process as a pair of pipes.
//!
//! Pipes are read and written by the runtime itself. Anything else, such as a terminal or a file,
//! goes by way of a thread that waits for it, as the runtime does for standard streams.

use std::io;

use tokio::io::{AsyncRead, AsyncWrite};

use crate::server::Server;

impl Server {
    /// Serves the client at the standard input and output of this process, as
    /// [`serve_stdio`](Self::serve_stdio) does on any pair of pipes. Nothing else may write to the
    /// standard output.
    ///
    /// # Errors
    /// Those of `serve_stdio`.
    ///
    /// # Cancellation
    /// Dropping the future drops the requests that run.
    pub async fn serve_standard_streams(&self) -> io::Result<()> {
        let reader: Box<dyn AsyncRead + Send + Unpin> = match pipes::standard_input() {
            Some(pipe) => Box::new(pipe),
            None => Box::new(tokio::io::stdin()),
        };
        let writer: Box<dyn AsyncWrite + Send + Unpin> = match pipes::standard_output() {
            Some(pipe) => Box::new(pipe),
            None => Box::new(tokio::io::stdout()),
        };
        self.serve_stdio(reader, writer).await
    }
}

#[cfg(unix)]
mod pipes {
    use std::os::fd::AsFd as _;

    use tokio::net::unix::pipe::{Receiver, Sender};

    /// How much the pipe to the client holds: the most that Linux lets anybody ask for.
    #[cfg(target_os = "linux")]
    const PIPE_BYTES: usize = 1024 * 1024;

    /// The standard input, if it is a pipe.
    pub(super) fn standard_input() -> Option<Receiver> {
        let own = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
        Receiver::from_owned_fd(own).ok()
    }

    /// The standard output, if it is a pipe.
    pub(super) fn standard_output() -> Option<Sender> {
        let own = std::io::stdout().as_fd().try_clone_to_owned().ok()?;
        // A large answer leaves in fewer pieces. Only speed depends on it.
        #[cfg(target_os = "linux")]
        let _ = rustix::pipe::fcntl_setpipe_size(&own, PIPE_BYTES);
        Sender::from_owned_fd(own).ok()
    }
}

#[cfg(not(unix))]
mod pipes {
    /// There is no pipe that the runtime could read by itself.
    pub(super) fn standard_input() -> Option<tokio::io::Stdin> {
        None
    }

    /// There is no pipe that the runtime could write by itself.
    pub(super) fn standard_output() -> Option<tokio::io::Stdout> {
        None
    }
}
