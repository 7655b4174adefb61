//! How many bytes of project documents one environment may still contribute, and which reads that
//! admits.
//!
//! Pure arithmetic. A read in flight *reserves* the size its metadata gave, and another read is
//! admitted only while something is left beside all reservations. With sizes that do not change
//! between metadata and read, exactly the reads of the serial algorithm are admitted, in any
//! window: the document that spends the last byte is the last that is read.

/// What is left of an environment's budget, and what reads in flight may still claim of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    remaining: u64,
    reserved: u64,
}

/// The claim of one read in flight. Not `Clone`: it is given back once.
#[derive(Debug)]
pub(crate) struct Reservation(u64);

impl Budget {
    /// A budget of so many bytes.
    pub(crate) fn new(max_bytes: u64) -> Self {
        Self {
            remaining: max_bytes,
            reserved: 0,
        }
    }

    /// Bytes not yet spent.
    pub(crate) fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Whether another document can still fit beside those being read.
    pub(crate) fn admits_another(&self) -> bool {
        self.remaining > self.reserved
    }

    /// Claims room for a document of this size. A document of unknown size may need all there is.
    ///
    /// A claim never exceeds what remains: more than everything admits no further read either
    /// way, and the sum cannot overflow.
    pub(crate) fn reserve(&mut self, size: Option<u64>) -> Reservation {
        let claim = size.unwrap_or(u64::MAX).min(self.remaining);
        self.reserved = self.reserved.saturating_add(claim);
        Reservation(claim)
    }

    /// Gives a claim back, before the document it was for is judged.
    pub(crate) fn release(&mut self, Reservation(claim): Reservation) {
        self.reserved = self.reserved.saturating_sub(claim);
    }

    /// Takes off what a kept document costs; at most what remains.
    pub(crate) fn spend(&mut self, bytes: u64) {
        self.remaining = self.remaining.saturating_sub(bytes);
    }
}
