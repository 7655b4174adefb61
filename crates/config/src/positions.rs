//! The place of every value of one parsed text.

use std::collections::BTreeMap;

use crate::TextPosition;

/// Positions of a layer's values, in the shape of its table; empty for a layer that was not
/// parsed from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions {
    /// The place of this value; absent for the whole text.
    pub(crate) value: Option<TextPosition>,
    pub(crate) entries: BTreeMap<String, Positions>,
    pub(crate) elements: Vec<Positions>,
}

impl Positions {
    /// The positions of the value at `key`, if the text has one there.
    pub(crate) fn at(&self, key: &[&str]) -> Option<&Positions> {
        key.iter()
            .try_fold(self, |here, segment| here.entries.get(*segment))
    }

    /// The place of element `index` of this value.
    pub(crate) fn element(&self, index: usize) -> Option<TextPosition> {
        self.elements.get(index)?.value
    }
}
