//! Round trips without a window, which no caller can ask for: the walk is driven by hand, in waves.
//!
//! The figures are those of the table beside the integration tests.

use codex_file_system::wrap::Counting;
use codex_file_system::{ExecutorFileSystem, ReadDirectoryEntry};
use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_path_uri::PathUri;
use codex_plugin::{ManifestDirectories, read_plugin_namespace};
use futures::executor::block_on;
use serde_json::Value;

use super::{Answer, Call, EnvironmentWalk, WalkedRoot};
use crate::options::{ManifestLocations, SkillLoadOptions};

#[path = "../../tests/it/support/layouts.rs"]
mod layouts;

#[test]
fn every_ready_call_at_once_takes_the_stated_round_trips() {
    let table: Value = serde_json::from_str(codex_file_system_testkit::cases::SKILLS.text).unwrap();
    let cases = table["cases"].as_array().unwrap();
    let cases: Vec<&Value> = cases
        .iter()
        .filter(|case| case["kind"] == "calls")
        .collect();
    assert_eq!(cases.len(), 25);
    for case in cases {
        let stated = case["expected"]["round_trips"]["unbounded"].as_u64();
        assert_eq!(Some(waves(case)), stated, "{}", case["name"]);
    }
}

/// The number of waves, each of all calls that are ready.
fn waves(case: &Value) -> u64 {
    let tree = layouts::layout(case["layout"].as_str().unwrap(), layouts::ROOT);
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let path = PathUri::parse(&format!("file://{}", layouts::ROOT)).unwrap();
    let is_canonical = case["root_canonical_given"].as_bool().unwrap();
    let root = WalkedRoot {
        canonical: is_canonical.then(|| path.clone()),
        path,
        follows_links: true,
        reads_manifests: true,
        is_required: false,
    };
    let options = SkillLoadOptions {
        manifest_locations: match case["manifest_locations"].as_str().unwrap() {
            "two" => ManifestLocations::FIRST_TWO,
            _ => ManifestLocations::ALL,
        },
        ..SkillLoadOptions::default()
    };
    let has_flags = case.get("is_symlink").is_none();
    let mut walk = EnvironmentWalk::new([root], &options);
    let mut waves = 0;
    loop {
        let calls: Vec<_> = std::iter::from_fn(|| walk.next_call()).collect();
        if calls.is_empty() {
            return waves;
        }
        waves += 1;
        for (purpose, call) in calls {
            walk.take(purpose, answer(&fs, call, has_flags));
        }
    }
}

fn answer(fs: &MemoryFileSystem, call: Call, has_flags: bool) -> Answer {
    let strip = |entry: ReadDirectoryEntry| match has_flags {
        true => entry,
        false => entry.with_is_symlink(None),
    };
    match call {
        Call::List(path) => {
            let listing = block_on(fs.read_directory(&path, None)).map_err(|it| it.kind());
            Answer::Listing(listing.map(|entries| entries.into_iter().map(strip).collect()))
        }
        Call::Stat(path) => {
            Answer::Metadata(block_on(fs.get_metadata(&path, None)).map_err(|it| it.kind()))
        }
        Call::Resolve(path) => {
            Answer::Path(block_on(fs.canonicalize(&path, None)).map_err(|it| it.kind()))
        }
        Call::Read(path) => {
            Answer::Contents(block_on(fs.read_file(&path, None)).map_err(|it| it.kind()))
        }
        Call::Namespace { directory, present } => {
            assert_ne!(present, ManifestDirectories::EMPTY);
            let counting = Counting::new(fs);
            let read = block_on(read_plugin_namespace(&counting, &directory, present, None));
            assert_eq!(
                counting.calls().total(),
                1,
                "one wave holds one call of each"
            );
            Answer::Namespace(read.map_err(Box::new), counting.calls())
        }
    }
}
