//! A file of 50 MB over WebSocket: how fast it comes, what memory it takes at either end, and how
//! long metadata waits behind it.

use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use codex_bench_support::{Bench, Figure, Mark, Spread};
use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::ExecutorFileSystem as _;
use codex_path_uri::PathUri;
use tokio::runtime::Runtime;

use crate::on_this_thread;
use crate::process::Process;
use crate::scratch::{HUGE_BYTES, Scratch};
use crate::servers::{Listening, Program, ROLE};

/// How the reading client is told what to read.
const PATH: &str = "RATES_PATH";
/// How many reads metadata is asked behind.
const READS: usize = 11;
/// How long a read is under way by then.
const HEAD_START: Duration = Duration::from_millis(5);
const MEMORY: &str = "one file of 50 MB, memory above idle";
const BEHIND: &str = "metadata behind a file of 50 MB";
const MIB: f64 = 1024.0 * 1024.0;

pub(crate) fn compare(bench: &mut Bench, scratch: &Scratch) -> io::Result<()> {
    let home = scratch.home();
    let ours = Program::own("socket", home)?;
    let published = Program::published(home);
    throughput(bench, scratch, &ours, published.as_ref())?;
    if bench.wants(MEMORY) {
        let (server, client) = memory(&ours.listen()?, scratch)?;
        bench.figure(Figure::new(MEMORY, "server", server, "MiB").at_most(8.0));
        bench.figure(Figure::new(MEMORY, "client, without the file", client, "MiB").at_most(8.0));
        if let Some(published) = &published {
            let (server, _) = memory(&published.listen()?, scratch)?;
            bench.figure(Figure::new(MEMORY, "published server", server, "MiB"));
        }
    }
    if bench.wants(BEHIND) {
        let waits = behind(&ours, scratch)?;
        bench.figure(Figure::new(BEHIND, "server", waits.median, "ms").at_most(5.0));
        let worst = format!("{BEHIND}, the worst");
        bench.figure(Figure::new(&worst, "server", waits.greatest, "ms"));
        if let Some(published) = &published {
            let waits = behind(published, scratch)?;
            bench.figure(Figure::new(BEHIND, "published", waits.median, "ms"));
            bench.figure(Figure::new(&worst, "published", waits.greatest, "ms"));
        }
    }
    Ok(())
}

fn throughput(
    bench: &mut Bench,
    scratch: &Scratch,
    ours: &Program,
    published: Option<&Program>,
) -> io::Result<()> {
    let name = "one file of 50 MB";
    let Some(published) = published.filter(|_| bench.wants(name)) else {
        return Ok(());
    };
    let runtime = on_this_thread()?;
    let listening = [ours.listen()?, published.listen()?];
    let connect =
        |listening: &Listening| runtime.block_on(listening.client(ClientOptions::default()));
    let (ours, published) = (connect(&listening[0])?, connect(&listening[1])?);
    let work = |client: &RemoteFileSystem| {
        let read = runtime.block_on(read(client, &scratch.huge));
        read.expect("a file");
    };
    bench
        .contest(name, "server", || work(&ours))
        .against("published", Mark::FasterBy(5.0), || work(&published))
        .run();
    Ok(())
}

async fn read(client: &RemoteFileSystem, path: &PathUri) -> io::Result<()> {
    let bytes = client.read_file(path, None).await?;
    (bytes.len() == HUGE_BYTES)
        .then_some(())
        .ok_or_else(|| io::Error::other("the file is cut"))
}

/// The memory of a server, and that of a client in a process of its own, in MiB.
fn memory(listening: &Listening, scratch: &Scratch) -> io::Result<(f64, f64)> {
    let server = listening.process();
    let warm_up = listening.client(ClientOptions::default());
    let small = async { warm_up.await?.read_file(&scratch.small, None).await };
    on_this_thread()?.block_on(small)?;
    let idle = server.memory()?;
    server.forget_peak()?;
    let output = Command::new(std::env::current_exe()?)
        .env(ROLE, &listening.url)
        .env(PATH, scratch.huge.as_str())
        .stderr(Stdio::inherit())
        .output()?;
    let client = String::from_utf8_lossy(&output.stdout);
    let client = client.trim().parse().map_err(io::Error::other)?;
    Ok((server.peak()? - idle, client))
}

/// Reads the file as a client and tells the memory that it took above idle and without the file.
pub(crate) fn tell_own_memory(url: &str) -> io::Result<()> {
    let path = std::env::var(PATH).map_err(io::Error::other)?;
    let path = PathUri::parse(&path)?;
    let memory = on_this_thread()?.block_on(async {
        let client = RemoteFileSystem::connect_websocket(url, ClientOptions::default());
        let client = client.await.map_err(io::Error::other)?;
        client.get_metadata(&path, None).await?;
        let idle = Process::own().memory()?;
        Process::own().forget_peak()?;
        read(&client, &path).await?;
        io::Result::Ok(Process::own().peak()? - idle - HUGE_BYTES as f64 / MIB)
    })?;
    io::Write::write_all(&mut io::stdout(), memory.to_string().as_bytes())
}

/// How long metadata takes, asked once while the file is on its way on the same connection, in
/// milliseconds.
fn behind(program: &Program, scratch: &Scratch) -> io::Result<Spread> {
    let listening = program.listen()?;
    Runtime::new()?.block_on(async {
        let client = listening.client(ClientOptions::default()).await?;
        client.get_metadata(&scratch.small, None).await?;
        let mut waits = Vec::with_capacity(READS);
        for _ in 0..READS {
            let (reader, path) = (client.clone(), scratch.huge.clone());
            let reading = tokio::spawn(async move { read(&reader, &path).await });
            tokio::time::sleep(HEAD_START).await;
            let start = Instant::now();
            client.get_metadata(&scratch.small, None).await?;
            waits.push(start.elapsed().as_secs_f64() * 1e3);
            reading.await.map_err(io::Error::other)??;
        }
        Spread::of(&waits).ok_or_else(|| io::Error::other("nothing was read"))
    })
}
