//! Numbers and strings, in the encoding of `russh-sftp`.

use std::fmt;

use bytes::{Buf, Bytes};
use serde::{Deserialize, Serialize, Serializer};

/// A message that does not hold what its type promises.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed message: {0}")]
pub(crate) struct Malformed(pub(super) String);

impl Malformed {
    pub(super) fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

/// A byte string, which SFTP uses for paths, names, handles and data alike.
pub(super) struct Text<'a>(pub(super) &'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// The encoding of a sequence of values.
pub(super) fn encoded(values: &impl Serialize) -> Result<Bytes, Malformed> {
    russh_sftp::ser::to_bytes(values).map_err(Malformed::new)
}

/// Takes a number off the front.
pub(super) fn take<T>(body: &mut Bytes) -> Result<T, Malformed>
where
    T: for<'de> Deserialize<'de>,
{
    russh_sftp::de::from_bytes(body).map_err(Malformed::new)
}

/// Takes a byte string off the front, without copying it.
pub(super) fn take_text(body: &mut Bytes) -> Result<Bytes, Malformed> {
    let length = take::<u32>(body)?;
    match usize::try_from(length) {
        Ok(length) if length <= body.remaining() => Ok(body.split_to(length)),
        _ => Err(Malformed::new("a string is longer than its message")),
    }
}
