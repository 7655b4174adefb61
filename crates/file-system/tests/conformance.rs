//! The conformance matrix: the suite of the testkit on this host and on every wrapper.

use std::io;
use std::time::Duration;

use codex_file_system::wrap::{
    CallEnd, CallKind, Context, Counting, Latency, Limit, LimitHandle, Observed, Observer,
};
use codex_file_system::{EnvironmentId, Lookahead, TokioTimer, Window};
use codex_file_system_testkit::Flavor;
use codex_file_system_testkit::conformance::{Built, MemorySubject, Need, Subject, trials};
use codex_path_uri::PathUri;
use libtest_mimic::{Arguments, Trial};
use tokio::runtime::{Builder, Runtime};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut all = wrappers()?;
    #[cfg(unix)]
    all.extend(host::trials()?);
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}

/// Every wrapper over the memory filesystem of both flavors.
fn wrappers() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
    let far = EnvironmentId::new("far")?;
    let mut all = Vec::new();
    for flavor in [Flavor::Posix, Flavor::Windows] {
        let suffix = match flavor {
            Flavor::Posix => "posix",
            Flavor::Windows => "windows",
        };
        let memory = MemorySubject::new(flavor);
        let mut add = |name: &str, subject: Virtual, skips: usize| {
            all.extend(trials(&format!("{name}-{suffix}"), subject, skips));
        };
        let id = far.clone();
        let context = memory
            .clone()
            .wrapped(move |inner| Context::new(inner, Some(id.clone())));
        add("context", Virtual(context), 2);
        add(
            "counting",
            Virtual(memory.clone().wrapped(Counting::new)),
            2,
        );
        let delay = Duration::from_millis(3);
        let latency = memory
            .clone()
            .wrapped(move |inner| Latency::new(inner, TokioTimer, delay, delay));
        add("latency", Virtual(latency), 2);
        let limit = memory
            .clone()
            .wrapped(|inner| Limit::new(inner, LimitHandle::new(3)));
        add("limit", Virtual(limit), 2);
        let observed = memory.clone().wrapped(|inner| Observed::new(inner, Nobody));
        add("observed", Virtual(observed), 2);
        let lookahead = memory.clone().wrapped(|inner| {
            // A subject owns its filesystem; a lookahead borrows it for the length of one load.
            Lookahead::new(&*Box::leak(Box::new(inner)), Window::default())
        });
        add("lookahead", Virtual(lookahead), 2);
    }
    Ok(all)
}

/// An observer that looks away.
struct Nobody;

impl Observer for Nobody {
    type Started = ();

    fn started(&self, _kind: CallKind, _path: &PathUri) {}

    fn ended(&self, (): (), _end: CallEnd) {}
}

/// A subject whose cases run on a paused clock.
struct Virtual(MemorySubject);

impl Subject for Virtual {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        self.0.build(tree)
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        self.0.lacks(need)
    }

    fn excuse(&self, case: &str) -> Option<&str> {
        self.0.excuse(case)
    }

    fn runtime(&self) -> io::Result<Runtime> {
        Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
    }
}

/// The local filesystem in scratch directories.
#[cfg(unix)]
mod host {
    use codex_file_system::LocalFileSystem;
    use codex_file_system_testkit::ScratchDirectory;
    use codex_file_system_testkit::conformance::{
        self, Built, Fixture, Need, Subject, without_privileges,
    };
    use libtest_mimic::Trial;

    pub(super) fn trials() -> std::io::Result<Vec<Trial>> {
        let mut all = Vec::new();
        for (name, filesystem) in [
            ("local-pool", LocalFileSystem::new()),
            ("local-inline", LocalFileSystem::inline()),
        ] {
            all.extend(conformance::trials(name, Host(filesystem), SKIPS));
        }
        without_privileges(all)
    }

    /// The cases of Windows names, and on macOS those of names that are not UTF-8.
    const SKIPS: usize = if cfg!(target_os = "macos") { 4 } else { 2 };

    struct Host(LocalFileSystem);

    impl Subject for Host {
        fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
            Box::pin(async move {
                let scratch = ScratchDirectory::build(tree)?;
                let base = scratch.base()?;
                Ok(Fixture::new(self.0, base).keeping(scratch))
            })
        }

        fn lacks(&self, need: Need) -> Option<&str> {
            match need {
                Need::WindowsNames => Some("a POSIX host"),
                Need::NonUtf8 if cfg!(target_os = "macos") => Some("its names are UTF-8"),
                _ => None,
            }
        }
    }
}
