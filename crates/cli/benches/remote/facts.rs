//! What is no matter of time: what comes back when something is wrong, and what comes first.

use std::io;

use codex_context::agents_md::DocumentErrorPolicy;

use crate::arena::{Arena, Job};
use crate::relay::Behaviour;
use crate::session::Session;
use crate::trees;

/// Asks both sides and gives the table.
pub(crate) fn compare(arena: &Arena) -> io::Result<String> {
    let mut table = String::from("| | here | published | mark | |\n|---|---|---|---|---|\n");
    let failing = arena.once(&bad_document(DocumentErrorPolicy::FailEnvironment))?;
    let keeping = arena.once(&bad_document(DocumentErrorPolicy::KeepReadable))?;
    let (named, noted) = (failing.ours.result.codes(), keeping.ours.result.codes());
    let kept = keeping.ours.result.documents();
    let is_met = !named.is_empty() && !noted.is_empty() && kept == 2;
    table += &line(
        "one document of three is a link to itself",
        &format!(
            "by default an error that names it; `KeepReadable`: {kept} documents and a diagnostic"
        ),
        &format!("{} documents", failing.theirs.result.documents()),
        "the others, or an error that names it; always a diagnostic",
        is_met,
    );

    let greeted = arena.once(&Job {
        tree: trees::documents(3),
        behaviour: Behaviour::milliseconds(20),
        session: Session::instructions(),
    })?;
    let waits = [&greeted.ours.traffic, &greeted.theirs.traffic]
        .map(|traffic| traffic.round_trips_before_the_first_call());
    table += &line(
        "round trips before the first call",
        &waits[0].to_string(),
        &waits[1].to_string(),
        "0",
        waits[0] == 0,
    );

    let scalar = arena.once(&Job {
        tree: trees::documents_and_two_skill_roots(),
        behaviour: Behaviour {
            denied: &["fs/walk"],
            ..Behaviour::milliseconds(20)
        },
        session: Session::whole(),
    })?;
    let found = scalar.ours.result.skills();
    table += &line(
        "skills found of 2 on a server without `fs/walk`",
        &found.to_string(),
        &2_usize
            .saturating_sub(scalar.theirs.result.missing_skills())
            .to_string(),
        "2",
        found == 2,
    );
    Ok(table)
}

/// Three documents, the second of which cannot be read by anybody.
fn bad_document(policy: DocumentErrorPolicy) -> Job {
    let (tree, cwd) = trees::documents(3);
    let (bad, text) = ("/d1/AGENTS.md", " = Document 1.");
    let tree = tree.replace(&format!("{bad}{text}"), &format!("{bad} -> AGENTS.md"));
    Job {
        tree: (tree, cwd),
        behaviour: Behaviour::milliseconds(0),
        session: Session {
            document_errors: policy,
            ..Session::instructions()
        },
    }
}

fn line(what: &str, ours: &str, theirs: &str, mark: &str, is_met: bool) -> String {
    let verdict = if is_met { "met" } else { "**missed**" };
    format!("| {what} | {ours} | {theirs} | {mark} | {verdict} |\n")
}
