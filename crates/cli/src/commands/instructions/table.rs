//! The instructions for people and for pipes: one row per considered directory.

use codex_agents_md::{
    DirectoryRow, EnvironmentReport, EnvironmentStatus, PassedOverReason, UserRow,
};
use codex_file_system::error::kind_name;
use codex_path_uri::PathUri;

use super::{Loaded, Run};
use crate::render::facts::Facts;
use crate::render::project_root::root_facts;
use crate::render::table::{Cell, Column, Table};
use crate::render::text::{Keep, Style, counted, grouped};
use crate::render::words;

/// Blocks for a terminal: why this root, the rows, the totals.
pub(super) fn shown(loaded: &Loaded, run: &Run) -> String {
    let (width, painter) = (run.display.width, run.painter());
    let mut blocks = Vec::new();
    for report in &loaded.outcome.report.environments {
        let located = loaded.located(Some(&report.environment_id));
        let mut facts = root_facts(&report.cwd, located);
        if loaded.session.is_about_several() {
            facts.lead("environment", report.environment_id.as_str(), Style::Bold);
        }
        blocks.push(facts.shown(width, painter));
        if !report.directories.is_empty() {
            blocks.push(directories(report).aligned(width, painter));
        }
        blocks.push(totals(report, loaded).shown(width, painter));
    }
    blocks.join("\n")
}

fn directories(report: &EnvironmentReport) -> Table {
    let mut table = Table::new([
        Column::Text("DIRECTORY", Keep::End),
        Column::Text("DOCUMENT", Keep::Start),
        Column::Word("STATE"),
        Column::Number("RAW"),
        Column::Number("KEPT"),
        Column::Number("LOST"),
        Column::Number("LEFT"),
        Column::Text("NOTES", Keep::Start),
    ]);
    let top = report.directories.first().map(|row| &row.directory);
    for row in &report.directories {
        let (state, style) = words::directory_state(row.state);
        let below = top.and_then(|top| row.directory.relative_path_from(top));
        let below = below.unwrap_or_else(|| row.directory.inferred_native_path_string());
        table.push([
            Cell::new(if below.is_empty() {
                "."
            } else {
                below.as_str()
            }),
            Cell::new(document_name(row)),
            Cell::new(state).styled(style),
            Cell::new(grouped(row.raw_bytes)),
            Cell::new(grouped(row.kept_bytes)),
            Cell::new(grouped(row.lost_bytes)),
            Cell::new(grouped(row.budget_left)),
            Cell::new(notes(row)).styled(Style::Dim),
        ]);
    }
    table
}

fn document_name(row: &DirectoryRow) -> String {
    let name = row.document.as_ref().and_then(PathUri::file_name);
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// What a row's numbers do not say.
fn notes(row: &DirectoryRow) -> String {
    let mut notes = Vec::new();
    if let Some(kind) = &row.error {
        notes.push(kind.clone());
    }
    for passed in &row.passed_over {
        notes.push(match passed.reason {
            PassedOverReason::NotAFile(_) => format!("{} is no file", passed.name),
            PassedOverReason::BrokenLink => format!("{} is a broken link", passed.name),
            PassedOverReason::Failure(kind) => format!("{}: {}", passed.name, kind_name(kind)),
            _ => format!("{} is passed over", passed.name),
        });
    }
    if row.splits_character {
        notes.push("cut inside a character".to_owned());
    }
    if row.replacement_characters > 0 {
        notes.push(format!(
            "{} for invalid UTF-8",
            counted(row.replacement_characters, "U+FFFD")
        ));
    }
    if let Some(names) = row.shadowed.as_ref().filter(|names| !names.is_empty()) {
        notes.push(format!("shadows {}", names.join(", ")));
    }
    for name in row.case_variants.iter().flatten() {
        notes.push(format!("{name} is no document name: case differs"));
    }
    notes.join("; ")
}

fn totals(report: &EnvironmentReport, loaded: &Loaded) -> Facts {
    let mut facts = Facts::default();
    facts.push(
        "user-level",
        match &loaded.outcome.report.user {
            Some(UserRow { source, bytes, .. }) => {
                let bytes = counted(*bytes, "byte");
                format!(
                    "{}, {bytes}, outside the budget",
                    source.inferred_native_path_string()
                )
            }
            None => "none".to_owned(),
        },
    );
    match report.status {
        EnvironmentStatus::Withheld => {
            let value = "withheld: configuration says this project is untrusted";
            facts.push_styled("documents", value, Style::Warn);
        }
        EnvironmentStatus::Disabled => {
            facts.push_styled(
                "documents",
                "switched off by a limit of 0 bytes",
                Style::Warn,
            );
        }
        EnvironmentStatus::Failed => {
            facts.push_styled("documents", "all lost to a failure, told below", Style::Bad);
        }
        _ => push_sums(&mut facts, report),
    }
    let left = grouped(report.budget_left);
    let budget = counted(report.max_bytes, "byte");
    facts.push(
        "budget",
        format!(
            "{left} left of {budget}, {}",
            words::origin(&report.max_bytes_origin)
        ),
    );
    facts
}

fn push_sums(facts: &mut Facts, report: &EnvironmentReport) {
    let kept = report
        .directories
        .iter()
        .filter(|row| row.kept_bytes > 0)
        .count();
    let considered = report.directories.len();
    let directories = if considered == 1 {
        "directory"
    } else {
        "directories"
    };
    facts.push(
        "documents",
        format!("{kept} kept, in {considered} considered {directories}"),
    );
    let [raw, kept, lost] = [report.raw_bytes, report.kept_bytes, report.lost_bytes].map(grouped);
    facts.push("bytes", format!("{raw} raw, {kept} kept, {lost} lost"));
}

/// Tab-separated rows: the user-level document first, then root to cwd. Numbers are plain. Where
/// there are several environments, the last cell names the one of a row.
pub(super) fn rows(loaded: &Loaded) -> String {
    let is_about_several = loaded.session.is_about_several();
    let mut columns = vec![
        Column::Text("DIRECTORY", Keep::End),
        Column::Text("DOCUMENT", Keep::Start),
        Column::Word("STATE"),
        Column::Number("RAW"),
        Column::Number("KEPT"),
        Column::Number("LOST"),
        Column::Number("LEFT"),
    ];
    if is_about_several {
        columns.push(Column::Word("ENVIRONMENT"));
    }
    let mut table = Table::new(columns);
    if let Some(user) = &loaded.outcome.report.user {
        let mut cells = user_cells(user);
        if is_about_several {
            // It belongs to no environment.
            cells.push(Cell::new(""));
        }
        table.push(cells);
    }
    for report in &loaded.outcome.report.environments {
        for row in &report.directories {
            let mut cells = vec![
                Cell::new(row.directory.inferred_native_path_string()),
                Cell::new(document_name(row)),
                Cell::new(words::directory_state(row.state).0),
                Cell::new(row.raw_bytes.to_string()),
                Cell::new(row.kept_bytes.to_string()),
                Cell::new(row.lost_bytes.to_string()),
                Cell::new(row.budget_left.to_string()),
            ];
            if is_about_several {
                cells.push(Cell::new(report.environment_id.as_str()));
            }
            table.push(cells);
        }
    }
    table.tab_separated()
}

/// The row of the user-level document.
fn user_cells(user: &UserRow) -> Vec<Cell> {
    let directory = user.source.parent().unwrap_or_else(|| user.source.clone());
    let bytes = user.bytes.to_string();
    vec![
        Cell::new(directory.inferred_native_path_string()),
        Cell::new(user.source.basename().unwrap_or_default()),
        Cell::new("user"),
        Cell::new(&bytes),
        Cell::new(&bytes),
        Cell::new("0"),
        Cell::new(""),
    ]
}
