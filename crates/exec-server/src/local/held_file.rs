//! Files of this host that stay open behind a handle.
//!
//! An open file stays the file it is, whatever happens to its name, and its blocks are read and
//! written where they are. Each operation is one job of the workers.

use std::fs::File;
use std::io;
use std::sync::Arc;

use super::workers::Workers;
use crate::protocol::push_base64;
use crate::server::handles::{FileFuture, OpenFile};

/// How much of a block is read before it is encoded: small enough to be in the cache by then, and a
/// multiple of three, so that the encoded pieces make up the encoded whole.
const PIECE_BYTES: usize = 48 * 1024;

/// A file that is open to be read or to be written.
pub(crate) struct HeldFile {
    file: Arc<File>,
    workers: Workers,
}

impl HeldFile {
    pub(crate) fn new(file: File, workers: Workers) -> Self {
        let file = Arc::new(file);
        Self { file, workers }
    }
}

impl OpenFile for HeldFile {
    fn read_at(
        &self,
        offset: u64,
        len: usize,
        mut text: String,
    ) -> FileFuture<'_, (String, usize)> {
        let file = Arc::clone(&self.file);
        Box::pin(self.workers.run(move || {
            let mut piece = vec![0; len.min(PIECE_BYTES)];
            let mut read = 0;
            while read < len {
                let wanted = piece.get_mut(..PIECE_BYTES.min(len - read));
                let wanted = wanted.unwrap_or_default();
                let filled = fill(&file, wanted, offset.saturating_add(read as u64))?;
                push_base64(wanted.get(..filled).unwrap_or_default(), &mut text);
                read += filled;
                if filled < wanted.len() {
                    break;
                }
            }
            Ok((text, read))
        }))
    }

    fn write_at(&self, offset: u64, bytes: Vec<u8>) -> FileFuture<'_, ()> {
        let file = Arc::clone(&self.file);
        Box::pin(self.workers.run(move || {
            let mut written = 0;
            while let Some(rest) = bytes.get(written..).filter(|rest| !rest.is_empty()) {
                let offset = offset.saturating_add(written as u64);
                match positioned::write(&file, rest, offset) {
                    Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                    Ok(more) => written += more,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        }))
    }
}

/// Fills `bytes` from `offset` on, as far as the file goes; says how far.
fn fill(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match positioned::read(file, rest, offset.saturating_add(filled as u64)) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Reading and writing where the caller says, whatever others do with the same file.
mod positioned {
    use std::fs::File;
    use std::io;

    #[cfg(unix)]
    pub(super) fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        // What lies past the last byte that the system can count is past the end of every file.
        match i64::try_from(offset.saturating_add(bytes.len() as u64)) {
            Ok(_) => file.read_at(bytes, offset),
            Err(_) => Ok(0),
        }
    }

    #[cfg(unix)]
    pub(super) fn write(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        use std::os::unix::fs::FileExt as _;
        file.write_at(bytes, offset)
    }

    #[cfg(windows)]
    pub(super) fn read(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        use std::os::windows::fs::FileExt as _;
        file.seek_read(bytes, offset)
    }

    #[cfg(windows)]
    pub(super) fn write(file: &File, bytes: &[u8], offset: u64) -> io::Result<usize> {
        use std::os::windows::fs::FileExt as _;
        file.seek_write(bytes, offset)
    }
}
