//! The conformance matrix: the suite of the testkit on a client whose server serves memory of both
//! flavors and this host, on pipes and on a socket; and on a confinement inside its root.

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
    let by_blocks = ClientOptions {
        block_read_threshold: 0,
        ..ClientOptions::default()
    };
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
mod host {
    use codex_exec_server::ClientOptions;
    use codex_exec_server::server::{ConfinedFileSystem, EnvironmentInfo, Server, ServerOptions};
    use codex_file_system::LocalFileSystem;
    use codex_file_system_testkit::ScratchDirectory;
    use codex_file_system_testkit::conformance::{
        self, Built, Fixture, Need, Subject, without_privileges,
    };
    use libtest_mimic::Trial;

    pub(super) fn trials() -> std::io::Result<Vec<Trial>> {
        let of = |name, subject| conformance::trials(name, subject, super::SKIPS);
        let served = of("pipe-local", Host::Served).into_iter();
        without_privileges(served.chain(of("confined", Host::Confined)).collect())
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
                let scratch = ScratchDirectory::build(tree)?;
                let base = scratch.base()?;
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
}
