//! Paths that no call can name.

use std::io::ErrorKind::InvalidInput;

use codex_file_system::{CopyOptions, CreateDirectoryOptions, ExecutorFileSystem, RemoveOptions};
use pretty_assertions::assert_eq;

use super::writing::WRITING;
use crate::support::{now, posix, uri};

#[test]
fn a_path_that_cannot_be_named_is_refused_by_every_call() {
    let fs = posix(WRITING);
    let named = uri("file:///file");
    let remove = RemoveOptions {
        recursive: true,
        force: true,
    };
    let (create, copy) = (
        CreateDirectoryOptions::default(),
        CopyOptions { recursive: true },
    );
    for text in [
        "file:///C:/file",
        "file://server/share/file",
        "file:///%00/bad/path/YQ",
        "file:///%00/bad/path/L2EAYg",
        "file:///%00/bad/path/L2ZpbGU",
    ] {
        let path = &uri(text);
        let answers = [
            now(fs.get_metadata(path, None)).map(drop),
            now(fs.read_file(path, None)).map(drop),
            now(fs.read_directory(path, None)).map(drop),
            now(fs.canonicalize(path, None)).map(drop),
            now(fs.write_file(path, Vec::new(), None)),
            now(fs.create_directory(path, create, None)),
            now(fs.remove(path, remove, None)),
            now(fs.copy(path, &named, copy, None)),
            now(fs.copy(&named, path, copy, None)),
        ];
        assert_eq!(answers, [Err(InvalidInput); 9], "{text}");
    }
}
