//! What is answered.

use bytes::{Buf, Bytes};

use super::{
    Attributes, LIMITS_EXTENSION, Malformed, kind, take_text, take_u8, take_u32, take_u64,
};

/// Codes of a status.
pub(crate) mod code {
    pub(crate) const OK: u32 = 0;
    pub(crate) const END_OF_FILE: u32 = 1;
    pub(crate) const NO_SUCH_FILE: u32 = 2;
    pub(crate) const PERMISSION_DENIED: u32 = 3;
    pub(crate) const FAILURE: u32 = 4;
    pub(crate) const BAD_MESSAGE: u32 = 5;
    pub(crate) const NO_CONNECTION: u32 = 6;
    pub(crate) const CONNECTION_LOST: u32 = 7;
    pub(crate) const UNSUPPORTED: u32 = 8;
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    /// How a request ended that has no other answer.
    Status { code: u32, message: Bytes },
    /// An open file or directory.
    Handle(Bytes),
    /// Bytes of a file.
    Data(Bytes),
    /// Names, of a directory or of one path.
    Names(Vec<Name>),
    /// What is known of a file.
    Attributes(Attributes),
    /// The answer of an extension.
    Extended(Bytes),
}

/// A name and what the server says of it, links not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) name: Bytes,
    pub(crate) attributes: Attributes,
}

/// The server's first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) number: u32,
    pub(crate) tells_limits: bool,
}

/// Most bytes of a file in one message; `None` where the server leaves it open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub(crate) read: Option<u64>,
    pub(crate) write: Option<u64>,
}

impl Reply {
    /// Takes the id off a message that follows its length, and says what the rest is.
    pub(crate) fn decode(mut message: Bytes) -> Result<(u32, Result<Self, Malformed>), Malformed> {
        let kind = take_u8(&mut message)?;
        let id = take_u32(&mut message)?;
        Ok((id, Self::of_kind(kind, &mut message)))
    }

    fn of_kind(kind: u8, body: &mut Bytes) -> Result<Self, Malformed> {
        match kind {
            kind::STATUS => Ok(Reply::Status {
                code: take_u32(body)?,
                // Servers from before the draft send the code alone.
                message: take_text(body).unwrap_or_default(),
            }),
            kind::HANDLE => Ok(Reply::Handle(take_text(body)?)),
            kind::DATA => Ok(Reply::Data(take_text(body)?)),
            kind::NAME => {
                let count = take_u32(body)?;
                let names = (0..count).map(|_| Name::take(body));
                Ok(Reply::Names(names.collect::<Result<_, _>>()?))
            }
            kind::ATTRS => Ok(Reply::Attributes(Attributes::take(body)?)),
            kind::EXTENDED_REPLY => Ok(Reply::Extended(body.split_off(0))),
            _ => Err(Malformed("its type is unknown")),
        }
    }
}

impl Name {
    fn take(body: &mut Bytes) -> Result<Self, Malformed> {
        // A copy, as a listing that is kept must not keep the lines for people, too.
        let name = Bytes::copy_from_slice(&take_text(body)?);
        // A line for people, in no fixed form.
        take_text(body)?;
        let attributes = Attributes::take(body)?;
        Ok(Self { name, attributes })
    }
}

impl Version {
    /// Reads the first message of a server.
    pub(crate) fn decode(mut message: Bytes) -> Result<Self, Malformed> {
        if take_u8(&mut message)? != kind::VERSION {
            return Err(Malformed("the first message is no version"));
        }
        let number = take_u32(&mut message)?;
        let mut tells_limits = false;
        while message.has_remaining() {
            tells_limits |= take_text(&mut message)? == LIMITS_EXTENSION;
            take_text(&mut message)?;
        }
        Ok(Self {
            number,
            tells_limits,
        })
    }
}

impl Limits {
    /// Reads the answer of the extension.
    pub(crate) fn decode(mut body: Bytes) -> Result<Self, Malformed> {
        take_u64(&mut body)?;
        let mut limit = || Ok::<_, Malformed>(Some(take_u64(&mut body)?).filter(|&n| n > 0));
        Ok(Self {
            read: limit()?,
            write: limit()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A message of this type, under id 7.
    fn message(kind: u8, body: &[u8]) -> Bytes {
        [&[kind, 0, 0, 0, 7][..], body].concat().into()
    }

    #[test]
    fn extended_attributes_do_not_hide_what_comes_behind_them() {
        let mut body = vec![0, 0, 0, 2];
        for name in [b"a", b"b"] {
            body.extend([0, 0, 0, 1, name[0], 0, 0, 0, 0]);
            body.extend([0x80, 0, 0, 4, 0, 0, 0x41, 0xED]);
            body.extend([0, 0, 0, 1, 0, 0, 0, 1, b'k', 0, 0, 0, 1, b'v']);
        }
        let (id, reply) = Reply::decode(message(kind::NAME, &body)).expect("an id");
        let name = |name: &'static [u8]| Name {
            name: Bytes::from_static(name),
            attributes: Attributes {
                permissions: Some(0o040_755),
                ..Attributes::default()
            },
        };
        assert_eq!(
            (id, reply),
            (7, Ok(Reply::Names(vec![name(b"a"), name(b"b")])))
        );
    }

    #[test]
    fn a_status_may_be_a_code_alone() {
        let (_, reply) = Reply::decode(message(kind::STATUS, &[0, 0, 0, 2])).expect("an id");
        let expected = Reply::Status {
            code: code::NO_SUCH_FILE,
            message: Bytes::new(),
        };
        assert_eq!(reply, Ok(expected));
    }

    proptest! {
        #[test]
        fn no_message_makes_a_decoder_panic(
            kind in prop_oneof![101_u8..=105, Just(kind::EXTENDED_REPLY), any::<u8>()],
            body in proptest::collection::vec(any::<u8>(), 0..64),
        ) {
            let whole = message(kind, &body);
            let _ = Reply::decode(whole.clone());
            let _ = Version::decode(whole.slice(..1).into_iter().chain(body.clone()).collect());
            let _ = Limits::decode(body.into());
        }
    }
}
