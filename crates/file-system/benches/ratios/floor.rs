//! The system calls that the same work cannot do without, as directly as safe code can make them.

use std::ffi::CString;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, RawDir, Stat, Statx, StatxFlags, statx};

/// One `stat` for each ancestor until `.git` is there: how many there were.
pub(crate) fn find_up(start: &Path) -> usize {
    let mut path = start.as_os_str().as_bytes().to_vec();
    let mut probes = 0;
    loop {
        let length = path.len();
        path.extend_from_slice(b"/.git\0");
        probes += 1;
        let is_there = std::ffi::CStr::from_bytes_with_nul(&path)
            .is_ok_and(|probe| rustix::fs::stat(probe).is_ok());
        path.truncate(length);
        match path.iter().rposition(|byte| *byte == b'/') {
            Some(separator) if !is_there => path.truncate(separator),
            _ => return probes,
        }
    }
}

/// One `lstat`.
pub(crate) fn metadata(path: &Path) -> Stat {
    rustix::fs::lstat(path).expect("a file")
}

/// One `statx`, the only call that tells when a file was created.
pub(crate) fn metadata_with_creation(path: &Path) -> Statx {
    let wanted = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
    statx(CWD, path, AtFlags::SYMLINK_NOFOLLOW, wanted).expect("a file")
}

/// The names and kinds of a directory, sorted.
pub(crate) fn listing(path: &Path) -> Vec<(CString, rustix::fs::FileType)> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let directory = rustix::fs::open(path, flags, Mode::empty()).expect("a directory");
    let mut buffer = [MaybeUninit::<u8>::uninit(); 32 * 1024];
    let mut entries = RawDir::new(directory, &mut buffer);
    let mut listing = Vec::new();
    while let Some(entry) = entries.next() {
        let entry = entry.expect("an entry");
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            listing.push((entry.file_name().to_owned(), entry.file_type()));
        }
    }
    listing.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    listing
}
