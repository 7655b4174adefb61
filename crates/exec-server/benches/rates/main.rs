//! How fast a server answers on pipes, beside the published one and beside a floor.
//!
//! The same client asks each of them, a process of its own, for metadata or for a file of 1 KiB,
//! 32 at a time; then for a walk and for one large file. The floor reads a line, does the system
//! call and writes an answer of a fixed shape: what pipes and system calls cost without a
//! protocol. `CODEX_PEER` names the published program, which is left out without it.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a program that measures this host"
)]

mod floor;

use std::io;
use std::path::Path;

use codex_bench_support::{Bench, Mark};
use codex_exec_server::{ClientOptions, EnvironmentInfo, RemoteFileSystem, Server, ServerOptions};
use codex_file_system::{CommandSpec, ExecutorFileSystem as _, LocalFileSystem, WalkOptions};
use codex_path_uri::PathUri;
use futures::StreamExt as _;
use tokio::runtime::Runtime;

/// How many requests are in flight.
const WINDOW: usize = 32;
/// How many requests one turn makes.
const TURN: usize = 512;

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    match std::env::var("RATES_SERVE").as_deref() {
        Ok("floor") => return floor::serve(),
        Ok(_) => return Runtime::new()?.block_on(serve()),
        Err(_) => {}
    }
    let scratch = tempfile::tempdir()?;
    let peers = Peers::start(scratch.path())?;
    let mut bench = Bench::from_args("rates", &mut arguments);
    small_calls(&mut bench, &peers);
    large_answers(&mut bench, &peers);
    bench.write_report(&mut io::stdout().lock())
}

async fn serve() -> io::Result<()> {
    let info = EnvironmentInfo::new(PathUri::parse("file:///").map_err(io::Error::from)?);
    let server = Server::local(LocalFileSystem::new(), ServerOptions::new(info));
    server.serve_standard_streams().await
}

/// The servers, each behind a client, and what they are asked for.
struct Peers {
    runtime: Runtime,
    ours: RemoteFileSystem,
    floor: RemoteFileSystem,
    published: Option<RemoteFileSystem>,
    small: PathUri,
    large: PathUri,
    tree: PathUri,
}

impl Peers {
    fn start(scratch: &Path) -> io::Result<Self> {
        std::fs::write(scratch.join("small"), vec![b'x'; 1024])?;
        std::fs::write(scratch.join("large"), vec![b'x'; 8 * 1024 * 1024])?;
        for directory in 0..100 {
            let directory = scratch.join("tree").join(directory.to_string());
            std::fs::create_dir_all(&directory)?;
            std::fs::write(directory.join("SKILL.md"), "x")?;
        }
        let uri = |name: &str| PathUri::from_host_native_path(scratch.join(name));
        let runtime = Runtime::new()?;
        let own = std::env::current_exe()?;
        let start = |program: &Path, args: &[&str], serve: &str| {
            let home = scratch.to_str().expect("a scratch directory of text");
            let env = [("RATES_SERVE", serve), ("HOME", home), ("CODEX_HOME", home)];
            let command = CommandSpec {
                program: program.to_str().expect("a program of text").to_owned(),
                args: args.iter().map(|&arg| arg.to_owned()).collect(),
                env: env
                    .map(|(name, value)| (name.to_owned(), value.to_owned()))
                    .into(),
                cwd: None,
            };
            let client = RemoteFileSystem::spawn(command, ClientOptions::default());
            runtime.block_on(client).map_err(io::Error::other)
        };
        let published = std::env::var("CODEX_PEER").ok();
        let published = published
            .map(|peer| start(Path::new(&peer), &["exec-server", "--listen", "stdio"], ""))
            .transpose()?;
        Ok(Self {
            ours: start(&own, &[], "ours")?,
            floor: start(&own, &[], "floor")?,
            published,
            small: uri("small")?,
            large: uri("large")?,
            tree: uri("tree")?,
            runtime,
        })
    }

    fn metadata(&self, client: &RemoteFileSystem) {
        self.runtime.block_on(async {
            let calls = (0..TURN).map(|_| client.get_metadata(&self.small, None));
            let calls = futures::stream::iter(calls).buffered(WINDOW);
            calls
                .for_each(|answer| async move { assert!(answer.is_ok()) })
                .await;
        });
    }

    fn read(&self, client: &RemoteFileSystem) {
        self.runtime.block_on(async {
            let calls = (0..TURN).map(|_| client.read_file(&self.small, None));
            let calls = futures::stream::iter(calls).buffered(WINDOW);
            calls
                .for_each(|answer| async move { assert!(answer.is_ok()) })
                .await;
        });
    }

    fn walk(&self, client: &RemoteFileSystem) {
        let options = WalkOptions::new(6, 2000, 20_000);
        let walk = self
            .runtime
            .block_on(client.walk(&self.tree, &options, None));
        assert_eq!(walk.expect("a walk").entries.len(), 200);
    }

    fn read_large(&self, client: &RemoteFileSystem) {
        let bytes = self.runtime.block_on(client.read_file(&self.large, None));
        assert_eq!(bytes.expect("a file").len(), 8 * 1024 * 1024);
    }
}

fn small_calls(bench: &mut Bench, peers: &Peers) {
    let mut contest = bench
        .contest("512 x metadata, 32 at a time", "server", || {
            peers.metadata(&peers.ours)
        })
        .against("floor", Mark::FasterBy(0.35), || {
            peers.metadata(&peers.floor)
        });
    if let Some(published) = &peers.published {
        contest = contest.against("published", Mark::FasterBy(3.0), || {
            peers.metadata(published)
        });
    }
    contest.run();
    let mut contest = bench
        .contest("512 x 1 KiB read, 32 at a time", "server", || {
            peers.read(&peers.ours)
        })
        .against("floor", Mark::FasterBy(0.35), || peers.read(&peers.floor));
    if let Some(published) = &peers.published {
        contest = contest.against("published", Mark::FasterBy(3.0), || peers.read(published));
    }
    contest.run();
}

fn large_answers(bench: &mut Bench, peers: &Peers) {
    let Some(published) = &peers.published else {
        return;
    };
    bench
        .contest("walk of 200 entries", "server", || peers.walk(&peers.ours))
        .against("published", Mark::FasterBy(4.0), || peers.walk(published))
        .run();
    bench
        .contest("one file of 8 MiB", "server", || {
            peers.read_large(&peers.ours)
        })
        .against("published", Mark::FasterBy(5.0), || {
            peers.read_large(published)
        })
        .run();
}
