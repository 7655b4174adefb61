//! Which of the three manifest directories a listing showed.
//!
//! The set is a hint that saves calls: a location whose directory is not in it is not tried. It
//! never makes a manifest: that takes a file.

use codex_path_uri::{FileName, PathConvention};

use crate::DISCOVERABLE_PLUGIN_MANIFEST_PATHS;

const LOCATIONS: usize = DISCOVERABLE_PLUGIN_MANIFEST_PATHS.len();

/// A set of manifest directories, in the order of [`DISCOVERABLE_PLUGIN_MANIFEST_PATHS`].
///
/// # Examples
/// ```
/// use codex_plugin::ManifestDirectories;
///
/// let shown = ManifestDirectories::from_names(["skills", ".cursor-plugin", ".codex-plugin"]);
/// assert_eq!(shown.iter().collect::<Vec<_>>(), [0, 2]);
/// assert_eq!(shown.intersection(ManifestDirectories::first(2)).iter().collect::<Vec<_>>(), [0]);
/// assert!(ManifestDirectories::from_names(["skills"]).is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ManifestDirectories([bool; LOCATIONS]);

impl ManifestDirectories {
    /// All three directories: nothing is known, so every location is tried.
    pub const ALL: Self = Self([true; LOCATIONS]);

    /// No directory: there is nothing to try.
    pub const EMPTY: Self = Self([false; LOCATIONS]);

    /// The first `count` directories in the order of the constant; all three if `count` is larger.
    pub const fn first(count: usize) -> Self {
        let mut set = [false; LOCATIONS];
        let mut index = 0;
        while index < LOCATIONS && index < count {
            set[index] = true;
            index += 1;
        }
        Self(set)
    }

    /// The manifest directories among `names`, compared exactly; other names are ignored.
    pub fn from_names(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut set = Self::EMPTY;
        for name in names {
            set.insert(name.as_ref(), |directory, name| directory == name);
        }
        set
    }

    /// The manifest directories among the names of a listing.
    ///
    /// Names are compared exactly on POSIX; on Windows without regard to ASCII case, because there
    /// the path of a location reaches the directory whatever the spelling on disk.
    pub fn from_listing<'a>(names: impl IntoIterator<Item = &'a FileName>) -> Self {
        let mut set = Self::EMPTY;
        for name in names {
            let Some(text) = name.as_str() else { continue };
            match name.convention() {
                PathConvention::Posix => set.insert(text, |directory, name| directory == name),
                PathConvention::Windows => set.insert(text, str::eq_ignore_ascii_case),
            }
        }
        set
    }

    /// Whether the directory of the location with this index is in the set.
    pub fn contains(self, location: usize) -> bool {
        self.0.get(location).copied().unwrap_or(false)
    }

    /// The directories in both sets.
    pub fn intersection(self, other: Self) -> Self {
        Self(std::array::from_fn(|location| {
            self.contains(location) && other.contains(location)
        }))
    }

    /// Whether no directory is in the set.
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// The indices of the locations to try, in order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..LOCATIONS).filter(move |location| self.contains(*location))
    }

    fn insert(&mut self, name: &str, are_same: fn(&str, &str) -> bool) {
        for (shown, path) in self.0.iter_mut().zip(DISCOVERABLE_PLUGIN_MANIFEST_PATHS) {
            let parts = path.split_at_checked(name.len());
            let directory = parts.filter(|(_, file)| file.starts_with('/'));
            *shown |= directory.is_some_and(|(directory, _)| are_same(directory, name));
        }
    }
}
