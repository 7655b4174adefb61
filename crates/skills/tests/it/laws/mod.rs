//! What holds for every tree, every window and every order of answers.
//!
//! A law that fails prints its tree as literals; write it down as a row before it is repaired.
//! `PROPTEST_CASES` says how many trees a law tries.

mod flags;
mod formula;
mod order;
mod several_roots;
mod trees;

use std::sync::Arc;

use codex_file_system::ExecutorFileSystem;
use codex_file_system::wrap::{Calls, Counting};
use codex_path_uri::PathUri;
use codex_skills::{
    SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScanLimits, SkillScope, load_skills,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use self::trees::directory;
use crate::support::{local, only, reads_together, uri};

/// What one load gave and cost.
struct Loaded {
    outcome: SkillLoadOutcome,
    calls: Calls,
    peak: usize,
}

fn load(
    fs: impl ExecutorFileSystem + 'static,
    roots: &[SkillRoot],
    options: &SkillLoadOptions,
) -> Loaded {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let counting = Arc::new(Counting::new(fs));
        let mut outcome = load_skills(&only(Arc::clone(&counting)), roots, options).await;
        for report in &mut outcome.roots {
            report.calls = reads_together(report.calls);
        }
        Loaded {
            outcome,
            calls: reads_together(counting.calls()),
            peak: counting.peak_in_flight(),
        }
    })
}

/// An outcome without what it cost.
fn without_calls(mut outcome: SkillLoadOutcome) -> SkillLoadOutcome {
    for report in &mut outcome.roots {
        report.calls = Calls::default();
    }
    outcome
}

fn path(text: &str) -> PathUri {
    uri(&format!("file://{text}"))
}

/// One to three roots, which may lie in each other, be one, be links or be missing.
fn roots() -> impl Strategy<Value = Vec<SkillRoot>> {
    let scope = select(vec![
        SkillScope::System,
        SkillScope::Repo,
        SkillScope::User,
        SkillScope::Environment,
    ]);
    let root = (directory(), scope)
        .prop_map(|(directory, scope)| SkillRoot::new(local(), path(&directory), scope));
    vec(root, 1..4)
}

/// Limits that trees of this size reach, or the default ones.
fn limits() -> impl Strategy<Value = SkillScanLimits> {
    let tight = (0..5usize, 1..12usize, 1..40usize).prop_map(
        |(max_depth, max_directories, max_entries)| SkillScanLimits {
            max_depth,
            max_directories,
            max_entries,
        },
    );
    prop_oneof![Just(SkillScanLimits::default()), tight]
}

fn cases() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
