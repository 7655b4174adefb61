//! A series of contests and the report on them.

use std::io;

use crate::{
    Contest, Figure, Mark, Options, Outcome,
    measure::{Turn, measure},
    report,
};

/// Runs contests and collects their outcomes.
///
/// # Examples
/// ```
/// use codex_bench_support::{Bench, Mark};
///
/// # fn main() -> std::io::Result<()> {
/// let mut bench = Bench::from_args("words", ["--rounds", "5"].map(String::from));
/// let text = "a b c".repeat(100);
/// bench
///     .contest("count the spaces", "bytes", || text.bytes().filter(|byte| *byte == b' ').count())
///     .against("split", Mark::FasterBy(1.0), || text.split(' ').map(str::to_owned).count() - 1)
///     .run();
/// assert_eq!(bench.outcomes()[0].comparisons[0].rival, "split");
///
/// let mut report = Vec::new();
/// bench.write_report(&mut report)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Bench {
    title: String,
    options: Options,
    outcomes: Vec<Outcome>,
    figures: Vec<Figure>,
}

impl Bench {
    /// A benchmark that runs as its arguments say; see [`Options::from_args`].
    #[must_use]
    pub fn from_args(title: &str, args: impl IntoIterator<Item = String>) -> Self {
        Self::new(title, Options::from_args(args))
    }

    /// A benchmark with the given options.
    #[must_use]
    pub fn new(title: &str, options: Options) -> Self {
        Self {
            title: title.to_owned(),
            options,
            outcomes: Vec::new(),
            figures: Vec::new(),
        }
    }

    /// Begins a contest: what is done, by which side, and one iteration of that side's work.
    pub fn contest<'work, R>(
        &mut self,
        name: &str,
        subject: &str,
        work: impl FnMut() -> R + 'work,
    ) -> Contest<'_, 'work> {
        Contest::new(self, name, subject, work)
    }

    /// Whether the filter lets something of this name run.
    #[must_use]
    pub fn wants(&self, name: &str) -> bool {
        name.contains(&self.options.filter)
    }

    /// Adds a figure, which is reported behind the contests.
    pub fn figure(&mut self, figure: Figure) {
        self.figures.push(figure);
    }

    /// What the contests found so far, in the order in which they ran.
    #[must_use]
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// Writes the report, as a plain or as a Markdown table.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_report(&self, out: &mut dyn io::Write) -> io::Result<()> {
        if self.options.markdown {
            self.write_markdown(out)
        } else {
            report::write_plain(
                out,
                &self.title,
                self.options.rounds,
                &self.outcomes,
                &self.figures,
            )
        }
    }

    /// Writes the report as a Markdown table, whatever the options say.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_markdown(&self, out: &mut dyn io::Write) -> io::Result<()> {
        report::write_markdown(out, &self.outcomes, &self.figures)
    }

    pub(crate) fn measure(&mut self, name: &str, sides: &[(String, Mark)], turns: &mut [Turn<'_>]) {
        if self.wants(name) {
            let times = measure(turns, self.options.rounds);
            self.outcomes.extend(Outcome::of(name, sides, &times));
        }
    }
}
