//! What one line of a tree literal asks for, in the hands of whoever builds a tree.

use codex_path_uri::{FileName, PathUri, PathUriError};

use crate::contents::Contents;
use crate::flavor::Flavor;
use crate::literal::{TreeError, parse};

/// One entry of a tree literal, as [`tree_entries`] reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeEntry {
    /// The root in native text (`/`, `C:\`, `\\server\share`), `None` for a relative path.
    pub root: Option<String>,
    /// The names from there down to the entry, none for the root itself.
    pub names: Vec<FileName>,
    /// What the entry is.
    pub item: TreeItem,
    /// Its permission bits, `None` where the line states none: then a directory has `0o755`, and
    /// a file or a FIFO `0o644`, as far as the filesystem keeps any.
    pub mode: Option<u32>,
}

/// What an entry of a tree literal is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeItem {
    /// `PATH/`. One that an earlier line made stays, with what it holds.
    Directory,
    /// `PATH = TEXT`, `PATH =*N`, `PATH =~N`
    File(Contents),
    /// `PATH -> TARGET`, with the target percent-decoded and otherwise as written: relative to
    /// the directory of the link, or from the root of the tree.
    Link(Vec<u8>),
    /// `PATH |`
    Fifo,
}

impl TreeEntry {
    /// Where the entry lies if `base` stands for the root of the tree.
    ///
    /// # Errors
    /// What [`PathUri::join_name`] says of a name that cannot stand below `base`.
    ///
    /// # Examples
    /// ```
    /// use codex_file_system_testkit::{Flavor, tree_entries};
    /// use codex_path_uri::PathUri;
    ///
    /// let base = PathUri::parse("file:///scratch")?;
    /// let entries = tree_entries(Flavor::Posix, "src/a%20b.rs =")?;
    /// let paths = entries.iter().map(|entry| entry.below(&base));
    /// let paths = paths.collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(paths, [PathUri::parse("file:///scratch/src/a%20b.rs")?]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn below(&self, base: &PathUri) -> Result<PathUri, PathUriError> {
        self.names
            .iter()
            .try_fold(base.clone(), |path, name| path.join_name(name))
    }
}

/// Reads a tree literal for a filesystem that builds the tree itself, as a
/// [`Subject`](crate::conformance::Subject) does.
///
/// The entries come in the order of their lines, which is the order to build them in. A builder
/// owes them what [`MemoryFileSystem::from_tree`](crate::MemoryFileSystem::from_tree) and
/// [`build_on_disk`](crate::build_on_disk) give:
///
/// - Parents that no line names are created.
/// - A file, a link or a FIFO replaces what is no directory; a directory stays as it is.
/// - Modes are applied after all entries are there, the deepest first, so that a closed directory
///   is filled before it is closed.
///
/// Lines are judged one by one. Whether one contradicts another, as a file below a file does, is
/// for the builder to find.
///
/// # Errors
/// The first line that cannot be read.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::{Contents, Flavor, TreeItem, tree_entries};
///
/// let entries = tree_entries(Flavor::Posix, "
///     docs/ !555
///     docs/a%20b.md = Be brief.%0A
///     docs/latest -> a%20b.md
///     queue |
/// ")?;
/// let items: Vec<_> = entries.iter().map(|entry| &entry.item).collect();
/// assert_eq!(items, [
///     &TreeItem::Directory,
///     &TreeItem::File(Contents::from(b"Be brief.\n".to_vec())),
///     &TreeItem::Link(b"a b.md".to_vec()),
///     &TreeItem::Fifo,
/// ]);
/// let modes: Vec<_> = entries.iter().map(|entry| entry.mode).collect();
/// assert_eq!(modes, [Some(0o555), None, None, None]);
/// # Ok::<(), codex_file_system_testkit::TreeError>(())
/// ```
pub fn tree_entries(flavor: Flavor, tree: &str) -> Result<Vec<TreeEntry>, TreeError> {
    let lines = parse(flavor, tree)?;
    Ok(lines.into_iter().map(|line| line.entry).collect())
}
