//! What a lookahead promises, on a filesystem that writes a log and answers when it is told.
//!
//! In a log, `sX` is the start of a call of `X`, `aX` its answer and `dX` its end without an answer.

use std::io;
use std::sync::Mutex;
use std::task::{Context, Waker};
use std::time::Duration;

use codex_file_system::call::{Call, CallKind, Uniform};
use codex_file_system::{
    ExecutorFileSystem, FileSystemError, FileSystemFuture, Lookahead, Operation, PlannedCall,
    Question, ReadCall, Window, uniform_file_system,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use futures::future::{join, join_all};
use pretty_assertions::assert_eq;

/// Answers `NotFound` after as many milliseconds as the delay of a name says, in two halves.
struct Scripted {
    delay: fn(&str) -> u64,
    log: Mutex<Vec<String>>,
    in_flight: Mutex<InFlight>,
}

#[derive(Default)]
struct InFlight {
    now: usize,
    most: usize,
}

/// A call in flight, which ends with an answer or without one.
struct Running<'a>(&'a Scripted, Option<String>);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.in_flight.lock().unwrap().now -= 1;
        if let Some(name) = self.1.take() {
            self.0.log.lock().unwrap().push(format!("d{name}"));
        }
    }
}

impl Scripted {
    fn new(delay: fn(&str) -> u64) -> Self {
        let (log, in_flight) = (Mutex::default(), Mutex::default());
        Self {
            delay,
            log,
            in_flight,
        }
    }

    fn log(&self) -> String {
        self.log.lock().unwrap().join(" ")
    }

    fn most(&self) -> usize {
        self.in_flight.lock().unwrap().most
    }

    fn now(&self) -> usize {
        self.in_flight.lock().unwrap().now
    }
}

impl Uniform for Scripted {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let name = call.path().basename().unwrap().into_owned();
            self.log.lock().unwrap().push(format!("s{name}"));
            let half = Duration::from_millis((self.delay)(&name));
            {
                let mut in_flight = self.in_flight.lock().unwrap();
                in_flight.now += 1;
                in_flight.most = in_flight.most.max(in_flight.now);
            }
            let mut running = Running(self, Some(name));
            if !half.is_zero() {
                tokio::time::sleep(half).await;
                tokio::time::sleep(half).await;
            }
            let name = running.1.take().unwrap();
            self.log.lock().unwrap().push(format!("a{name}"));
            Err(io::ErrorKind::NotFound.into())
        })
    }
}

uniform_file_system! { impl for Scripted }

/// Runs on a paused clock.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(future)
}

fn path(name: &str) -> PathUri {
    PathUri::parse(&format!("file:///{name}")).unwrap()
}

fn window(calls: usize) -> Window {
    Window::new(calls).unwrap()
}

fn calls(names: &str) -> Vec<ReadCall> {
    let names = names.split(' ');
    names.map(|it| ReadCall::metadata(&path(it))).collect()
}

async fn stat(fs: &Lookahead<'_, impl ExecutorFileSystem>, names: &str) {
    for name in names.split(' ') {
        let error = fs.get_metadata(&path(name), None).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}

/// Runs a serial loader over `asked`, with `expected`, and returns the log.
fn log(delay: fn(&str) -> u64, width: usize, expected: &str, asked: &str) -> String {
    let fs = Scripted::new(delay);
    let lookahead = Lookahead::new(&fs, window(width));
    lookahead.expect_all(calls(expected));
    block_on(lookahead.drive(stat(&lookahead, asked)));
    assert!(fs.most() <= width);
    assert_eq!(fs.now(), 0);
    fs.log()
}

fn questions(plan: &[PlannedCall]) -> Vec<Question> {
    plan.iter().map(|it| it.call.question.clone()).collect()
}

#[test]
fn expected_calls_start_in_order_while_the_loader_waits() {
    assert_eq!(log(|_| 1, 4, "1 2 3", "0 1 2 3"), "s0 s1 s2 s3 a0 a1 a2 a3");
}

#[test]
fn a_window_of_one_asks_nothing_ahead() {
    assert_eq!(log(|_| 1, 1, "1 2", "0 1 2"), "s0 a0 s1 a1 s2 a2");
}

#[test]
fn a_filesystem_that_answers_at_once_is_asked_the_serial_calls_only() {
    assert_eq!(log(|_| 0, 8, "1 2 3", "0 1"), "s0 a0 s1 a1");
}

#[test]
fn what_was_not_started_when_the_loader_ends_never_starts_and_the_rest_is_dropped() {
    let delay = |name: &str| if name == "0" { 1 } else { 9 };
    let log = log(delay, 3, "1 2 3 4", "0");
    assert!(
        ["s0 s1 s2 a0 d1 d2", "s0 s1 s2 a0 d2 d1"].contains(&log.as_str()),
        "{log}"
    );
}

#[test]
fn no_call_is_made_twice_whoever_makes_it() {
    assert_eq!(log(|_| 1, 8, "0 1 1 2", "0 1 0 2 1 2"), "s0 s1 s2 a0 a1 a2");
}

#[test]
fn the_loaders_own_call_goes_before_all_expectations() {
    assert_eq!(
        log(|_| 1, 2, "1 2 3", "0 x 3"),
        "s0 s1 a0 sx a1 s2 ax s3 a2 a3"
    );
}

#[test]
fn calls_of_different_length_progress_together() {
    let delay = |name: &str| name.parse().unwrap_or(0);
    assert_eq!(log(delay, 3, "4 2", "5 4 2"), "s5 s4 s2 a2 a4 a5");
}

#[test]
fn loaders_that_are_joined_share_calls_and_window() {
    let fs = Scripted::new(|_| 2);
    let lookahead = Lookahead::new(&fs, window(3));
    lookahead.expect_all(calls("1 2 3"));
    let both = join(stat(&lookahead, "0 1 2"), stat(&lookahead, "1 3 0"));
    block_on(lookahead.drive(both));
    assert!(fs.most() <= 3);
    assert_eq!(lookahead.plan().len(), 4);
}

#[test]
fn a_wide_join_of_calls_that_were_not_expected_stays_in_the_window() {
    let fs = Scripted::new(|name| name.len() as u64);
    let lookahead = Lookahead::new(&fs, window(3));
    let names = (0..40).map(|it| format!("{}{it}", "x".repeat(it % 5)));
    let names: Vec<_> = names.collect();
    let all = names.iter().map(|name| stat(&lookahead, name));
    block_on(lookahead.drive(join_all(all)));
    assert_eq!((fs.most(), lookahead.plan().len()), (3, 40));
}

#[test]
fn expected_calls_that_hang_never_stop_the_loader() {
    let fs = Scripted::new(|name| if name.starts_with('h') { 1_000_000 } else { 1 });
    for width in 1..5 {
        let lookahead = Lookahead::new(&fs, window(width));
        lookahead.expect_all(calls("h1 h2 h3 h4 h5 h6 7"));
        let loader = async {
            // Busy with another machine meanwhile.
            tokio::time::sleep(Duration::from_millis(5)).await;
            stat(&lookahead, "1 2 7 3").await;
        };
        let loader = async { tokio::time::timeout(Duration::from_secs(1), loader).await };
        block_on(lookahead.drive(loader)).unwrap();
    }
}

#[test]
fn ahead_keeps_so_many_of_a_sequence_started_and_not_consumed() {
    // The second answer is late: what lies behind it may not run away.
    let fs = Scripted::new(|name| if name == "1" { 9 } else { 1 });
    let lookahead = Lookahead::new(&fs, Window::default());
    block_on(lookahead.drive(async {
        let names = (0..8).map(|it| it.to_string());
        let call = |name: &String| Some(ReadCall::metadata(&path(name)));
        for name in lookahead.ahead(4, names, call) {
            assert!(lookahead.plan().len() <= name.parse::<usize>().unwrap() + 4);
            stat(&lookahead, &name).await;
        }
    }));
    assert!(fs.log().starts_with("s0 s1 s2 s3 a0"), "{}", fs.log());
}

#[test]
fn an_answer_expects_what_it_makes_probable_and_the_plan_says_why() {
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, "/dir/a.txt = A").unwrap();
    let fs = codex_file_system::wrap::Latency::new(
        fs,
        codex_file_system::TokioTimer,
        Duration::from_millis(1),
        Duration::ZERO,
    );
    let lookahead = Lookahead::new(&fs, window(8));
    let (dir, file) = (path("dir"), path("dir/a.txt"));
    lookahead.set_phase("skills");
    let listing = ReadCall::listing(&dir);
    let content = ReadCall::file(&file);
    let below = content.clone();
    lookahead.expect_all([listing.clone().then(move |answer| {
        assert_eq!(answer.listing().unwrap().len(), 1);
        vec![below.into()]
    })]);
    block_on(lookahead.drive(async {
        let _ = lookahead.canonicalize(&dir, None).await;
        let _ = lookahead.get_metadata(&dir, None).await;
        assert_eq!(lookahead.read_file(&file, None).await.unwrap(), b"A");
    }));
    let plan = lookahead.plan();
    assert_eq!(
        questions(&plan),
        [
            Question::CanonicalPath,
            Question::Listing,
            Question::Metadata,
            Question::File
        ]
    );
    assert_eq!(
        plan.last(),
        Some(&PlannedCall {
            call: content.clone(),
            phase: "skills",
            after: Some(listing),
            is_ahead: true,
        })
    );
    let used = [ReadCall::canonical(&dir), ReadCall::metadata(&dir), content];
    assert_eq!(lookahead.calls_used(), used);
}

#[test]
fn a_loader_that_is_dropped_leaves_nothing_in_flight() {
    let fs = Scripted::new(|_| 9);
    let lookahead = Lookahead::new(&fs, window(4));
    lookahead.expect_all(calls("1 2"));
    block_on(async {
        let mut drive = Box::pin(lookahead.drive(stat(&lookahead, "0")));
        let mut context = Context::from_waker(Waker::noop());
        assert!(drive.as_mut().poll(&mut context).is_pending());
        assert_eq!(fs.now(), 3);
    });
    assert_eq!(fs.now(), 0);
    // And the next one makes its calls as if nothing had been.
    block_on(lookahead.drive(stat(&lookahead, "0 1")));
    assert_eq!(lookahead.plan().len(), 5);
}

#[test]
fn a_drive_inside_another_is_the_loader_alone() {
    let fs = Scripted::new(|_| 1);
    let lookahead = Lookahead::new(&fs, window(4));
    lookahead.expect_all(calls("1 2"));
    block_on(lookahead.drive(async {
        lookahead.drive(stat(&lookahead, "0")).await;
        stat(&lookahead, "1 2").await;
    }));
    assert_eq!(fs.log(), "s0 s1 s2 a0 a1 a2");
}

/// Files of so many bytes each, behind one millisecond.
fn files(count: usize, bytes: usize) -> (impl ExecutorFileSystem, Vec<PathUri>) {
    let content = "x".repeat(bytes);
    let lines = (0..count).map(|it| format!("/srv/{it}.txt = {content}\n"));
    let memory = MemoryFileSystem::from_tree(Flavor::Posix, &lines.collect::<String>()).unwrap();
    let millisecond = Duration::from_millis(1);
    let timer = codex_file_system::TokioTimer;
    let fs = codex_file_system::wrap::Latency::new(memory, timer, millisecond, Duration::ZERO);
    let paths = (0..count)
        .map(|it| path(&format!("srv/{it}.txt")))
        .collect();
    (fs, paths)
}

/// How many calls are made while the loader waits for other answers, 20 milliseconds long.
fn asked_ahead(width: usize, expected: Vec<ReadCall>, fs: &impl ExecutorFileSystem) -> usize {
    let lookahead = Lookahead::new(fs, window(width));
    lookahead.expect_all(expected);
    block_on(lookahead.drive(async {
        for it in 0..20 {
            let _ = lookahead.get_metadata(&path(&it.to_string()), None).await;
        }
    }));
    lookahead.plan().len() - 20
}

#[test]
fn contents_that_are_not_taken_are_four_windows_at_most() {
    let (fs, paths) = files(40, 10);
    let expected = paths.iter().map(|it| ReadCall::prefix(it, 64));
    assert_eq!(asked_ahead(4, expected.collect(), &fs), 16);
}

#[test]
fn contents_that_are_not_taken_are_16_mib_at_most_and_the_first_always_comes() {
    let (fs, paths) = files(3, 1);
    let huge = paths.iter().map(|it| ReadCall::prefix(it, 1 << 40));
    // Each answer frees what was reserved for it.
    assert_eq!(asked_ahead(64, huge.collect(), &fs), 1);
    let large = paths.iter().map(|it| ReadCall::prefix(it, 6 << 20));
    assert_eq!(asked_ahead(64, large.collect(), &fs), 3);
}

#[test]
fn contents_that_a_loader_forgets_make_room_for_others() {
    let (fs, paths) = files(40, 10);
    let lookahead = Lookahead::new(&fs, window(4));
    let expected: Vec<_> = paths.iter().map(|it| ReadCall::prefix(it, 64)).collect();
    lookahead.expect_all(expected.clone());
    block_on(lookahead.drive(async {
        for it in 0..30 {
            let _ = lookahead.get_metadata(&path(&it.to_string()), None).await;
            expected.iter().for_each(|it| lookahead.forget(it));
        }
    }));
    // What ran when it was forgotten was made; nothing else was.
    assert_eq!(lookahead.plan().len(), 30 + 3);
}

#[test]
fn a_beginning_that_is_not_the_whole_file_is_asked_once_more() {
    let (fs, paths) = files(1, 100_000);
    let lookahead = Lookahead::new(&fs, window(4));
    let read = block_on(lookahead.drive(lookahead.read_beginning(&paths[0], 90_000))).unwrap();
    assert_eq!((read.bytes.len(), read.is_complete), (90_000, false));
    let asked = [65_536, 90_000].map(|max_bytes| Question::Prefix { max_bytes });
    assert_eq!(questions(&lookahead.plan()), asked);
}

#[test]
fn contents_are_handed_over_once_and_all_else_is_kept() {
    let (fs, paths) = files(1, 10);
    let lookahead = Lookahead::new(&fs, window(4));
    block_on(async {
        for _ in 0..2 {
            lookahead.get_metadata(&paths[0], None).await.unwrap();
            lookahead.canonicalize(&paths[0], None).await.unwrap();
            lookahead.read_directory(&path("srv"), None).await.unwrap();
            lookahead.read_file(&paths[0], None).await.unwrap();
        }
    });
    assert_eq!(lookahead.plan().len(), 5);
}

#[test]
fn a_write_makes_answers_void() {
    let memory = MemoryFileSystem::from_tree(Flavor::Posix, "/srv/").unwrap();
    let lookahead = Lookahead::new(&memory, window(4));
    let file = path("srv/a.txt");
    block_on(async {
        assert!(lookahead.get_metadata(&file, None).await.is_err());
        lookahead
            .write_file(&file, b"A".to_vec(), None)
            .await
            .unwrap();
        assert!(lookahead.get_metadata(&file, None).await.is_ok());
    });
}

/// Refuses everything with a reason.
struct Refusing;

impl Uniform for Refusing {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        assert_eq!(C::KIND, CallKind::GetMetadata);
        let bare = io::Error::new(io::ErrorKind::PermissionDenied, "the door is shut");
        let error = FileSystemError::attach(bare, Operation::GetMetadata, call.path(), None);
        Box::pin(std::future::ready(Err(error)))
    }
}

uniform_file_system! { impl for Refusing }

#[test]
fn a_failure_that_is_handed_over_again_keeps_kind_operation_and_path() {
    let lookahead = Lookahead::new(&Refusing, window(4));
    for _ in 0..3 {
        let file = path("a.txt");
        let error = block_on(lookahead.get_metadata(&file, None)).unwrap_err();
        let payload = FileSystemError::find(&error).unwrap();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(
            (payload.operation, &payload.path),
            (Operation::GetMetadata, &file)
        );
        assert_eq!(
            error.to_string(),
            "cannot read metadata of `file:///a.txt`: the door is shut"
        );
    }
}

/// Sleeps for real, on several threads.
struct Sleeping;

impl Uniform for Sleeping {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let length = call.path().as_str().len() as u64;
            tokio::time::sleep(Duration::from_micros(200 + 1_700 * (length * 7919 % 5))).await;
            tokio::task::yield_now().await;
            Err(io::ErrorKind::NotFound.into())
        })
    }
}

uniform_file_system! { impl for Sleeping }

#[test]
fn no_wake_up_is_lost_on_a_runtime_of_several_threads() {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    let runtime = builder.worker_threads(4).enable_time().build().unwrap();
    let load = async |task: usize, round: usize| {
        let lookahead = Lookahead::new(&Sleeping, window(1 + (task + round) % 9));
        let names: Vec<_> = (0..30).map(|it| "n".repeat(1 + it)).collect();
        lookahead.expect_all(names.iter().skip(5).map(|it| ReadCall::metadata(&path(it))));
        let stat_all = async |names: &[String]| {
            for name in names {
                let _ = lookahead.get_metadata(&path(name), None).await;
            }
        };
        let (first, second) = names.split_at(12);
        let all = join_all([stat_all(first), stat_all(second), stat_all(&names)]);
        let limit = Duration::from_secs(20);
        tokio::time::timeout(limit, lookahead.drive(all))
            .await
            .unwrap();
        assert_eq!(lookahead.plan().len(), 30);
    };
    let tasks = (0..16).map(|task| {
        runtime.spawn(async move {
            for round in 0..6 {
                load(task, round).await;
            }
        })
    });
    let tasks: Vec<_> = tasks.collect();
    runtime.block_on(async {
        for task in tasks {
            task.await.unwrap();
        }
    });
}

/// Delays and fails by path and seed, in front of a tree in memory.
struct Moody {
    tree: MemoryFileSystem,
    seed: u64,
}

impl Moody {
    fn mood(&self, text: &str) -> u64 {
        let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ self.seed, mix) >> 7
    }
}

impl Uniform for Moody {
    fn call<'a, C: Call<'a>>(&'a self, call: C) -> FileSystemFuture<'a, C::Answer> {
        Box::pin(async move {
            let mood = self.mood(&format!("{:?} {}", C::KIND, call.path()));
            if !mood.is_multiple_of(3) {
                tokio::time::sleep(Duration::from_millis(mood % 7)).await;
            }
            match mood % 11 {
                0 => Err(io::ErrorKind::PermissionDenied.into()),
                _ => call.make(&self.tree).await,
            }
        })
    }
}

uniform_file_system! { impl for Moody }

/// A serial loader: goes down a tree, decides by every answer, and writes down what it was answered.
async fn walk_down(fs: &Lookahead<'_, Moody>, most_files: usize) -> Vec<String> {
    let (mut log, mut open, mut files) = (Vec::new(), vec![path("srv")], 0);
    while let Some(directory) = open.pop() {
        let canonical = fs.canonicalize(&directory, None).await;
        log.push(format!(
            "{directory} {:?}",
            canonical.map_err(|it| it.kind())
        ));
        let entries = match fs.read_directory(&directory, None).await {
            Ok(entries) => entries,
            Err(error) => {
                log.push(format!("{directory} {:?}", error.kind()));
                continue;
            }
        };
        for entry in entries {
            let below = directory.join_name(&entry.file_name).unwrap();
            if entry.kind == codex_file_system::FileKind::Directory {
                open.push(below);
                continue;
            }
            let read = fs.read_beginning(&below, 3).await;
            log.push(format!("{below} {:?}", read.map_err(|it| it.kind())));
            files += 1;
            if files == most_files {
                return log;
            }
        }
    }
    log
}

/// A tree of so many directories in a row of levels, each with files.
fn tree(directories: usize) -> String {
    let lines = (0..directories).map(|it| {
        let parent = "d/".repeat(it % 4);
        format!("/srv/{parent}{it}/a.txt = A{it}\n/srv/{parent}{it}/b.txt = B\n")
    });
    lines.collect()
}

proptest::proptest! {
    #[test]
    fn the_outcome_is_that_of_window_1_for_every_window_delay_fault_and_expectation(
        seed: u64,
        directories in 1_usize..9,
        most_files in 1_usize..20,
        width in 2_usize..20,
        guesses in proptest::collection::vec((0_usize..30, 0_usize..5), 0..30),
    ) {
        let load = |width: usize| {
            let tree = MemoryFileSystem::from_tree(Flavor::Posix, &tree(directories)).unwrap();
            let fs = Moody { tree, seed };
            let lookahead = Lookahead::new(&fs, window(width));
            let expected = guesses.iter().map(|(place, question)| {
                let place = path(&format!("srv/{}{}", "d/".repeat(place % 4), place / 2));
                let file = path(&format!("{}/a.txt", &place.as_str()[8..]));
                match question {
                    0 => ReadCall::listing(&place),
                    1 => ReadCall::canonical(&place),
                    2 => ReadCall::prefix(&file, 3),
                    3 => ReadCall::metadata(&file),
                    _ => ReadCall::listing(&path("srv")),
                }
            });
            lookahead.expect_all(expected.map(|call| {
                call.then(|answer| {
                    let entries = answer.listing().unwrap_or_default();
                    let names = entries.iter().map(|it| path(&format!("srv/{}", it.file_name)));
                    names.map(|it| ReadCall::listing(&it).into()).collect()
                })
            }));
            let log = block_on(lookahead.drive(walk_down(&lookahead, most_files)));
            let mut made: Vec<_> = lookahead.plan().into_iter().map(|it| format!("{:?}", it.call)).collect();
            let all = made.len();
            made.sort();
            made.dedup();
            (log, all - made.len())
        };
        let serial = load(1);
        proptest::prop_assert_eq!(serial.1, 0);
        proptest::prop_assert_eq!(load(width), serial);
    }
}
