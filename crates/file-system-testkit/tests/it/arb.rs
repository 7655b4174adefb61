//! The strategies keep what they promise.

use codex_file_system::FileKind;
use codex_file_system_testkit::arb::{
    faults, latencies, marker_lists, names, trees, trees_with_modes, uris,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use proptest::prelude::*;

use crate::support::{now, uri};
use codex_file_system::ExecutorFileSystem;
use std::time::Duration;

fn flavors() -> impl Strategy<Value = Flavor> {
    prop::sample::select(Flavor::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_path_is_of_its_flavor_and_never_refused_by_it(
        (flavor, path) in flavors().prop_flat_map(|flavor| (Just(flavor), uris(flavor))),
    ) {
        prop_assert_eq!(path.convention(), Some(flavor.convention()));
        let fs = MemoryFileSystem::from_tree(flavor, "").unwrap();
        let kind = now(fs.get_metadata(&path, None)).map(|metadata| metadata.kind);
        let is_root = path.lexical_depth() == Some(0);
        let expected = if is_root && kind.is_ok() {
            Ok(FileKind::Directory)
        } else {
            Err(std::io::ErrorKind::NotFound)
        };
        prop_assert_eq!(kind, expected);
    }

    #[test]
    fn a_tree_without_modes_is_reached_everywhere(
        (flavor, tree) in flavors().prop_flat_map(|flavor| (Just(flavor), trees(flavor))),
    ) {
        let fs = MemoryFileSystem::from_tree(flavor, tree.literal()).unwrap();
        let base = match flavor {
            Flavor::Posix => uri("file:///"),
            Flavor::Windows => uri("file:///C:/"),
        };
        for path in tree.uris(&base) {
            let answer = now(fs.get_metadata(&path, None)).map(drop);
            prop_assert_ne!(answer, Err(std::io::ErrorKind::PermissionDenied));
        }
    }

    #[test]
    fn names_and_trees_with_modes_are_planted(
        (flavor, name, tree) in flavors().prop_flat_map(|flavor| {
            (Just(flavor), names(flavor), trees_with_modes(flavor))
        }),
    ) {
        prop_assert_eq!(name.convention(), flavor.convention());
        prop_assert!(MemoryFileSystem::from_tree(flavor, tree.literal()).is_ok());
    }

    #[test]
    fn searches_get_lists_delays_and_faults_in_their_bounds(
        markers in marker_lists(),
        latency in latencies(),
        faults in faults(vec![uri("file:///a")]),
    ) {
        prop_assert!(markers.len() <= 4);
        prop_assert!(latency <= Duration::from_millis(100));
        prop_assert!(faults.len() <= 4);
    }
}
