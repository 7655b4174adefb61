//! The budget of a catalog, against a second implementation that builds every line anew.

use std::fmt::Write;

use codex_file_system_testkit::{Flavor, MemoryFileSystem};
use codex_skills::{
    CatalogBudget, LineExtent, MAX_SHOWN_DESCRIPTION_CHARS, RenderedSkills, SkillHandle,
    SkillLoadOptions, SkillLoadOutcome, SkillRoot, SkillScope, load_skills, render_skills,
};
use futures::executor::block_on;
use pretty_assertions::{assert_eq, assert_ne};
use proptest::prelude::*;

use crate::support::{local, only, uri};

/// Skills with these descriptions, in turns below two roots.
fn outcome(descriptions: &[String]) -> SkillLoadOutcome {
    let mut tree = String::from("/r/\n/u/\n");
    for index in 0..descriptions.len() {
        let root = ["r", "u"][index % 2];
        writeln!(
            tree,
            "/{root}/s{index}/SKILL.md = ---%0Adescription: d%0A---"
        )
        .unwrap();
    }
    let fs = MemoryFileSystem::from_tree(Flavor::Posix, &tree).unwrap();
    let root = |path, scope| SkillRoot::new(local(), uri(path), scope);
    let roots = [
        root("file:///u", SkillScope::User),
        root("file:///r", SkillScope::Repo),
    ];
    let mut outcome = block_on(load_skills(&only(fs), &roots, &SkillLoadOptions::default()));
    for skill in &mut outcome.skills {
        let index: usize = skill.name[1..].parse().unwrap();
        skill.description.clone_from(&descriptions[index]);
    }
    outcome
}

/// A line as the rules state it, and the line of the root it needs.
struct Line {
    head: String,
    description: Vec<char>,
    tail: String,
    root: &'static str,
}

impl Line {
    fn of(index: usize, description: &str) -> Self {
        let (alias, root) = [("r1", "- `r1` = `/r`"), ("r0", "- `r0` = `/u`")][index % 2];
        let mut shown: Vec<char> = description.chars().collect();
        if shown.len() > MAX_SHOWN_DESCRIPTION_CHARS {
            shown.truncate(MAX_SHOWN_DESCRIPTION_CHARS - 3);
            shown.extend("...".chars());
        }
        Self {
            head: format!("- s{index}:"),
            description: shown,
            tail: format!("(file: {alias}/s{index}/SKILL.md)"),
            root,
        }
    }

    fn with(&self, description: &str) -> String {
        match description {
            "" => format!("{} {}", self.head, self.tail),
            _ => format!("{} {} {}", self.head, escaped(description), self.tail),
        }
    }

    fn cut(&self, chars: usize) -> String {
        self.description[..chars].iter().collect()
    }
}

fn escaped(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut escaped = String::new();
    for (index, character) in characters.iter().enumerate() {
        let next = characters.get(index + 1);
        let opens = next.is_some_and(|it| it.is_ascii_alphabetic() || "/!?".contains(*it));
        match character {
            '<' if opens => escaped.push_str("&lt;"),
            '\u{2028}' | '\u{2029}' => write!(escaped, "\\u{{{:x}}}", *character as u32).unwrap(),
            it if it.is_control() => write!(escaped, "\\u{{{:x}}}", *it as u32).unwrap(),
            it => escaped.push(*it),
        }
    }
    escaped
}

/// The skill lines, and codes with counts of the diagnostics.
fn expected(lines: &[Line], budget: CatalogBudget) -> (Vec<String>, Vec<(&'static str, u64)>) {
    let (limit, cost): (u64, fn(&str) -> u64) = match budget {
        CatalogBudget::Tokens(limit) => (limit, |line| (line.len() as u64 + 4) / 4),
        CatalogBudget::Characters(limit) => (limit, |line| line.chars().count() as u64 + 1),
    };
    let mut roots: Vec<&str> = lines.iter().map(|line| line.root).collect();
    roots.sort_unstable();
    roots.dedup();
    let total = |texts: &[String]| -> u64 {
        let roots: u64 = roots.iter().map(|root| cost(root)).sum();
        roots + texts.iter().map(|text| cost(text)).sum::<u64>()
    };
    let full: Vec<String> = lines
        .iter()
        .map(|it| it.with(&it.cut(it.description.len())))
        .collect();
    if total(&full) <= limit {
        return (full, vec![]);
    }
    let mut texts: Vec<String> = lines.iter().map(|line| line.with("")).collect();
    if total(&texts) <= limit {
        let mut taken = vec![0; lines.len()];
        let mut growing: Vec<usize> = (0..lines.len()).collect();
        while !growing.is_empty() {
            growing.retain(|index| {
                let line = &lines[*index];
                if taken[*index] == line.description.len() {
                    return false;
                }
                let longer = line.with(&line.cut(taken[*index] + 1));
                let shorter = std::mem::replace(&mut texts[*index], longer);
                if total(&texts) > limit {
                    texts[*index] = shorter;
                    return false;
                }
                taken[*index] += 1;
                true
            });
        }
        let shown = lines.iter().zip(&taken).map(|(line, taken)| {
            let cut = line.cut(*taken);
            line.with(if *taken == line.description.len() {
                &cut
            } else {
                cut.trim_end()
            })
        });
        let whole = lines
            .iter()
            .zip(&taken)
            .filter(|(line, taken)| line.description.len() == **taken);
        let shortened = (lines.len() - whole.count()) as u64;
        return (shown.collect(), vec![("descriptions_shortened", shortened)]);
    }
    let (mut spent, mut kept, mut paid) = (0, Vec::new(), Vec::new());
    for (line, text) in lines.iter().zip(texts) {
        let root = if paid.contains(&line.root) {
            0
        } else {
            cost(line.root)
        };
        if spent + root + cost(&text) <= limit {
            spent += root + cost(&text);
            paid.push(line.root);
            kept.push(text);
        }
    }
    let omitted = (lines.len() - kept.len()) as u64;
    (kept, vec![("skills_omitted", omitted)])
}

/// Compares a rendering with the rules.
fn check(descriptions: &[String], budget: CatalogBudget) {
    // The lines of the project come before those of the user.
    let order = (0..descriptions.len())
        .step_by(2)
        .chain((1..descriptions.len()).step_by(2));
    let lines: Vec<Line> = order
        .map(|index| Line::of(index, &descriptions[index]))
        .collect();
    let RenderedSkills {
        lines: shown,
        diagnostics,
        extents,
        ..
    } = render_skills(&outcome(descriptions), budget, None).unwrap();
    check_extents(&extents, &shown, &lines);
    let found = diagnostics
        .iter()
        .map(|it| (it.code.as_str(), it.count.unwrap()));
    let found = (shown, found.collect::<Vec<_>>());
    let mut wanted = expected(&lines, budget);
    let too_long = lines
        .iter()
        .filter(|it| it.description.ends_with(&['.', '.', '.']));
    let too_long = u64::try_from(too_long.count()).unwrap();
    if wanted.1.is_empty() && too_long > 0 {
        wanted.1.push(("descriptions_shortened", too_long));
    }
    assert_eq!(found, wanted, "{budget:?}");
}

/// Compares what is told of every skill with the lines.
fn check_extents(extents: &[(SkillHandle, LineExtent)], shown: &[String], lines: &[Line]) {
    let mut shown = shown.iter();
    for ((handle, extent), line) in extents.iter().zip(lines) {
        let directory = handle.entrypoint().parent().unwrap();
        assert_eq!(format!("- {}:", directory.basename().unwrap()), line.head);
        let whole = line.with(&line.cut(line.description.len()));
        match extent {
            LineExtent::Whole => assert_eq!(shown.next(), Some(&whole)),
            // What is longer than any line shows is shortened whatever the budget is.
            LineExtent::Shortened if line.description.ends_with(&['.', '.', '.']) => {
                assert!(shown.next().is_some());
            }
            LineExtent::Shortened => assert_ne!(shown.next(), Some(&whole)),
            _ => {}
        }
    }
    assert_eq!((shown.next(), extents.len()), (None, lines.len()));
}

fn description() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "é",
        "<",
        "b",
        "/",
        " ",
        "!",
        "\u{1b}",
        "\u{2028}x",
        "技",
        ".",
    ];
    let piece = proptest::sample::select(pieces.to_vec());
    let text = proptest::collection::vec(piece, 1..24).prop_map(|pieces| pieces.concat());
    text.prop_map(|text| {
        format!("x{text}")
            .split(' ')
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_budget_is_spent_as_the_rules_say(
        descriptions in proptest::collection::vec(description(), 2..6),
        limit in 0_u64..420,
    ) {
        check(&descriptions, CatalogBudget::Characters(limit));
        check(&descriptions, CatalogBudget::Tokens(limit / 4));
    }
}

#[test]
fn what_costs_exactly_the_budget_fits() {
    let descriptions = ["one".to_owned(), "two <b>".to_owned(), "three".to_owned()];
    for limit in 0..200 {
        check(&descriptions, CatalogBudget::Characters(limit));
        check(&descriptions, CatalogBudget::Tokens(limit));
    }
    let long = ["d".repeat(1_024), "e".repeat(1_025)];
    for budget in [
        2_120, 2_121, 2_122, 2_123, 2_124, 2_125, 2_126, 2_127, 2_128, 10_000,
    ] {
        check(&long, CatalogBudget::Characters(budget));
    }
}
