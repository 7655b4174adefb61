//! A tree literal as a real directory of the host.
//!
//! Only tests build on disk, and only below a directory they name. Windows hosts build files and
//! directories; links, FIFOs and modes need a Unix host and are `Unsupported` elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use crate::contents::Contents;
use crate::flavor::Flavor;
use crate::literal::{TreeItem, tree_entries};

/// Creates the entries of `tree` below the directory `root`, which must exist.
///
/// The root of the literal stands for `root`: `/a/b` is created at `ROOT/a/b`, and a link to
/// `/a/b` leads there. Modes are applied last and deepest first, so that a closed directory is
/// filled before it is closed.
///
/// # Errors
/// `InvalidInput` for a line that cannot be read, `Unsupported` for an entry this host cannot
/// create, and whatever the host answers.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::build_on_disk;
///
/// let directory = tempfile::tempdir()?;
/// build_on_disk(directory.path(), "/srv/repo/.git/\n/srv/repo/AGENTS.md = Be brief.")?;
/// assert_eq!(std::fs::read(directory.path().join("srv/repo/AGENTS.md"))?, b"Be brief.");
/// # Ok::<(), std::io::Error>(())
/// ```
#[expect(
    clippy::disallowed_methods,
    reason = "a test's directory is on the host"
)]
pub fn build_on_disk(root: &Path, tree: &str) -> io::Result<()> {
    let flavor = if cfg!(windows) {
        Flavor::Windows
    } else {
        Flavor::Posix
    };
    let entries = tree_entries(flavor, tree)
        .map_err(|bad| io::Error::new(io::ErrorKind::InvalidInput, bad))?;
    let mut modes = Vec::new();
    for entry in entries {
        let mut path = root.to_owned();
        for name in &entry.names {
            path.push(name.to_os_string().ok_or(io::ErrorKind::InvalidInput)?);
        }
        match entry.item {
            TreeItem::Directory => std::fs::create_dir_all(&path)?,
            other => {
                if let Some(parent) = path.parent() {
                    std::fs::create_dir_all(parent)?;
                }
                create(&path, root, other)?;
            }
        }
        modes.extend(entry.mode.map(|mode| (path, mode)));
    }
    modes.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
    modes
        .into_iter()
        .try_for_each(|(path, mode)| host::set_mode(&path, mode))
}

/// Creates an entry that is no directory, in the place of another such entry.
#[expect(
    clippy::disallowed_methods,
    reason = "a test's directory is on the host"
)]
fn create(path: &Path, root: &Path, item: TreeItem) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    match item {
        TreeItem::Directory => Ok(()),
        TreeItem::File(Contents::Zeros(length)) => sparse_file(path, length),
        TreeItem::File(contents) => std::fs::write(path, contents.to_vec()),
        TreeItem::Link(target) => host::link(path, &rebased(root, target)?),
        TreeItem::Fifo => host::fifo(path),
    }
}

#[expect(clippy::disallowed_types, reason = "a test's directory is on the host")]
fn sparse_file(path: &Path, length: u64) -> io::Result<()> {
    std::fs::File::create(path)?.set_len(length)
}

/// A link target with the root of the literal replaced by the directory that stands for it.
fn rebased(root: &Path, target: Vec<u8>) -> io::Result<PathBuf> {
    let target = host::path(target)?;
    Ok(match target.strip_prefix("/") {
        Ok(below) => root.join(below),
        Err(_) => target,
    })
}

/// What only a Unix host can create.
#[cfg(unix)]
mod host {
    use std::ffi::OsString;
    use std::io;
    use std::os::unix::ffi::OsStringExt;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::process::Command;

    pub(super) fn path(bytes: Vec<u8>) -> io::Result<PathBuf> {
        Ok(OsString::from_vec(bytes).into())
    }

    pub(super) fn link(path: &Path, target: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, path)
    }

    pub(super) fn fifo(path: &Path) -> io::Result<()> {
        // Not every Unix has the same system call for it, but every one has the program.
        let made = Command::new("mkfifo").arg(path).status()?;
        if made.success() {
            return Ok(());
        }
        Err(io::Error::other(format!("mkfifo: {made}")))
    }

    pub(super) fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
    }
}

/// What a host that is not Unix refuses.
#[cfg(not(unix))]
mod host {
    use std::io;
    use std::path::{Path, PathBuf};

    pub(super) fn path(_: Vec<u8>) -> io::Result<PathBuf> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn link(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn fifo(_: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn set_mode(_: &Path, _: u32) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
