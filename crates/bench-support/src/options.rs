//! What the command line of a benchmark can ask for.

/// How a benchmark runs and what its report looks like.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How many times every side has its turn, at least 5.
    pub rounds: usize,
    /// Only contests whose name contains this run; an empty text lets all run.
    pub filter: String,
    /// Whether the report is a Markdown table.
    pub markdown: bool,
}

/// Fewer rounds say nothing about the spread.
const LEAST_ROUNDS: usize = 5;

impl Default for Options {
    /// Eleven rounds of every contest, and a plain table.
    fn default() -> Self {
        Self {
            rounds: 11,
            filter: String::new(),
            markdown: false,
        }
    }
}

impl Options {
    /// Reads the arguments of a benchmark binary; those that it does not know are ignored, as cargo
    /// passes some of its own.
    ///
    /// # Examples
    /// ```
    /// use codex_bench_support::Options;
    ///
    /// let options = Options::from_args(["--bench", "--rounds", "21", "join"].map(String::from));
    /// assert_eq!((options.rounds, options.filter.as_str()), (21, "join"));
    /// assert!(!options.markdown);
    /// ```
    #[must_use]
    pub fn from_args(args: impl IntoIterator<Item = String>) -> Self {
        let mut options = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--markdown" => options.markdown = true,
                "--rounds" => {
                    let rounds = args.next().and_then(|count| count.parse().ok());
                    options.rounds = rounds.unwrap_or(options.rounds).max(LEAST_ROUNDS);
                }
                _ if arg.starts_with('-') => {}
                _ => options.filter = arg,
            }
        }
        options
    }
}
