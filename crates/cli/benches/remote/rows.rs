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

const LAYOUTS: [(&str, [f64; 4]); 6] = [
    ("1x100", [1.3, 2.0, 1.8, 3.0]),
    ("2x50", [3.0, 4.0, 4.0, 6.0]),
    ("10x10", [3.0, 4.0, 4.0, 6.0]),
    ("50x2", [2.5, 3.5, 3.5, 5.0]),
    ("10x10+10", [3.0, 4.0, 4.0, 6.0]),
    ("flat100", [1.3, 2.0, 1.8, 3.0]),
];

/// A job with a name and marks.
struct Row {
    work: String,
    job: Job,
    /// With the published server.
    published: Vec<Mark>,
    /// With the server of this workspace.
    own: Vec<Mark>,
}

/// What is asked of the libraries.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    /// At most so many round trips, one after another.
    RoundTrips(usize),
    /// The published client takes at least so many times as long.
    Faster(f64),
}

fn rows() -> Vec<Row> {
    use Mark::{Faster, RoundTrips};

    let mut rows = Vec::new();
    for distance in [20, 50] {
        rows.push(Row::new(
            "3 documents",
            (trees::documents(3), distance),
            Session::instructions(),
            [&[RoundTrips(3), Faster(2.5)], &[RoundTrips(2), Faster(3.5)]],
        ));
        rows.push(Row::new(
            "9 documents",
            (trees::documents(9), distance),
            Session::instructions(),
            [&[RoundTrips(3), Faster(4.0)], &[RoundTrips(3), Faster(4.0)]],
        ));
        rows.push(Row::new(
            "3 documents, and the skills of the project",
            (trees::documents_and_two_skill_roots(), distance),
            Session::whole(),
            [&[RoundTrips(5), Faster(6.0)], &[RoundTrips(4), Faster(8.0)]],
        ));
    }
    for (layout, [published, own, published_wide, own_wide]) in LAYOUTS {
        let work = format!("a document, and skills: {}", layout.replace('x', "×"));
        rows.push(Row::new(
            &work,
            (with_skills(layout), 50),
            Session::whole(),
            [&[Faster(published)], &[Faster(own)]],
        ));
        rows.push(Row::new(
            &format!("{work}, window 256"),
            (with_skills(layout), 50),
            Session::wide(256),
            [&[Faster(published_wide)], &[Faster(own_wide)]],
        ));
    }
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
        "| work | published client | here, published server | the same turn again | here, own server \
         | the same turn again | times as long | marks | |\n|---|---|---|---|---|---|---|---|---|\n",
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
        [published, own]: [&[Mark]; 2],
    ) -> Self {
        let behaviour = Behaviour::milliseconds(distance);
        Self {
            work: format!("{work}, at {distance} ms"),
            job: Job {
                tree,
                behaviour,
                session,
            },
            published: published.to_vec(),
            own: own.to_vec(),
        }
    }

    fn line(&self, outcome: &Outcome) -> String {
        format!(
            "| {} | {} | {} | {} | {} | {} | {:.1}, {:.1} | {}; {} | {} |\n",
            self.work,
            cell(&outcome.theirs),
            cell(&outcome.ours),
            cell(&outcome.ours_again),
            cell(&outcome.ours_throughout),
            cell(&outcome.ours_throughout_again),
            outcome.speedup(&outcome.ours),
            outcome.speedup(&outcome.ours_throughout),
            all(&self.published),
            all(&self.own),
            self.verdict(outcome),
        )
    }

    fn verdict(&self, outcome: &Outcome) -> String {
        let missed = |marks: &[Mark], side: &Side<Loaded>| {
            let missed = marks.iter().filter(|mark| !mark.is_met(side, outcome));
            missed.copied().collect::<Vec<_>>()
        };
        let published = missed(&self.published, &outcome.ours);
        let own = missed(&self.own, &outcome.ours_throughout);
        match (&published[..], &own[..]) {
            ([], []) => "met".to_owned(),
            (missed, []) => format!("**published server**: {}", all(missed)),
            ([], missed) => format!("**own server**: {}", all(missed)),
            (published, own) => format!("**missed**: {}; {}", all(published), all(own)),
        }
    }
}

fn all(marks: &[Mark]) -> String {
    let marks: Vec<String> = marks.iter().map(ToString::to_string).collect();
    marks.join(", ")
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
            Self::RoundTrips(most) => ours.traffic.round_trips() <= most,
            Self::Faster(least) => outcome.speedup(ours) >= least,
        }
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RoundTrips(most) => write!(f, "≤ {most} round trips"),
            Self::Faster(least) => write!(f, "≥ {least}×"),
        }
    }
}
