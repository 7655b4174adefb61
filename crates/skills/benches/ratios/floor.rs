//! The system calls that finding skills cannot do without, and nothing else.
//!
//! Per directory one open, the listing and one close; per skill file and manifest one open, one read
//! and one close. Nothing is parsed, sorted, named or remembered.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::AsFd;

use rustix::fs::{CWD, FileType, Mode, OFlags, RawDir, openat};

const LISTING_BUFFER: usize = 32 * 1024;
const FILE_BUFFER: usize = 8 * 1024;
const MAX_DEPTH: usize = 6;

/// Lists every directory below `root` and reads what is read there. Returns the number of skills.
pub(crate) fn find_skills(root: &str) -> usize {
    walk(CWD, &std::ffi::CString::new(root).unwrap(), 0)
}

fn walk(parent: impl AsFd, name: &CStr, depth: usize) -> usize {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(directory) = openat(parent, name, flags, Mode::empty()) else {
        return 0;
    };
    let mut buffer = [MaybeUninit::uninit(); LISTING_BUFFER];
    let mut subdirectories = Vec::new();
    let (mut has_skill, mut has_manifest) = (false, false);
    let mut listing = RawDir::new(&directory, &mut buffer);
    while let Some(Ok(entry)) = listing.next() {
        let name = entry.file_name();
        match (entry.file_type(), name.to_bytes()) {
            (FileType::Directory, b".codex-plugin") => has_manifest = true,
            (FileType::Directory, [b'.', ..]) => {}
            (FileType::Directory, _) => subdirectories.push(name.to_owned()),
            (FileType::RegularFile, b"SKILL.md") => has_skill = true,
            _ => {}
        }
    }
    let mut contents = [MaybeUninit::<u8>::uninit(); FILE_BUFFER];
    let mut read = |path: &CStr| {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        if let Ok(file) = openat(&directory, path, flags, Mode::empty()) {
            let _ = rustix::io::read(&file, &mut contents);
        }
    };
    if has_manifest {
        read(c".codex-plugin/plugin.json");
    }
    if has_skill {
        read(c"SKILL.md");
    }
    let deeper = match depth {
        0..MAX_DEPTH => subdirectories,
        _ => Vec::new(),
    };
    let found: usize = deeper
        .iter()
        .map(|name| walk(&directory, name, depth + 1))
        .sum();
    found + usize::from(has_skill)
}
