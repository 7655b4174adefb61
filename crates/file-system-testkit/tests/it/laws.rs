//! Laws of the memory filesystem over generated trees, on both flavors.

use std::fmt;
use std::io::ErrorKind;

use codex_file_system::{ExecutorFileSystem, FileKind};
use codex_file_system_testkit::arb::{ArbTree, trees_with_modes};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use proptest::prelude::*;

use crate::support::{Operation, Told, now, operations, tell, uri};

/// A generated tree on a filesystem, and the paths worth asking for.
struct Planted {
    tree: ArbTree,
    fs: MemoryFileSystem,
    base: PathUri,
    paths: Vec<PathUri>,
}

impl fmt::Debug for Planted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.fs, self.tree)
    }
}

impl Planted {
    /// All that is told of the paths.
    fn state(&self) -> Vec<Told> {
        self.paths
            .iter()
            .map(|path| tell(&self.fs, &self.base, path))
            .collect()
    }
}

/// A tree of either flavor.
fn planted() -> impl Strategy<Value = Planted> {
    let on = |flavor, base: &'static str| {
        trees_with_modes(flavor).prop_map(move |tree| {
            let fs = MemoryFileSystem::from_tree(flavor, tree.literal()).unwrap();
            let base = uri(base);
            let paths = tree.uris(&base);
            Planted {
                tree,
                fs,
                base,
                paths,
            }
        })
    };
    prop_oneof![
        on(Flavor::Posix, "file:///"),
        on(Flavor::Windows, "file:///C:/")
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_listing_says_which_entries_can_be_reached(planted in planted()) {
        for path in &planted.paths {
            let Some((parent, name)) = path.parent().zip(path.file_name()) else { continue };
            let Ok(listing) = now(planted.fs.read_directory(&parent, None)) else { continue };
            let listed = listing.iter().find(|entry| entry.file_name == name);
            match (now(planted.fs.get_metadata(path, None)), listed) {
                (Ok(metadata), Some(entry)) => {
                    prop_assert_eq!(metadata.kind, entry.kind);
                    prop_assert_eq!(metadata.is_symlink, entry.is_symlink);
                }
                (Err(_), Some(entry)) if entry.kind == FileKind::BrokenLink => {
                    prop_assert_eq!(entry.is_symlink, Some(true));
                }
                // A directory that is not searchable still tells the names it holds.
                (Err(kind), Some(_)) => prop_assert_eq!(kind, ErrorKind::PermissionDenied),
                (metadata, None) => prop_assert!(metadata.is_err()),
            }
        }
    }

    #[test]
    fn a_listing_is_sorted_and_names_nothing_twice(planted in planted()) {
        for path in &planted.paths {
            let Ok(listing) = now(planted.fs.read_directory(path, None)) else { continue };
            prop_assert!(listing.is_sorted_by(|one, next| one.file_name < next.file_name));
        }
    }

    #[test]
    fn a_canonical_path_is_the_same_entry_without_links(planted in planted()) {
        for path in &planted.paths {
            let metadata = now(planted.fs.get_metadata(path, None));
            let canonical = match now(planted.fs.canonicalize(path, None)) {
                Ok(canonical) => canonical,
                Err(kind) => {
                    prop_assert_eq!(metadata, Err(kind));
                    continue;
                }
            };
            prop_assert_eq!(now(planted.fs.canonicalize(&canonical, None)), Ok(canonical.clone()));
            let plain = metadata.map(|metadata| metadata.with_is_symlink(Some(false)));
            prop_assert_eq!(now(planted.fs.get_metadata(&canonical, None)), plain);
            prop_assert_eq!(
                now(planted.fs.read_file(&canonical, None)),
                now(planted.fs.read_file(path, None))
            );
        }
    }

    #[test]
    fn the_kind_says_which_calls_make_sense(planted in planted()) {
        for path in &planted.paths {
            let read = now(planted.fs.read_file(path, None)).map(drop);
            let list = now(planted.fs.read_directory(path, None)).map(drop);
            let denied = Err(ErrorKind::PermissionDenied);
            match now(planted.fs.get_metadata(path, None)).map(|metadata| metadata.kind) {
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
                Ok(FileKind::BrokenLink) => prop_assert!(false, "only a listing says this"),
                Err(kind) => prop_assert_eq!((read, list), (Err(kind), Err(kind))),
            }
        }
    }

    #[test]
    fn a_refused_call_changes_nothing(
        planted in planted(),
        operations in prop::collection::vec(operations(), 1..6),
    ) {
        for operation in operations {
            let before = planted.state();
            // Directories created on the way to a refusal may stay.
            let may_leave_parents = matches!(operation, Operation::Create(_, _));
            if operation.apply(&planted.fs, &planted.paths).is_err() && !may_leave_parents {
                prop_assert_eq!(planted.state(), before);
            }
        }
    }

    #[test]
    fn what_was_written_is_read(
        planted in planted(),
        at in any::<prop::sample::Index>(),
        contents in prop::collection::vec(any::<u8>(), 0..50),
    ) {
        prop_assume!(!planted.paths.is_empty());
        let path = at.get(&planted.paths);
        let writing = planted.fs.write_file(path, contents.clone(), None);
        if now(writing).is_ok() {
            let read = now(planted.fs.read_file(path, None));
            prop_assert!(read == Ok(contents) || read == Err(ErrorKind::PermissionDenied));
        }
    }
}
