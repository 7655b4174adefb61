//! Laws of the memory filesystem over generated trees, on both flavors.

use std::io::ErrorKind;

use codex_file_system::{ExecutorFileSystem, FileKind};
use codex_file_system_testkit::arb::trees_with_modes;
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use proptest::prelude::*;

use crate::support::{Operation, Told, now, operations, tell, uri};

/// A tree of either flavor on a filesystem, its base, and the paths worth asking for.
fn planted() -> impl Strategy<Value = (MemoryFileSystem, PathUri, Vec<PathUri>)> {
    let on = |flavor, base: &'static str| {
        trees_with_modes(flavor).prop_map(move |tree| {
            let fs = MemoryFileSystem::from_tree(flavor, tree.literal()).unwrap();
            let paths = tree.uris(&uri(base));
            (fs, uri(base), paths)
        })
    };
    prop_oneof![
        on(Flavor::Posix, "file:///"),
        on(Flavor::Windows, "file:///C:/")
    ]
}

/// All that is told of these paths.
fn state(fs: &MemoryFileSystem, base: &PathUri, paths: &[PathUri]) -> Vec<Told> {
    paths.iter().map(|path| tell(fs, base, path)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_entry_is_listed_exactly_when_it_can_be_reached((fs, _, paths) in planted()) {
        for path in &paths {
            let Some((parent, name)) = path.parent().zip(path.file_name()) else { continue };
            let Ok(listing) = now(fs.read_directory(&parent, None)) else { continue };
            let listed = listing.iter().find(|entry| entry.file_name == name);
            match (now(fs.get_metadata(path, None)), listed) {
                (Ok(metadata), Some(entry)) => {
                    prop_assert_eq!(metadata.kind, entry.kind);
                    prop_assert_eq!(metadata.is_symlink, entry.is_symlink);
                }
                // A directory that is not searchable still tells the names it holds.
                (Err(kind), Some(_)) => prop_assert_eq!(kind, ErrorKind::PermissionDenied),
                (metadata, None) => prop_assert!(metadata.is_err()),
            }
        }
    }

    #[test]
    fn a_listing_is_sorted_and_names_nothing_twice((fs, _, paths) in planted()) {
        for path in &paths {
            let Ok(listing) = now(fs.read_directory(path, None)) else { continue };
            prop_assert!(listing.is_sorted_by(|one, next| one.file_name < next.file_name));
        }
    }

    #[test]
    fn a_canonical_path_is_the_same_entry_without_links((fs, _, paths) in planted()) {
        for path in &paths {
            let metadata = now(fs.get_metadata(path, None));
            let canonical = match now(fs.canonicalize(path, None)) {
                Ok(canonical) => canonical,
                Err(kind) => {
                    prop_assert_eq!(metadata, Err(kind));
                    continue;
                }
            };
            prop_assert_eq!(now(fs.canonicalize(&canonical, None)), Ok(canonical.clone()));
            let plain = metadata.map(|metadata| metadata.with_is_symlink(Some(false)));
            prop_assert_eq!(now(fs.get_metadata(&canonical, None)), plain);
            prop_assert_eq!(
                now(fs.read_file(&canonical, None)),
                now(fs.read_file(path, None))
            );
        }
    }

    #[test]
    fn the_kind_says_which_calls_make_sense((fs, _, paths) in planted()) {
        for path in &paths {
            let read = now(fs.read_file(path, None)).map(drop);
            let list = now(fs.read_directory(path, None)).map(drop);
            let denied = Err(ErrorKind::PermissionDenied);
            match now(fs.get_metadata(path, None)).map(|metadata| metadata.kind) {
                Ok(FileKind::File) => {
                    prop_assert!(read == Ok(()) || read == denied);
                    prop_assert_eq!(list, Err(ErrorKind::NotADirectory));
                }
                Ok(FileKind::Directory) => {
                    prop_assert_eq!(read, Err(ErrorKind::IsADirectory));
                    prop_assert!(list == Ok(()) || list == denied);
                }
                Ok(FileKind::Other) => {
                    prop_assert_eq!(read, Err(ErrorKind::InvalidInput));
                    prop_assert_eq!(list, Err(ErrorKind::NotADirectory));
                }
                Err(kind) => prop_assert_eq!((read, list), (Err(kind), Err(kind))),
            }
        }
    }

    #[test]
    fn a_refused_call_changes_nothing(
        (fs, base, paths) in planted(),
        operations in prop::collection::vec(operations(), 1..6),
    ) {
        for operation in operations {
            let before = state(&fs, &base, &paths);
            // Directories created on the way to a refusal may stay.
            let may_leave_parents = matches!(operation, Operation::Create(_, _));
            if operation.apply(&fs, &paths).is_err() && !may_leave_parents {
                prop_assert_eq!(state(&fs, &base, &paths), before);
            }
        }
    }

    #[test]
    fn what_was_written_is_read(
        (fs, _, paths) in planted(),
        at in any::<prop::sample::Index>(),
        contents in prop::collection::vec(any::<u8>(), 0..50),
    ) {
        prop_assume!(!paths.is_empty());
        let path = at.get(&paths);
        let writing = fs.write_file(path, contents.clone(), None);
        if now(writing).is_ok() {
            let read = now(fs.read_file(path, None));
            prop_assert!(read == Ok(contents) || read == Err(ErrorKind::PermissionDenied));
        }
    }
}
