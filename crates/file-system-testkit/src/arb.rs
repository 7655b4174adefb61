//! Proptest strategies for everything the filesystem crates take: names, paths, trees, marker
//! lists, latencies and faults.
//!
//! Values are drawn from small pools as well as from the whole range, so that generated paths
//! often meet generated trees.
//!
//! # Examples
//! ```
//! use codex_file_system_testkit::{Flavor, MemoryFileSystem, arb};
//! use proptest::prelude::*;
//!
//! proptest!(|(tree in arb::trees(Flavor::Posix))| {
//!     let memory = MemoryFileSystem::from_tree(Flavor::Posix, tree.literal());
//!     prop_assert!(memory.is_ok());
//! });
//! ```

mod name;
mod search;
mod tree;
mod uri;

pub use name::names;
pub use search::{faults, latencies, marker_lists};
pub use tree::{ArbTree, trees, trees_with_modes};
pub use uri::uris;
