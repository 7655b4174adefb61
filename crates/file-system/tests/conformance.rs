//! The conformance matrix: the suite of the testkit on this host and on every wrapper.
//!
//! Permission bits hold for nobody but an unprivileged caller. Run as root, each case that needs
//! them is run again by this binary in the name of `nobody`, and its verdict is taken over.

use std::io;
use std::time::Duration;

use codex_file_system::wrap::{
    Context, Counting, Latency, Limit, LimitHandle, ReadOnly, Scoped, Timeout,
};
use codex_file_system::{EnvironmentId, TokioTimer};
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
        let (suffix, root) = match flavor {
            Flavor::Posix => ("posix", PathUri::parse("file:///")?),
            Flavor::Windows => ("windows", PathUri::parse("file:///C:/")?),
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
        let hour = Duration::from_secs(3600);
        let timeout = memory
            .clone()
            .wrapped(move |inner| Timeout::new(inner, TokioTimer, hour));
        add("timeout", Virtual(timeout), 2);
        let scoped = memory
            .clone()
            .wrapped(move |inner| Scoped::new(inner, root.clone()));
        add("scoped", Virtual(scoped), 2);
        let read_only = memory
            .clone()
            .wrapped(ReadOnly::new)
            .lacking(Need::Writes, "a read-only filesystem refuses every write");
        add("read-only", Virtual(read_only), READ_ONLY_SKIPS);
    }
    Ok(all)
}

/// The cases of the group of writes, two of the rules, and the two of the other flavor.
const READ_ONLY_SKIPS: usize = 28;

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
#[expect(clippy::disallowed_methods, reason = "the host is what is examined")]
mod host {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use codex_file_system::LocalFileSystem;
    use codex_file_system_testkit::build_on_disk;
    use codex_file_system_testkit::conformance::{self, Built, CASES, Fixture, Need, Subject};
    use codex_path_uri::PathUri;
    use libtest_mimic::{Failed, Trial};
    use tempfile::TempDir;

    pub(super) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
        let is_root = tempfile::tempdir()?.path().metadata()?.uid() == 0;
        let mut all = Vec::new();
        for (name, filesystem) in [
            ("local-pool", LocalFileSystem::new()),
            ("local-inline", LocalFileSystem::inline()),
        ] {
            for trial in conformance::trials(name, Host(filesystem), SKIPS) {
                let case = trial
                    .name()
                    .trim_start_matches(name)
                    .trim_start_matches("::");
                let needs_modes = CASES
                    .iter()
                    .any(|other| other.name == case && other.needs.contains(&Need::Modes));
                let trial = if is_root && needs_modes {
                    as_nobody(trial.name())
                } else {
                    trial
                };
                all.push(trial);
            }
        }
        Ok(all)
    }

    /// The cases of Windows names, and on macOS those of names that are not UTF-8.
    const SKIPS: usize = if cfg!(target_os = "macos") { 4 } else { 2 };

    struct Host(LocalFileSystem);

    impl Subject for Host {
        fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
            Box::pin(async move {
                let scratch = Scratch(tempfile::tempdir()?);
                build_on_disk(scratch.0.path(), tree)?;
                let base = PathUri::from_host_native_path(scratch.0.path())?;
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

    /// A scratch directory that goes away even if what is in it was closed.
    struct Scratch(TempDir);

    impl Drop for Scratch {
        fn drop(&mut self) {
            open_up(self.0.path());
        }
    }

    fn open_up(directory: &Path) {
        // What cannot be opened cannot be removed either; a test has no use for the reason.
        let _ = fs::set_permissions(directory, Permissions::from_mode(0o700));
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            open_up(&entry.path());
        }
    }

    /// Runs one trial of this binary without privileges.
    fn as_nobody(name: &str) -> Trial {
        let trial = name.to_owned();
        Trial::test(name, move || {
            let program = readable_copy()?;
            let output = Command::new("setpriv")
                .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
                .arg(&program.1)
                .args(["--exact", &trial])
                .current_dir("/")
                .output()?;
            if output.status.success() {
                return Ok(());
            }
            let streams = [output.stdout, output.stderr].concat();
            Err(Failed::from(String::from_utf8_lossy(&streams).into_owned()))
        })
    }

    /// This binary where everybody may run it: the directory it is built in may be closed.
    fn readable_copy() -> std::io::Result<(TempDir, PathBuf)> {
        let directory = tempfile::tempdir()?;
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755))?;
        let program = directory.path().join("conformance");
        // Copied by another process: while this one holds the copy open for writing, a command
        // that another trial starts would inherit it, and nobody could run it (ETXTBSY).
        let mut copy = Command::new("cp");
        copy.arg(std::env::current_exe()?).arg(&program).status()?;
        fs::set_permissions(&program, Permissions::from_mode(0o755))?;
        Ok((directory, program))
    }
}
