//! The one filesystem trait, and the pointers that implement it.
//!
//! The trait is scalar: one call is one round trip. Whatever needs several calls lives outside
//! of it, as a function over the trait, or as a provided method made of the scalar ones.

use std::io;
use std::pin::Pin;
use std::sync::Arc;

use codex_path_uri::PathUri;

use crate::call::{Call, Uniform};
use crate::{
    CopyOptions, CreateDirectoryOptions, FileMetadata, FilePrefix, FileSystemSandboxContext,
    ReadDirectoryEntry, RemoveOptions, Walk, WalkOptions, uniform_file_system,
};

/// Largest file that [`ExecutorFileSystem::read_file`] returns, in bytes (512 MiB).
pub const MAX_READ_FILE_BYTES: u64 = 512 * 1024 * 1024;

/// The future of one filesystem call. Nothing happens before its first poll.
pub type FileSystemFuture<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// Another name of [`FileSystemFuture`], for callers written for codex-rs.
pub type ExecutorFileSystemFuture<'a, T> = FileSystemFuture<'a, T>;

/// The result of a call, for callers written for codex-rs.
pub type FileSystemResult<T> = io::Result<T>;

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

/// The filesystem of some machine: this host, a remote executor, a server reached by SSH, a tree
/// in memory, or a [wrapper](crate::wrap) around another one.
///
/// # What every implementation promises
///
/// | rule | statement |
/// |---|---|
/// | one call, one round trip | no hidden retry of a write, no prefetch, no cache |
/// | start | nothing happens before a future is polled: until then it is no call |
/// | order | any number of calls may be in flight; no result depends on their order |
/// | cancellation | dropping a future stops waiting and starts nothing more; an operation already sent may still finish on the other side |
/// | errors | the kinds below; `NotFound` is cheap and never logged |
/// | sandbox | enforced, or [`Unsupported`](io::ErrorKind::Unsupported) before any I/O; never ignored |
/// | paths | a path this filesystem cannot name (other convention, NUL, a form it cannot decode) is [`InvalidInput`](io::ErrorKind::InvalidInput) before any I/O |
///
/// # Reading
///
/// Links are followed by the filesystem. *Loop* is
/// [`filesystem_loop`](crate::error::filesystem_loop).
///
/// | target | `get_metadata` | `read_file` | `read_directory` | `canonicalize` |
/// |---|---|---|---|---|
/// | regular file | `File`, size | bytes | `NotADirectory` | its real path |
/// | directory | `Directory` | `IsADirectory` | entries | its real path |
/// | missing, or below a missing directory | `NotFound` | `NotFound` | `NotFound` | `NotFound` |
/// | below a regular file | `NotADirectory` | `NotADirectory` | `NotADirectory` | `NotADirectory` |
/// | file without read permission | `File` | `PermissionDenied` | `NotADirectory` | its real path |
/// | below a directory without search permission | `PermissionDenied` | `PermissionDenied` | `PermissionDenied` | `PermissionDenied` |
/// | directory without read permission | `Directory` | `IsADirectory` | `PermissionDenied` | its real path |
/// | directory readable but not searchable | `Directory` | `IsADirectory` | entries, kinds as the directory records them | its real path |
/// | live link to a file | `File`, link, size of the target | the target's bytes | `NotADirectory` | the target's real path |
/// | live link to a directory | `Directory`, link | `IsADirectory` | the target's entries | the target's real path |
/// | link without a target | `NotFound` | `NotFound` | `NotFound` | `NotFound` |
/// | link loop | loop | loop | loop | loop |
/// | FIFO, socket, device | `Other` | `InvalidInput`, at once | `NotADirectory` | its real path |
/// | file above [`MAX_READ_FILE_BYTES`] | `File`, size | `FileTooLarge` | `NotADirectory` | its real path |
///
/// A listing is sorted by [`FileName`](codex_path_uri::FileName), holds each name once and
/// neither `.` nor `..`. It holds every entry whose target exists at the time of the call and, where
/// the filesystem can tell, every link whose target is missing, loops or may not be reached, as
/// [`FileKind::BrokenLink`](crate::FileKind::BrokenLink); the state of one entry never makes it
/// fail. What it says of any other entry is what `get_metadata` would say. Joining a listed name to the directory reaches the entry, whatever
/// bytes or code units the name holds.
///
/// A `NotFound` of a reading call tells, where the filesystem can at no extra call, that the path
/// itself is a link: [`is_broken_link`](crate::error::is_broken_link).
///
/// A canonical path contains no link and keeps the spelling on disk.
///
/// # Writing
///
/// | operation | state | result |
/// |---|---|---|
/// | `write_file` | regular file or live link to one | replaced, through the link |
/// | | new name | created |
/// | | parent missing / directory / below a file / FIFO or device | `NotFound` / `IsADirectory` / `NotADirectory` / `InvalidInput` |
/// | `create_directory` | new, parent there | created |
/// | | parents missing | recursive: all created, else `NotFound` |
/// | | directory exists | recursive: fine, else `AlreadyExists` |
/// | | anything else exists under that name, a link to no directory included | `AlreadyExists` |
/// | | below a file, recursive or not | `NotADirectory` |
/// | `remove` | file, link (the link itself), empty directory | removed |
/// | | non-empty directory | recursive: removed without following links, else `DirectoryNotEmpty` |
/// | | missing, or below a missing directory | force: fine, else `NotFound` |
/// | | below a file, force or not | `NotADirectory` |
/// | `copy` | file, or link, which is copied as a link | destination created or replaced |
/// | | directory | recursive: copied, else `InvalidInput` |
/// | | directory into itself or below itself | `InvalidInput` |
/// | | source missing / FIFO, socket, device | `NotFound` / `InvalidInput` |
/// | | destination's parent missing / a file | `NotFound` / `NotADirectory` |
/// | | directory onto a directory | merged, each entry by these rules |
/// | | directory onto a file or a link | `AlreadyExists` |
/// | | file or link onto a file or a link / a directory / FIFO, socket, device | replaced, a link never written through / `IsADirectory` / `InvalidInput` |
/// | any | no permission / read-only volume / quota / no space | `PermissionDenied` / `ReadOnlyFilesystem` / `QuotaExceeded` / `StorageFull` |
///
/// # Implementing it
///
/// Whatever does the same for every call says so once, as a [`call::Uniform`](crate::call::Uniform).
/// Otherwise the eight required methods are enough. A provided method may be overridden with something
/// cheaper, never with another result. The conformance suite of the testkit checks all of the
/// above on any implementation: the section *Implementing your own* in the documentation of
/// `codex-file-system-testkit` runs one through it.
///
/// The trait is object safe and implemented for `&T`, `Box<T>` and `Arc<T>`.
///
/// # Examples
/// ```
/// use codex_file_system::{ExecutorFileSystem, FileKind};
/// use codex_file_system_testkit::{Flavor, MemoryFileSystem};
/// use codex_path_uri::PathUri;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/AGENTS.md = Be brief.")?;
/// let fs: &dyn ExecutorFileSystem = &memory;
/// let path = PathUri::parse("file:///srv/AGENTS.md")?;
///
/// let metadata = futures::executor::block_on(fs.get_metadata(&path, None))?;
/// assert_eq!((metadata.kind, metadata.size), (FileKind::File, Some(9)));
/// let text = futures::executor::block_on(fs.read_file_text(&path, None))?;
/// assert_eq!(text, "Be brief.");
/// # Ok(())
/// # }
/// ```
pub trait ExecutorFileSystem: Send + Sync {
    /// What is known of the target of `path`, links followed, without reading it.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    fn get_metadata<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata>;

    /// The whole content of a file of at most [`MAX_READ_FILE_BYTES`].
    ///
    /// # Round trips
    /// 1. A remote may need more for a file that one answer cannot hold, and says so.
    ///
    /// # Errors
    /// The table of the trait.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    fn read_file<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>>;

    /// The entries of a directory, sorted by name.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait. The state of a single entry is never an error.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    fn read_directory<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<ReadDirectoryEntry>>;

    /// The path of the same file that contains no link, as it is spelled on disk.
    ///
    /// Asking again with the answer changes nothing.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    fn canonicalize<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, PathUri>;

    /// Creates a file or replaces its content.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait. After an error the content is unspecified.
    ///
    /// # Cancellation
    /// A write that was sent may still happen, in whole or in part.
    fn write_file<'a>(
        &'a self,
        path: &'a PathUri,
        contents: Vec<u8>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;

    /// Creates a directory.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait.
    ///
    /// # Cancellation
    /// A creation that was sent may still happen.
    fn create_directory<'a>(
        &'a self,
        path: &'a PathUri,
        options: CreateDirectoryOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;

    /// Removes a file, a link or a directory. What a link leads to is never touched.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait. After an error, part of a directory may be gone.
    ///
    /// # Cancellation
    /// A removal that was sent may still happen, in whole or in part.
    fn remove<'a>(
        &'a self,
        path: &'a PathUri,
        options: RemoveOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;

    /// Copies a file, a link or a directory within this filesystem.
    ///
    /// Links are copied as links, at the top and below. Copying a directory onto one that exists
    /// merges the two: what only one of them holds stays or comes, what both hold is copied as if
    /// it had been asked for by name, so that a directory that meets a file is `AlreadyExists` and
    /// a file that meets a directory is `IsADirectory`. Copying a file onto itself changes nothing.
    ///
    /// # Round trips
    /// 1.
    ///
    /// # Errors
    /// The table of the trait. After an error, part of a directory may have been copied.
    ///
    /// # Cancellation
    /// A copy that was sent may still happen, in whole or in part.
    fn copy<'a>(
        &'a self,
        source: &'a PathUri,
        destination: &'a PathUri,
        options: CopyOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, ()>;

    /// The whole content of a file as text.
    ///
    /// # Round trips
    /// Those of one `read_file`.
    ///
    /// # Errors
    /// Those of `read_file`, and [`InvalidData`](io::ErrorKind::InvalidData) if the content is
    /// not UTF-8.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    fn read_file_text<'a>(
        &'a self,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, String> {
        Box::pin(async move { whole_text(self.read_file(path, sandbox).await?) })
    }

    /// At most the first `max_bytes` bytes of a file.
    ///
    /// `size_hint` is what the caller believes to be the file's length, from metadata it has
    /// anyway. A remote may choose its way of reading by it; a wrong hint never changes the bytes.
    ///
    /// # Round trips
    /// Those of one `read_file`; the default body reads the whole file, an override may read less.
    ///
    /// # Errors
    /// Those of `read_file`. Whoever reads no more than it is asked for gives the beginning of a file of any
    /// length, where `read_file` answers `FileTooLarge`.
    ///
    /// # Cancellation
    /// Dropping the future stops waiting.
    fn read_file_prefix<'a>(
        &'a self,
        path: &'a PathUri,
        max_bytes: u64,
        size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        // The whole file comes anyway: there is nothing to choose.
        let _ = size_hint;
        Box::pin(async move {
            let bytes = self.read_file(path, sandbox).await?;
            Ok(whole_prefix(bytes, max_bytes))
        })
    }

    /// Lists a directory and what is below it, breadth first and bounded.
    ///
    /// Paths are spelled as walked, below `root` as given; the root itself is not listed. Names
    /// are sorted inside each directory. What is neither file nor directory, a broken link included, is
    /// left out. A
    /// directory that was entered before, under whatever name, is listed and not entered again.
    /// One that cannot be read is listed and adds to [`Walk::errors`]; the root too, though it
    /// is not listed. A root that is a file gives an empty result.
    ///
    /// [`Walk::truncated`] says that the limit of directories or entries kept something out. In a
    /// report that is `walk_truncated`, and a directory that cannot be read is
    /// `walk_directory_unreadable`.
    ///
    /// # Round trips
    /// One `read_directory` for each directory entered, one `canonicalize` for each link to a
    /// directory (and for each directory of which a listing cannot say) and one for the root.
    /// The calls of one level run in an ordered window of 32; the root's two run together.
    ///
    /// # Errors
    /// [`InvalidInput`](io::ErrorKind::InvalidInput) without a call if a limit is out of
    /// [range](WalkOptions::validate); what `canonicalize` says of the root, such as `NotFound`.
    ///
    /// # Cancellation
    /// Dropping the future starts no further call.
    fn walk<'a>(
        &'a self,
        root: &'a PathUri,
        options: &'a WalkOptions,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Walk> {
        Box::pin(crate::walk::walk_by_listing(self, root, options, sandbox))
    }
}

/// Overrides of provided methods are forwarded like the rest.
macro_rules! forward_through_pointer {
    ($($pointer:ty),*) => {$(
        impl<T: ExecutorFileSystem + ?Sized> Uniform for $pointer {
            fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
                call.make(&**self)
            }
        }

        uniform_file_system! { impl[T: ExecutorFileSystem + ?Sized] for $pointer }
    )*};
}

forward_through_pointer!(&T, Box<T>, Arc<T>);

/// The content as text.
pub(crate) fn whole_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// At most the first `max_bytes` bytes of the content.
pub(crate) fn whole_prefix(mut bytes: Vec<u8>, max_bytes: u64) -> FilePrefix {
    let size = bytes.len();
    bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    let is_complete = bytes.len() == size;
    FilePrefix::new(bytes, is_complete).with_size(Some(size as u64))
}
