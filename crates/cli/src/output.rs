//! From results to text: tables, JSON, diagnostics. Pure, no I/O.

pub(crate) mod diagnostic;
pub(crate) mod escape;
pub(crate) mod json;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod words;
