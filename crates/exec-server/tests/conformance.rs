//! The conformance matrix: the suite of the testkit on a client whose server serves memory of both
//! flavors and this host, on pipes and on a socket; and on a confinement inside its root.
//!
//! Permission bits hold for nobody but an unprivileged caller. Run as root, each case that needs
//! them on this host is run again by this binary in the name of `nobody`.

use std::io;
use std::sync::Arc;

use codex_exec_server::server::{EnvironmentInfo, Server, ServerOptions};
use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system_testkit::conformance::{Built, Fixture, Need, Subject, trials};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use libtest_mimic::Arguments;
use tokio::runtime::{Builder, Runtime};

/// Enough for a burst of small messages; larger ones wait for the other end, as on a real pipe.
const PIPE_BYTES: usize = 64 * 1024;
/// The cases of the other flavor, and those of a sandbox that is enforced.
const SKIPS: usize = 5;
const NO_SANDBOX: &str = "a remote filesystem refuses every sandbox that restricts";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let posix = Memory::new(Flavor::Posix);
    let by_blocks = ClientOptions::default().with_block_read_threshold(0);
    let mut all = trials("pipe-memory-posix", posix.clone(), SKIPS);
    all.extend(trials(
        "pipe-memory-posix-by-blocks",
        posix.clone().with(by_blocks),
        SKIPS,
    ));
    all.extend(trials(
        "pipe-memory-windows",
        Memory::new(Flavor::Windows),
        SKIPS,
    ));
    all.extend(trials("socket-memory-posix", posix.on_a_socket(), SKIPS));
    #[cfg(all(unix, feature = "local"))]
    all.extend(host::trials()?);
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}

/// A client on a pipe whose other end is served.
fn on_a_pipe(server: Server, options: ClientOptions) -> RemoteFileSystem {
    let (here, there) = tokio::io::duplex(PIPE_BYTES);
    let (reader, writer) = tokio::io::split(there);
    // It ends with the client's end of the pipe.
    tokio::spawn(async move { server.serve_stdio(reader, writer).await });
    let (reader, writer) = tokio::io::split(here);
    RemoteFileSystem::from_streams(reader, writer, options)
}

async fn on_a_socket(server: Server, options: ClientOptions) -> io::Result<RemoteFileSystem> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("ws://{}", listener.local_addr()?);
    // It ends with the runtime of the case.
    tokio::spawn(async move { server.serve_websocket(listener).await });
    let connected = RemoteFileSystem::connect_websocket(&url, options).await;
    connected.map_err(io::Error::other)
}

/// A client whose server serves a tree in memory.
#[derive(Clone)]
struct Memory {
    flavor: Flavor,
    options: ClientOptions,
    on_a_socket: bool,
}

impl Memory {
    fn new(flavor: Flavor) -> Self {
        Self {
            flavor,
            options: ClientOptions::default(),
            on_a_socket: false,
        }
    }

    fn with(self, options: ClientOptions) -> Self {
        Self { options, ..self }
    }

    fn on_a_socket(self) -> Self {
        Self {
            on_a_socket: true,
            ..self
        }
    }
}

impl Subject for Memory {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        Box::pin(async move {
            let memory = MemoryFileSystem::from_tree(self.flavor, tree)?;
            let base = PathUri::parse(match self.flavor {
                Flavor::Posix => "file:///",
                Flavor::Windows => "file:///C:/",
            })?;
            let info = EnvironmentInfo::new(base.clone());
            let server = Server::new(Arc::new(memory), ServerOptions::new(info));
            let remote = if self.on_a_socket {
                on_a_socket(server, self.options.clone()).await?
            } else {
                on_a_pipe(server, self.options.clone())
            };
            Ok(Fixture::new(remote, base))
        })
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        match (need, self.flavor) {
            (Need::Sandbox, _) => Some(NO_SANDBOX),
            (Need::WindowsNames, Flavor::Posix) => Some("a POSIX filesystem"),
            (Need::NonUtf8, Flavor::Windows) => Some("a Windows filesystem"),
            _ => None,
        }
    }

    fn runtime(&self) -> io::Result<Runtime> {
        let mut builder = Builder::new_current_thread();
        if self.on_a_socket {
            builder.enable_all().build()
        } else {
            builder.enable_time().start_paused(true).build()
        }
    }
}

/// Scratch directories of this host, served to a client or confined to.
#[cfg(all(unix, feature = "local"))]
#[expect(clippy::disallowed_methods, reason = "the host is what is served")]
mod host {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::path::{Path, PathBuf};
    use std::process::Command;

    use codex_exec_server::ClientOptions;
    use codex_exec_server::server::{ConfinedFileSystem, EnvironmentInfo, Server, ServerOptions};
    use codex_file_system::LocalFileSystem;
    use codex_file_system_testkit::build_on_disk;
    use codex_file_system_testkit::conformance::{self, Built, CASES, Fixture, Need, Subject};
    use codex_path_uri::PathUri;
    use libtest_mimic::{Failed, Trial};
    use tempfile::TempDir;

    pub(super) fn trials() -> Result<Vec<Trial>, Box<dyn std::error::Error>> {
        let is_root = tempfile::tempdir()?.path().metadata()?.uid() == 0;
        let of = |name, subject| conformance::trials(name, subject, super::SKIPS);
        let served = of("pipe-local", Host::Served).into_iter();
        let trials = served.chain(of("confined", Host::Confined));
        let in_whose_name = |trial: Trial| {
            let case = trial.name().rsplit("::").next().unwrap_or_default();
            let needs_modes = CASES
                .iter()
                .any(|other| other.name == case && other.needs.contains(&Need::Modes));
            if is_root && needs_modes {
                as_nobody(trial.name())
            } else {
                trial
            }
        };
        Ok(trials.map(in_whose_name).collect())
    }

    /// Scratch directories of this host.
    enum Host {
        /// Through a client and a server.
        Served,
        /// As the only root of a confinement.
        Confined,
    }

    impl Subject for Host {
        fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
            Box::pin(async move {
                let scratch = Scratch(tempfile::tempdir()?);
                build_on_disk(scratch.0.path(), tree)?;
                let base = PathUri::from_host_native_path(scratch.0.path())?;
                if matches!(self, Host::Confined) {
                    let confined = ConfinedFileSystem::new([base.to_abs_path()?])?;
                    return Ok(Fixture::new(confined, base).keeping(scratch));
                }
                let options = ServerOptions::new(EnvironmentInfo::new(base.clone()));
                let server = Server::local(LocalFileSystem::new(), options);
                let remote = super::on_a_pipe(server, ClientOptions::default());
                Ok(Fixture::new(remote, base).keeping(scratch))
            })
        }

        fn lacks(&self, need: Need) -> Option<&str> {
            match need {
                Need::Sandbox => Some(super::NO_SANDBOX),
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
        fs::copy(std::env::current_exe()?, &program)?;
        fs::set_permissions(&program, Permissions::from_mode(0o755))?;
        Ok((directory, program))
    }
}
