//! The local filesystem and the searches against the system calls they cannot do without.
//!
//! `cargo bench -p codex-file-system --all-features --bench ratios`, with a part of a row's name
//! to run that row only.

#![expect(
    clippy::expect_used,
    reason = "a benchmark without its tree has nothing to say"
)]
#![expect(clippy::disallowed_methods, reason = "the tree is on the host")]

mod floor;

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fs, io};

use codex_bench_support::{Bench, Mark};
use codex_file_system::wrap::{Context, Counting, Latency, Limit, LimitHandle};
use codex_file_system::{
    EnvironmentId, ExecutorFileSystem, FindUpErrorPolicy, LocalFileSystem, TokioTimer,
    find_nearest_ancestor_with_markers,
};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use futures::FutureExt;
use futures::executor::block_on;
use tempfile::TempDir;

fn main() -> io::Result<()> {
    let mut bench = Bench::from_args("file-system", std::env::args().skip(1));
    let tree = Tree::new();
    find_up(&mut bench, &tree);
    metadata(&mut bench, &tree);
    listing(&mut bench, &tree);
    wrappers(&mut bench);
    bench.write_report(&mut io::stdout().lock())
}

/// A repository whose root is the ninth directory from the innermost one, and a directory of a
/// thousand files.
struct Tree {
    _scratch: TempDir,
    innermost: PathBuf,
    thousand: PathBuf,
    file: PathBuf,
}

impl Tree {
    fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a scratch directory");
        let root = scratch.path().canonicalize().expect("a real path");
        for directory in ["objects", "refs"] {
            fs::create_dir_all(root.join(".git").join(directory)).expect("a repository");
        }
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").expect("a repository");
        let innermost = root.join("crates/agents/src/load/a/b/c/d");
        fs::create_dir_all(&innermost).expect("a start");
        let thousand = root.join("thousand");
        fs::create_dir(&thousand).expect("a directory");
        for index in 0..1000 {
            fs::write(thousand.join(format!("file-{index}.txt")), "").expect("a file");
        }
        let file = thousand.join("file-0.txt");
        Self {
            _scratch: scratch,
            innermost,
            thousand,
            file,
        }
    }
}

fn uri(path: &Path) -> PathUri {
    PathUri::from_host_native_path(path).expect("an absolute path")
}

fn find_up(bench: &mut Bench, tree: &Tree) {
    let local = LocalFileSystem::inline();
    let policy = FindUpErrorPolicy::Propagate;
    let search = |fs: &dyn ExecutorFileSystem, start: &PathUri| {
        let search = find_nearest_ancestor_with_markers(fs, start, [".git"], policy, None);
        block_on(search).expect("no failing probe").expect("a root")
    };
    let start = uri(&tree.innermost);
    bench
        .contest("find-up, hit at probe 9, local inline", "find_up", || {
            search(&local, black_box(&start))
        })
        .against("raw stat loop", Mark::Within(2.5), || {
            floor::find_up(black_box(&tree.innermost))
        })
        .against("gix_discover::upwards", Mark::FasterBy(3.0), || {
            gix_discover::upwards(black_box(&tree.innermost)).expect("a repository")
        })
        .run();

    let literal = "/srv/repo/.git/\n/srv/repo/crates/agents/src/load/a/b/c/d/";
    let memory = MemoryFileSystem::from_tree(Flavor::Posix, literal).expect("a tree");
    let start = PathUri::parse("file:///srv/repo/crates/agents/src/load/a/b/c/d").expect("a URI");
    let probes: Vec<_> = start
        .ancestors()
        .map(|at| at.join(".git").expect("a probe"))
        .collect();
    bench
        .contest("find-up, hit at probe 9, memory", "find_up", || {
            search(&memory, black_box(&start))
        })
        .against("its nine probes alone", Mark::None, || {
            for probe in probes.iter().take(9) {
                black_box(block_on(memory.get_metadata(black_box(probe), None)).is_ok());
            }
        })
        .run();
}

fn metadata(bench: &mut Bench, tree: &Tree) {
    let inline = LocalFileSystem::inline();
    let pool = LocalFileSystem::new();
    let path = uri(&tree.file);
    bench
        .contest("get_metadata, inline", "LocalFileSystem::inline", || {
            block_on(inline.get_metadata(black_box(&path), None))
        })
        .against("one lstat", Mark::Within(1.3), || {
            floor::metadata(black_box(&tree.file))
        })
        .against("one statx", Mark::Within(1.3), || {
            floor::metadata_with_creation(black_box(&tree.file))
        })
        .run();

    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    bench
        .contest("get_metadata, pool", "LocalFileSystem::new", || {
            runtime.block_on(pool.get_metadata(black_box(&path), None))
        })
        .against("one lstat in spawn_blocking", Mark::Within(1.3), || {
            let file = tree.file.clone();
            runtime.block_on(async {
                tokio::task::spawn_blocking(move || floor::metadata(&file)).await
            })
        })
        .run();
}

fn listing(bench: &mut Bench, tree: &Tree) {
    let local = LocalFileSystem::inline();
    let directory = uri(&tree.thousand);
    bench
        .contest(
            "read_directory, 1000 files",
            "LocalFileSystem::inline",
            || block_on(local.read_directory(black_box(&directory), None)),
        )
        .against("getdents and sort", Mark::Within(1.5), || {
            floor::listing(black_box(&tree.thousand))
        })
        .run();
}

/// What each wrapper adds to a call that is ready at once: the difference of the two times.
fn wrappers(bench: &mut Bench) {
    let path = PathUri::parse("file:///").expect("a URI");
    let ready = MemoryFileSystem::posix();
    let id = EnvironmentId::new("far").expect("an id");
    let zero = Duration::ZERO;
    let wrapped: [(&str, Box<dyn ExecutorFileSystem + '_>); 4] = [
        ("Context", Box::new(Context::new(&ready, Some(id)))),
        ("Counting", Box::new(Counting::new(&ready))),
        (
            "Latency of zero",
            Box::new(Latency::new(&ready, TokioTimer, zero, zero)),
        ),
        ("Limit", Box::new(Limit::new(&ready, LimitHandle::new(8)))),
    ];
    for (name, fs) in &wrapped {
        bench
            .contest(&format!("a ready call in {name}"), name, || {
                fs.get_metadata(black_box(&path), None).now_or_never()
            })
            .against("bare", Mark::None, || {
                ready.get_metadata(black_box(&path), None).now_or_never()
            })
            .run();
    }
}
