//! The memory filesystem as a subject, bare or inside a wrapper.

use std::io;
use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;
use codex_path_uri::PathUri;
use tokio::runtime::{Builder, Runtime};

use crate::conformance::case::Need;
use crate::conformance::subject::{Built, Fixture, Subject};
use crate::flavor::Flavor;
use crate::memory::MemoryFileSystem;

/// Examines a memory filesystem of one flavor, or what is wrapped around it.
///
/// A wrapper passes unmodified, so it lacks nothing; one that does not let every call through
/// states that with [`lacking`](Self::lacking) and [`excused`](Self::excused).
#[derive(Clone)]
pub struct MemorySubject {
    flavor: Flavor,
    wrap: Arc<dyn Fn(MemoryFileSystem) -> Arc<dyn ExecutorFileSystem> + Send + Sync>,
    lacking: Vec<(Need, &'static str)>,
    excused: Vec<(&'static str, &'static str)>,
}

impl MemorySubject {
    /// The memory filesystem itself. Its base is the root that always exists.
    pub fn new(flavor: Flavor) -> Self {
        let lacking = match flavor {
            Flavor::Posix => vec![(Need::WindowsNames, "a POSIX filesystem")],
            Flavor::Windows => vec![(Need::NonUtf8, "names are UTF-16 on Windows")],
        };
        Self {
            flavor,
            wrap: Arc::new(|memory| Arc::new(memory)),
            lacking,
            excused: Vec::new(),
        }
    }

    /// Examines what `wrap` puts around each memory filesystem.
    #[must_use]
    pub fn wrapped<W: ExecutorFileSystem + 'static>(
        mut self,
        wrap: impl Fn(MemoryFileSystem) -> W + Send + Sync + 'static,
    ) -> Self {
        self.wrap = Arc::new(move |memory| Arc::new(wrap(memory)));
        self
    }

    /// States that the wrapper takes something away, and why.
    #[must_use]
    pub fn lacking(mut self, need: Need, reason: &'static str) -> Self {
        self.lacking.push((need, reason));
        self
    }

    /// States that the wrapper answers one case in its own way, and why.
    #[must_use]
    pub fn excused(mut self, case: &'static str, reason: &'static str) -> Self {
        self.excused.push((case, reason));
        self
    }
}

/// Its cases run on a paused clock: memory waits for nothing, and what a wrapper waits for passes
/// at once.
impl Subject for MemorySubject {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        Box::pin(async move {
            let memory = MemoryFileSystem::from_tree(self.flavor, tree)?;
            let base = PathUri::from_native(self.flavor.root(), self.flavor.convention())?;
            Ok(Fixture::new((self.wrap)(memory), base))
        })
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        self.lacking
            .iter()
            .find(|(lacking, _)| *lacking == need)
            .map(|(_, reason)| *reason)
    }

    fn excuse(&self, case: &str) -> Option<&str> {
        self.excused
            .iter()
            .find(|(excused, _)| *excused == case)
            .map(|(_, reason)| *reason)
    }

    fn runtime(&self) -> io::Result<Runtime> {
        Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
    }
}
