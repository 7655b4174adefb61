//! Which machine a memory filesystem imitates.
//!
//! A flavor decides how a path is spelled, which names are allowed and which names are the same
//! file. It never depends on the machine the tests run on.

use codex_path_uri::PathConvention;

/// The machine that a [`MemoryFileSystem`](crate::MemoryFileSystem) imitates.
///
/// # Examples
/// ```
/// use codex_file_system_testkit::Flavor;
/// use codex_path_uri::PathConvention;
///
/// assert_eq!(Flavor::Posix.convention(), PathConvention::Posix);
/// assert_eq!(Flavor::Windows.convention(), PathConvention::Windows);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// One root, names of any bytes but `/` and NUL, spelling decides identity.
    Posix,
    /// Drives and shares, names of UTF-16 code units, case does not decide identity.
    Windows,
}

impl Flavor {
    /// The convention of the paths this flavor understands.
    pub const fn convention(self) -> PathConvention {
        match self {
            Self::Posix => PathConvention::Posix,
            Self::Windows => PathConvention::Windows,
        }
    }

    /// Every flavor, for tests that hold on both.
    pub const ALL: [Flavor; 2] = [Self::Posix, Self::Windows];
}
