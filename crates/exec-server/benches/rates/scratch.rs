//! The files that the servers are asked for.

use std::fs;
use std::io;
use std::path::Path;

use codex_path_uri::PathUri;
use tempfile::TempDir;

/// A file of 50 MB, as long as people say it.
pub(crate) const HUGE_BYTES: usize = 50_000_000;
/// What one `fs/readFile` brings in the contest of large answers.
pub(crate) const LARGE_BYTES: usize = 8 * 1024 * 1024;
/// Directories in the tree that is walked, each with one file.
const DIRECTORIES: usize = 100;

pub(crate) struct Scratch {
    directory: TempDir,
    pub(crate) small: PathUri,
    pub(crate) large: PathUri,
    pub(crate) huge: PathUri,
    pub(crate) tree: PathUri,
}

impl Scratch {
    pub(crate) fn build() -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        let files = [
            ("small", 1024),
            ("large", LARGE_BYTES),
            ("huge", HUGE_BYTES),
        ];
        for (name, length) in files {
            fs::write(at(name), vec![b'x'; length])?;
        }
        for number in 0..DIRECTORIES {
            let skill = at("tree").join(number.to_string());
            fs::create_dir_all(&skill)?;
            fs::write(skill.join("SKILL.md"), "x")?;
        }
        let uri = |name: &str| PathUri::from_host_native_path(at(name));
        Ok(Self {
            small: uri("small")?,
            large: uri("large")?,
            huge: uri("huge")?,
            tree: uri("tree")?,
            directory,
        })
    }

    /// A directory that serves as everybody's home.
    pub(crate) fn home(&self) -> &Path {
        self.directory.path()
    }
}
