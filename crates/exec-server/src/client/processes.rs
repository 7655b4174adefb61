//! Programs on the machine of the server: started there, written to, read from, ended.
//!
//! The published server has these methods, and the server of this crate has none of them. A program
//! belongs to the session of the client and outlives a lost connection. Its output is kept by the
//! server, which forgets the oldest of it when it is not read.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use codex_path_uri::PathUri;

use super::RemoteFileSystem;
use super::pending::Safety;
use crate::codec::Content;
use crate::protocol::{
    OutputStream, ReadProcess, ReadProcessParams, StartProcess, StartProcessParams,
    TerminateProcess, TerminateProcessParams, WriteProcess, WriteProcessParams, WriteStatus,
};

/// How long the server waits for output before it says that there is none: as long as that, one
/// that handles a request at a time answers nothing else on the connection.
const READ_WAIT_MS: u64 = 50;

/// A program to start on the machine of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteCommand {
    /// The program, as that machine finds it.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// The directory it starts in.
    pub cwd: PathUri,
    /// Its whole environment: nothing is inherited from the server.
    pub env: BTreeMap<String, String>,
}

/// A program that was started on the machine of the server. Dropping this leaves it running.
#[derive(Debug)]
pub struct RemoteProcess {
    remote: RemoteFileSystem,
    id: String,
    writes: AtomicU64,
    last_seq: u64,
    unread: VecDeque<ProcessOutput>,
    is_ended: bool,
}

/// What is read of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessOutput {
    /// Bytes of its standard output.
    Stdout(Vec<u8>),
    /// Bytes of its standard error.
    Stderr(Vec<u8>),
    /// It has ended, and its output with it.
    Ended {
        /// Its exit code; 128 and the number of the signal that ended it.
        exit_code: Option<i32>,
    },
}

impl RemoteFileSystem {
    /// Starts a program on the machine of the server, with pipes to it.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The program cannot be started; `Unsupported` from a server without processes.
    ///
    /// # Cancellation
    /// The program may have been started, and nobody can reach it then.
    ///
    /// # Examples
    /// ```no_run
    /// use codex_exec_server::{ProcessOutput, RemoteCommand, RemoteFileSystem};
    /// use codex_path_uri::PathUri;
    ///
    /// # async fn run(remote: RemoteFileSystem) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut process = remote
    ///     .start_process(RemoteCommand {
    ///         program: "cat".to_owned(),
    ///         args: Vec::new(),
    ///         cwd: PathUri::parse("file:///srv")?,
    ///         env: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
    ///     })
    ///     .await?;
    /// process.write(b"hello\n").await?;
    /// assert_eq!(process.read().await?, ProcessOutput::Stdout(b"hello\n".to_vec()));
    /// process.terminate().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn start_process(&self, command: RemoteCommand) -> io::Result<RemoteProcess> {
        let caller = self.begin::<StartProcess>(None).await?;
        let mut argv = vec![command.program];
        argv.extend(command.args);
        let params = StartProcessParams {
            process_id: caller.shared.new_process(),
            argv,
            cwd: command.cwd.as_str().to_owned(),
            env: command.env,
            tty: false,
            pipe_stdin: true,
        };
        let called = caller.call::<StartProcess>(&params, Safety::Mutation);
        let id = called.await?.decode(&caller)?.process_id;
        Ok(RemoteProcess {
            remote: self.clone(),
            id,
            writes: AtomicU64::new(0),
            last_seq: 0,
            unread: VecDeque::new(),
            is_ended: false,
        })
    }
}

impl RemoteProcess {
    /// Writes to its standard input.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// `BrokenPipe` if it takes no input any more.
    ///
    /// # Cancellation
    /// The bytes may have been written.
    pub async fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let caller = self.remote.begin::<WriteProcess>(None).await?;
        let params = WriteProcessParams {
            process_id: self.id.clone(),
            chunk: Content(bytes.to_vec()),
            write_id: self.writes.fetch_add(1, Ordering::Relaxed).to_string(),
        };
        let called = caller.call::<WriteProcess>(&params, Safety::Mutation);
        match called.await?.decode(&caller)?.status {
            WriteStatus::Accepted => Ok(()),
            WriteStatus::StdinClosed | WriteStatus::UnknownProcess | WriteStatus::Other => {
                let message = "the program takes no input any more";
                Err(io::Error::new(io::ErrorKind::BrokenPipe, message))
            }
        }
    }

    /// The next of its output, once there is some, and at last its end, again and again.
    ///
    /// # Round trips
    /// None for what came with the one before; else one for each 50 ms without any.
    ///
    /// # Errors
    /// `BrokenPipe` if the server does not know the program any more; `Other` if it lost it.
    ///
    /// # Cancellation
    /// Nothing is lost.
    pub async fn read(&mut self) -> io::Result<ProcessOutput> {
        loop {
            if let Some(output) = self.unread.front() {
                let output = output.clone();
                if !matches!(output, ProcessOutput::Ended { .. }) {
                    self.unread.pop_front();
                }
                return Ok(output);
            }
            self.fill().await?;
        }
    }

    async fn fill(&mut self) -> io::Result<()> {
        let caller = self.remote.begin::<ReadProcess>(None).await?;
        let params = ReadProcessParams {
            process_id: self.id.clone(),
            after_seq: self.last_seq,
            wait_ms: READ_WAIT_MS,
        };
        let called = caller.call::<ReadProcess>(&params, Safety::Repeatable);
        let read = called.await?.decode(&caller)?;
        for chunk in read.chunks {
            self.last_seq = self.last_seq.max(chunk.seq);
            match chunk.stream {
                OutputStream::Stdout => self.unread.push_back(ProcessOutput::Stdout(chunk.chunk.0)),
                OutputStream::Stderr => self.unread.push_back(ProcessOutput::Stderr(chunk.chunk.0)),
                OutputStream::Other => {}
            }
        }
        if let Some(failure) = read.failure {
            return Err(io::Error::other(failure));
        }
        if read.exited && read.closed && !self.is_ended && read.next_seq > self.last_seq {
            self.is_ended = true;
            let exit_code = read.exit_code;
            self.unread.push_back(ProcessOutput::Ended { exit_code });
        }
        Ok(())
    }

    /// Ends it at once; says whether it ran until then.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// Those of the connection.
    ///
    /// # Cancellation
    /// It may have been ended.
    pub async fn terminate(&self) -> io::Result<bool> {
        let caller = self.remote.begin::<TerminateProcess>(None).await?;
        let params = TerminateProcessParams {
            process_id: self.id.clone(),
        };
        let called = caller.call::<TerminateProcess>(&params, Safety::Mutation);
        Ok(called.await?.decode(&caller)?.running)
    }
}
