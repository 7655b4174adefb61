//! Copies that could destroy something.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;

use codex_file_system::{CopyOptions, ExecutorFileSystem, LocalFileSystem, RemoveOptions};
use pretty_assertions::assert_eq;

use super::Scratch;
use crate::support::now;

impl Scratch {
    fn copy(&self, source: &str, destination: &str) -> Result<(), ErrorKind> {
        let options = CopyOptions { recursive: true };
        let (source, destination) = (self.uri(source), self.uri(destination));
        let copy = LocalFileSystem::inline();
        now(copy.copy(&source, &destination, options, None)).map_err(|error| error.kind())
    }

    fn text(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }
}

#[test]
fn a_file_copied_onto_itself_keeps_its_content() {
    let scratch = Scratch::new("/a = hello\n/d -> .");
    fs::hard_link(scratch.path("a"), scratch.path("twin")).unwrap();
    for destination in ["a", "d/a", "twin"] {
        assert_eq!(scratch.copy("a", destination), Ok(()));
        assert_eq!(scratch.text("a"), "hello", "{destination}");
    }
}

#[test]
fn a_link_at_the_destination_is_replaced_and_its_target_kept() {
    let scratch = Scratch::new("/a = new\n/precious = old\n/l -> precious\n/gone -> nowhere");
    for destination in ["l", "gone"] {
        assert_eq!(scratch.copy("a", destination), Ok(()));
        assert!(!scratch.path(destination).is_symlink());
        assert_eq!(scratch.text(destination), "new");
    }
    assert_eq!(scratch.text("precious"), "old");
    assert!(!scratch.path("nowhere").exists());
}

#[test]
fn a_link_is_copied_as_a_link_onto_anything_but_a_directory() {
    let scratch = Scratch::new("/l -> target\n/file = x\n/link -> file\n/d/");
    for destination in ["new", "file", "link"] {
        assert_eq!(scratch.copy("l", destination), Ok(()));
        assert_eq!(
            fs::read_link(scratch.path(destination)).unwrap().to_str(),
            Some("target")
        );
    }
    assert_eq!(scratch.copy("l", "d"), Err(ErrorKind::IsADirectory));
}

#[test]
fn a_directory_is_merged_into_one_that_exists() {
    let scratch = Scratch::new("/a/x = new\n/a/sub/y = y\n/b/x = old\n/b/z = z\n/b/sub/w = w");
    assert_eq!(scratch.copy("a", "b"), Ok(()));
    let texts = ["b/x", "b/z", "b/sub/y", "b/sub/w"].map(|below| scratch.text(below));
    assert_eq!(texts, ["new", "z", "y", "w"]);
}

#[test]
fn a_directory_does_not_replace_a_file_or_a_link() {
    let scratch = Scratch::new("/a/x = x\n/file = x\n/d/\n/l -> d");
    for destination in ["file", "l"] {
        assert_eq!(
            scratch.copy("a", destination),
            Err(ErrorKind::AlreadyExists)
        );
    }
    assert!(!scratch.path("d/x").exists());
}

#[test]
fn a_directory_is_not_copied_below_itself_through_a_link() {
    let scratch = Scratch::new("/a/b/\n/way -> a/b");
    for destination in ["a", "a/c", "way/c"] {
        assert_eq!(
            scratch.copy("a", destination),
            Err(ErrorKind::InvalidInput),
            "{destination}"
        );
    }
}

#[test]
fn links_below_a_directory_are_copied_and_not_followed() {
    let scratch = Scratch::new("/a/l -> ../big\n/a/gone -> nowhere\n/big/x = x");
    assert_eq!(scratch.copy("a", "b"), Ok(()));
    assert!(scratch.path("b/l").is_symlink() && scratch.path("b/gone").is_symlink());
}

#[test]
fn a_copied_directory_keeps_the_permissions_it_could_not_have_been_filled_with() {
    let scratch = Scratch::new("/a/x = x\n/a/ !500");
    assert_eq!(scratch.copy("a", "b"), Ok(()));
    let mode = fs::metadata(scratch.path("b"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!((mode & 0o777, scratch.text("b/x").as_str()), (0o500, "x"));
}

#[test]
fn a_special_file_at_the_destination_is_not_overwritten() {
    let scratch = Scratch::new("/a = x\n/pipe |");
    assert_eq!(scratch.copy("a", "pipe"), Err(ErrorKind::InvalidInput));
}

#[test]
fn a_tree_of_more_than_128_levels_is_neither_copied_nor_removed() {
    let scratch = Scratch::new("/a/");
    let level = |levels: usize| scratch.path("a").join("d/".repeat(levels - 1));
    fs::create_dir_all(level(128)).unwrap();
    assert_eq!(scratch.copy("a", "b"), Ok(()));
    fs::create_dir(level(129)).unwrap();
    assert_eq!(scratch.copy("a", "c"), Err(ErrorKind::InvalidInput));
    let options = RemoveOptions {
        recursive: true,
        force: true,
    };
    let remove = |name: &str| {
        let fs = LocalFileSystem::inline();
        now(fs.remove(&scratch.uri(name), options, None)).map_err(|error| error.kind())
    };
    assert_eq!(remove("a"), Err(ErrorKind::InvalidInput));
    assert_eq!(remove("b"), Ok(()));
    fs::remove_dir_all(scratch.path("a")).unwrap();
}
