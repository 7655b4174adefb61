//! FIFOs, sockets and devices: nothing waits for anybody.

use std::io::ErrorKind;
use std::os::unix::net::UnixListener;

use codex_file_system::{CopyOptions, ExecutorFileSystem, LocalFileSystem, RemoveOptions};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use super::Scratch;
use crate::support::{now, uri};

fn kinds(path: &PathUri) -> Vec<ErrorKind> {
    let fs = LocalFileSystem::inline();
    let beside = path.parent().unwrap().join("beside").unwrap();
    let options = CopyOptions { recursive: true };
    let answers = [
        now(fs.read_file(path, None)).map(drop),
        now(fs.read_file_text(path, None)).map(drop),
        now(fs.read_file_prefix(path, 1, None, None)).map(drop),
        now(fs.write_file(path, b"x".to_vec(), None)),
        now(fs.copy(path, &beside, options, None)),
    ];
    answers.map(|answer| answer.unwrap_err().kind()).to_vec()
}

#[test]
fn a_fifo_that_nobody_serves_is_no_file() {
    let scratch = Scratch::new("/pipe |");
    assert_eq!(kinds(&scratch.uri("pipe")), [ErrorKind::InvalidInput; 5]);
}

#[test]
fn a_fifo_that_somebody_reads_is_no_file_and_stays_empty() {
    let scratch = Scratch::new("/pipe |");
    let mut options = std::fs::OpenOptions::new();
    // Opened for both directions a FIFO has a reader at once.
    let _reader = options
        .read(true)
        .write(true)
        .open(scratch.path("pipe"))
        .unwrap();
    assert_eq!(kinds(&scratch.uri("pipe")), [ErrorKind::InvalidInput; 5]);
}

#[test]
fn a_socket_is_no_file() {
    let scratch = Scratch::new("");
    let _listener = UnixListener::bind(scratch.path("socket")).unwrap();
    assert_eq!(kinds(&scratch.uri("socket")), [ErrorKind::InvalidInput; 5]);
}

#[test]
fn a_device_is_no_file() {
    let fs = LocalFileSystem::inline();
    let device = uri("file:///dev/null");
    for answer in [
        now(fs.read_file(&device, None)).map(drop),
        now(fs.write_file(&device, b"x".to_vec(), None)),
    ] {
        assert_eq!(answer.unwrap_err().kind(), ErrorKind::InvalidInput);
    }
}

#[test]
fn a_link_to_a_fifo_is_as_the_fifo_and_is_removed_alone() {
    let scratch = Scratch::new("/pipe |\n/link -> pipe");
    let fs = LocalFileSystem::inline();
    let read = now(fs.read_file(&scratch.uri("link"), None));
    assert_eq!(read.unwrap_err().kind(), ErrorKind::InvalidInput);
    let options = RemoveOptions {
        recursive: true,
        force: false,
    };
    now(fs.remove(&scratch.uri("link"), options, None)).unwrap();
    assert!(scratch.path("pipe").exists());
}
