//! x
mod diagnostics;
mod frontmatter;
mod limits;
mod text;
mod yaml;
pub use diagnostics::*;
pub use limits::*;
