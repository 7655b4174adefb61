//! Session starts on a machine that is not near, side by side with the published client.
//!
//! ```text
//! published client ─┐                  ┌─ published server
//!                   ├─ delaying relay ─┤
//! these libraries ──┘                  └─ the server of this workspace
//! ```
//!
//! `just bench-peer` installs the published program, names it in `CODEX_PEER` and passes `--write
//! DOCS`: everything is measured, and the tables and pictures of `performance.md` are written anew.
//! `--turns N` says how often each side has its turn, 7 times unless told otherwise and never
//! fewer than 5. Without `--write` only what is counted rather than timed is printed.
//!
//! Round trips are read off the relay's log: the longest chain of requests each of which was sent
//! after the one before had been answered.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark without its tree has nothing to say, and the report goes to the terminal"
)]

mod arena;
mod counts;
mod distance;
mod document;
mod facts;
mod growth;
mod listening;
mod published;
mod relay;
mod rows;
mod session;
#[path = "../../../skills/tests/it/support/mod.rs"]
#[expect(dead_code, reason = "the tests need more of it than the benchmark")]
mod support;
mod traffic;
mod trees;

use std::env;
use std::io;

use crate::arena::Arena;
use crate::document::{Documentation, occasion};

const USUAL_TURNS: usize = 7;
/// Fewer turns say nothing about the spread.
const LEAST_TURNS: usize = 5;

fn main() -> io::Result<()> {
    let costs = counts::count();
    println!("{}", counts::table(&costs));
    let Some(directory) = argument("--write") else {
        return Ok(());
    };
    let documentation = Documentation::new(directory);
    documentation.write_picture("round-trips", &counts::picture(&costs))?;

    let growth = growth::measure_all();
    let table = growth::table(&growth);
    println!("{table}");
    documentation.write_picture("growth", &growth::picture(&growth))?;
    let when = occasion()?;
    documentation.write_section("growth", &format!("{table}\nMeasured on {when}."))?;

    let program = env::var_os("CODEX_PEER");
    let program = program.ok_or_else(|| io::Error::other("CODEX_PEER names no program"))?;
    let turns = argument("--turns").and_then(|turns| turns.parse().ok());
    let turns = turns.unwrap_or(USUAL_TURNS).max(LEAST_TURNS);
    compare(&Arena::new(program.into(), turns)?, &documentation)
}

/// Everything for which the published program is needed.
fn compare(arena: &Arena, documentation: &Documentation) -> io::Result<()> {
    let rows = rows::compare(arena, |line| print!("{line}"))?;
    let facts = facts::compare(arena)?;
    println!("\n{facts}");
    documentation.write_picture("distance", &distance::picture(arena)?)?;
    let (peer, turns, when) = (arena.version()?, arena.turns, occasion()?);
    let section = format!(
        "{rows}\n{facts}\nThe published program is `{peer}`; medians of {turns} turns, in brackets \
         the least and the greatest; {when}."
    );
    documentation.write_section("remote", &section)
}

/// The value after a name on the command line.
fn argument(name: &str) -> Option<String> {
    let mut arguments = env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}
