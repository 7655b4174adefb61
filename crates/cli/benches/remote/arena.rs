//! One job for all: the published client as a process and the libraries, turn by turn, through
//! relays of the same distance.
//!
//! The libraries ask the published server, as the published client does, and the server of this
//! workspace.

use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use codex_bench_support::Spread;
use codex_exec_server::{ClientOptions, RemoteFileSystem};
use codex_file_system_testkit::build_on_disk;
use codex_path_uri::PathUri;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::listening::Listening;
use crate::published::Published;
use crate::relay::{Behaviour, Relay};
use crate::session::{Loaded, Session};
use crate::traffic::Traffic;

/// Where jobs are done.
pub(crate) struct Arena {
    runtime: Runtime,
    published: Published,
    published_server: Listening,
    own_server: Listening,
    /// How many turns each side has, unless a job is done once.
    pub(crate) turns: usize,
}

/// A job: a tree and where in it one starts, how far away it is, and what is loaded.
pub(crate) struct Job {
    pub(crate) tree: (String, String),
    pub(crate) behaviour: Behaviour,
    pub(crate) session: Session,
}

/// What everybody did in one job.
pub(crate) struct Outcome {
    /// The published client on the published server.
    pub(crate) theirs: Side<Prompt>,
    /// The libraries on the published server.
    pub(crate) ours: Side<Loaded>,
    /// The same turn again, nothing changed.
    pub(crate) ours_again: Side<()>,
    /// The libraries on the server of this workspace.
    pub(crate) ours_throughout: Side<Loaded>,
    /// The same turn again, nothing changed.
    pub(crate) ours_throughout_again: Side<()>,
}

/// One side: its times in milliseconds, and traffic and result of its last turn.
pub(crate) struct Side<R> {
    pub(crate) milliseconds: Spread,
    pub(crate) traffic: Traffic,
    pub(crate) result: R,
}

/// What the published client would send to a model.
pub(crate) struct Prompt {
    /// With the files behind the relay.
    text: String,
    /// With the same files on this machine.
    local: String,
}

impl Prompt {
    /// How many of the documents of a tree the text holds.
    pub(crate) fn documents(&self) -> usize {
        let is_there = |number: &usize| self.text.contains(&format!("Document {number}."));
        (0..10).filter(is_there).count()
    }

    /// How many of the skills are missing that it holds where the files are local.
    pub(crate) fn missing_skills(&self) -> usize {
        let skills = |text: &str| text.matches("/SKILL.md)").count();
        skills(&self.local).saturating_sub(skills(&self.text))
    }
}

impl Arena {
    /// Starts both servers.
    pub(crate) fn new(program: PathBuf, turns: usize) -> io::Result<Self> {
        let published = Published::new(program)?;
        let own = env!("CARGO_BIN_EXE_codex-context");
        Ok(Self {
            runtime: Runtime::new()?,
            published_server: published.serve()?,
            own_server: Listening::start(Command::new(own).arg("serve"))?,
            published,
            turns,
        })
    }

    /// What the published program calls itself and its version.
    pub(crate) fn version(&self) -> io::Result<String> {
        self.published.version()
    }

    /// Does a job once, for what comes out of it.
    pub(crate) fn once(&self, job: &Job) -> io::Result<Outcome> {
        self.run_turns(job, 1)
    }

    /// Lets everybody do a job, turn by turn.
    ///
    /// The published client's time is that of its process less what the same process takes with
    /// the same files on this machine, the median of as many turns.
    pub(crate) fn run(&self, job: &Job) -> io::Result<Outcome> {
        self.run_turns(job, self.turns)
    }

    fn run_turns(&self, job: &Job, turns: usize) -> io::Result<Outcome> {
        let project = Project::build(&job.tree)?;
        let [near, far] = [&self.published_server, &self.own_server].map(|server| {
            let relay = Relay::start(&server.address, job.behaviour.clone());
            self.runtime.block_on(relay)
        });
        let (relay, own_relay) = (near?, far?);
        let (mut start_ups, mut wholes) = (Vec::new(), Vec::new());
        let (mut ours, mut ours_throughout) = (Turns::default(), Turns::default());
        let mut last = None;
        for _ in 0..turns {
            let (start_up, local) = self.published.prompt(&project.cwd, None)?;
            let (whole, text) = self.published.prompt(&project.cwd, Some(&relay.url()))?;
            let their_traffic = relay.take_traffic();
            self.load(&relay, job, &project, &mut ours)?;
            self.load(&own_relay, job, &project, &mut ours_throughout)?;
            start_ups.push(milliseconds(start_up));
            wholes.push(milliseconds(whole));
            last = Some((Prompt { text, local }, their_traffic));
        }
        let (prompt, their_traffic) = last.ok_or_else(no_turns)?;
        let start_up = spread(&start_ups)?.median;
        let net: Vec<f64> = wholes.iter().map(|whole| whole - start_up).collect();
        let (ours, ours_again) = ours.sides()?;
        let (ours_throughout, ours_throughout_again) = ours_throughout.sides()?;
        Ok(Outcome {
            theirs: Side::new(&net, (their_traffic, prompt))?,
            ours,
            ours_again,
            ours_throughout,
            ours_throughout_again,
        })
    }

    /// Connects and loads, then loads the same again.
    fn load(
        &self,
        relay: &Relay,
        job: &Job,
        project: &Project,
        turns: &mut Turns,
    ) -> io::Result<()> {
        let cwd = PathUri::from_host_native_path(&project.cwd)?;
        let url = relay.url();
        self.runtime.block_on(async {
            let start = Instant::now();
            let client = RemoteFileSystem::connect_websocket(&url, ClientOptions::new("bench"));
            let client = client.await.map_err(io::Error::other)?;
            let loaded = job.session.start(Arc::new(client.clone()), &cwd).await;
            turns.times.push(milliseconds(start.elapsed()));
            let traffic = relay.take_traffic();
            let start = Instant::now();
            let (_, changes) = loaded.0.refresh().await.map_err(io::Error::other)?;
            turns.times_again.push(milliseconds(start.elapsed()));
            assert!(changes.is_empty(), "{changes}");
            turns.last = Some((traffic, loaded));
            turns.last_again = Some(relay.take_traffic());
            client.close().await;
            Ok(())
        })
    }
}

/// The turns of one side.
#[derive(Default)]
struct Turns {
    times: Vec<f64>,
    times_again: Vec<f64>,
    last: Option<(Traffic, Loaded)>,
    last_again: Option<Traffic>,
}

impl Turns {
    fn sides(self) -> io::Result<(Side<Loaded>, Side<()>)> {
        let last = self.last.ok_or_else(no_turns)?;
        let again = self.last_again.ok_or_else(no_turns)?;
        Ok((
            Side::new(&self.times, last)?,
            Side::new(&self.times_again, (again, ()))?,
        ))
    }
}

impl<R> Side<R> {
    fn new(times: &[f64], (traffic, result): (Traffic, R)) -> io::Result<Self> {
        Ok(Self {
            milliseconds: spread(times)?,
            traffic,
            result,
        })
    }
}

impl Outcome {
    /// How many times as long as `ours` the published client took, by the medians.
    pub(crate) fn speedup(&self, ours: &Side<Loaded>) -> f64 {
        self.theirs.milliseconds.median / ours.milliseconds.median
    }
}

/// The tree of a job on disk.
struct Project {
    _scratch: TempDir,
    cwd: PathBuf,
}

impl Project {
    fn build((tree, cwd): &(String, String)) -> io::Result<Self> {
        // Not where the user has it: each level of the path is one more place to ask.
        let scratch = tempfile::tempdir_in("/tmp")?;
        let base = scratch.path().canonicalize()?;
        build_on_disk(&base, tree)?;
        let cwd = base.join(cwd.trim_start_matches('/'));
        Ok(Self {
            _scratch: scratch,
            cwd,
        })
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn spread(samples: &[f64]) -> io::Result<Spread> {
    Spread::of(samples).ok_or_else(no_turns)
}

fn no_turns() -> io::Error {
    io::Error::other("nobody had a turn")
}
