//! Numbers and strings, read and written by hand.

/// Takes values off the front of a message.
pub(super) struct Message<'a>(pub(super) &'a [u8]);

impl<'a> Message<'a> {
    pub(super) fn bytes(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    pub(super) fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    pub(super) fn number(&mut self) -> u32 {
        u32::from_be_bytes(self.bytes(4).try_into().unwrap())
    }

    pub(super) fn long(&mut self) -> u64 {
        u64::from_be_bytes(self.bytes(8).try_into().unwrap())
    }

    pub(super) fn text(&mut self) -> &'a [u8] {
        let length = self.number() as usize;
        self.bytes(length)
    }
}

/// Writes an answer.
pub(super) struct Answer(Vec<u8>);

impl Answer {
    pub(super) fn new(kind: u8, id: u32) -> Self {
        Self(vec![kind]).number(id)
    }

    pub(super) fn number(mut self, number: u32) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    pub(super) fn long(mut self, number: u64) -> Self {
        self.0.extend(number.to_be_bytes());
        self
    }

    pub(super) fn text(self, text: &[u8]) -> Self {
        let mut answer = self.number(text.len() as u32);
        answer.0.extend(text);
        answer
    }

    /// The message behind its length.
    pub(super) fn framed(self) -> Vec<u8> {
        [&(self.0.len() as u32).to_be_bytes()[..], &self.0].concat()
    }
}
