//! Paired comparisons: how many times faster is one way of doing something than another?
//!
//! Absolute times on a shared machine mean little: the clock rate, the neighbours and the heat
//! change them by half. A *ratio* of two times taken within the same millisecond is far steadier.
//! So a [contest](Bench::contest) has a subject and one or more rivals, and they run turn by turn
//! in one process: a few milliseconds of the one, a few of the other, the order rotating, for some
//! rounds. Every round gives one ratio per rival; the report shows their median and how far they
//! spread, beside the [mark](Mark) that the ratio is to reach.
//!
//! A missed mark is a line in a report, never a failed build: whoever reads it looks at the spread
//! and decides.
//!
//! ```no_run
//! use codex_bench_support::{Bench, Mark};
//!
//! # fn main() -> std::io::Result<()> {
//! let mut bench = Bench::from_args("sums", std::env::args().skip(1));
//! bench
//!     .contest("sum to 1000", "formula", || 1000_u64 * 1001 / 2)
//!     .against("loop", Mark::FasterBy(10.0), || (1..=1000_u64).sum::<u64>())
//!     .run();
//! bench.write_report(&mut std::io::stdout().lock())
//! # }
//! ```
//!
//! What is no time, or is compared with nothing but its limit, is a [`Figure`] in the same report.
//!
//! The binary that uses it is a bench target with `harness = false`. Its arguments are a part of a
//! contest's name, `--rounds N`, and `--markdown` for a table that documentation can take over.
//!
//! What a program writes into a document is set between two comments by [`with_section`], and
//! [`plot`] draws what is better seen than read.
//!
//! The crate measures and formats. It reads no argument and touches no file or terminal by itself:
//! the caller passes in the arguments and the writer.

mod bench;
mod contest;
mod figure;
mod mark;
mod measure;
mod options;
mod outcome;
pub mod plot;
mod report;
mod section;
mod statistics;

pub use crate::{
    bench::Bench,
    contest::Contest,
    figure::Figure,
    mark::Mark,
    options::Options,
    outcome::{Comparison, Outcome},
    section::with_section,
    statistics::Spread,
};
