//! What the default bodies make of the whole content of a file.

use std::io;

use crate::FilePrefix;

/// The content as text.
pub(crate) fn text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

/// At most the first `max_bytes` bytes of the content.
pub(crate) fn prefix(mut bytes: Vec<u8>, max_bytes: u64) -> FilePrefix {
    let size = bytes.len();
    bytes.truncate(usize::try_from(max_bytes).unwrap_or(usize::MAX));
    let is_complete = bytes.len() == size;
    FilePrefix::new(bytes, is_complete).with_size(Some(size as u64))
}
