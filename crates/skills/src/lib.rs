//! x
mod diagnostics;
mod frontmatter;
mod limits;
mod metadata;
mod options;
mod roots;
mod sidecar;
mod text;
mod yaml;
pub use diagnostics::*;
pub use limits::*;
pub use metadata::*;
pub use options::*;
pub use roots::*;
