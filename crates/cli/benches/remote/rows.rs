//! The jobs that are compared, what is asked of the libraries in each, and the table of them.

use std::fmt;
use std::io;

use codex_bench_support::Spread;

use crate::arena::{Arena, Job, Outcome, Side};
use crate::relay::Behaviour;
use crate::session::{Loaded, Session};
use crate::support::layouts;
use crate::traffic::Traffic;
use crate::trees;

const LAYOUTS: [&str; 6] = ["1x100", "2x50", "10x10", "50x2", "10x10+10", "flat100"];

/// A job with a name and marks.
struct Row {
    work: String,
    job: Job,
    marks: Vec<Mark>,
}

/// What is asked of the libraries.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    /// At most so many requests, the handshake included.
    Requests(usize),
    /// At most so many round trips, one after another.
    RoundTrips(usize),
    Milliseconds(f64),
    /// The published client takes at least so many times as long.
    Faster(f64),
}

fn rows() -> Vec<Row> {
    use Mark::{Faster, Milliseconds, Requests, RoundTrips};

    let mut rows = vec![Row::new(
        "3 documents",
        (trees::documents(3), 20),
        Session::instructions(8),
        &[Requests(17), RoundTrips(4), Milliseconds(110.0)],
    )];
    for (count, window, round_trips, factor) in [
        (5, 8, 4, 2.0),
        (5, 32, 4, 2.0),
        (9, 8, 8, 1.6),
        (9, 32, 5, 2.5),
    ] {
        rows.push(Row::new(
            &format!("{count} documents, window {window}"),
            (trees::documents(count), 50),
            Session::instructions(window),
            &[RoundTrips(round_trips), Faster(factor)],
        ));
    }
    rows.push(Row::new(
        "2 skill roots, one skill each",
        (trees::two_skill_roots(), 20),
        Session::skills_at(&trees::SKILL_ROOTS),
        &[Requests(40), RoundTrips(6), Milliseconds(200.0)],
    ));
    rows.push(Row::new(
        "3 documents, and the skills of the project: 2 of 6 roots have one",
        (trees::documents_and_two_skill_roots(), 20),
        Session::whole(),
        &[Requests(40), RoundTrips(6), Milliseconds(200.0)],
    ));
    rows.push(Row::new(
        "a document, and 100 skills in one root",
        (with_skills("flat100"), 20),
        Session::whole(),
        &[Milliseconds(250.0)],
    ));
    rows.extend(LAYOUTS.map(|layout| {
        let factor = if layout == "1x100" { 1.0 } else { 2.0 };
        let tree = (with_skills(layout), 50);
        let work = format!("a document, and skills: {}", layout.replace('x', "×"));
        Row::new(&work, tree, Session::whole(), &[Faster(factor)])
    }));
    rows
}

/// A document and, in one root, the skills of a layout.
fn with_skills(layout: &str) -> (String, String) {
    let (tree, cwd) = trees::documents(1);
    let root = format!("{}/.agents/skills", trees::ROOT);
    (tree + &layouts::layout(layout, &root), cwd)
}

/// Does every job and gives the table, each row also as soon as its job is done.
pub(crate) fn compare(arena: &Arena, mut tell: impl FnMut(&str)) -> io::Result<String> {
    let mut table = String::from(
        "| work | published client | here, published server | here, own server | times as long | mark | |\n\
         |---|---|---|---|---|---|---|\n",
    );
    tell(&table);
    for row in rows() {
        let outcome = arena.run(&row.job)?;
        let line = row.line(&outcome);
        tell(&line);
        for traffic in [&outcome.theirs.traffic, &outcome.ours.traffic] {
            tell(&in_detail(traffic));
        }
        table.push_str(&line);
    }
    Ok(table)
}

impl Row {
    fn new(
        work: &str,
        (tree, distance): ((String, String), u64),
        session: Session,
        marks: &[Mark],
    ) -> Self {
        let behaviour = Behaviour::milliseconds(distance);
        Self {
            work: format!("{work}, at {distance} ms"),
            job: Job {
                tree,
                behaviour,
                session,
            },
            marks: marks.to_vec(),
        }
    }

    fn line(&self, outcome: &Outcome) -> String {
        let marks: Vec<String> = self.marks.iter().map(ToString::to_string).collect();
        format!(
            "| {} | {} | {} | {} | {:.1}, {:.1} | {} | {} |\n",
            self.work,
            cell(&outcome.theirs),
            cell(&outcome.ours),
            cell(&outcome.ours_throughout),
            outcome.speedup(&outcome.ours),
            outcome.speedup(&outcome.ours_throughout),
            marks.join(", "),
            self.verdict(outcome),
        )
    }

    fn verdict(&self, outcome: &Outcome) -> String {
        let missed = |side: &Side<Loaded>| {
            let missed = self.marks.iter().filter(|mark| !mark.is_met(side, outcome));
            missed.map(ToString::to_string).collect::<Vec<_>>()
        };
        let (missed, throughout) = (missed(&outcome.ours), missed(&outcome.ours_throughout));
        match (&missed[..], &throughout[..]) {
            ([], []) => "met".to_owned(),
            (missed, []) => format!("**own server only**: {}", missed.join(", ")),
            (_, missed) => format!("**missed**: {}", missed.join(", ")),
        }
    }
}

/// Requests, those of them that repeat an earlier one, round trips, milliseconds.
fn cell<R>(side: &Side<R>) -> String {
    let traffic = &side.traffic;
    let requests = match traffic.duplicates() {
        0 => traffic.requests().to_string(),
        repeated => format!("{} ({repeated} repeated)", traffic.requests()),
    };
    let Spread {
        least,
        median,
        greatest,
        ..
    } = side.milliseconds;
    format!(
        "{requests} · {} · {median:.0} ms ({least:.0}–{greatest:.0})",
        traffic.round_trips()
    )
}

/// The requests by method, for the terminal.
fn in_detail(traffic: &Traffic) -> String {
    let methods = traffic.by_method().into_iter();
    let methods = methods.map(|(method, count)| format!("{method} {count}, "));
    let most = traffic.most_in_flight();
    format!(
        "    {}{most} in flight at most\n",
        methods.collect::<String>()
    )
}

impl Mark {
    fn is_met(self, ours: &Side<Loaded>, outcome: &Outcome) -> bool {
        match self {
            Self::Requests(most) => ours.traffic.requests() <= most,
            Self::RoundTrips(most) => ours.traffic.round_trips() <= most,
            Self::Milliseconds(most) => ours.milliseconds.median <= most,
            Self::Faster(least) => outcome.speedup(ours) >= least,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requests(most) => write!(f, "≤ {most} requests"),
            Self::RoundTrips(most) => write!(f, "≤ {most} round trips"),
            Self::Milliseconds(most) => write!(f, "≤ {most} ms"),
            Self::Faster(least) => write!(f, "≥ {least}×"),
        }
    }
}
