//! The bytes of a file in a reply, decoded straight from the message into where they belong.

use std::borrow::Cow;
use std::io;

use super::call::{Caller, ReplyTo};
use crate::envelope::LongText;
use crate::protocol::{Method, ReadBlock, ReadFile, append_decoded, decode_result};

/// A method whose result is bytes in base64.
pub(super) trait Content: Method {
    /// How a result begins in which the base64 comes first.
    const HEAD: &'static str;

    /// The base64 of a result.
    fn base64<'r>(result: Self::Result<'r>) -> Cow<'r, str>;
}

impl Content for ReadFile {
    const HEAD: &'static str = r#"{"dataBase64":""#;

    fn base64<'r>(result: Self::Result<'r>) -> Cow<'r, str> {
        result.data_base64
    }
}

impl Content for ReadBlock {
    const HEAD: &'static str = r#"{"chunk":""#;

    fn base64<'r>(result: Self::Result<'r>) -> Cow<'r, str> {
        result.chunk
    }
}

impl<M: Content> ReplyTo<M> {
    /// Appends the bytes that the reply holds, at most so many, and tells how many it holds: a
    /// reply may hold more than anybody asked for.
    ///
    /// # Errors
    /// `InvalidData` if it has another shape or is no base64.
    pub(super) fn append_content(
        &self,
        caller: &Caller<'_>,
        most: u64,
        bytes: &mut Vec<u8>,
    ) -> io::Result<u64> {
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let decoded = match long_base64::<M>(self.result()) {
            Some(base64) => append_decoded(base64, most, bytes),
            None => append_decoded(M::base64(self.decode(caller)?).as_bytes(), most, bytes),
        };
        let length = decoded.map_err(|error| caller.misshapen::<M>(error))?;
        Ok(length as u64)
    }
}

/// The base64 of a result that begins with it, if there is much of it.
fn long_base64<M: Content>(result: &[u8]) -> Option<&[u8]> {
    let long = LongText::find(result).filter(|long| long.before == M::HEAD.as_bytes())?;
    let rest = long.without_text();
    let is_result = decode_result::<M>(std::str::from_utf8(&rest).ok()?).is_ok();
    is_result.then_some(long.text)
}
