//! Strategies for paths.

use codex_path_uri::PathUri;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::arb::names;
use crate::flavor::Flavor;

/// Absolute paths of this flavor, from every kind of root, up to six names deep.
///
/// A Windows path ends with the first name that is not Unicode: nothing can be joined below it.
pub fn uris(flavor: Flavor) -> BoxedStrategy<PathUri> {
    let roots: &[&str] = match flavor {
        Flavor::Posix => &["/", "/C:"],
        Flavor::Windows => &[r"C:\", r"D:\", r"\\server\share"],
    };
    let roots: Vec<PathUri> = roots
        .iter()
        .filter_map(|root| PathUri::from_native(root, flavor.convention()).ok())
        .collect();
    (select(roots), vec(names(flavor), 0..=6))
        .prop_map(|(root, names)| {
            let mut path = root;
            for name in &names {
                match path.join_name(name) {
                    Ok(child) => path = child,
                    Err(_) => break,
                }
            }
            path
        })
        .boxed()
}
