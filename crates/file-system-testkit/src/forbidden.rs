//! A filesystem that nobody may ask.

use codex_file_system::call::{Call, Uniform};
use codex_file_system::{FileSystemFuture, uniform_file_system};

/// The files of a machine that a test must leave alone.
///
/// # Panics
/// At every call, with the path asked for.
///
/// # Examples
/// ```
/// use codex_file_system::{FindUpErrorPolicy, find_nearest_ancestor_with_markers};
/// use codex_file_system_testkit::Forbidden;
/// use codex_path_uri::PathUri;
///
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// let start = PathUri::parse("file:///srv")?;
/// let none: [&str; 0] = [];
/// let policy = FindUpErrorPolicy::Propagate;
/// let root = find_nearest_ancestor_with_markers(&Forbidden, &start, none, policy, None).await?;
/// assert_eq!(root, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Forbidden;

impl Uniform for Forbidden {
    #[expect(clippy::panic, reason = "a test that asks has failed")]
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        panic!("{:?} of {}, which nobody may ask", C::KIND, call.path())
    }
}

uniform_file_system! { impl for Forbidden }
