//! From the text of a manifest to what it declares.

mod error;

pub use error::{ManifestError, ManifestProblem};
