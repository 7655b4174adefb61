//! What one name of a memory filesystem stands for.

use std::collections::BTreeMap;

use codex_file_system::FileKind;
use codex_path_uri::FileName;

use crate::contents::Contents;
use crate::memory::target::LinkTarget;

/// Permission bits as a POSIX machine keeps them.
///
/// The caller is unprivileged and owns every entry, so the three bits of the owner decide and no
/// operation is exempt from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode(pub(super) u32);

impl Mode {
    /// Bits of a directory nobody gave any.
    pub(super) const DIRECTORY: Mode = Mode(0o755);
    /// Bits of anything else nobody gave any.
    pub(super) const FILE: Mode = Mode(0o644);

    /// Whether a file may be read and a directory be listed.
    pub(super) const fn is_readable(self) -> bool {
        self.0 & 0o400 != 0
    }

    /// Whether a file may be changed, and whether a directory may gain and lose names.
    pub(super) const fn is_writable(self) -> bool {
        self.0 & 0o200 != 0
    }

    /// Whether names may be looked up in a directory.
    pub(super) const fn is_searchable(self) -> bool {
        self.0 & 0o100 != 0
    }
}

/// One entry of a tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    File(File),
    Directory(Directory),
    Link(LinkTarget),
    /// A FIFO, which stands for sockets and devices too.
    Other(Mode),
}

/// A regular file.
#[derive(Clone, Debug)]
pub(super) struct File {
    pub(super) contents: Contents,
    pub(super) mode: Mode,
}

/// A directory: its children by the key under which their names are found.
#[derive(Clone, Debug)]
pub(super) struct Directory {
    pub(super) children: BTreeMap<NameKey, Child>,
    pub(super) mode: Mode,
}

/// A child of a directory, under the spelling it was created with.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) name: FileName,
    pub(super) node: Node,
}

/// What two names share when they are the same file; see `Flavor::key`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameKey(pub(super) Vec<u8>);

impl File {
    pub(super) fn new(contents: Contents) -> Self {
        Self {
            contents,
            mode: Mode::FILE,
        }
    }
}

impl Child {
    /// The same name, standing for another entry.
    pub(super) fn with_node(&self, node: Node) -> Self {
        Self {
            name: self.name.clone(),
            node,
        }
    }
}

impl Directory {
    pub(super) fn new() -> Self {
        Self {
            children: BTreeMap::new(),
            mode: Mode::DIRECTORY,
        }
    }

    /// Whether names may be added here and taken away.
    pub(super) const fn is_changeable(&self) -> bool {
        self.mode.is_writable() && self.mode.is_searchable()
    }
}

impl Node {
    /// The kind of this entry, `None` for a link: only its target has one.
    pub(super) fn kind(&self) -> Option<FileKind> {
        match self {
            Self::File(_) => Some(FileKind::File),
            Self::Directory(_) => Some(FileKind::Directory),
            Self::Other(_) => Some(FileKind::Other),
            Self::Link(_) => None,
        }
    }

    /// Gives the entry permission bits; a link has none.
    pub(super) fn set_mode(&mut self, new: Mode) {
        match self {
            Self::File(file) => file.mode = new,
            Self::Directory(directory) => directory.mode = new,
            Self::Other(mode) => *mode = new,
            Self::Link(_) => {}
        }
    }
}
