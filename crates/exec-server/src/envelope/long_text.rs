//! Messages that are mostly one long text.
//!
//! A file travels as megabytes of base64, and a general parser looks at each byte of it again and
//! again. Here the text is cut out, after one look at it, and the parser reads what is left as if
//! the text were empty. A text that is plain cannot make a sound message out of an unsound one or
//! the other way round; whatever is in doubt is left to the general parser.

use std::ops::Range;

use super::{Message, RequestId};

/// From how many bytes on a text is long.
const LONG_TEXT_BYTES: usize = 16 * 1024;
/// How many quotation marks may stand before it.
const MAX_QUOTES_BEFORE: usize = 16;

/// A message in three parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LongText<'a> {
    /// What stands before the text, its quotation mark included.
    pub(crate) before: &'a [u8],
    /// What stands between two quotation marks.
    pub(crate) text: &'a [u8],
    /// What stands behind it, from its quotation mark on.
    pub(crate) after: &'a [u8],
}

impl<'a> LongText<'a> {
    /// The first long text, if there is one near the beginning.
    pub(crate) fn find(message: &'a [u8]) -> Option<Self> {
        let mut start = 0;
        for quote in memchr::memchr_iter(b'"', message).take(MAX_QUOTES_BEFORE) {
            if quote - start >= LONG_TEXT_BYTES {
                return Some(Self {
                    before: message.get(..start)?,
                    text: message.get(start..quote)?,
                    after: message.get(quote..)?,
                });
            }
            start = quote + 1;
        }
        None
    }

    /// The message with an empty text. If the text stands between two others instead, this is no
    /// JSON.
    pub(crate) fn without_text(&self) -> Vec<u8> {
        [self.before, self.after].concat()
    }

    /// Whether the text means what it says: printable ASCII without an escape.
    fn is_plain(&self) -> bool {
        let bytes = self.text.iter();
        // Without an early end, many bytes are looked at at once.
        bytes.fold(true, |is_plain, byte| {
            is_plain & (0x20..0x7F).contains(byte) & (*byte != b'\\')
        })
    }
}

/// The id of a success whose result holds a long text, and where in the message the result is.
/// `None` says nothing: the message is one for the general parser.
pub(crate) fn long_success(message: &[u8]) -> Option<(RequestId, Range<usize>)> {
    let long = LongText::find(message).filter(LongText::is_plain)?;
    let rest = long.without_text();
    let Ok(Message::Success { id, result }) = Message::parse(&rest) else {
        return None;
    };
    let result = result.get().as_bytes();
    let start = result.as_ptr().addr() - rest.as_ptr().addr();
    let end = start + result.len();
    let is_inside = start < long.before.len() && long.before.len() < end;
    is_inside.then(|| (id, start..end + long.text.len()))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    /// What the fast and the general parser say of a message in which `@` stands for a long text.
    fn results(message: &str, text: &str) -> (Option<String>, Option<String>) {
        let message = message.replace('@', &text.repeat(LONG_TEXT_BYTES));
        let fast = long_success(message.as_bytes());
        let fast = fast.map(|(id, range)| format!("{id:?} {}", &message[range]));
        let slow = match Message::parse(message.as_bytes()) {
            Ok(Message::Success { id, result }) => Some(format!("{id:?} {}", result.get())),
            _ => None,
        };
        (fast, slow)
    }

    #[test]
    fn a_plain_long_text_is_found_wherever_it_stands_in_the_result() {
        for message in [
            r#"{"id":1,"result":{"dataBase64":"@"}}"#,
            r#"{ "result" : {"eof": true, "chunk": "@" } , "id" : "x" } "#,
            r#"{"id":1,"result":"@"}"#,
            r#"{"id":1,"result":["\"@", 1]}"#,
        ] {
            let (fast, slow) = results(message, "A");
            assert!(fast.is_some(), "{message}");
            assert_eq!(fast, slow, "{message}");
        }
    }

    #[test]
    fn what_is_no_success_around_a_plain_text_is_left_to_the_general_parser() {
        for (message, text) in [
            (r#"{"id":1,"result":{"a":"@"}"#, "A"),
            (r#"{"id":1,"result":{"a":"@"},"id":2}"#, "A"),
            (r#"{"id":1,"result":{"a":@,"b":1}}"#, "1"),
            (r#"{"id":1,"result":{"a":"@"}}"#, "\n"),
            (r#"{"id":1,"result":{"a":"@"}}"#, "\\n"),
            (r#"{"id":1,"result":{"a":"@"}}"#, "é"),
            (r#"{"id":1,"result":{},"more":"@"}"#, "A"),
            (r#"{"id":1,"error":{"code":1,"message":"@"}}"#, "A"),
            (r#"{"id":1,"result":{"a":"short"}}"#, "A"),
        ] {
            assert_eq!(results(message, text).0, None, "{message}");
        }
    }
}
