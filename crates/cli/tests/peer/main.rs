//! Compares the command with the published Codex CLI on the layouts of the case files.
//!
//! Run by `just test-peer`, which installs the peer and names it in `CODEX_PEER`. For each layout
//! both programs are given the same tree, config home and arguments; and every command asks the peer's
//! server what it asks this machine. Layouts whose case states that
//! the peer answers differently are left out, and so are those that need something only one of the
//! two programs has; both are counted.

#![cfg(unix)]
#![expect(
    clippy::expect_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests fail by panicking, and their trees are on the host"
)]

mod app_server;
mod commands;
mod instructions;
mod skills;
mod trust;

use std::collections::BTreeMap;
use std::path::PathBuf;

use libtest_mimic::Arguments;

/// Layouts that are left out, by reason.
#[derive(Default)]
pub(crate) struct Skipped(BTreeMap<&'static str, usize>);

impl Skipped {
    pub(crate) fn add(&mut self, reason: &'static str) {
        *self.0.entry(reason).or_default() += 1;
    }
}

fn main() {
    let arguments = Arguments::from_args();
    let Some(peer) = std::env::var_os("CODEX_PEER").map(PathBuf::from) else {
        eprintln!("CODEX_PEER is not set: run `just test-peer`, which installs the peer");
        std::process::exit(2);
    };
    let mut skipped = Skipped::default();
    let mut trials = instructions::trials(&peer, &mut skipped);
    trials.extend(skills::trials(&peer, &mut skipped));
    trials.extend(commands::trials(&peer));
    trials.extend(trust::trials(&peer));
    for (reason, count) in skipped.0 {
        eprintln!("{count} layouts left out: {reason}");
    }
    libtest_mimic::run(&arguments, trials).exit();
}
