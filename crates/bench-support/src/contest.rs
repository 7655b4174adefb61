//! One thing done in several ways.

use crate::{
    Bench, Mark,
    measure::{Turn, turn},
};

/// A subject and its rivals, ready to run; made by [`Bench::contest`].
#[must_use = "a contest measures nothing until it is run"]
pub struct Contest<'bench, 'work> {
    bench: &'bench mut Bench,
    name: String,
    sides: Vec<(String, Mark)>,
    turns: Vec<Turn<'work>>,
}

impl<'bench, 'work> Contest<'bench, 'work> {
    pub(crate) fn new<R>(
        bench: &'bench mut Bench,
        name: &str,
        subject: &str,
        work: impl FnMut() -> R + 'work,
    ) -> Self {
        let sides = vec![(subject.to_owned(), Mark::None)];
        Self {
            bench,
            name: name.to_owned(),
            sides,
            turns: vec![turn(work)],
        }
    }

    /// Adds a rival, and what is asked of the subject in comparison with it.
    pub fn against<R>(mut self, rival: &str, mark: Mark, work: impl FnMut() -> R + 'work) -> Self {
        self.sides.push((rival.to_owned(), mark));
        self.turns.push(turn(work));
        self
    }

    /// Lets all sides take turns, unless the benchmark's filter leaves this contest out.
    pub fn run(mut self) {
        self.bench.measure(&self.name, &self.sides, &mut self.turns);
    }
}
