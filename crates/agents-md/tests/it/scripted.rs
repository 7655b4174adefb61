//! A filesystem that answers from a script: each path its own metadata, contents and delays.
//!
//! It can say what no tree can: a size that metadata does not tell or tells wrongly, a file that
//! is gone or unreadable only once it is read. What is not in the script does not exist. A call
//! with a sandbox panics: a load never gives one.

use std::collections::HashMap;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use codex_file_system::{
    ExecutorFileSystem, FileKind, FileMetadata, FilePrefix, FileSystemFuture,
    FileSystemSandboxContext,
};
use codex_file_system_testkit::{Alteration, Altered, Forbidden};
use codex_path_uri::PathUri;

/// What one path answers.
#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) metadata: Result<FileMetadata, io::ErrorKind>,
    pub(crate) contents: Result<Vec<u8>, io::ErrorKind>,
    pub(crate) metadata_delay: Duration,
    pub(crate) read_delay: Duration,
}

/// A filesystem of scripts alone: it may be asked for metadata and contents.
pub(crate) type Scripted = Altered<Forbidden, Scripts>;

/// The scripts, and the paths of the calls in the order they started.
#[derive(Debug, Default)]
pub(crate) struct Scripts {
    scripts: HashMap<PathUri, Script>,
    log: Mutex<Vec<(Call, PathUri)>>,
    hides_sizes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    Metadata,
    Read,
}

type Sandbox<'a> = Option<&'a FileSystemSandboxContext>;

impl Script {
    /// A file whose metadata tells its size.
    pub(crate) fn file(contents: &[u8]) -> Self {
        let metadata = FileMetadata::new(FileKind::File).with_size(Some(contents.len() as u64));
        Self {
            contents: Ok(contents.to_owned()),
            ..Self::with_metadata(Ok(metadata))
        }
    }

    /// Something that is no file.
    pub(crate) fn kind(kind: FileKind) -> Self {
        let contents = Err(match kind {
            FileKind::Directory => io::ErrorKind::IsADirectory,
            _ => io::ErrorKind::InvalidInput,
        });
        Self {
            contents,
            ..Self::with_metadata(Ok(FileMetadata::new(kind)))
        }
    }

    /// A path of which nothing can be had.
    pub(crate) fn failing(kind: io::ErrorKind) -> Self {
        Self {
            contents: Err(kind),
            ..Self::with_metadata(Err(kind))
        }
    }

    /// The same file, with metadata that tells this size.
    pub(crate) fn claiming(mut self, size: Option<u64>) -> Self {
        self.metadata = self.metadata.map(|metadata| metadata.with_size(size));
        self
    }

    /// The same file, whose reads fail.
    pub(crate) fn unreadable(mut self, kind: io::ErrorKind) -> Self {
        self.contents = Err(kind);
        self
    }

    /// The same path, answering late.
    pub(crate) fn delayed(mut self, metadata_delay: Duration, read_delay: Duration) -> Self {
        self.metadata_delay = metadata_delay;
        self.read_delay = read_delay;
        self
    }

    fn with_metadata(metadata: Result<FileMetadata, io::ErrorKind>) -> Self {
        let contents = Err(io::ErrorKind::NotFound);
        let (metadata_delay, read_delay) = (Duration::ZERO, Duration::ZERO);
        Self {
            metadata,
            contents,
            metadata_delay,
            read_delay,
        }
    }
}

pub(crate) fn scripted(scripts: impl IntoIterator<Item = (PathUri, Script)>) -> Scripted {
    let scripts = Scripts {
        scripts: scripts.into_iter().collect(),
        ..Scripts::default()
    };
    Altered::new(Forbidden, scripts)
}

/// The same, whose bounded reads do not tell how long the file is.
pub(crate) fn scripted_hiding_sizes(
    scripts: impl IntoIterator<Item = (PathUri, Script)>,
) -> Scripted {
    let scripts = Scripts {
        scripts: scripts.into_iter().collect(),
        hides_sizes: true,
        ..Scripts::default()
    };
    Altered::new(Forbidden, scripts)
}

impl Scripts {
    /// The calls so far.
    pub(crate) fn log(&self) -> Vec<(Call, PathUri)> {
        self.log.lock().unwrap().clone()
    }

    fn answer<'a, T: Send + 'a>(
        &'a self,
        call: Call,
        path: &'a PathUri,
        of: impl Fn(&Script) -> (Duration, Result<T, io::ErrorKind>) + Send + 'a,
    ) -> FileSystemFuture<'a, T> {
        Box::pin(async move {
            self.log.lock().unwrap().push((call, path.clone()));
            let Some(script) = self.scripts.get(path) else {
                return Err(io::ErrorKind::NotFound.into());
            };
            let (delay, answer) = of(script);
            if !delay.is_zero() {
                tokio::time::sleep(delay).await;
            }
            Ok(answer?)
        })
    }
}

impl Alteration for Scripts {
    fn get_metadata<'a>(
        &'a self,
        _: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FileMetadata> {
        assert_eq!(sandbox, None);
        self.answer(Call::Metadata, path, |script| {
            (script.metadata_delay, script.metadata.clone())
        })
    }

    fn read_file<'a>(
        &'a self,
        _: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        assert_eq!(sandbox, None);
        self.answer(Call::Read, path, |script| {
            (script.read_delay, script.contents.clone())
        })
    }

    fn read_file_prefix<'a>(
        &'a self,
        _: &'a dyn ExecutorFileSystem,
        path: &'a PathUri,
        max_bytes: u64,
        _size_hint: Option<u64>,
        sandbox: Sandbox<'a>,
    ) -> FileSystemFuture<'a, FilePrefix> {
        assert_eq!(sandbox, None);
        self.answer(Call::Read, path, move |script| {
            let prefix = script.contents.clone().map(|mut bytes| {
                let size = bytes.len();
                bytes.truncate(usize::try_from(max_bytes).unwrap());
                let is_complete = bytes.len() == size;
                let size = Some(size as u64).filter(|_| !self.hides_sizes);
                FilePrefix::new(bytes, is_complete).with_size(size)
            });
            (script.read_delay, prefix)
        })
    }
}
