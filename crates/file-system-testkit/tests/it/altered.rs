//! Filesystems that answer otherwise, or may not be asked at all.

use std::io;

use codex_file_system::{ExecutorFileSystem, FileSystemFuture, FileSystemSandboxContext};
use codex_file_system_testkit::{Alteration, Altered, Forbidden, Scalar};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use crate::support::{now, posix, uri};

/// Every file says the same, and what lies below is never asked.
struct Parrot;

impl Alteration for Parrot {
    fn read_file<'a>(
        &'a self,
        _: &'a dyn ExecutorFileSystem,
        _: &'a PathUri,
        _: Option<&'a FileSystemSandboxContext>,
    ) -> FileSystemFuture<'a, Vec<u8>> {
        Box::pin(async { Ok(b"again".to_vec()) })
    }
}

#[test]
fn a_provided_call_asks_below_unless_it_is_made_of_the_altered_ones() {
    let fs = Altered::new(posix("/a = honest"), Parrot);
    let path = uri("file:///a");
    assert_eq!(now(fs.read_file(&path, None)), Ok(b"again".to_vec()));
    assert_eq!(now(fs.read_file_text(&path, None)), Ok("honest".to_owned()));
    let scalar = Scalar(&fs);
    assert_eq!(
        now(scalar.read_file_text(&path, None)),
        Ok("again".to_owned())
    );
    let missing = now(fs.get_metadata(&uri("file:///b"), None)).map(|it| it.kind);
    assert_eq!(missing, Err(io::ErrorKind::NotFound));
}

#[test]
#[should_panic(expected = "GetMetadata of file:///srv, which nobody may ask")]
fn asking_a_forbidden_filesystem_panics() {
    drop(Forbidden.get_metadata(&uri("file:///srv"), None));
}
