//! What a session start costs through client and server: requests, and round trips as virtual time.
//!
//! Between both ends lies a pipe that delays every line, on a paused clock, so the time of a start
//! is its number of round trips, the handshake included. The jobs are those of the `remote`
//! benchmark, and so is the reading of the log; on disk the scratch directory is two levels deep,
//! and so it is here.

mod pipe;
mod traffic;

#[path = "../../../benches/remote/traffic.rs"]
mod log;
#[path = "../../../benches/remote/session.rs"]
#[expect(dead_code, reason = "the bench needs more of it than the tests")]
mod session;
#[path = "../../../benches/remote/trees.rs"]
mod trees;

use std::sync::Arc;
use std::time::Duration;

use codex_exec_server::{ClientOptions, EnvironmentInfo, RemoteFileSystem, Server, ServerOptions};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use pretty_assertions::assert_eq;

use self::log::{Log, Traffic};
use self::session::{Loaded, Session};

const SCRATCH: &str = "/tmp/scratch";
const ROUND_TRIP: Duration = Duration::from_millis(50);

/// What a session start took.
struct Start {
    loaded: Loaded,
    traffic: Traffic,
    round_trips: u128,
}

/// Starts a session through a client, the delaying pipe and a server.
fn start((tree, cwd): (String, String), session: Session) -> Start {
    let tree = tree.replace(trees::ROOT, &format!("{SCRATCH}{}", trees::ROOT));
    let files = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let cwd = PathUri::parse(&format!("file://{SCRATCH}{cwd}")).unwrap();
    let server = Server::new(
        Arc::new(files),
        ServerOptions::new(EnvironmentInfo::new(cwd.clone())),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let log = Arc::new(Log::default());
        let (reader, writer) = pipe::to(server, ROUND_TRIP, Arc::clone(&log));
        let begin = tokio::time::Instant::now();
        let client = RemoteFileSystem::from_streams(reader, writer, ClientOptions::default());
        let loaded = session.start(Arc::new(client), &cwd).await;
        Start {
            loaded,
            traffic: log.take(),
            round_trips: begin.elapsed().as_millis() / ROUND_TRIP.as_millis(),
        }
    })
}

/// Round trips by the clock and by the log, requests, and those that repeat an earlier one.
fn cost(start: &Start) -> (u128, usize, usize, usize) {
    let traffic = &start.traffic;
    (
        start.round_trips,
        traffic.round_trips(),
        traffic.requests(),
        traffic.duplicates(),
    )
}

#[test]
fn three_documents_take_two_round_trips() {
    let start = start(trees::documents(3), Session::instructions());
    assert_eq!(start.loaded.documents(), 3);
    assert_eq!(cost(&start), (2, 2, 30, 0));
}

#[test]
fn the_handshake_costs_no_round_trip() {
    let start = start(trees::documents(3), Session::instructions());
    assert_eq!(start.traffic.round_trips_before_the_first_call(), 0);
}

#[test]
fn more_documents_take_a_round_trip_more_at_most() {
    for (documents, round_trips, requests) in [(5, 2, 45), (9, 3, 78)] {
        let start = start(trees::documents(documents), Session::instructions());
        assert_eq!(start.loaded.documents(), documents);
        let expected = (round_trips, round_trips as usize, requests, 0);
        assert_eq!(cost(&start), expected, "{documents}");
    }
}

#[test]
fn documents_and_skills_are_loaded_at_the_same_time() {
    let start = start(trees::documents_and_two_skill_roots(), Session::whole());
    assert_eq!((start.loaded.documents(), start.loaded.skills()), (3, 2));
    assert_eq!(cost(&start), (4, 4, 70, 0));
}
