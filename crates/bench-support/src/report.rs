//! Outcomes as a table, for a terminal or for documentation.

use std::io;

use crate::{Figure, Mark, Outcome, Spread};

const HEADER: [&str; 7] = [
    "operation",
    "side",
    "time",
    "ratio",
    "spread",
    "mark",
    "met",
];

pub(crate) fn write_plain(
    out: &mut dyn io::Write,
    title: &str,
    rounds: usize,
    outcomes: &[Outcome],
    figures: &[Figure],
) -> io::Result<()> {
    writeln!(out, "{title}: medians of {rounds} rounds, turn by turn")?;
    let mut rows = vec![HEADER.map(str::to_owned)];
    rows.extend(outcomes.iter().flat_map(rows_of));
    rows.extend(figures.iter().map(row_of));
    let widths: Vec<usize> = (0..HEADER.len())
        .map(|column| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    for row in rows {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}

pub(crate) fn write_markdown(
    out: &mut dyn io::Write,
    outcomes: &[Outcome],
    figures: &[Figure],
) -> io::Result<()> {
    writeln!(out, "| {} |", HEADER.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(HEADER.len()))?;
    let rows = outcomes.iter().flat_map(rows_of);
    for row in rows.chain(figures.iter().map(row_of)) {
        writeln!(
            out,
            "| {} |",
            row.map(|cell| cell.replace('|', "\\|")).join(" | ")
        )?;
    }
    Ok(())
}

/// One row for the subject, one for each rival.
fn rows_of(outcome: &Outcome) -> Vec<[String; 7]> {
    let subject = [
        outcome.contest.clone(),
        outcome.subject.clone(),
        time(outcome.nanoseconds.median),
        String::new(),
        String::new(),
        String::new(),
        String::new(),
    ];
    let rivals = outcome.comparisons.iter().map(|comparison| {
        [
            String::new(),
            comparison.rival.clone(),
            time(comparison.nanoseconds.median),
            ratio(comparison.mark, comparison.speedup.median),
            spread(comparison.mark, comparison.speedup),
            comparison.mark.to_string(),
            met(comparison.is_met()).to_owned(),
        ]
    });
    std::iter::once(subject).chain(rivals).collect()
}

fn row_of(figure: &Figure) -> [String; 7] {
    let amount = format!("{} {}", significant(figure.amount), figure.unit);
    let most = figure.most.map_or("-".to_owned(), |most| {
        format!("≤ {most} {}", figure.unit).trim_end().to_owned()
    });
    [
        figure.name.clone(),
        figure.side.clone(),
        amount.trim_end().to_owned(),
        String::new(),
        String::new(),
        most,
        met(figure.is_met()).to_owned(),
    ]
}

fn met(is_met: Option<bool>) -> &'static str {
    match is_met {
        Some(true) => "yes",
        Some(false) => "no",
        None => "-",
    }
}

fn ratio(mark: Mark, speedup: f64) -> String {
    format!("{}×", significant(mark.figure(speedup)))
}

fn spread(mark: Mark, speedup: Spread) -> String {
    let (one, other) = (mark.figure(speedup.least), mark.figure(speedup.greatest));
    format!(
        "{}–{}",
        significant(one.min(other)),
        significant(one.max(other))
    )
}

/// A time per iteration in the unit that suits it.
fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        _ if nanoseconds < 1e3 => (nanoseconds, "ns"),
        _ if nanoseconds < 1e6 => (nanoseconds / 1e3, "µs"),
        _ if nanoseconds < 1e9 => (nanoseconds / 1e6, "ms"),
        _ => (nanoseconds / 1e9, "s"),
    };
    format!("{} {unit}", significant(value))
}

/// About three significant digits.
fn significant(value: f64) -> String {
    match value {
        _ if value < 10.0 => format!("{value:.2}"),
        _ if value < 100.0 => format!("{value:.1}"),
        _ => format!("{value:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::{write_markdown, write_plain};
    use crate::{Figure, Mark, Outcome};

    fn outcome() -> Outcome {
        let sides = [
            ("ours".to_owned(), Mark::None),
            ("theirs".to_owned(), Mark::FasterBy(6.0)),
            ("a|b".to_owned(), Mark::Within(1.5)),
        ];
        let times = [
            vec![10.0, 10.0, 20.0],
            vec![70.0, 1500.0, 100.0],
            vec![5.0, 5.0, 20.0],
        ];
        Outcome::of("parse", &sides, &times).unwrap()
    }

    #[test]
    fn ratios_are_paired_round_by_round() {
        let mut out = Vec::new();
        let figure = Figure::new("memory", "ours", 6.5, "MiB").at_most(8.0);
        write_plain(&mut out, "demo", 3, &[outcome()], &[figure]).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\
demo: medians of 3 rounds, turn by turn
operation  side    time      ratio  spread     mark          met
parse      ours    10.0 ns
           theirs  100 ns    7.00×  5.00–150   ≥ 6× faster   yes
           a|b     5.00 ns   2.00×  1.00–2.00  ≤ 1.5× of it  no
memory     ours    6.50 MiB                    ≤ 8 MiB       yes
"
        );
    }

    #[test]
    fn markdown_keeps_bars_out_of_the_table() {
        let mut out = Vec::new();
        write_markdown(&mut out, &[outcome()], &[]).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.starts_with("| operation | side | time |"), "{text}");
        assert!(
            text.contains("|  | a\\|b | 5.00 ns | 2.00× | 1.00–2.00 | ≤ 1.5× of it | no |"),
            "{text}"
        );
    }
}
