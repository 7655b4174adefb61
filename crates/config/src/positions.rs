//! The place of every value of one parsed text.

/// Positions of a layer's values; empty for a layer that was not parsed from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions {}
