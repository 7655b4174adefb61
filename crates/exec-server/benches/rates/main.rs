//! How fast both ends of the protocol are, beside the published server and beside a floor.
//!
//! The same client asks each server, a process of its own. On pipes: metadata and files of 1 KiB,
//! 32 at a time, a walk, one large answer. On a socket: bursts, a file of 50 MB and what is told
//! meanwhile, and what is left of many requests and many connections. The floor reads a line, does
//! the system call and writes an answer of a fixed shape: what pipes and system calls cost without
//! a protocol. `CODEX_PEER` names the published program, which is left out without it.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a program that measures this host"
)]

mod bursts;
mod calls;
mod crowd;
mod floor;
mod huge;
mod process;
mod scratch;
mod servers;

use std::io;

use codex_bench_support::Bench;
use tokio::runtime::{Builder, Runtime};

use self::scratch::Scratch;

/// As the command runs a server on pipes, and a client.
fn on_this_thread() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

fn main() -> io::Result<()> {
    match std::env::var(servers::ROLE).as_deref() {
        Ok("floor") => return floor::serve(),
        Ok("pipes") => return on_this_thread()?.block_on(servers::serve_pipes()),
        Ok("socket") => return Runtime::new()?.block_on(servers::serve_socket()),
        Ok(url) if url.starts_with("ws://") => return huge::tell_own_memory(url),
        _ => {}
    }
    let scratch = Scratch::build()?;
    let mut bench = Bench::from_args("rates", std::env::args().skip(1));
    calls::compare(&mut bench, &scratch)?;
    bursts::compare(&mut bench, &scratch)?;
    huge::compare(&mut bench, &scratch)?;
    crowd::count(&mut bench, &scratch)?;
    bench.write_report(&mut io::stdout().lock())
}
