//! [`SftpFileSystem`]: the calls of the trait, each handed to its operation.

use std::sync::Arc;
use std::{fmt, io};

use codex_file_system::{
    CommandSpec, CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, FileMetadata, FilePrefix,
    FileSystemFuture, FileSystemSandboxContext, ReadDirectoryEntry, RemoveOptions, SandboxPolicy,
};
use codex_path_uri::PathUri;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::ConnectError;
use crate::link::Link;
use crate::operation::{
    Canonicalize, Copy, CreateDirectory, Extent, List, Metadata, Operation, Read, Remove, Write,
};
use crate::options::SftpOptions;
use crate::path::ServerPath;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The files of a machine that is reached by SFTP, version 3.
///
/// Clones share one connection. Calls need a tokio runtime with time and, for
/// [`spawn`](Self::spawn), I/O. When the last clone is dropped, the program's standard input is
/// closed; it has two seconds to end, and is killed.
///
/// # Requests
///
/// *Round trips* are steps of the longest chain of requests that wait for another.
///
/// | call | requests | round trips |
/// |---|---|---|
/// | `get_metadata` | stat and lstat together: 2 | 1 |
/// | `read_file` of s bytes, in chunks of c | stat and open together, ceil(s / c) + 1 reads, 16 in flight and the one behind the end beside them, a close nobody waits for | 1 + ceil(s / c / 16), at least 2 |
/// | `read_file_prefix` | the same, bounded by `max_bytes`; no stat if there is a hint | 1 more, as the stat is waited for; the same with a hint that does not say 0 |
/// | `read_directory` of b answers of names and l links | opendir, readdir in waves of 4 until one tells the end: 4 · ceil((b + 1) / 4), a close nobody waits for, one stat per link | 1 + ceil((b + 1) / 4), and 1 if l > 0, or 1 for each 65,536 entries |
/// | `canonicalize` | realpath and stat together: 2 | 1 |
/// | `write_file` of s bytes | stat and open together, ceil(s / c) writes together, close: 3 + ceil(s / c) | 3, or 2 if s is 0 |
/// | `create_directory` | mkdir, and two more per missing parent: on the way up and on the way down | one per mkdir |
/// | `remove` | lstat and remove together; of a directory then rmdir; of a filled one then, level by level, listings and removals, and at the end one rmdir per directory | 1; 2; 2 and, per level, those of a listing and 2 |
/// | `copy` of a file | lstat and two realpath together, lstat, open, ceil(s / c) + 1 reads, and those of `write_file` with an fsetstat | 6 + ceil(s / c / 16), at least 7 |
/// | `copy` of a directory | per level mkdir and listing, 8 entries at a time; at the end one setstat per directory | per level and entry |
///
/// c is what the server announces, else [`read_chunk`](SftpOptions::read_chunk) for reads and
/// 32 KiB for writes. A refusal whose reason the status does not tell costs one more stat, that
/// of a mkdir a stat and an lstat.
/// Two things are asked that cost no round trip: the stat beside an open, which tells how many
/// reads there are to be, and up to three readdir behind the end of a directory, as it is not known
/// beforehand where that is.
///
/// # When the connection is lost
///
/// One reconnection serves all calls that wait: the program is started again at once, then after
/// 100, 200, 400 and 800 ms. Calls that only ask are made again, once. So are calls that change
/// something if no request that does so was written yet; otherwise they fail with `BrokenPipe`
/// and [`ConnectionLost`](crate::SftpError::ConnectionLost), and are never repeated.
///
/// # What it cannot tell
///
/// A server that opens a FIFO waits for its other end and answers no request meanwhile. So a prefix
/// is read of nothing but what a stat, or a hint that does not say 0, calls a regular file, and a
/// path that a listing or metadata called something else is asked about before it is opened. Where
/// `read_file` finds a FIFO while it is being opened, it fails with `InvalidInput` at once and the
/// connection is given up for another one. A wrong hint for a FIFO ends with the deadline of the
/// call.
///
/// Servers report a path below a regular file and a link loop as missing, so what other
/// filesystems refuse as `NotADirectory` or as a loop is `NotFound` here: when it is asked about,
/// written, copied, the source or the destination, removed, or created as a directory without its
/// parents. To remove it with `force` is to remove what is not there: it succeeds. Only a listing
/// of a file and a directory created below one with its parents are `NotADirectory`, since both
/// ask what is there. A directory of more than 500,000 entries, or of more than 128 MiB of names,
/// is `FileTooLarge`. A link whose target is missing, loops or may not be reached is listed as
/// [`BrokenLink`](codex_file_system::FileKind::BrokenLink). Names that are not UTF-8 are listed
/// with U+FFFD and cannot be opened. A [`Restricted`](SandboxPolicy::Restricted) sandbox is
/// `Unsupported`.
///
/// # Examples
/// ```no_run
/// use codex_file_system::ExecutorFileSystem;
/// use codex_path_uri::PathUri;
/// use codex_sftp::{SftpFileSystem, SftpOptions, ssh_command};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let fs = SftpFileSystem::spawn(ssh_command("build-host")?, SftpOptions::default()).await?;
/// let document = PathUri::parse("file:///srv/repo/AGENTS.md")?;
/// println!("{}", fs.read_file_text(&document, None).await?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct SftpFileSystem {
    link: Arc<Link>,
}

impl SftpFileSystem {
    /// Starts a program that speaks SFTP on its standard input and output, and greets it.
    ///
    /// [`ssh_command`](crate::ssh_command) names the usual one. No shell is involved.
    ///
    /// # Round trips
    /// 2, once for each connection.
    ///
    /// # Errors
    /// [`ConnectError`]; the end of what the program said on its standard error is part of it.
    ///
    /// # Cancellation
    /// Dropping the future lets the program go, as dropping the filesystem does.
    pub async fn spawn(command: CommandSpec, options: SftpOptions) -> Result<Self, ConnectError> {
        let link = Link::to_program(command, options).await?;
        Ok(Self {
            link: Arc::new(link),
        })
    }

    /// Speaks SFTP over two streams. The first call greets the server.
    ///
    /// A connection made so cannot be made again: once lost, every call fails with `BrokenPipe`.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system::ExecutorFileSystem;
    /// use codex_path_uri::PathUri;
    /// use codex_sftp::{SftpFileSystem, SftpOptions};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (near, far) = tokio::io::duplex(1024);
    /// let (reader, writer) = tokio::io::split(near);
    /// let fs = SftpFileSystem::from_streams(reader, writer, SftpOptions::default());
    ///
    /// // Nobody is at the other end.
    /// drop(far);
    /// let path = PathUri::parse("file:///srv")?;
    /// let error = fs.get_metadata(&path, None).await.unwrap_err();
    /// assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe);
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_streams(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        options: SftpOptions,
    ) -> Self {
        let link = Link::over_streams(Box::new(reader), Box::new(writer), options);
        Self {
            link: Arc::new(link),
        }
    }

    /// Makes the call of an operation on one path.
    fn call<'a, O: Operation + 'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
        operation: impl FnOnce(ServerPath) -> O + Send + 'a,
    ) -> FileSystemFuture<'a, O::Output> {
        Box::pin(async move {
            allowed(sandbox)?;
            let operation = operation(ServerPath::of(path)?);
            self.link.perform(operation).await
        })
    }
}

/// Refuses a sandbox that nobody here can enforce.
fn allowed(sandbox: Sandbox<'_>) -> io::Result<()> {
    match sandbox.map(|sandbox| &sandbox.policy) {
        None | Some(SandboxPolicy::Unrestricted) => Ok(()),
        Some(_) => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "SFTP enforces no sandbox",
        )),
    }
}

impl ExecutorFileSystem for SftpFileSystem {
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        self.call(path, sandbox, |path| Metadata { path })
    }

    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async move {
            let extent = Extent::Whole;
            let whole = self.call(path, sandbox, |path| Read { path, extent });
            Ok(whole.await?.bytes)
        })
    }

    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>> {
        let uri = path.clone();
        self.call(path, sandbox, |path| List { uri, path })
    }

    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri> {
        self.call(path, sandbox, |path| Canonicalize { path })
    }

    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.call(path, sandbox, |path| Write {
            path,
            contents: contents.into(),
        })
    }

    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        let recursive = options.recursive;
        self.call(path, sandbox, move |path| CreateDirectory {
            path,
            recursive,
        })
    }

    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        self.call(path, sandbox, move |path| Remove {
            path,
            recursive: options.recursive,
            force: options.force,
        })
    }

    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()> {
        Box::pin(async move {
            allowed(sandbox)?;
            let copy = Copy {
                source: ServerPath::of(source)?,
                destination: ServerPath::of(destination)?,
                recursive: options.recursive,
            };
            self.link.perform(copy).await
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        let extent = Extent::Prefix {
            max_bytes,
            size_hint,
        };
        self.call(path, sandbox, move |path| Read { path, extent })
    }
}

impl fmt::Debug for SftpFileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SftpFileSystem").finish_non_exhaustive()
    }
}
