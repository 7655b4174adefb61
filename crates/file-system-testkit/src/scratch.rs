//! A scratch directory of the host that goes away whatever a test did to it.

use std::io;
use std::path::Path;

use codex_path_uri::PathUri;
use tempfile::TempDir;

use crate::on_disk::build_on_disk;

/// A directory of this host with a tree in it.
///
/// It is removed when it is dropped, even if directories in it were closed.
///
/// # Examples
/// ```ignore-windows
/// use codex_file_system_testkit::ScratchDirectory;
///
/// let scratch = ScratchDirectory::build("/repo/AGENTS.md = Be brief.\n/closed/ !000")?;
/// let path = scratch.path().to_owned();
/// assert_eq!(std::fs::read(path.join("repo/AGENTS.md"))?, b"Be brief.");
/// drop(scratch);
/// assert!(!path.exists());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ScratchDirectory(TempDir);

impl ScratchDirectory {
    /// Builds `tree` in a fresh directory, as [`build_on_disk`] does.
    ///
    /// # Errors
    /// Those of [`build_on_disk`].
    pub fn build(tree: &str) -> io::Result<Self> {
        let scratch = Self(tempfile::tempdir()?);
        build_on_disk(scratch.path(), tree)?;
        Ok(scratch)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The directory as a filesystem of this host names it.
    ///
    /// # Errors
    /// None in practice: the path is absolute.
    pub fn base(&self) -> io::Result<PathUri> {
        PathUri::from_host_native_path(self.path())
    }
}

impl Drop for ScratchDirectory {
    fn drop(&mut self) {
        #[cfg(unix)]
        open_up(self.path());
    }
}

#[cfg(unix)]
#[expect(
    clippy::disallowed_methods,
    reason = "a test's directory is on the host"
)]
fn open_up(directory: &Path) {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    // What cannot be opened cannot be removed either; a test has no use for the reason.
    let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        open_up(&entry.path());
    }
}
