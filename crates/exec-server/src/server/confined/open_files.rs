//! Files of a confinement behind the handles of a server.
//!
//! A file is found as every other call finds it, and then held open: what it is cannot be swapped
//! any more, and a block of it is read where it is.

use std::io;
use std::sync::Arc;

use codex_path_uri::PathUri;

use super::{ConfinedFileSystem, read};
use crate::local::{HeldFile, Workers};
use crate::protocol::OpenMode;
use crate::server::handles::{FileFuture, OpenFile, OpenFiles};
use crate::server::{Server, ServerOptions};

impl Server {
    /// Serves some directories of this machine, with open files behind the handles that read.
    /// Files cannot be opened to be replaced.
    pub fn confined(filesystem: ConfinedFileSystem, options: ServerOptions) -> Self {
        let files = ConfinedFiles {
            filesystem: filesystem.clone(),
            workers: Workers::default(),
        };
        Self::with_open_files(Arc::new(filesystem), Arc::new(files), options)
    }
}

struct ConfinedFiles {
    filesystem: ConfinedFileSystem,
    workers: Workers,
}

impl OpenFiles for ConfinedFiles {
    fn open<'a>(&'a self, path: &'a PathUri, mode: OpenMode) -> FileFuture<'a, Arc<dyn OpenFile>> {
        Box::pin(async move {
            if mode == OpenMode::Replace {
                let message = "files of a confinement cannot be opened to be replaced";
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
            let path = path.clone();
            let opened = self.filesystem.run(move |roots| read::opened(roots, &path));
            let (file, _) = opened.await?;
            let file = HeldFile::new(file.into_std(), self.workers.clone());
            let file: Arc<dyn OpenFile> = Arc::new(file);
            Ok(file)
        })
    }
}
