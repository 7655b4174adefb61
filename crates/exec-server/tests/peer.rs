//! Holds the client against the published `codex exec-server`.
//!
//! Run by `just test-peer`, which installs the peer and names it in `CODEX_PEER`. The conformance
//! suite runs on it over pipes and over WebSocket, with the exceptions that the peer's way of
//! telling errors and names makes necessary, and so do a few jobs that only two ends can do.

#![cfg(unix)]
#![expect(
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "the peer is a program, and what it serves is on the host"
)]

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system::{
    CommandSpec, ExecutorFileSystem, FileSystemSandboxContext, SandboxAccess, SandboxEntry,
    SandboxPolicy,
};
use codex_file_system_testkit::conformance::{
    Built, Failure, Fixture, Need, Subject, trials, without_privileges,
};
use codex_file_system_testkit::{ScratchDirectory, build_on_disk};
use codex_path_uri::PathUri;
use libtest_mimic::{Arguments, Failed, Trial};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::runtime::Builder;

/// Cases that the peer answers differently, and why.
const EXCUSED: &[(&str, &str)] = &[
    ("read_directory_is_a_directory", NO_KIND),
    ("error_kind_survives", NO_KIND),
    ("read_above_limit_is_too_large", NO_KIND),
    (
        "name_not_utf8_listed_and_read",
        "its listings name what is not UTF-8 with U+FFFD",
    ),
    (
        "walk_without_links",
        "its walks leave out links to files, whatever is asked",
    ),
    (
        "copy_missing",
        "it creates the missing parents of a directory that it copies",
    ),
    (
        "sandbox_restricted_is_enforced_or_unsupported",
        "it hides what a sandbox does not name, and says that it is not there",
    ),
];
const NO_KIND: &str = "it tells this error by a code alone, that of invalid input";
/// Windows names, and a sandbox that is enforced.
const SKIPS: usize = 5 + EXCUSED.len();

fn main() -> io::Result<()> {
    let Some(program) = std::env::var_os("CODEX_PEER").and_then(|path| path.into_string().ok())
    else {
        eprintln!("CODEX_PEER names no program: run `just test-peer`");
        return Ok(());
    };
    let mut all = Vec::new();
    for way in [Way::Pipe, Way::Socket] {
        let peer = Peer {
            program: program.clone(),
            way,
        };
        all.extend(without_privileges(trials(way.name(), peer, SKIPS))?);
    }
    all.extend(jobs::trials(&program));
    libtest_mimic::run(&Arguments::from_args(), all).exit();
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Pipe,
    Socket,
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Way::Pipe => "peer-pipe",
            Way::Socket => "peer-socket",
        }
    }
}

/// The published server, reached in one of two ways.
#[derive(Clone, Debug)]
struct Peer {
    program: String,
    way: Way,
}

/// A peer that listens on a socket; it ends with the test.
struct Listening {
    url: String,
    process: Child,
}

impl Drop for Listening {
    fn drop(&mut self) {
        // The program is a launcher: it hands this signal on, and could not hand on a kill.
        if let Some(id) = self.process.id() {
            let _ = Command::new("kill").arg(id.to_string()).status();
        }
    }
}

impl Peer {
    fn command(&self, scratch: &Path, listen: &str) -> CommandSpec {
        let home = scratch.display().to_string();
        CommandSpec {
            program: self.program.clone(),
            args: ["exec-server", "--listen", listen]
                .map(str::to_owned)
                .to_vec(),
            env: vec![
                ("HOME".to_owned(), home.clone()),
                ("CODEX_HOME".to_owned(), home),
            ],
            cwd: None,
        }
    }

    /// Starts the peer on a socket and waits for it to say where.
    async fn listen(&self, scratch: &Path) -> Result<Listening, Failure> {
        let command = self.command(scratch, "ws://127.0.0.1:0");
        let mut process = tokio::process::Command::new(&command.program)
            .args(&command.args)
            .envs(command.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdout = process
            .stdout
            .take()
            .ok_or_else(|| io::Error::other("the peer has no output"))?;
        let mut lines = BufReader::new(stdout).lines();
        let url = loop {
            let line = lines
                .next_line()
                .await?
                .ok_or_else(|| io::Error::other("the peer ended"))?;
            if let Some(at) = line.find("ws://") {
                break line[at..].trim().to_owned();
            }
        };
        Ok(Listening { url, process })
    }

    async fn serve(
        &self,
        scratch: &Path,
    ) -> Result<(RemoteFileSystem, Option<Listening>), Failure> {
        let options = ClientOptions::default();
        Ok(match self.way {
            Way::Pipe => {
                let command = self.command(scratch, "stdio");
                (RemoteFileSystem::spawn(command, options).await?, None)
            }
            Way::Socket => {
                let listening = self.listen(scratch).await?;
                let remote = RemoteFileSystem::connect_websocket(&listening.url, options).await?;
                (remote, Some(listening))
            }
        })
    }
}

impl Subject for Peer {
    fn build<'a>(&'a self, tree: &'a str) -> Built<'a> {
        Box::pin(async move {
            let served = ScratchDirectory::build(tree)?;
            let home = ScratchDirectory::build("")?;
            let base = served.base()?;
            let (remote, listening) = self.serve(home.path()).await?;
            Ok(Fixture::new(remote, base)
                .keeping((served, home))
                .keeping(listening))
        })
    }

    fn lacks(&self, need: Need) -> Option<&str> {
        match need {
            Need::Sandbox => Some("a remote filesystem refuses every sandbox that restricts"),
            Need::WindowsNames => Some("a POSIX host"),
            _ => None,
        }
    }

    fn excuse(&self, case: &str) -> Option<&str> {
        let excused = EXCUSED.iter().find(|(excused, _)| *excused == case);
        excused.map(|(_, reason)| *reason)
    }
}

/// What a client and the peer do together.
mod jobs {
    use futures::future::join_all;

    use super::*;

    type Outcome = Result<(), Failure>;

    pub(super) fn trials(program: &str) -> Vec<Trial> {
        let mut all = Vec::new();
        for way in [Way::Pipe, Way::Socket] {
            let peer = Peer {
                program: program.to_owned(),
                way,
            };
            let name = |job: &str| format!("{}::{job}", way.name());
            let (a, b, c) = (peer.clone(), peer.clone(), peer.clone());
            all.push(job(name("the_handshake_tells_the_machine"), move || {
                tells_the_machine(a.clone())
            }));
            all.push(job(name("a_burst_leaves_with_the_handshake"), move || {
                burst(b.clone())
            }));
            all.push(job(name("a_prefix_goes_through_a_handle"), move || {
                prefix(c.clone())
            }));
            let d = peer.clone();
            all.push(job(name("a_sandbox_is_enforced_over_there"), move || {
                sandbox(d.clone())
            }));
            #[cfg(feature = "process")]
            {
                let e = peer.clone();
                all.push(job(
                    name("a_program_is_started_used_and_ended"),
                    move || program_over_there(e.clone()),
                ));
            }
            if way == Way::Socket {
                all.push(job(
                    name("a_lost_connection_goes_on_with_its_session"),
                    move || resume(peer.clone()),
                ));
            }
        }
        all
    }

    fn job<F>(name: String, run: impl Fn() -> F + Send + 'static) -> Trial
    where
        F: Future<Output = Outcome>,
    {
        Trial::test(name, move || {
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let limit = Duration::from_secs(30);
            let outcome = runtime.block_on(async { tokio::time::timeout(limit, run()).await });
            outcome?.map_err(|failure| Failed::from(failure.to_string()))
        })
    }

    fn expect<T: PartialEq + std::fmt::Debug>(actual: &T, expected: &T) -> Outcome {
        if actual == expected {
            return Ok(());
        }
        Err(io::Error::other(format!("{actual:?} is not {expected:?}")).into())
    }

    /// A directory with these files, and its URI.
    fn files(scratch: &TempDir, tree: &str) -> Result<PathUri, Failure> {
        build_on_disk(scratch.path(), tree)?;
        Ok(PathUri::from_host_native_path(scratch.path())?)
    }

    async fn tells_the_machine(peer: Peer) -> Outcome {
        let scratch = tempfile::tempdir()?;
        let (remote, _listening) = peer.serve(scratch.path()).await?;
        let info = remote.server_info().await?;
        expect(&info.platform.as_deref(), &Some(std::env::consts::OS))?;
        let home = PathUri::from_host_native_path(scratch.path())?;
        expect(&info.user_home, &Some(home))?;
        expect(&info.session_id.is_empty(), &false)?;
        expect(&remote.statistics().requests, &0)
    }

    async fn burst(peer: Peer) -> Outcome {
        let scratch = tempfile::tempdir()?;
        let base = files(&scratch, "a = x\nb = y\n")?;
        let (remote, _listening) = peer.serve(scratch.path()).await?;
        let paths = ["a", "b", "missing"].map(|name| base.join(name));
        let paths: Vec<PathUri> = paths.into_iter().collect::<Result<_, _>>()?;
        let calls = paths.iter().map(|path| remote.read_file(path, None));
        let read: Vec<_> = join_all(calls).await;
        let read: Vec<_> = read
            .into_iter()
            .map(|read| read.map_err(|e| e.kind()))
            .collect();
        let expected = [
            Ok(b"x".to_vec()),
            Ok(b"y".to_vec()),
            Err(io::ErrorKind::NotFound),
        ];
        expect(&read, &expected.to_vec())?;
        expect(&remote.statistics().peak_in_flight, &3)
    }

    async fn prefix(peer: Peer) -> Outcome {
        let scratch = tempfile::tempdir()?;
        let base = files(&scratch, "big =*3000000\n")?;
        let (remote, _listening) = peer.serve(scratch.path()).await?;
        let path = base.join("big")?;
        let size = 3_000_000;
        let read = remote
            .read_file_prefix(&path, 1000, Some(size), None)
            .await?;
        let expected: Vec<u8> = (0..1000).map(|at| (at % 256) as u8).collect();
        expect(&read.bytes, &expected)?;
        expect(&read.is_complete, &false)?;
        // Opened, read and closed together: the peer keeps the order of requests.
        expect(&remote.statistics().requests, &3)?;
        let all = remote
            .read_file_prefix(&path, size, Some(size), None)
            .await?;
        expect(&(all.bytes.len() as u64, all.is_complete), &(size, true))
    }

    async fn sandbox(peer: Peer) -> Outcome {
        let scratch = tempfile::tempdir()?;
        let base = files(&scratch, "in/a = x\nout = y\n")?;
        let (remote, _listening) = peer.serve(scratch.path()).await?;
        let entry = SandboxEntry {
            path: base.join("in")?,
            access: SandboxAccess::Read,
        };
        let context = FileSystemSandboxContext::new(SandboxPolicy::Restricted(vec![entry]));
        let read = async |name: &str| {
            let path = base.join(name)?;
            let read = remote.read_file_prefix(&path, 10, None, Some(&context));
            let read = read.await.map(|prefix| prefix.bytes);
            Ok::<_, Failure>(read.map_err(|error| error.kind()))
        };
        expect(&read("in/a").await?, &Ok(b"x".to_vec()))?;
        expect(&read("out").await?, &Err(io::ErrorKind::NotFound))
    }

    #[cfg(feature = "process")]
    async fn program_over_there(peer: Peer) -> Outcome {
        use codex_exec_server::{ProcessOutput, RemoteCommand};

        let scratch = tempfile::tempdir()?;
        let base = files(&scratch, "a = x\n")?;
        let (remote, _listening) = peer.serve(scratch.path()).await?;
        let shell = |script: &str| RemoteCommand {
            program: "/bin/sh".to_owned(),
            args: vec!["-c".to_owned(), script.to_owned()],
            cwd: base.clone(),
            env: [("GREETING".to_owned(), "hey".to_owned())].into(),
        };
        let mut cat = remote.start_process(shell("exec cat")).await?;
        cat.write(b"hello\n").await?;
        expect(
            &cat.read().await?,
            &ProcessOutput::Stdout(b"hello\n".to_vec()),
        )?;
        expect(&cat.terminate().await?, &true)?;
        let ended = cat.read().await?;
        expect(&matches!(ended, ProcessOutput::Ended { .. }), &true)?;
        let mut short = remote
            .start_process(shell("echo $GREETING; cat a >&2; exit 3"))
            .await?;
        let mut heard = Vec::new();
        loop {
            let output = short.read().await?;
            let is_over = matches!(output, ProcessOutput::Ended { .. });
            heard.push(output);
            if is_over {
                break;
            }
        }
        let expected = vec![
            ProcessOutput::Stdout(b"hey\n".to_vec()),
            ProcessOutput::Stderr(b"x".to_vec()),
            ProcessOutput::Ended { exit_code: Some(3) },
        ];
        expect(&heard.len(), &3)?;
        expect(&heard.last(), &expected.last())?;
        expect(&expected.iter().all(|one| heard.contains(one)), &true)?;
        let mut nothing = shell("");
        nothing.program = "/no/such/program".to_owned();
        let failed = remote.start_process(nothing).await.map(drop);
        expect(
            &failed.map_err(|error| error.kind()),
            &Err(io::ErrorKind::NotFound),
        )
    }

    /// Cuts the connection between client and peer once.
    async fn resume(peer: Peer) -> Outcome {
        let scratch = tempfile::tempdir()?;
        let base = files(&scratch, "a = x\n")?;
        let listening = peer.listen(scratch.path()).await?;
        let address = listening.url.trim_start_matches("ws://").to_owned();
        let proxy = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("ws://{}", proxy.local_addr()?);
        let (cut, mut is_cut) = tokio::sync::watch::channel(false);
        tokio::spawn(async move {
            while let Ok((mut near, _)) = proxy.accept().await {
                let Ok(mut far) = tokio::net::TcpStream::connect(&address).await else {
                    return;
                };
                if *is_cut.borrow() {
                    tokio::spawn(async move {
                        tokio::io::copy_bidirectional(&mut near, &mut far).await
                    });
                    continue;
                }
                tokio::select! {
                    _ = tokio::io::copy_bidirectional(&mut near, &mut far) => {}
                    _ = is_cut.changed() => {}
                }
            }
        });
        let remote = RemoteFileSystem::connect_websocket(&url, ClientOptions::default()).await?;
        let path = base.join("a")?;
        expect(&remote.read_file(&path, None).await?, &b"x".to_vec())?;
        let session = remote.server_info().await?.session_id;
        cut.send_replace(true);
        expect(&remote.read_file(&path, None).await?, &b"x".to_vec())?;
        expect(&remote.server_info().await?.session_id, &session)?;
        expect(&remote.statistics().reconnections, &1)
    }
}
