//! From results to text: tables, JSON, findings. Pure, no I/O.

pub(crate) mod catalog;
pub(crate) mod causes;
pub(crate) mod escape;
pub(crate) mod facts;
pub(crate) mod finding;
pub(crate) mod json;
pub(crate) mod project_root;
pub(crate) mod table;
pub(crate) mod text;
pub(crate) mod trace;
pub(crate) mod words;
